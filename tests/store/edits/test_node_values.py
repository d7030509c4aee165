"""The dates and capacities of iterations: what is presumed, refused and sent, and which iterations are meant."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns

from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT
from backlit.store import IterationEntry
from backlit.store.edits.checks import check_values, fault_of_range, on_wire, usual_dates
from backlit.store.edits.nodes import NewNode
from backlit.store.outbox.nodes import deliver_node
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.people import TreeKind, current, following, leaves, preceding

TODAY = date(2026, 3, 10)


def day(days: int | None) -> date | None:
    return None if days is None else TODAY + timedelta(days)


@pytest.mark.parametrize(
    ("start", "end", "dates"),
    [
        (None, None, (7, 21)),
        (0, None, (0, 14)),
        (None, 3, (-11, 3)),
        (2, 3, (2, 3)),
    ],
)
def test_a_new_iteration_takes_two_weeks_from_next_week_or_to_the_given_day(
    start: int | None, end: int | None, dates: tuple[int, int]
) -> None:
    assert usual_dates(day(start), day(end), TODAY) == (TODAY + timedelta(dates[0]), TODAY + timedelta(dates[1]))


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({}, ""),
        ({"startDate": "2026-03-10", "endDate": "2026-03-10"}, ""),
        (
            {"startDate": "2026-03-10", "endDate": "2026-03-09"},
            "The end (2026-03-09) is before the start (2026-03-10).",
        ),
        ({"startDate": None, "endDate": "2026-03-09"}, ""),
        ({"minCapacity": 5, "maxCapacity": 5}, ""),
        ({"minCapacity": 5.5, "maxCapacity": 5}, "The min capacity (5.5) is more than the max capacity (5)."),
        ({"minCapacity": 5, "maxCapacity": 4.5}, "The min capacity (5) is more than the max capacity (4.5)."),
        ({"minCapacity": 5, "maxCapacity": 0}, ""),
        ({"minCapacity": 5, "maxCapacity": None}, ""),
        ({"minCapacity": None, "maxCapacity": 5}, ""),
    ],
)
def test_a_range_ends_where_it_begins_or_later(values: dict[str, object], fault: str) -> None:
    assert fault_of_range(values) == fault


@pytest.mark.parametrize(
    ("values", "sent"),
    [
        ({"name": "x" * NAME_LIMIT}, {"name": "x" * NAME_LIMIT}),
        ({"startDate": TODAY, "endDate": "2026-03-11"}, {"startDate": "2026-03-10", "endDate": "2026-03-11"}),
        ({"minCapacity": 0, "maxCapacity": 2.5}, {"minCapacity": None, "maxCapacity": 2.5}),
        ({"maxCapacity": None, "isRelease": False}, {"maxCapacity": None, "isRelease": False}),
    ],
)
def test_a_value_of_an_iteration_is_sent_in_its_form(values: dict[str, object], sent: dict[str, object]) -> None:
    assert check_values(TreeKind.ITERATIONS, values) == sent


@pytest.mark.parametrize(
    ("kind", "key", "value", "fault"),
    [
        *((TreeKind.AREAS, "name", value, "Name cannot be empty.") for value in ("", " ", None, 3)),
        *((TreeKind.AREAS, "name", value, "Name contains invalid characters.") for value in ("a\0b", "a\ud800")),
        (TreeKind.AREAS, "name", "x" * (NAME_LIMIT + 1), "Name is longer than 500 characters."),
        *((kind, "name", "a\\b", "Name may not contain a backslash: paths are written with it.") for kind in TreeKind),
        (TreeKind.AREAS, "startDate", TODAY, "startDate cannot be changed here."),
        *((TreeKind.ITERATIONS, "endDate", value, "must be a date.") for value in (None, "", "soon", 20260310)),
        *((TreeKind.ITERATIONS, "isRelease", value, "Release: yes or no.") for value in (None, 1, "yes")),
        *(
            (TreeKind.ITERATIONS, "maxCapacity", value, "must be a number of points, not less than 0.")
            for value in (True, -0.5, "5", float("inf"), float("nan"), 1.1e300)
        ),
    ],
)
def test_a_wrong_value_of_a_node_is_refused_with_its_key(kind: TreeKind, key: str, value: object, fault: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check_values(kind, {key: value})

    assert refused.value.errors.keys() == {key}
    assert refused.value.message.endswith(fault)


def test_a_node_is_sent_without_times_and_without_capacities_of_zero() -> None:
    iteration = {"startDate": "2026-03-10T00:00:00", "endDate": None, "minCapacity": 0, "maxCapacity": 3}

    assert on_wire({"name": "x", **iteration}) == {
        "name": "x",
        "startDate": "2026-03-10",
        "endDate": None,
        "minCapacity": None,
        "maxCapacity": 3,
        "isRelease": False,
    }
    assert "isRelease" not in on_wire({"name": "an area"})


def iteration(
    number: int, path: str, start: int | None, end: int | None, *, is_release: bool = False
) -> IterationEntry:
    return IterationEntry(number, path.rpartition("\\")[2], path, day(start), day(end), None, None, is_release)


SPRINTS = [
    iteration(1, "Shop\\a", -20, -10),
    iteration(2, "Shop\\b", -14, -1),
    iteration(3, "Shop\\c", -3, -1),
    iteration(4, "Shop\\d", -1, 0),
    iteration(5, "Shop\\e", 0, 1),
    iteration(6, "Shop\\f", 1, 9),
    iteration(7, "Shop\\g", 1, 5),
    iteration(8, "Shop\\h", 2, 3),
    iteration(9, "Shop\\i", None, 1),
    iteration(10, "Shop\\j", -1, None),
]


def test_the_current_the_next_and_the_previous_iterations_are_all_that_share_the_day() -> None:
    assert [each.id for each in current(SPRINTS, TODAY)] == [4, 5]
    assert [each.id for each in following(SPRINTS, TODAY)] == [6, 7]
    assert [each.id for each in preceding(SPRINTS, TODAY)] == [2, 3]
    assert [*current([], TODAY), *following([], TODAY), *preceding([], TODAY)] == []


def test_plannable_iterations_have_no_parts_and_are_neither_root_nor_release() -> None:
    paths = ["Shop", "Shop\\2026", "Shop\\2026\\Sprint 1", "Shop\\Spring", "Shop\\Spring\\Sprint 2", "Shop\\Sprint"]
    tree = [iteration(at, path, None, None, is_release=path == "Shop\\Spring") for at, path in enumerate(paths)]

    assert [each.path for each in leaves(tree)] == ["Shop\\2026\\Sprint 1", "Shop\\Spring\\Sprint 2", "Shop\\Sprint"]
    assert leaves([iteration(1, "Shop\\Spring", None, None, is_release=True)]) == []


async def test_items_moved_into_a_new_node_follow_it_to_its_real_id(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        put_nouns(store, areas=[node(11, "Root")])
        made = await store.nodes.add(TreeKind.AREAS, 11, NewNode("New"))
        await store.items.edit([1], {"AreaID": made})
        entry = store.outbox_entries()[0]
        heard: list[StoreChange] = []
        store.subscribe(heard.append)

        store.files.submit(lambda writer: deliver_node(writer, entry, node(50, "New", 11), None)).result()

        rows = dict(store.files.mirror.execute("SELECT id, area_id FROM items"))
        assert rows == {1: 50, 2: 1}
        assert StoreChange(Subject.TREES, renamed={made: 50}) in heard
        assert store.nodes.real_id(made) == 50
