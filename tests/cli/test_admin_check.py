"""`backlit admin check` finds what does not fit together, and only that."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text, update
from tests.cli.admin_world import Served, Workspace

from backlit.service.storage.schema import (
    areas,
    comments,
    custom_fields,
    grants,
    project_totals,
    status_groups,
    value_lists,
    work_items,
)

SAMPLE = "lantern"


def execute(statement: Any) -> Callable[[Connection], None]:
    def act(connection: Connection) -> None:
        connection.execute(statement)

    return act


def set_first(table: Any, **values: Any) -> Callable[[Connection], None]:
    return execute(update(table).where(table.c.id == 2).values(values))


TASK = "(SELECT min(id) FROM work_items WHERE type = 'Task')"


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (set_first(areas, path="elsewhere"), ("areas", "path")),
        (set_first(areas, parent_id=999), ("areas", "parent_id")),
        (set_first(areas, parent_id=-1), ("areas", "parent_id")),
        (execute(text("UPDATE areas SET name = 'x' WHERE parent_id = -1 AND project_id = 1")), ("areas", "name")),
        (execute(text("UPDATE iterations SET end_date = '1999-01-01' WHERE id = 2")), ("iterations", "end_date")),
        (set_first(work_items, doc=b"{}"), ("work_items", "doc")),
        (set_first(work_items, name="other"), ("work_items", "doc")),
        (set_first(work_items, area_id=999), ("work_items", "area_id")),
        (set_first(work_items, iteration_id=999), ("work_items", "iteration_id")),
        (set_first(work_items, team_id=999), ("work_items", "team_id")),
        (set_first(work_items, assigned_to_id=999), ("work_items", "assigned_to_id")),
        (set_first(work_items, type="Epic"), ("work_items", "type")),
        (set_first(work_items, cf={"Old_cf": 1}), ("work_items", "cf")),
        (execute(text(f"UPDATE work_items SET parent_id = 999 WHERE id = {TASK}")), ("work_items", "parent_id")),
        (execute(text(f"UPDATE work_items SET parent_id = id WHERE id = {TASK}")), ("work_items", "parent_id")),
        (execute(text(f"UPDATE work_items SET pert_estimate = 99 WHERE id = {TASK}")), ("work_items", "pert_estimate")),
        (set_first(work_items, calculated_estimate=99.0), ("work_items", "calculated_estimate")),
        (execute(update(project_totals).values(item_count=1)), ("project_totals", "item_count")),
        (execute(update(comments).values(work_item_id=999)), ("comments", "work_item_id")),
        (execute(update(comments).values(project_id=3)), ("comments", "work_item_id")),
        (execute(update(grants).values(role="king")), ("grants", "role")),
        (execute(update(custom_fields).values(kind="colour")), ("custom_fields", "kind")),
        (execute(value_lists.insert().values(project_id=1, type="Story", key="Severity", choices=["a"])),
         ("value_lists", "choices")),
        (execute(status_groups.insert().values(project_id=1, status="Review", meaning="x")),
         ("status_groups", "meaning")),
    ],
)  # fmt: skip
def test_damage_is_found_where_it_is(
    workspace: Workspace, damage: Callable[[Connection], None], found: tuple[str, str]
) -> None:
    with workspace.damage() as connection:
        damage(connection)

    assert found in workspace.problems()


def test_a_lost_user_is_found_by_every_row_that_refers_to_it(workspace: Workspace) -> None:
    with workspace.damage() as connection:
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        connection.execute(text("DELETE FROM time_entries WHERE user_id = 2"))
        connection.execute(text("DELETE FROM grants WHERE user_id = 2"))
        connection.execute(text("DELETE FROM users WHERE id = 2"))

    assert set(workspace.problems()) == {("work_items", "assigned_to_id")}


@pytest.mark.slow
async def test_files_that_are_missing_or_damaged_are_found(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    for name in ("kept", "lost", "spoilt", "longer"):
        await maya.post("workitems/1/attachments", files={"files": (name, name.encode() * 9, "text/plain")})
    before = workspace.problems()
    files: dict[bytes, Path] = {
        path.read_bytes(): path for path in (workspace.folder / "files").rglob("*") if path.is_file()
    }
    files[b"lost" * 9].unlink()
    files[b"spoilt" * 9].write_bytes(b"Spoilt" * 9)
    files[b"longer" * 9].write_bytes(b"longer" * 9 + b"!")
    checked = workspace.admin("check", "--json").json["checked"]
    quick = workspace.admin("check", "--json", "--quick").json["problems"]
    sentences = [found["problem"] for found in workspace.admin("check", "--json").json["problems"]]

    assert before == []
    assert (checked["attachments"], checked["contents"]) == (4, 4)
    assert [found["field"] for found in quick] == ["digest"]
    assert sorted(sentence.split()[-1] for sentence in sentences) == ["damaged.", "damaged.", "missing."]


def test_a_sound_workspace_says_what_was_looked_at(workspace: Workspace) -> None:
    sound = workspace.admin("check")
    with workspace.damage() as connection:
        set_first(areas, path="elsewhere")(connection)
    damaged = workspace.admin("check")

    assert sound.returncode == 0
    assert sound.stdout.startswith("No problems: 3 projects, 80 work items, ")
    assert damaged.returncode == 1
    assert damaged.stdout.splitlines()[0].startswith("areas 2 path: The path is 'elsewhere' and should be ")
    assert damaged.stdout.splitlines()[-1].startswith("1 problem in 3 projects")


def test_a_damaged_file_is_said_in_a_sentence(workspace: Workspace) -> None:
    path = workspace.folder / "service.db"
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(bytes(content))
    done = workspace.admin("check")

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stdout + done.stderr


LAST_CHANGE = "revision = (SELECT max(revision) FROM changes)"
SPRINT = "(SELECT iteration_id FROM work_items WHERE id = 1)"


def fields_of_last_change(fields: str) -> str:
    return f"UPDATE changes SET fields = '{fields}' WHERE {LAST_CHANGE}"


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("DELETE FROM changes WHERE revision = (SELECT max(revision) - 1 FROM changes)", ("changes", "revision")),
        (f"UPDATE changes SET request = revision + 999 WHERE {LAST_CHANGE}", ("changes", "request")),
        (fields_of_last_change('{"Description": [null, {"#": "00ff"}]}'), ("change_texts", "body")),
        (fields_of_last_change('{"Estimate": [null, "other"]}'), ("work_items", "Estimate")),
        ("DELETE FROM iteration_log WHERE item_id = 1", ("iteration_log", "item_id")),
        (f"UPDATE iteration_log SET status = NULL WHERE iteration_id = {SPRINT}", ("iteration_log", "item_id")),
    ],
)
async def test_a_damaged_history_is_found_where_it_is(
    workspace: Workspace, served: Served, damage: str, found: tuple[str, str]
) -> None:
    maya = await served.client("maya", SAMPLE)
    for estimate in ("34", "55"):
        await maya.put("workitems/1", json={"Estimate": estimate})
    before = workspace.problems()
    with workspace.damage() as connection:
        assert connection.execute(text(damage.replace(":", "\\:"))).rowcount

    assert before == []
    assert found in workspace.problems()
