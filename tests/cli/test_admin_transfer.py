"""`backlit admin` export, import, backup and restore: nothing is lost, nothing is overwritten."""

import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from tests.cli.admin_world import Served, Workspace, command

from backlit.service.admin.records import CONTENT_LINE_BYTES
from backlit.service.admin.workspace import place_of_files
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.schema import work_items

SAMPLE = "lantern"
LARGE = b"\x00\xff" * CONTENT_LINE_BYTES  # two pieces
FLAT = 12 * 1024
"""KiB that a workspace of any size may take on top of a small one."""


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def attached(served: Served) -> None:
    """Attach three files, two of which are the same."""
    maya = await served.client("maya", SAMPLE)
    for name, content in (("one.txt", b"one"), ("again.txt", b"one"), ("large.bin", LARGE), ("none", b"")):
        answer = await maya.post("workitems/1/attachments", files={"files": (name, content, "text/plain")})
        assert answer.status_code == 201, answer.text


async def agreed(served: Served) -> None:
    """Write what the members of a project share."""
    maya = await served.client("maya", SAMPLE)
    settings = {
        "timeZone": "Europe/Berlin",
        "daysOff": ["2026-12-25"],
        "wipLimits": {"Done": 3},
        "estimateScale": [1, 2],
    }
    sprint = (await maya.get("projects/1/iterations")).json()["results"][-1]["id"]
    part = {"projectId": 1, "type": "Story", "splitFrom": 1, "fields": {"Name": "Part"}}
    capacities = {"capacities": [{"userId": 1, "points": 8, "daysOff": ["2026-12-24"]}]}
    for answer in (
        await maya.put("projects/1/settings", json=settings),
        await maya.put("projects/1/capacities", json=capacities),
        await maya.put(f"iterations/{sprint}/capacities", json=capacities),
        await maya.post(f"iterations/{sprint}/start"),
        await maya.post("workitems", json=part),
        await maya.post("projects/1/views", json={"name": "Bugs", "spec": {"query": "type:bug"}}),
    ):
        assert answer.is_success, answer.text


async def related(served: Served) -> None:
    """Write an object of each kind below items."""
    maya = await served.client("maya", SAMPLE)
    task = {"projectId": 1, "type": "Task", "fields": {"Name": "Task", "ParentID": 1}}
    task_id = (await maya.post("workitems", json=task)).json()["id"]
    for noun, body in {
        "relations": {"workItemId": task_id, "type": "Blocks", "targetId": 2},
        "links": {"workItemId": 1, "displayText": "Survey", "url": "https://example.org"},
        "acceptancecriteria": {"workItemId": 1, "title": "It works"},
        "timeentries": {"taskId": task_id, "date": "2026-03-11", "hours": 1.5, "type": "Testing"},
    }.items():
        answer = await maya.post(noun, json=body)
        assert answer.status_code == 201, answer.text


BELOW = {"relations", "links", "acceptance_criteria", "time_entries"}
SHARED = {"project_settings", "project_capacities", "iteration_capacities", "iteration_events", "item_splits", "views"}


@pytest.fixture
def other(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "other")


@pytest.mark.slow
@pytest.mark.parametrize("contents", ["lines", "folder"])
async def test_a_workspace_comes_back_as_it_was(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path, contents: str
) -> None:
    await attached(served)
    await agreed(served)
    await related(served)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    wrote = workspace.good("export", str(first), "--contents", contents)
    read = other.good("import", str(first))
    other.good("export", str(second), "--contents", contents)

    assert wrote["rows"] == read["rows"]
    assert wrote["contents"] == read["contents"] == 3
    assert lines_of(first)[1:] == lines_of(second)[1:]
    assert other.problems() == []
    assert first.stat().st_mode & 0o077 == 0
    tables = {line["table"] for line in lines_of(first) if "table" in line}
    assert tables >= {"users", "signing_keys", "attachments", *SHARED, *BELOW}


async def test_an_imported_workspace_serves_the_same_documents(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path
) -> None:
    workspace.good("export", str(tmp_path / "lines"))
    other.good("import", str(tmp_path / "lines"))

    def documents(place: Workspace) -> list[Any]:
        with place.rows() as connection:
            return list(connection.execute(select(work_items.c.id, work_items.c.doc).order_by(work_items.c.id)))

    assert documents(other) == documents(workspace)
    assert len(documents(other)) == 80
    with other.rows() as connection:
        assert place_of_files(connection) == str(other.settings.files)


async def test_ids_of_what_was_deleted_are_not_given_again(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path
) -> None:
    maya = await served.client("maya", SAMPLE)
    body = {"type": "Story", "projectId": 1, "fields": {"Name": "gone"}}
    last = (await maya.post("workitems", json=body)).json()["id"]
    await maya.delete(f"workitems/{last}")
    workspace.good("export", str(tmp_path / "lines"))
    other.good("import", str(tmp_path / "lines"))
    with other.damage() as connection:
        row = connection.execute(select(work_items).where(work_items.c.id == 1)).mappings().one()
        values = {key: value for key, value in row.items() if key != "id"}
        new = connection.execute(insert(work_items).values(values).returning(work_items.c.id)).scalar_one()

    assert new == last + 1


async def test_secrets_can_be_left_out(workspace: Workspace, served: Served, other: Workspace, tmp_path: Path) -> None:
    await served.client("maya", SAMPLE)
    workspace.good("export", str(tmp_path / "lines"), "--without-secrets")
    other.good("import", str(tmp_path / "lines"))
    text = (tmp_path / "lines").read_text(encoding="utf-8")

    assert "argon2" not in text
    assert not {"signing_keys", "refresh_tokens", "login_attempts"} & {
        line.get("table") for line in lines_of(tmp_path / "lines")
    }
    assert not any(user["hasPassword"] for user in other.good("users", "list"))


@pytest.mark.slow
async def test_a_history_can_be_left_out_and_begins_anew_where_that_is_imported(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path
) -> None:
    maya = await served.client("maya", SAMPLE)
    await maya.put("workitems/1", json={"Name": "Before"})
    workspace.good("export", str(tmp_path / "lines"), "--without-history")
    other.good("import", str(tmp_path / "lines"))

    tables = {line.get("table") for line in lines_of(tmp_path / "lines")}
    assert not {"changes", "change_texts", "iteration_log", "workspace"} & tables
    with other.rows() as connection:
        changes = connection.execute(text("SELECT count(*) FROM changes WHERE cause <> 6")).scalar_one()
        begun = connection.execute(text("SELECT count(*) FROM projects WHERE history_from > 0")).scalar_one()
        members = connection.execute(text("SELECT count(*) FROM iteration_log")).scalar_one()
    assert (changes, begun) == (0, 3)
    assert members
    assert other.problems() == []


def test_the_lines_go_through_a_pipe(workspace: Workspace, other: Workspace) -> None:
    exported = workspace.admin("export", "-")
    imported = other.admin("import", "-", given=exported.stdout)

    assert exported.stdout.count("\n") == sum(1 for _ in exported.stdout.splitlines())
    assert imported.returncode == 0, imported.stderr
    assert other.problems() == []


def test_transfers_overwrite_nothing(workspace: Workspace, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    folder = tmp_path / "backup"
    workspace.good("export", str(tmp_path / "lines"))
    workspace.good("backup", str(folder))

    exported = workspace.admin("export", str(taken))
    imported = workspace.admin("import", str(tmp_path / "lines"))
    backed_up = workspace.admin("backup", str(folder))
    restored = workspace.admin("restore", str(folder))

    assert [done.returncode for done in (exported, imported, backed_up, restored)] == [7, 7, 7, 7]
    assert taken.read_text() == "mine"
    assert "already" in imported.stderr
    assert "never overwritten" in restored.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: lines[1:], "first line has no header"),
        (lambda lines: [lines[0] | {"schema": 999}, *lines[1:]], "schema 999"),
        (lambda lines: [*lines, {"table": "nothing", "row": {}}], "is neither a row"),
        (lambda lines: [lines[0], lines[-5], *lines[1:]], "could not be stored"),
        (lambda lines: [lines[0], lines[1], lines[1], *lines[2:]], "could not be stored"),
        (lambda lines: [lines[0], {"table": "projects", "row": {"id": 1}}], "Line 2: a row of projects lacks"),
        (lambda lines: [*lines, {"contents": "ab" * 32, "data": "!"}], "not base64"),
        (lambda lines: [*lines, {"contents": "ab" * 32, "data": ""}], "match their digest"),
        (lambda lines: [line for line in lines if line.get("row", {}).get("path") != "Aurora"], "needs one root in"),
        (lambda lines: lines[:-1], "problems, the first"),
    ],
)
def test_an_export_that_does_not_fit_is_refused_whole(
    workspace: Workspace, other: Workspace, tmp_path: Path, change: Any, sentence: str
) -> None:
    workspace.good("export", str(tmp_path / "lines"))
    lines = [line for line in lines_of(tmp_path / "lines") if "ids" not in line]
    (tmp_path / "bad").write_text("\n".join(json.dumps(line) for line in change(lines)), encoding="utf-8")
    done = other.admin("import", str(tmp_path / "bad"))

    assert done.returncode in {4, 6, 7}
    assert sentence in done.stderr
    assert not list(other.folder.glob("service.db*"))


@pytest.mark.slow
def test_export_of_the_schema_before_relations_is_read(workspace: Workspace, other: Workspace, tmp_path: Path) -> None:
    workspace.good("export", str(tmp_path / "lines"))
    header, *lines = lines_of(tmp_path / "lines")
    older = [{**header, "schema": 8}]
    for line in lines:
        if {line.get("table"), line.get("ids")}.isdisjoint(BELOW):
            older.append(line)
        if line.get("table") == "projects":
            del line["row"]["work_from_time"]
        if line.get("table") == "custom_fields":
            del line["row"]["is_due"]
    (tmp_path / "older").write_text("\n".join(json.dumps(line) for line in older), encoding="utf-8")

    other.good("import", str(tmp_path / "older"))

    assert other.problems() == []
    assert {each["workFromTime"] for each in other.good("projects", "list")} == {True}


def test_import_rejects_malformed_json_with_its_line(other: Workspace) -> None:
    assert "Line 1 is not JSON" in other.admin("import", "-", given="hello\n").stderr
    assert "Line 1 is not a JSON object" in other.admin("import", "-", given="[]\n").stderr
    assert other.admin("import", "/nowhere/lines").stderr.startswith("backlit: /nowhere/lines cannot be read")


@pytest.mark.slow
async def test_a_backup_restored_is_the_workspace_with_its_files(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path
) -> None:
    await attached(served)
    made = workspace.good("backup", str(tmp_path / "backup"))
    other.good("restore", str(tmp_path / "backup"))
    workspace.good("export", str(tmp_path / "one"))
    other.good("export", str(tmp_path / "two"))

    assert made["contents"] == 3
    assert other.problems() == []
    assert lines_of(tmp_path / "one")[1:] == lines_of(tmp_path / "two")[1:]
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "backup").iterdir()} == {0}
    assert (other.folder / "service.db").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_backups_taken_while_others_write_are_each_of_one_moment(workspace: Workspace, tmp_path: Path) -> None:
    """A writer keeps two counts equal in every transaction; every backup must find them so."""
    stopping = threading.Event()
    path = workspace.folder / "service.db"

    def write() -> None:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as writer:
            while not stopping.is_set():
                writer.execute("BEGIN IMMEDIATE")
                writer.execute(
                    "INSERT INTO comments SELECT NULL, project_id, work_item_id, description, type,"
                    " created_by, created_at, last_modified_by, last_modified_at FROM comments LIMIT 20"
                )
                writer.execute("UPDATE projects SET description = (SELECT count(*) FROM comments) WHERE id = 1")
                writer.execute("COMMIT")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(4):
            workspace.good("backup", str(tmp_path / f"backup-{number}"))
    finally:
        stopping.set()
        thread.join()

    counts = []
    for number in range(4):
        with closing(sqlite3.connect(tmp_path / f"backup-{number}" / "service.db")) as copy:
            found = copy.execute("SELECT count(*), (SELECT description FROM projects WHERE id = 1) FROM comments")
            counts.append(found.fetchone())
    assert all(count == int(said) for count, said in counts if said.isdigit())
    assert counts[-1][1].isdigit()


def test_restore_ignores_leftovers_of_another_database(workspace: Workspace, other: Workspace, tmp_path: Path) -> None:
    workspace.good("backup", str(tmp_path / "backup"))
    other.folder.mkdir()
    (other.folder / "service.db-wal").write_bytes(b"left over")
    done = other.admin("restore", str(tmp_path / "backup"))

    assert done.returncode == 7
    assert "service.db-wal exists and is never overwritten" in done.stderr


async def test_contents_that_a_backup_lacks_are_said(workspace: Workspace, served: Served, tmp_path: Path) -> None:
    await attached(served)
    next(path for path in (workspace.folder / "files").rglob("*") if path.is_file()).unlink()
    said = workspace.admin("backup", str(tmp_path / "backup"))

    assert said.stdout.endswith("with 2 attached files. 1 attached file could not be found.\n")


def test_restore_rejects_a_directory_without_a_backup(other: Workspace, tmp_path: Path) -> None:
    done = other.admin("restore", str(tmp_path))

    assert done.returncode == 4
    assert "There is no backup" in done.stderr
    assert not (other.folder / "service.db").exists()


def peak(*words: str) -> int:
    """The most memory, in KiB, that a child process took for a command."""
    code = "import resource, sys; from backlit.__main__ import run\n"
    code += "status = run(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True)
    return int(done.stderr.split()[-1])


@pytest.mark.slow
@pytest.mark.long
def test_exporting_takes_no_more_memory_for_more_items(workspace: Workspace, tmp_path: Path) -> None:
    large = Workspace(tmp_path / "large")
    write_sample(large.settings, 12_000, today=date(2026, 3, 11))
    words = [
        ["admin", "export", str(tmp_path / name), "--database", place.settings.database]
        for name, place in (("small", workspace), ("large", large))
    ]
    small_peak, large_peak = (peak(*each) for each in words)

    assert large_peak - small_peak < FLAT


async def test_a_backup_finds_the_files_where_the_last_server_had_them(
    workspace: Workspace, served: Served, tmp_path: Path
) -> None:
    await attached(served)
    place = ("--database", workspace.settings.database)

    made = command("admin", "backup", str(tmp_path / "backup"), *place, "--json")
    checked = command("admin", "check", *place)
    restored = command(
        "admin", "restore", str(tmp_path / "backup"), "--database", f"sqlite:///{tmp_path}/new.db",
        "--files", str(tmp_path / "new files"),
    )  # fmt: skip
    again = command("admin", "check", "--database", f"sqlite:///{tmp_path}/new.db")

    assert (made.json["contents"], made.json["missing"]) == (3, 0)
    assert [done.returncode for done in (checked, restored, again)] == [0, 0, 0], again.stdout


def copies_in(folder: Path) -> list[Path]:
    return list(folder.glob("copy*"))


@pytest.mark.parametrize("verb", ["backup", "export"])
async def test_a_copy_that_found_no_file_is_an_error_unless_files_are_left_out(
    workspace: Workspace, served: Served, tmp_path: Path, verb: str
) -> None:
    await attached(served)
    place = ("--database", workspace.settings.database, "--files", str(tmp_path / "elsewhere"))
    without = ("--without-files",) if verb == "backup" else ("--contents", "none")

    refused = command("admin", verb, str(tmp_path / "copy"), *place)
    left = copies_in(tmp_path)
    made = command("admin", verb, str(tmp_path / "copy"), *place, *without)

    assert refused.returncode == 1
    assert " ".join(without) in refused.stderr
    assert left == []
    assert made.returncode == 0


async def test_damaged_contents_are_not_copied(workspace: Workspace, served: Served, tmp_path: Path) -> None:
    await attached(served)
    (damaged,) = [
        path for path in (workspace.folder / "files").rglob("*") if path.is_file() and path.read_bytes() == b"one"
    ]
    damaged.write_bytes(b"two")

    done = workspace.admin("export", str(tmp_path / "lines"), "--contents", "folder")

    assert done.returncode == 1
    assert f"{damaged.name} are damaged." in done.stderr


async def test_a_backup_with_damaged_contents_is_not_restored_even_in_part(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path
) -> None:
    await attached(served)
    workspace.good("backup", str(tmp_path / "backup"))
    copies = [path for path in (tmp_path / "backup" / "files").rglob("*") if path.stat().st_size and path.is_file()]
    last = max(copies, key=lambda path: path.name)
    sound = last.read_bytes()
    last.write_bytes(b"x" * len(sound))

    refused = other.admin("restore", str(tmp_path / "backup"))
    left = [path for path in other.folder.rglob("*") if path.is_file()]
    last.write_bytes(sound)
    other.good("restore", str(tmp_path / "backup"))

    assert (refused.returncode, left) == (1, [])
    assert "are damaged." in refused.stderr
    assert other.problems() == []
