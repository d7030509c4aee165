"""Rows of the service's tables: who sees items, stamps, ranks, trees and sign-ins, without a service."""

import math
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from backlit.service.admin.workspace import writing
from backlit.service.storage.schema import areas, work_items
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import attachments, projects, sign_ins, trees
from backlit.service.tables import work_items as items
from backlit.service.tables.work_items import Item, item_of

NOW = datetime(2030, 1, 1, 12)
LATER = NOW + timedelta(hours=1)
BY: dict[str, Any] = {"by": "jon", "now": LATER}


@pytest.fixture
def connection(sample_file: Path, tmp_path: Path) -> Iterator[Connection]:
    """A transaction on a copy of the sample workspace."""
    shutil.copy(sample_file, tmp_path / "service.db")
    with writing(ServiceSettings(f"sqlite:///{tmp_path}/service.db", tmp_path / "files")) as connection:
        yield connection


def added(connection: Connection, item_type: str = "Story", project: int = 3, **values: object) -> Item:
    settings = projects.settings(connection, project)
    places = {"AreaID": settings.root_area_id, "IterationID": settings.root_iteration_id}
    fields = {"Name": "Added", "Status": "Not Done", "BacklogPriority": 1.0, **places, **values}
    made = Item(items.next_place(connection, project)[0], item_type, project, fields, "maya", NOW, "maya", NOW)
    return item_of(items.add(connection, made, settings))


def stored(connection: Connection, item_id: int) -> Item:
    found = items.read(connection, item_id)
    assert found is not None
    return item_of(found[1])


# Items


@pytest.mark.parametrize(("access", "seen"), [((), set()), ((2,), {2}), ((1, 3), {1, 3}), (None, {1, 2, 3})])
def test_items_are_those_of_the_visible_projects(
    connection: Connection, access: tuple[int, ...] | None, seen: set[int]
) -> None:
    found = connection.execute(select(work_items.c.project_id).where(*items.within(access))).scalars()

    assert set(found) == seen
    assert {item_of(each).project_id for each in items.page(connection, items.Query(access), 0, 1000)} == seen


def test_a_roll_up_without_a_new_value_is_no_change(connection: Connection) -> None:
    settings, story = projects.settings(connection, 3), added(connection)
    task = added(connection, "Task", ParentID=story.id, WorkRemaining=3.0, WorkCompleted=1.0)
    items.roll_up(connection, story.id, settings, "maya", NOW)
    before = stored(connection, story.id)

    logged = replace(task, values={**task.values, "WorkRemaining": 2.0, "WorkCompleted": 2.0})
    items.change(connection, task, logged, settings)
    items.roll_up(connection, story.id, settings, "jon", LATER)

    assert stored(connection, story.id) == before
    assert before.values["CalculatedEstimate"] == 4.0


def test_all_items_of_a_deleted_node_are_reassigned(connection: Connection) -> None:
    settings, gone = projects.settings(connection, 3), 987_654
    ids = [added(connection, AreaID=gone).id for _ in range(items.BATCH + 1)]

    items.reassign(connection, "AreaID", {gone}, settings.root_area_id, settings, **BY)

    first, last = stored(connection, ids[0]), stored(connection, ids[-1])
    assert {each.values["AreaID"] for each in (first, last)} == {settings.root_area_id}
    assert (last.last_modified_by, last.last_modified_at) == ("jon", LATER)
    assert connection.execute(select(work_items.c.id).where(work_items.c.area_id == gone)).first() is None


# Ranks


def ranked(connection: Connection, *numbers: float) -> list[Item]:
    """Leave a project with items of these ranks only."""
    found = connection.execute(select(work_items.c.doc).where(work_items.c.project_id == 3)).scalars().all()
    for document in found:
        items.remove(connection, item_of(document))
    return [added(connection, BacklogPriority=number) for number in numbers]


def order(connection: Connection) -> list[int]:
    return [item_of(each).id for each in items.page(connection, items.Query((3,)), 0, 1000)]


def test_neighbours_that_keep_their_number_are_not_changed(connection: Connection) -> None:
    first, second, third, fourth, moved = ranked(connection, 1.0, 2.0, 3.0, math.nextafter(3.0, 4.0), 9.0)

    items.move_rank(connection, moved, third, projects.settings(connection, 3), after=True, **BY)

    assert order(connection) == [first.id, second.id, third.id, moved.id, fourth.id]
    kept = [stored(connection, each.id) for each in (first, second, third)]
    assert kept == [first, second, third]
    assert stored(connection, fourth.id).last_modified_at == LATER


def test_a_full_gap_at_the_top_renumbers_its_neighbours_only(connection: Connection) -> None:
    numbers = [
        -200.0,
        math.nextafter(-200.0, 0.0),
        *(float(number) for number in range(-199, -199 + 2 * items.WINDOW)),
    ]
    first, second, *rest, moved = ranked(connection, *numbers)

    items.move_rank(connection, moved, first, projects.settings(connection, 3), after=True, **BY)

    assert order(connection) == [first.id, moved.id, second.id, *(each.id for each in rest)]
    assert stored(connection, rest[-1].id) == rest[-1]


# Trees


def test_a_node_with_a_new_parent_is_its_last_child(connection: Connection) -> None:
    def node(name: str, parent_id: int) -> int:
        values = {"project_id": 3, "name": name, "parent_id": parent_id, "sequence": trees.LAST}
        return trees.add(connection, areas, values, **BY)

    root = projects.settings(connection, 3).root_area_id
    parent, other = node("Parent", root), node("Other", root)
    children = [node("a", parent), node("b", parent)]
    moved = node("x", other)

    row = trees.row_of(connection, areas, moved)
    assert row is not None
    trees.change(connection, areas, dict(row), {"parent_id": parent}, **BY)

    found = [each.id for each in trees.tree_of(connection, areas, 3).children(parent)]
    assert found == [*children, moved]


# Sign-ins


def test_revoking_all_sign_ins_ends_tokens_sessions_and_codes(connection: Connection) -> None:
    family = sign_ins.add_family(connection, 1)
    token, code = sign_ins.add_refresh_token(connection, family, NOW), sign_ins.add_code(connection, 1, "uri:x", NOW)
    others = sign_ins.add_code(connection, 2, "uri:x", NOW)

    sign_ins.revoke_all(connection, 1)

    assert sign_ins.use_refresh_token(connection, token, NOW) is None
    assert sign_ins.use_code(connection, code, "uri:x", NOW) is None
    assert sign_ins.use_code(connection, others, "uri:x", NOW) == 2


# Attachments


def test_lastmodifiedat_of_an_attachment_never_goes_back(connection: Connection) -> None:
    places = {"project_id": 1, "work_item_id": 1, "type": "Internal"}
    file = {"name": "a.txt", "size": 1, "content_type": "text/plain", "digest": "0" * 64}
    made = attachments.add(connection, {**places, **file}, "maya", LATER)

    described = attachments.describe(connection, made, "Later", "jon", NOW)

    assert (described.description, described.last_modified_by) == ("Later", "jon")
    assert described.last_modified_at == LATER
