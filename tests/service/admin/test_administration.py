"""Administration on both databases, beside a service that runs on them."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update
from tests.cli.admin_world import PASSWORD, Workspace
from tests.service.signed_in import BASE, CLIENT_ID

from backlit.model.wrap import TOKEN_PATH
from backlit.service.app import Service
from backlit.service.storage.schema import users
from backlit.service.storage.settings import ServiceSettings


@pytest.fixture
def workspace(settings: ServiceSettings, tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, settings.database)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][1:]


@pytest.mark.slow
def test_a_new_database_gets_its_first_user_and_project(empty_url: str, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, empty_url)
    workspace.good("init")
    said = workspace.admin("users", "add", "ann", given=f"{PASSWORD}\n")
    project = workspace.good("projects", "create", "Roof", "--manager", "ann")
    again = workspace.good("users", "add", "ben", "--no-password")

    assert "Next, create a project" in said.stdout
    assert (project["id"], again["id"]) == (1, 2)
    assert workspace.problems() == []


@pytest.mark.slow
async def test_a_running_service_sees_what_was_changed(workspace: Workspace, maya: httpx.AsyncClient) -> None:
    team = workspace.good("teams", "add", "Aurora", "Night")["id"]
    workspace.good("fields", "add", "Aurora", "Risk_cf", "--kind", "integer", "--default", "3")
    body = {"type": "Story", "projectId": 1, "fields": {"Name": "new", "TeamID": team}}
    created = (await maya.post("workitems", json=body)).json()
    statuses = ["Open", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted"]
    changed = workspace.good("values", "set", "Aurora", "Story", "Status", *statuses, "--rename", "Not Done=Open")
    workspace.good("teams", "remove", "Aurora", "Night")
    workspace.good("projects", "change", "Aurora", "--name", "Dawn")
    item = (await maya.get(f"workitems/{created['id']}")).json()
    found = await maya.get("workitems", params={"$filter": "Risk_cf eq 3"})
    areas = (await maya.get("projects/1/areas")).json()["results"]

    assert created["fields"]["Risk_cf"] == 3
    assert changed["itemsChanged"] > 1
    assert (item["fields"]["Status"], item["fields"]["TeamID"]) == ("Open", None)
    assert item["lastModifiedAt"] > created["lastModifiedAt"]
    assert found.json()["totalResults"] == 1
    assert areas[0]["path"] == "Dawn"
    assert workspace.problems() == []


@pytest.mark.slow
async def test_names_with_other_letters_than_ascii_are_found_in_any_case(
    workspace: Workspace, visitor: httpx.AsyncClient
) -> None:
    workspace.admin("users", "add", "Émile", given=f"{PASSWORD}\n")
    project = workspace.good("projects", "create", "Äpfel", "--manager", "ÉMILE")
    form = {"wrap_client_id": CLIENT_ID, "wrap_password": PASSWORD}
    signed_in = [
        (await visitor.post(f"{BASE}{TOKEN_PATH}", data={**form, "wrap_username": name})).status_code
        for name in ("Émile", "émile", "Emile")
    ]
    twice = [
        workspace.admin(*command).returncode
        for command in (("users", "add", "émile", "--no-password"), ("projects", "create", "äpfel"))
    ]

    assert project["name"] == "Äpfel"
    assert signed_in == [200, 200, 401]
    assert twice == [7, 7]


@pytest.mark.slow
async def test_of_two_names_that_differ_in_case_the_exact_one_signs_in(
    workspace: Workspace, service: Service, visitor: httpx.AsyncClient
) -> None:
    for name in ("Émile", "emile"):
        workspace.admin("users", "add", name, given=f"{PASSWORD} of {name}\n")
    rename = update(users).where(users.c.name == "emile").values(name="émile")  # as older versions let it be
    service.shared.database.write.submit(lambda connection: connection.execute(rename)).result()

    for name, password in (("Émile", "Émile"), ("émile", "emile")):
        form = {"wrap_client_id": CLIENT_ID, "wrap_username": name, "wrap_password": f"{PASSWORD} of {password}"}
        assert (await visitor.post(f"{BASE}{TOKEN_PATH}", data=form)).status_code == 200, name


@pytest.mark.slow
async def test_a_new_password_signs_out_everywhere(workspace: Workspace, maya: httpx.AsyncClient) -> None:
    workspace.good("users", "password", "maya", given=f"{PASSWORD}\n")

    assert (await maya.get("users/me")).status_code == 401


@pytest.mark.slow
async def test_a_workspace_goes_from_one_database_to_the_other_and_back(
    workspace: Workspace, service: Service, maya: httpx.AsyncClient, empty_url: str, tmp_path: Path
) -> None:
    """Exported, imported into a file, backed up there, restored to an empty database like the first."""
    await maya.delete("workitems/160")
    await maya.post("workitems/1/attachments", files={"files": ("a.txt", b"a" * 300_000, "text/plain")})
    between, last = Workspace(tmp_path / "between"), Workspace(tmp_path / "last", empty_url)
    exported = workspace.good("export", str(tmp_path / "first.jsonl"))
    between.good("import", str(tmp_path / "first.jsonl"))
    between.good("backup", str(tmp_path / "backup"))
    last.good("restore", str(tmp_path / "backup"))
    last.good("export", str(tmp_path / "last.jsonl"))

    assert rows_of(tmp_path / "last.jsonl") == rows_of(tmp_path / "first.jsonl")
    assert (exported["contents"], exported["rows"]["work_items"]) == (1, 159)
    assert between.problems() == last.problems() == []
    assert last.admin("restore", str(tmp_path / "backup")).returncode == 7
    assert last.good("users", "add", "zoe", "--no-password")["id"] == 11


async def test_a_backup_is_of_one_moment_and_comes_back(
    workspace: Workspace, service: Service, maya: httpx.AsyncClient, empty_url: str, tmp_path: Path
) -> None:
    workspace.good("backup", str(tmp_path / "backup"))
    await maya.delete("workitems/1")
    last = Workspace(tmp_path / "last", empty_url)
    last.good("restore", str(tmp_path / "backup"))

    assert [project["items"] for project in last.good("projects", "list")] == [115, 29, 16]
    assert last.problems() == []
