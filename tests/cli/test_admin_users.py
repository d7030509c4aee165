"""`backlit admin` users, projects and grants, and that a running service notices."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from tests.cli.admin_world import PASSWORD, Served, Workspace, command
from tests.cli.home import COMMAND, Home

SAMPLE = "lantern"


@pytest.fixture
def empty(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "new")
    made.good("init")
    return made


@pytest.mark.slow
def test_the_next_step_after_a_user_is_said(empty: Workspace) -> None:
    added = empty.admin("users", "add", "ann", given=f"{PASSWORD}\n")

    assert added.stdout.splitlines()[0] == "Added the user ann."
    assert "backlit admin projects create NAME --manager ann" in added.stdout
    assert empty.good("users", "list") == [
        {
            "id": 1,
            "name": "ann",
            "displayName": "ann",
            "email": "",
            "isLicensed": True,
            "hasPassword": True,
            "projects": 0,
        }
    ]
    again = empty.admin("users", "add", "bob", "--no-password")
    where = f"--database {empty.settings.database} --files {empty.settings.files}"
    assert again.stdout.splitlines() == [
        "Added the user bob.",
        f"Next, give access to a project: backlit admin grants set bob PROJECT contributor {where}",
    ]


def test_a_project_is_made_with_roots_dates_and_a_manager(empty: Workspace) -> None:
    empty.admin("users", "add", "ann", "--no-password")
    dates = ["--start", "2026-01-05", "--end", "2026-06-30", "--iteration-length", "7", "--sync", "on"]
    made = empty.good("projects", "create", "Roof", "--manager", "ANN", *dates)

    assert made == {"id": 1, "name": "Roof", "rootAreaId": 1, "rootIterationId": 1}
    assert empty.good("projects", "list")[0] == {
        "id": 1,
        "name": "Roof",
        "description": "",
        "startDate": "2026-01-05",
        "endDate": "2026-06-30",
        "defaultIterationLength": 7,
        "isSyncable": True,
        "workFromTime": True,
        "historyDays": None,
        "items": 0,
    }
    assert empty.good("grants", "list") == [{"user": "ann", "projectId": 1, "project": "Roof", "role": "manager"}]
    assert empty.problems() == []


@pytest.mark.slow
def test_a_created_project_has_the_lists_of_a_sample_project(empty: Workspace, workspace: Workspace) -> None:
    empty.good("projects", "create", "Roof")

    def lists(of: Workspace, project: str) -> dict[str, list[Any]]:
        types = of.good("time-entry-types", "list", "--project", project)
        return {"time entry types": [each["name"] for each in types], "values": of.good("values", "list", project)}

    assert lists(empty, "Roof") == lists(workspace, "Beacon")
    assert len(lists(empty, "Roof")["time entry types"]) > 1


@pytest.mark.slow
def test_a_served_empty_database_says_how_to_begin_and_notices_the_first_user(home: Home, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/new.db"
    process = home.start("serve", "--port", "0", "--database", database)
    assert process.stdout is not None
    said = list(iter(process.stdout.readline, "Press ctrl+c to stop.\n"))
    added = home.run("admin", "users", "add", "ann", "--database", database, given=f"{PASSWORD}\n")
    made = home.run("admin", "projects", "create", "Roof", "--manager", "ann", "--database", database)
    login = home.run("login", said[0].split()[-1], "--user", "ann", given=f"{PASSWORD}\n")
    listed = home.run("items", "list", "--json")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=90)

    assert f"backlit admin users add NAME --database {database}" in "".join(said)
    assert (added.returncode, made.returncode, login.returncode) == (0, 0, 0), login.stderr
    assert json.loads(listed.stdout) == []


@pytest.mark.slow
async def test_a_new_password_ends_the_sign_ins_made_with_the_old_one(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    before = await maya.get("users/me")
    workspace.good("users", "password", "maya", given=f"{PASSWORD}\n")
    after = await maya.get("users/me")

    assert (before.status_code, after.status_code) == (200, 401)
    assert (await served.sign_in("maya", SAMPLE)).status_code == 401
    assert (await served.sign_in("maya", PASSWORD)).status_code == 200


async def test_a_licence_is_noticed_at_once_both_ways(workspace: Workspace, served: Served) -> None:
    jon = await served.client("jon", SAMPLE)
    workspace.good("users", "license", "jon", "off")
    refused = await jon.get("users/me")
    workspace.good("users", "license", "jon", "on")
    again = await served.sign_in("jon", SAMPLE)

    assert refused.status_code == 401
    assert again.status_code == 200


@pytest.mark.slow
async def test_a_new_user_and_its_grants_are_noticed(workspace: Workspace, served: Served) -> None:
    workspace.good("users", "add", "zoe", "--email", "zoe@example.org", given=f"{PASSWORD}\n")
    zoe = await served.client("zoe")
    nothing = (await zoe.get("workitems")).json()["totalResults"]
    workspace.good("grants", "set", "zoe", "Aurora", "reader")
    seen = (await zoe.get("workitems")).json()["totalResults"]
    body = {"type": "Story", "projectId": 1, "fields": {"Name": "new"}}
    as_reader = await zoe.post("workitems", json=body)
    changed = workspace.good("grants", "set", "zoe", "1", "contributor")
    as_contributor = await zoe.post("workitems", json=body)
    workspace.good("grants", "remove", "zoe", "aurora")
    shut_out = (await zoe.get("workitems")).json()["totalResults"]

    assert (nothing, seen, shut_out) == (0, 58, 0)
    assert (as_reader.status_code, as_contributor.status_code) == (403, 201)
    assert changed["before"] == "reader"


async def test_a_deactivated_user_is_out_and_a_dry_run_of_it_is_not(workspace: Workspace, served: Served) -> None:
    ada = await served.client("ada", SAMPLE)
    dry = workspace.good("users", "deactivate", "ada", "--dry-run")
    still = await ada.get("users/me")
    real = workspace.good("users", "deactivate", "ada")
    out = await ada.get("users/me")

    assert dry == real | {"dryRun": True}
    assert real["grantsRemoved"] == 3
    assert (still.status_code, out.status_code) == (200, 401)
    assert workspace.problems() == []


async def test_a_renamed_project_takes_its_roots_and_all_paths_along(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    workspace.good("projects", "change", "Aurora", "--name", "Dawn", "--description", "The shop", "--sync", "on")
    project = (await maya.get("projects/1")).json()
    areas = (await maya.get("projects/1/areas")).json()["results"]
    item = (await maya.get("workitems/1")).json()

    assert (project["name"], project["description"]) == ("Dawn", "The shop")
    sprints = (await maya.get("projects/1/iterations")).json()["results"]
    assert {node["path"].split("\\")[0] for node in (*areas, *sprints)} == {"Dawn"}
    assert item["fields"]["IsSyncable"] is None
    assert workspace.problems() == []


@pytest.mark.parametrize(
    ("words", "given", "sentence"),
    [
        (["users", "add", "maya"], "", "There is a user 'maya' already"),
        (["users", "add", "MAYA"], "", "already"),
        (["users", "add", "a b"], "", "must not contain blanks"),
        (["users", "add", ""], "", "The user name cannot be empty."),
        (["users", "add", "ma\u200bya"], "", "'ma\\u200bya' has signs that cannot be seen"),
        (["users", "add", "ma\u202eya"], "", "signs that cannot be seen"),
        (["users", "add", "ma\x85ya"], "", "control characters"),
        (["users", "add", "\uff4daya"], "", "Write 'maya'"),
        (["users", "add", "m\u0430ya"], "", "mixes Cyrillic and Latin letters"),
        (["users", "add", "zoe", "--email", "zoe"], "", "name@example.org"),
        (["users", "add", "zoe"], "", "first line of standard input"),
        (["users", "add", "zoe"], "short\n", "it needs 8 or more"),
        (["users", "password", "nobody"], "", "backlit admin users list"),
        (["projects", "create", "aurora"], "", "Choose another name"),
        (["projects", "create", "a\\b"], "", "backslash"),
        (["projects", "create", "12"], "", "may not be a number"),
        (["projects", "create", "New", "--start", "2026-02-01", "--end", "2026-01-01"], "", "--start and --end"),
        (["projects", "create", "New", "--iteration-length", "0"], "", "1 to 366 days"),
        (["projects", "create", "New", "--manager", "nobody"], "", "no user 'nobody'"),
        (["projects", "change", "Aurora"], "", "No change was given"),
        (["grants", "set", "maya", "Nowhere", "reader"], "", "backlit admin projects list"),
        (["grants", "remove", "uma", "Aurora"], "", "uma has no access to the project"),
    ],
)
def test_admin_rejects_invalid_users_with_a_remedy(
    workspace: Workspace, words: list[str], given: str, sentence: str
) -> None:
    done = workspace.admin(*words, given=given)

    assert done.returncode in {4, 6, 7}
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.startswith("backlit: ")


@pytest.mark.parametrize(
    "words",
    [
        ["users"],
        ["users", "license", "maya", "perhaps"],
        ["grants", "set", "maya", "Aurora", "king"],
        ["projects", "create", "New", "--start", "today"],
        ["fields", "add", "Aurora", "X_cf", "--types", "Epic"],
        ["nonsense"],
    ],
)
def test_a_wrong_usage_leaves_with_2(workspace: Workspace, words: list[str]) -> None:
    done = workspace.admin(*words)

    assert done.returncode == 2
    assert "usage: backlit admin" in done.stderr


def test_lists_are_tables_for_people(workspace: Workspace) -> None:
    lines = workspace.admin("users", "list", "--table").stdout.splitlines()

    assert lines[0].split() == ["ID", "Name", "Licensed", "Password", "Projects", "Email", "Display", "name"]
    assert lines[1].split() == ["1", "maya", "yes", "yes", "3", "maya@example.org", "Maya", "Kent"]
    assert command("admin", "users", "list", "--database", "nonsense").returncode == 6


@pytest.mark.slow
def test_on_a_terminal_the_password_is_asked_for_twice_and_not_shown(workspace: Workspace) -> None:
    words = ["admin", "users", "add", "zoe", "--database", workspace.settings.database]
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [*COMMAND, *words])
    output = b""
    for question in (b"New password, 8 characters or more: ", b"Repeat the password:  "):
        while question not in output:
            output += os.read(terminal, 1024)
        os.write(terminal, PASSWORD.encode() + b"\n")
    while b"Added" not in output:
        output += os.read(terminal, 1024)
    os.waitpid(process, 0)
    os.close(terminal)

    assert PASSWORD.encode() not in output


def test_the_grammar_of_admin_is_made_only_when_it_is_used() -> None:
    script = "import sys; from backlit.cli.arguments import parser; parser().parse_args(['demo']);"
    script += "print('backlit.cli.grammar.admin' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)

    assert done.stdout.strip() == "False"


def test_a_forgotten_user_has_a_number_for_names_in_the_history(workspace: Workspace) -> None:
    workspace.good("users", "add", "zoe", "--no-password", "--display-name", "Zoe Quill", "--email", "zoe@example.org")
    active = workspace.admin("users", "forget", "zoe")
    workspace.good("users", "deactivate", "zoe")
    dry = workspace.good("users", "forget", "zoe", "--dry-run")
    with workspace.rows() as connection:
        before = history_text(connection)
    done = workspace.good("users", "forget", "zoe")

    with workspace.rows() as connection:
        after = history_text(connection)
    assert active.returncode == 7
    assert "First: backlit admin users deactivate zoe" in active.stderr
    assert dry["changes"] == done["changes"] == 1
    assert "Zoe Quill" in before
    assert "Zoe Quill" not in after
    assert "zoe" not in after
    assert f"user {done['id']}" in after


def history_text(connection: Connection) -> str:
    return " ".join(connection.execute(text("SELECT fields FROM changes WHERE kind IN (8, 9)")).scalars())


@pytest.mark.parametrize(("given", "kept"), [("365", 365), ("30", 30), ("forever", None)])
def test_a_project_keeps_its_changes_for_days_or_for_ever(workspace: Workspace, given: str, kept: int | None) -> None:
    workspace.good("projects", "change", "1", "--history-days", "90")

    workspace.good("projects", "change", "1", "--history-days", given)

    assert workspace.good("projects", "list")[0]["historyDays"] == kept
    with workspace.rows() as connection:
        found = connection.execute(text("SELECT fields FROM changes ORDER BY revision DESC LIMIT 1")).scalar_one()
    assert json.loads(found) == {"historyDays": [90, kept]}


@pytest.mark.parametrize(("given", "code"), [("29", 6), ("100000", 6), ("0", 2), ("-1", 2), ("soon", 2)])
def test_a_history_of_too_few_days_is_refused(workspace: Workspace, given: str, code: int) -> None:
    assert workspace.admin("projects", "change", "1", "--history-days", given).returncode == code
