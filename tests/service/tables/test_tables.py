"""Rows of the service's tables: who sees items, stamps, ranks, trees and files, without a service."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Table, func, insert, select

from backlit.model.fields import ItemType, ValueType
from backlit.model.filters import SortKey
from backlit.model.odata import parse_filter
from backlit.service.admin.rendering import item_of_row, item_rows
from backlit.service.admin.workspace import place_of_files
from backlit.service.storage import schema
from backlit.service.storage.schema import areas, work_items
from backlit.service.tables import attachments, item_lists, projects, ranks, trees
from backlit.service.tables import work_items as items
from backlit.service.tables.below import COMMENTS
from backlit.service.tables.changes import Stamp
from backlit.service.tables.siblings import LAST_SEQUENCE
from backlit.service.tables.work_items import WorkItemRow, item_of

NOW = datetime(2030, 1, 1, 12)
LATER = NOW + timedelta(hours=1)


def by(name: str = "jon", at: datetime = LATER) -> Stamp:
    return Stamp(2, name, at)


def added(connection: Connection, item_type: str = "Story", project: int = 3, **values: object) -> WorkItemRow:
    settings = projects.settings(connection, project)
    places = {"AreaID": settings.root_area_id, "IterationID": settings.root_iteration_id}
    fields = {"Name": "Added", "Status": "Not Done", "BacklogPriority": 1.0, **places, **values}
    made = WorkItemRow(items.next_place(connection, project)[0], item_type, project, fields, "maya", NOW, "maya", NOW)
    return item_of(items.add(connection, made, settings, by("maya", NOW)))


def stored(connection: Connection, item_id: int) -> WorkItemRow:
    found = items.read(connection, item_id)
    assert found is not None
    return item_of(found[1])


def copied(connection: Connection, item: WorkItemRow, priorities: Sequence[float]) -> list[WorkItemRow]:
    """Insert copies of an item with these ranks, in one statement."""
    fields = projects.settings(connection, item.project_id).fields_by_type[item.type]
    row = dict(connection.execute(select(work_items).where(work_items.c.id == item.id)).mappings().one())
    first = connection.execute(select(func.max(work_items.c.id))).scalar_one() + 1
    made = [
        replace(item, id=first + number, values={**item.values, "BacklogPriority": priority})
        for number, priority in enumerate(priorities)
    ]
    rows = [
        row | {"id": each.id, "backlog_priority": priority, "doc": each.document(fields)}
        for each, priority in zip(made, priorities, strict=True)
    ]
    connection.execute(insert(work_items), rows)
    return made


# Items


@pytest.mark.parametrize(("access", "seen"), [((), set()), ((2,), {2}), ((1, 3), {1, 3}), (None, {1, 2, 3})])
def test_items_are_those_of_the_visible_projects(
    connection: Connection, access: tuple[int, ...] | None, seen: set[int]
) -> None:
    found = connection.execute(select(work_items.c.project_id).where(*item_lists.within(access))).scalars()

    assert set(found) == seen
    assert {
        item_of(each).project_id for each in item_lists.page(connection, item_lists.WorkItemQuery(access), 0, 1000)
    } == seen


@pytest.mark.parametrize(
    ("estimates", "found"),
    [
        ((1, 2, 9), 3.0),
        ((0, 0, 0), 0.0),
        ((0, 1, 0), pytest.approx(4 / 6)),
        ((2.5, 2.5, 4.0), 2.75),
        ((None, 2, 9), None),
        ((1, None, 9), None),
        ((1, 2, None), None),
    ],
)
def test_a_pert_estimate_needs_all_three(estimates: tuple[float | None, ...], found: float | None) -> None:
    keys = ("EstimateOptimistic", "EstimateProbable", "EstimatePessimistic")

    assert items.pert(dict(zip(keys, estimates, strict=True))) == found
    assert items.pert({}) is None


@pytest.mark.parametrize(
    ("tasks", "found"),
    [
        ([], None),
        ([(None, None, None)], 0.0),
        ([(0.0, 5.0, 1.0)], 0.0),
        ([(3.0, 5.0, 1.0), (None, 5.0, 1.0), (None, None, 2.0), (None, 0.5, None)], 11.5),
    ],
)
def test_a_calculated_estimate_is_the_sum_of_pert_or_of_work(
    tasks: list[tuple[float | None, float | None, float | None]], found: float | None
) -> None:
    assert items.calculated(tasks) == found


def test_a_roll_up_without_a_new_value_is_no_change(connection: Connection) -> None:
    settings, story = projects.settings(connection, 3), added(connection)
    task = added(connection, "Task", ParentID=story.id, WorkRemaining=3.0, WorkCompleted=1.0)
    items.roll_up(connection, story.id, settings, by("maya", NOW))
    before = stored(connection, story.id)

    logged = replace(task, values={**task.values, "WorkRemaining": 2.0, "WorkCompleted": 2.0})
    items.change(connection, task, logged.values, settings, by())
    items.roll_up(connection, story.id, settings, by())

    assert stored(connection, story.id) == before
    assert before.values["CalculatedEstimate"] == 4.0
    items.change(connection, stored(connection, task.id), {**logged.values, "WorkRemaining": 5.0}, settings, by())
    items.roll_up(connection, story.id, settings, by())
    after = stored(connection, story.id)
    assert (after.values["CalculatedEstimate"], after.last_modified_by, after.last_modified_at) == (7.0, "jon", LATER)


@pytest.mark.parametrize("order", [(), (SortKey("id", True),)], ids=["by rank", "newest first"])
def test_a_deep_page_is_the_same_as_a_shallow_one(connection: Connection, order: tuple[SortKey, ...]) -> None:
    copied(connection, added(connection), range(item_lists.DEEP_SKIP))
    query = item_lists.WorkItemQuery((3,), order=order)
    whole = item_lists.page(connection, query, 0, 1000)

    pages = [item_lists.page(connection, query, item_lists.DEEP_SKIP + skip, 9) for skip in (-5, 0, 3, 10_000)]

    assert pages == [whole[item_lists.DEEP_SKIP + skip :][:9] for skip in (-5, 0, 3, 10_000)]


def test_every_write_to_an_item_counts_for_its_project_alone(connection: Connection) -> None:
    settings, seen = projects.settings(connection, 3), [0]
    others = projects.revision_of(connection, [1, 2])

    def count() -> None:
        seen.append(projects.revision_of(connection, [3]))

    count()
    story = added(connection, AreaID=987_654)
    count()
    task = added(connection, "Task", ParentID=story.id, WorkRemaining=3.0)
    count()
    items.change(connection, task, {**task.values, "Name": "Changed"}, settings, by())
    count()
    items.roll_up(connection, story.id, settings, by())
    count()
    items.reassign(connection, "AreaID", {987_654}, settings.root_area_id, settings=settings, stamp=by())
    count()
    ranks.move_rank(connection, stored(connection, story.id), None, settings, by(), after=True)
    count()
    items.remove(connection, stored(connection, story.id), by())
    count()

    assert seen == sorted(set(seen))
    assert projects.revision_of(connection, [1, 2]) == others


def test_all_items_of_a_deleted_node_are_reassigned(connection: Connection) -> None:
    settings, gone = projects.settings(connection, 3), 987_654
    one = added(connection, AreaID=gone)
    ids = [one.id, *(each.id for each in copied(connection, one, [1.0] * items.REWRITE_BATCH))]

    items.reassign(connection, "AreaID", {gone}, settings.root_area_id, settings=settings, stamp=by())

    first, last = stored(connection, ids[0]), stored(connection, ids[-1])
    assert {each.values["AreaID"] for each in (first, last)} == {settings.root_area_id}
    assert (last.last_modified_by, last.last_modified_at) == ("jon", LATER)
    assert connection.execute(select(work_items.c.id).where(work_items.c.area_id == gone)).first() is None


def test_stamps_of_an_item_go_on_where_the_clock_is_behind(connection: Connection) -> None:
    settings, gone = projects.settings(connection, 3), 987_654
    behind = by(at=NOW - timedelta(days=1))
    story = added(connection, AreaID=gone)
    added(connection, "Task", ParentID=story.id, WorkRemaining=3.0)

    stamps = [story.last_modified_at]
    items.roll_up(connection, story.id, settings, behind)
    stamps.append(stored(connection, story.id).last_modified_at)
    items.reassign(connection, "AreaID", {gone}, settings.root_area_id, settings=settings, stamp=behind)
    stamps.append(stored(connection, story.id).last_modified_at)

    assert stamps == sorted(set(stamps))


@pytest.mark.parametrize("item_type", ItemType)
def test_the_columns_of_an_item_have_what_its_document_has(connection: Connection, item_type: ItemType) -> None:
    settings = projects.settings(connection, 1)
    fields = settings.fields_by_type[item_type]
    kinds: dict[ValueType, tuple[object, object]] = {
        ValueType.INTEGER: (1, 2),
        ValueType.NUMBER: (0.5, 1.5),
        ValueType.BOOLEAN: (False, True),
        ValueType.TAGS: (["a"], ["b", "c"]),
    }
    values = [{f.key: kinds.get(f.value_type, (f"old {f.key}", f"new {f.key}"))[at] for f in fields} for at in (0, 1)]
    some = {field.key: values[number % 2][field.key] for number, field in enumerate(fields)}
    needed = {"Name": "x", "BacklogPriority": 1.0, "AreaID": 3, "IterationID": 3, "Description": ""}

    made = WorkItemRow(items.next_place(connection, 1)[0], item_type, 1, values[0], "maya", NOW, "maya", NOW)
    items.add(connection, made, settings, by("maya", NOW))
    for state in (values[0], values[1], some, dict.fromkeys(some) | needed):
        items.change(connection, made, state, settings, by())
        new = stored(connection, made.id)
        row = next(row for rows in item_rows(connection, 1, [item_type]) for row in rows if row.id == made.id)
        kept = item_of_row(row)
        assert {key: kept.values.get(key) or None for key in state} == {
            key: value or None for key, value in state.items()
        }
        assert (kept.document(fields), row.doc) == (new.document(fields),) * 2
        made = new


def test_a_removed_item_takes_only_what_is_its_own(connection: Connection) -> None:
    def rows(table: Table, key: str) -> list[tuple[int, int | None]]:
        return [(row[0], row[1]) for row in connection.execute(select(table.c.id, table.c[key]).order_by(table.c.id))]

    gone, kept = added(connection, project=1), added(connection, project=1)
    task = added(connection, "Task", project=1, ParentID=gone.id)
    for number, item in enumerate((gone, task, kept, gone)):
        place = {"project_id": 1, "work_item_id": item.id, "type": "Internal"}
        COMMENTS.add(connection, {**place, "description": "Seen"}, by("maya", NOW))
        file = {"name": "a", "size": 1, "content_type": "text/plain", "digest": str(number) * 64}
        attachments.add(connection, {**place, **file}, by("maya", NOW))
    tables = ((schema.comments, "work_item_id"), (schema.attachments, "work_item_id"), (schema.work_items, "id"))
    before, count = [rows(*each) for each in tables], projects.items_in(connection, [1])
    others = projects.items_in(connection, [2, 3])

    freed = items.remove(connection, gone, by()).freed

    mine = {gone.id, task.id}
    assert set(freed) == {"0" * 64, "1" * 64, "3" * 64}
    assert [rows(*each) for each in tables] == [[row for row in some if row[1] not in mine] for some in before]
    assert projects.items_in(connection, [1]) == count - 2
    assert projects.items_in(connection, [2, 3]) == others


def test_lists_of_comments_and_attachments_are_those_of_their_place(connection: Connection) -> None:
    one, other = added(connection, project=1), added(connection, project=2)
    made = []
    for item, comment_id in ((one, None), (one, 1), (other, None)):
        place = {"project_id": item.project_id, "work_item_id": item.id, "type": "Internal"}
        COMMENTS.add(connection, {**place, "description": item.type}, by("maya", NOW))
        file = {"name": "a", "size": 1, "content_type": "text/plain", "digest": "0" * 64, "comment_id": comment_id}
        made.append(attachments.add(connection, {**place, **file}, by("maya", NOW)).id)
    named = parse_filter("id gt 0", properties=attachments.PROPERTIES)

    def attached(projects_: tuple[int, ...], item_id: int | None = None, comment_id: int | None = None) -> list[int]:
        query = attachments.query(projects_, item_id, comment_id, named, ())
        found = query.rows(connection, 0, 100)
        assert query.count(connection) == len(found)
        assert query.rows(connection, 1, 1) == found[1:2]
        backwards = attachments.query(projects_, item_id, comment_id, named, (SortKey("id", descending=True),))
        ids = [each.id for each in found]
        assert [each.id for each in backwards.rows(connection, 0, 100)] == sorted(ids, reverse=True)
        return ids

    assert [attached((1,)), attached((2,)), attached((1, 2)), attached(())] == [made[:2], made[2:], made, []]
    assert [attached((2,), one.id), attached((2,), other.id), attached((2,), one.id, 1)] == [
        made[:2],
        made[2:],
        made[1:2],
    ]
    for project_ids, item_id, number in (((1, 2), one.id, 2), ((1, 2), other.id, 1), ((2,), None, None)):
        query = COMMENTS.query(project_ids, item_id, named)
        found = query.rows(connection, 0, 1000)
        assert query.count(connection) == len(found)
        assert {each.project_id for each in found} <= set(project_ids)
        assert number is None or [each.work_item_id for each in found] == [item_id] * number
    freed = attachments.remove_of_comment(connection, 1, by())
    assert freed == ("0" * 64,)
    assert attached((1, 2)) == [made[0], made[2]]
    assert attachments.uses(connection, "0" * 64)
    attachments.remove(connection, made[0], by())
    attachments.remove(connection, made[2], by())
    assert not attachments.uses(connection, "0" * 64)
    assert attachments.remove(connection, made[0], by()) == ()


# Ranks


def ranked(connection: Connection, *numbers: float) -> list[WorkItemRow]:
    """Leave a project with items of these ranks only."""
    found = connection.execute(select(work_items.c.doc).where(work_items.c.project_id == 3)).scalars().all()
    for document in found:
        items.remove(connection, item_of(document), by())
    return [added(connection, BacklogPriority=number) for number in numbers]


def order(connection: Connection) -> list[int]:
    return [item_of(each).id for each in item_lists.page(connection, item_lists.WorkItemQuery((3,)), 0, 1000)]


def test_a_new_item_gets_a_number_beyond_the_last(connection: Connection) -> None:
    ranked(connection, 1.0, 7.5)

    assert items.next_place(connection, 3)[1] > 7.5


@pytest.mark.parametrize("is_bottom", [False, True])
@pytest.mark.parametrize("numbers", [(-5.0, -2.0), (0.0, 2.0), (5.0, 9.0)])
def test_an_item_goes_beyond_the_first_or_the_last(
    connection: Connection, numbers: tuple[float, float], is_bottom: bool
) -> None:
    first, second = ranked(connection, *numbers)
    moved, kept = (first, second) if is_bottom else (second, first)

    ranks.move_rank(connection, moved, None, projects.settings(connection, 3), by(), after=is_bottom)

    assert order(connection) == [second.id, first.id]
    assert stored(connection, kept.id) == kept


def test_an_item_between_two_others_changes_alone(connection: Connection) -> None:
    settings = projects.settings(connection, 3)
    first, second, third, moved = ranked(connection, 1.0, 2.0, 3.0, 9.0)

    ranks.move_rank(connection, moved, first, settings, by(), after=True)
    ranks.move_rank(connection, third, None, settings, by(), after=False)

    assert order(connection) == [third.id, first.id, moved.id, second.id]
    assert [stored(connection, each.id) for each in (first, second)] == [first, second]


def test_items_of_one_number_are_ordered_by_a_move(connection: Connection) -> None:
    settings = projects.settings(connection, 3)
    first, second = ranked(connection, 1.0, 1.0)

    ranks.move_rank(connection, first, second, settings, by(), after=True)
    assert order(connection) == [second.id, first.id]
    ranks.move_rank(connection, stored(connection, first.id), second, settings, by(), after=False)
    assert order(connection) == [first.id, second.id]


def test_neighbours_that_keep_their_number_are_not_changed(connection: Connection) -> None:
    first, second, third, fourth, moved = ranked(connection, 1.0, 2.0, 3.0, math.nextafter(3.0, 4.0), 9.0)

    ranks.move_rank(connection, moved, third, projects.settings(connection, 3), by(), after=True)

    assert order(connection) == [first.id, second.id, third.id, moved.id, fourth.id]
    kept = [stored(connection, each.id) for each in (first, second, third)]
    assert kept == [first, second, third]
    assert stored(connection, fourth.id).values["BacklogPriority"] > 3.5


def test_a_full_gap_at_the_top_renumbers_its_neighbours_only(connection: Connection) -> None:
    numbers = [
        -200.0,
        math.nextafter(-200.0, 0.0),
        *(float(number) for number in range(-199, -199 + 2 * ranks.RANK_WINDOW)),
    ]
    first, second, *rest, moved = ranked(connection, *numbers)

    ranks.move_rank(connection, moved, first, projects.settings(connection, 3), by(), after=True)

    assert order(connection) == [first.id, moved.id, second.id, *(each.id for each in rest)]
    assert stored(connection, rest[-1].id) == rest[-1]


ABOVE = [float(number) for number in range(1, ranks.RANK_WINDOW + 9)]
BELOW = [math.nextafter(ABOVE[-1], math.inf), *(ABOVE[-1] + number for number in range(1, ranks.RANK_WINDOW + 8))]
CROWD = [1.0 + number * math.ulp(1.0) for number in range(2 * ranks.RANK_WINDOW + 16)]
STEP = 2 * ranks.RANK_WINDOW / (2 * ranks.RANK_WINDOW + 2)


@pytest.mark.parametrize(
    ("numbers", "place", "kept", "renumbered"),
    [
        # A window on both sides is spread between its neighbours, and nothing beyond them changes.
        (
            ABOVE + BELOW,
            len(ABOVE),
            (8, 8),
            [8.0 + STEP * number for number in range(1, 2 * ranks.RANK_WINDOW + 2)],
        ),
        # At the bottom the numbers go on by one.
        ([*ABOVE, BELOW[0]], len(ABOVE), (8, 0), [8.0 + number for number in range(1, ranks.RANK_WINDOW + 3)]),
        # Without room in the window a wider one is spread, here the whole backlog.
        (CROWD, ranks.RANK_WINDOW + 8, (0, 0), [float(number) for number in range(1, len(CROWD) + 2)]),
    ],
    ids=["both", "bottom", "wider"],
)
def test_a_full_gap_spreads_its_neighbours_evenly(
    connection: Connection, numbers: list[float], place: int, kept: tuple[int, int], renumbered: list[float]
) -> None:
    (moved,) = ranked(connection, -9.0)
    listed = copied(connection, moved, numbers)

    ranks.move_rank(connection, moved, listed[place], projects.settings(connection, 3), by(), after=False)

    found = [item_of(each) for each in item_lists.page(connection, item_lists.WorkItemQuery((3,)), 0, 1000)]
    first, last = kept[0], len(found) - kept[1]
    assert [each.id for each in found] == [each.id for each in [*listed[:place], moved, *listed[place:]]]
    assert found[:first] + found[last:] == listed[:first] + listed[len(listed) - kept[1] :]
    assert [each.values["BacklogPriority"] for each in found[first:last]] == pytest.approx(renumbered)
    assert (found[place].last_modified_by, found[place].last_modified_at) == ("maya", NOW)


# Trees


def test_a_node_with_a_new_parent_is_its_last_child(connection: Connection) -> None:
    def node(name: str, parent_id: int) -> int:
        values = {"project_id": 3, "name": name, "parent_id": parent_id, "sequence": LAST_SEQUENCE}
        return trees.add(connection, areas, values, by())

    root = projects.settings(connection, 3).root_area_id
    parent, other = node("Parent", root), node("Other", root)
    children = [node("a", parent), node("b", parent)]
    moved = node("x", other)

    row = trees.row_of(connection, areas, moved)
    assert row is not None
    trees.change(connection, areas, dict(row), {"parent_id": parent}, by())

    mine = select(areas.c.id).where(areas.c.parent_id == parent).order_by(areas.c.sequence)
    assert connection.execute(mine).scalars().all() == [*children, moved]


def test_stamps_of_nodes_never_go_back(connection: Connection) -> None:
    root = projects.settings(connection, 3).root_area_id
    values = {"project_id": 3, "parent_id": root, "sequence": LAST_SEQUENCE}
    first, second = [trees.add(connection, areas, values | {"name": name}, by()) for name in ("a", "b")]

    row = trees.row_of(connection, areas, second)
    assert row is not None
    trees.change(connection, areas, dict(row), {"name": "c", "sequence": 0}, by("maya", NOW))

    stamps = [found for each in (first, second) if (found := trees.row_of(connection, areas, each))]
    assert [each["last_modified_at"] for each in stamps] == [LATER, LATER]
    assert [each["last_modified_by"] for each in stamps] == ["jon", "maya"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *(("middle", values) for values in ({}, {"name": "middle"}, {"sequence": 2}, {"parent_id": 0})),
        ("last", {"sequence": LAST_SEQUENCE}),
    ],
)
def test_a_node_that_stays_as_it_is_is_not_changed(connection: Connection, name: str, values: dict[str, Any]) -> None:
    root = projects.settings(connection, 3).root_area_id
    parent = trees.add(
        connection, areas, {"project_id": 3, "parent_id": root, "sequence": 1, "name": "Top"}, by("maya", NOW)
    )
    place = {"project_id": 3, "parent_id": parent, "sequence": LAST_SEQUENCE}
    for each in ("first", "middle", "last"):
        trees.add(connection, areas, place | {"name": each}, by("maya", NOW))
    mine = select(areas).where(areas.c.parent_id == parent).order_by(areas.c.id)
    before = connection.execute(mine).mappings().all()
    node = next(dict(row) for row in before if row["name"] == name)

    trees.change(connection, areas, node, values | ({"parent_id": parent} if "parent_id" in values else {}), by())

    assert connection.execute(mine).mappings().all() == before


# Attachments


def test_the_place_of_the_files_is_the_last_that_was_recorded(connection: Connection) -> None:
    found = []
    for place in (Path("/one"), Path("/two"), "s3://bucket/prefix", Path("near"), Path("near")):
        attachments.remember_place(connection, place)
        found.append(place_of_files(connection))

    assert found == ["/one", "/two", "s3://bucket/prefix", *[str(Path("near").absolute())] * 2]


def test_lastmodifiedat_of_an_attachment_never_goes_back(connection: Connection) -> None:
    places = {"project_id": 1, "work_item_id": 1, "type": "Internal"}
    file = {"name": "a.txt", "size": 1, "content_type": "text/plain", "digest": "0" * 64}
    made = attachments.add(connection, {**places, **file}, by("maya"))

    described = attachments.describe(connection, made, "Later", by(at=NOW))

    assert (described.description, described.last_modified_by) == ("Later", "jon")
    assert described.last_modified_at == LATER
