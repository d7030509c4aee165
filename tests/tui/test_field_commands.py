"""Commands that change fields, against a target without an application: which items change, and to which values."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.store.papers import item, offline_store, put
from tests.tui.target import FakeTarget, run
from textual.screen import Screen

from backlit.model.errors import NotFound
from backlit.store import EntryKind, Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.items.bulk_edit import FailedDialog
from backlit.tui.items.field_commands import change_field
from backlit.tui.shell.target import Session

SCALE = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0)
DOCUMENTS = (
    item(1, Status="Done", Estimate="3", Tags=["ux"]),
    item(2, Status="In Progress", Estimate="8"),
    item(3, Status="Not Done"),
    item(4, kind="Bug", Status="Open", IsBlocking=True),
    item(5, kind="Feedback", Status="Deleted", IsPrivate=False),
)
NODES = (
    {"id": 10, "name": "All", "parentId": -1, "projectId": 1},
    {"id": 11, "name": "Sprint 1", "parentId": 10, "projectId": 1},
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, DOCUMENTS) as store:
        store.files.submit(lambda writer: writer.mirror.put_resources("iterations", 1, list(NODES))).result()
        yield store


def target_of(store: Store, ids: Sequence[int], answers: Sequence[object] = ()) -> FakeTarget:
    target = FakeTarget(store, ids, answers)
    target.session = Session(SCALE)
    return target


def edits(store: Store) -> dict[int, object]:
    return {each.item_id: each.payload for each in store.outbox_entries() if each.kind is EntryKind.EDIT}


@pytest.mark.parametrize(
    ("command_id", "count", "letter", "expected"),
    [
        ("item.done", None, "", {2: {"Status": "Done"}, 3: {"Status": "Done"}}),
        ("item.reopen", None, "", {1: {"Status": "Not Done"}}),
        ("item.points", None, "5", {1: {"Estimate": "5"}, 2: {"Estimate": "5"}, 3: {"Estimate": "5"}}),
        ("item.estimate-up", 2, "", {1: {"Estimate": "8"}, 3: {"Estimate": "2"}}),
        ("item.estimate-down", 1, "", {1: {"Estimate": "2"}, 2: {"Estimate": "5"}}),
        ("item.to-backlog", None, "", {each: {"IterationID": 10} for each in (1, 2, 3)}),
    ],
)
async def test_a_command_sets_the_value_of_each_chosen_item(
    store: Store, command_id: str, count: int | None, letter: str, expected: dict[int, object]
) -> None:
    target = target_of(store, [1, 2, 3], [True])

    await run(target, command_id, count, letter)

    assert (len(target.asked), edits(store)) == (1, expected)


async def test_points_beside_the_scale_change_nothing(store: Store) -> None:
    with pytest.raises(CannotAct, match="4 is not on the scale"):
        await run(target_of(store, [1]), "item.points", letter="4")

    assert edits(store) == {}


async def test_a_flag_of_one_item_is_turned_round(store: Store) -> None:
    target = target_of(store, [4])

    await change_field(target, "IsBlocking", target.chosen())

    assert (edits(store), target.asked) == ({4: {"IsBlocking": False}}, [])


@pytest.mark.parametrize(("key", "words"), [("CalculatedEstimate", "worked out by"), ("ParentID", "cannot be changed")])
async def test_a_field_that_cannot_be_set_is_refused(store: Store, key: str, words: str) -> None:
    put(store, [item(6, kind="Task", ParentID=1)])
    target = target_of(store, [1, 6])

    with pytest.raises(CannotAct, match=words):
        await change_field(target, key, target.chosen())


@pytest.mark.parametrize(("answer", "expected"), [(True, {5: {"IsPrivate": True}}), (False, {})])
async def test_a_change_that_customers_see_is_asked_about_for_one_item_too(
    store: Store, answer: bool, expected: dict[int, object]
) -> None:
    target = target_of(store, [5], [answer])

    await change_field(target, "IsPrivate", target.chosen())

    assert (len(target.asked), edits(store)) == (1, expected)
    assert (target.session.last_act is None) is (answer is False)


async def test_a_repeated_change_acts_on_the_items_that_are_chosen_then(store: Store) -> None:
    target = target_of(store, [1])
    with pytest.raises(CannotAct, match="no change to repeat"):
        await run(target, "item.repeat")
    await run(target, "item.points", letter="5")
    target.ids = [2]

    await run(target, "item.repeat")

    assert edits(store) == {1: {"Estimate": "5"}, 2: {"Estimate": "5"}}


async def test_items_that_vanish_while_a_change_is_asked_about_are_named_and_the_others_change(store: Store) -> None:
    def lose(_: Screen[object]) -> bool:
        store.files.submit(lambda writer: writer.mirror.remove_items([2])).result()
        put(store, [item(3, Status="Done", Estimate="13")])
        return True

    target = target_of(store, [1, 2, 3], [lose, None])

    await run(target, "item.points", letter="5")

    assert edits(store) == {1: {"Estimate": "5"}, 3: {"Estimate": "5"}}
    assert {each.item_id: each.base for each in store.outbox_entries()} == {1: {"Estimate": "3"}, 3: {"Estimate": None}}
    assert isinstance(target.asked[-1], FailedDialog)


async def test_a_single_item_that_vanishes_is_an_error(store: Store) -> None:
    target = target_of(store, [5], [lambda _: bool(store.files.submit(lambda w: w.mirror.remove_items([5])).result())])

    with pytest.raises(NotFound, match="Item 5 was deleted"):
        await change_field(target, "IsPrivate", target.chosen())


@pytest.mark.parametrize(
    ("ids", "answers", "kinds"),
    [
        ((5,), ("h", "y"), [EntryKind.DELETE]),
        ((5,), ("h", None), []),
        ((5,), (None,), []),
        ((3, 4), ("s", False), []),
        ((3, 4), ("s", True), [EntryKind.EDIT, EntryKind.EDIT]),
    ],
)
async def test_items_are_deleted_only_after_both_questions(
    store: Store, ids: Sequence[int], answers: Sequence[object], kinds: Sequence[EntryKind]
) -> None:
    await run(target_of(store, ids, answers), "item.delete")

    assert [each.kind for each in store.outbox_entries()] == kinds
