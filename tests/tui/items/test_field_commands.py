"""Commands that change fields, against a target without an application: which items change, and to which values."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.tui.target import FakeTarget, rows_of, run, stage, words_of
from textual.screen import Screen

from backlit.model.errors import NotFound
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS
from backlit.model.statuses import StatusGroup
from backlit.store import EntryKind, Store
from backlit.store.records.people import Person
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.compose import ComposeDialog, WrittenText
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog, PickTagsDialog, TagChange
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.field_edits import DoesNotApply
from backlit.tui.items.field_commands import change_field, draft_key, first_status
from backlit.tui.shell.target import UiSession

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
    target.session = UiSession(SCALE)
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
    target = target_of(store, [1, 2, 3], ["y"])

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


@pytest.mark.parametrize(("answer", "expected"), [("y", {5: {"IsPrivate": True}}), (None, {})])
async def test_a_change_that_customers_see_is_asked_about_for_one_item_too(
    store: Store, answer: str | None, expected: dict[int, object]
) -> None:
    target = target_of(store, [5], [answer])

    await change_field(target, "IsPrivate", target.chosen())

    assert (len(target.asked), edits(store)) == (1, expected)
    assert "» Customers see this." in words_of(target.asked[0])
    assert (target.session.last_act is None) is (answer is None)


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
    assert words_of(target.asked[-1]).startswith("1 of 3 could not be changed")


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
        ((3, 4), ("s", None), []),
        ((3, 4), ("s", "y"), [EntryKind.EDIT, EntryKind.EDIT]),
    ],
)
async def test_items_are_deleted_only_after_both_questions(
    store: Store, ids: Sequence[int], answers: Sequence[object], kinds: Sequence[EntryKind]
) -> None:
    await run(target_of(store, ids, answers), "item.delete")

    assert [each.kind for each in store.outbox_entries()] == kinds


# Rows, people and iterations

ZOE = Person(7, "zoe", "Zoe")


@pytest.mark.parametrize(
    ("command_id", "letter", "answers", "before", "after", "label"),
    [
        ("item.done", "", [], {}, {"Status": "Done"}, "Done"),
        ("item.reopen", "", [], {"Status": "Done"}, {"Status": "Not Done"}, "Reopen"),
        ("item.reopen", "", [], {"Status": "Deferred"}, {"Status": "Not Done"}, "Reopen"),
        ("item.points", "5", [], {}, {"Estimate": "5"}, "Estimate → 5"),
        ("item.assign-me", "", [], {"AssignedToID": 8}, {"AssignedToID": 7}, "Owner → Zoe"),
        ("item.unassign", "", [], {"AssignedToID": 8}, {"AssignedToID": None}, "Owner → unassigned"),
        ("item.to-backlog", "", [], {"IterationID": 12}, {"IterationID": 10}, "Iteration → the backlog"),
        ("item.to-next", "", [], {}, {"IterationID": 13}, "Iteration → Sprint 3"),
        ("item.to-current", "", [Choice(12, "")], {}, {"IterationID": 12}, "Iteration → Sprint 2"),
        ("item.status", "", [Choice("In Progress", "")], {}, {"Status": "In Progress"}, "Status → In progress"),
        ("item.field", "", [Choice("Priority", ""), "4"], {}, {"Priority": 4}, "Priority → 4"),
        ("item.tags", "", [TagChange((), ("ux",))], {"Tags": ["a", "ux"]}, {"Tags": ["a"]}, "Tags −ux"),
        ("item.delete", "", ["s"], {}, {"Status": "Deleted"}, "Delete"),
    ],
)
async def test_a_command_acts_on_as_many_rows_as_its_count_says(
    store: Store,
    *,
    command_id: str,
    letter: str,
    answers: list[object],
    before: dict[str, Any],
    after: object,
    label: str,
) -> None:
    put(store, [item(each, **before) for each in (21, 22, 23)])
    put_sprints(store)
    store.engine.connection = replace(store.engine.connection, user=ZOE)

    target = target_of(store, [21, 22, 23], [*answers, "y"])

    await run(target, command_id, 2, letter)

    assert edits(store) == {21: after, 22: after}
    assert target.said == [f"{label}: 2 items changed. u to undo."]


def put_sprints(store: Store) -> None:
    """Store two iterations of today, and one after them."""
    days = [
        (store.today() + timedelta(first), store.today() + timedelta(last)) for first, last in ((0, 3), (-3, 5), (9, 9))
    ]
    sprints = [
        node(11 + at, f"Sprint {at + 1}", 10, startDate=f"{first}", endDate=f"{last}")
        for at, (first, last) in enumerate(days)
    ]
    put_nouns(store, iterations=[NODES[0], *sprints])


async def test_of_several_current_iterations_one_is_picked(store: Store) -> None:
    put_sprints(store)
    target = target_of(store, [1], [None])

    await run(target, "item.to-current")

    assert [(each.value, each.label, each.hint) for each in rows_of(target.asked[0])] == [
        (11, "Sprint 1", "ends in 3d"),
        (12, "Sprint 2", "ends in 5d"),
    ]
    assert edits(store) == {}


@pytest.mark.parametrize(
    ("command_id", "reason"),
    [
        ("item.to-current", "No iteration is under way; gi shows"),
        ("item.to-next", "No iteration starts after today"),
        ("item.to-previous", "No iteration has ended yet"),
    ],
)
async def test_without_such_an_iteration_a_move_says_so(store: Store, command_id: str, reason: str) -> None:
    with pytest.raises(CannotAct, match=reason):
        await run(target_of(store, [1]), command_id)


async def test_nobody_is_assigned_before_the_user_is_known_and_to_a_type_without_an_owner(store: Store) -> None:
    with pytest.raises(CannotAct, match="Nobody is signed in yet"):
        await run(target_of(store, [1]), "item.assign-me")
    with pytest.raises(CannotAct, match="A feedback has no owner"):
        await run(target_of(store, [5]), "item.unassign")


# Prompts


def titled(dialog: object) -> str:
    assert isinstance(dialog, PickDialog | PickTagsDialog | LineDialog | ComposeDialog)
    return str(dialog.frame.border_title)


async def test_a_prompt_names_the_field_and_the_items_that_have_it(store: Store) -> None:
    put(store, [item(6, kind="Task", ParentID=1)])
    expected = {
        ("Status", (1,)): "Status",
        ("Status", (1, 4)): "Status of 2 items",
        ("AssignedToID", (1, 5)): "Owner: 1 of 2 apply",
        ("Tags", (4, 1)): "Tags of 2 items",
        ("Name", (1, 6)): "Name of 1 item, 1 task",
        ("Description", (3, 4)): "Description of 2 items",
    }
    target = target_of(store, [], [None] * len(expected))

    for key, ids in expected:
        target.ids = list(ids)
        await ask(target, key)

    assert [titled(each) for each in target.asked] == list(expected.values())
    assert (edits(store), target.session.last_act) == ({}, None)


async def ask(target: FakeTarget, key: str) -> None:
    with stage():
        await change_field(target, key, target.chosen())


async def test_a_prompt_begins_with_the_value_that_the_items_share(store: Store) -> None:
    put(store, [item(6, kind="Task", ParentID=1), item(7, IterationID=13, AreaID=2), item(8, IterationID=13)])
    put_sprints(store)
    put_nouns(store, areas=[node(1, "Shop"), node(2, "Cart", 1)])
    expected = {
        ("Status", (1,)): "Done",
        ("Status", (1, 2)): "Not Done",
        ("IterationID", (3, 6)): 11,
        ("IterationID", (7, 8)): 13,
        ("AreaID", (3, 7)): 1,
        ("AreaID", (7,)): 2,
        ("Estimate", (1,)): "3",
        ("Estimate", (1, 2)): "",
        ("Estimate", (1, 6)): "3",
    }
    target = target_of(store, [], [None] * len(expected))
    found: list[object] = []

    for key, ids in expected:
        target.ids = list(ids)
        await ask(target, key)
        dialog = target.asked[-1]
        if isinstance(dialog, PickDialog):
            found.append(dialog.current and dialog.current.value)
        elif isinstance(dialog, LineDialog):
            found.append(dialog.input.value)
            assert dialog.input.selected_text == dialog.input.value

    assert found == list(expected.values())


async def test_the_name_alone_is_not_selected_as_a_whole(store: Store) -> None:
    target = target_of(store, [1], [None])

    await ask(target, "Name")

    dialog = target.asked[0]
    assert isinstance(dialog, LineDialog)
    assert (dialog.input.value, dialog.input.selected_text) == ("Item 1", "")


async def test_a_value_that_not_all_types_have_counts_its_items(store: Store) -> None:
    put(store, [item(6, kind="Issue", Status="Active")])
    target = target_of(store, [1, 2, 6], [None])

    await ask(target, "Status")

    hints = {str(each.value): each.hint for each in rows_of(target.asked[0])}
    assert (hints["Not Done"], hints["Closed"]) == ("2 of 3", "1 of 3")


async def test_tags_count_the_items_that_have_them_once(store: Store) -> None:
    put(store, [item(2, Tags=["ux", "ux", "api"])])
    target = target_of(store, [1, 2, 3], [TagChange()])

    await run(target, "item.tags")

    assert [(each.value, each.hint) for each in rows_of(target.asked[0])] == [("ux", "2 of 3"), ("api", "1 of 3")]
    assert len(target.asked) == 1


async def test_an_unknown_status_is_applied_with_a_warning(store: Store) -> None:
    target = target_of(store, [2], [Choice("Done", ""), Choice("Parked", "")])

    await run(target, "item.status")
    await run(target, "item.status")

    assert (target.said, edits(store)) == (
        [
            "#2: Status → Done. u to undo.",
            "! No item here has the status “Parked” yet; the server may refuse it.",
            "#2: Status → Parked. u to undo.",
        ],
        {2: {"Status": "Parked"}},
    )


async def test_any_field_is_offered_with_its_section_or_with_the_items_that_have_it(store: Store) -> None:
    target = target_of(store, [1, 2, 5], [None])

    await run(target, "item.field")

    hints = {str(each.value): each.hint for each in rows_of(target.asked[0])}
    assert (hints["Name"], hints["Estimate"], hints["IsPrivate"]) == ("Item", "2 of 3", "1 of 3")
    assert not {"CalculatedEstimate", "ParentID", *SYNC_KEYS} & hints.keys()


async def test_a_flag_of_several_items_is_picked_and_an_unset_one_is_set(store: Store) -> None:
    put(store, [item(6, kind="Bug"), item(7, kind="Bug")])
    target = target_of(store, [6, 4], [Choice(False, "no"), "y"])

    await ask(target, "IsBlocking")
    target.ids = [7]
    await ask(target, "IsBlocking")

    assert [each.value for each in rows_of(target.asked[0])] == [True, False, None]
    assert edits(store) == {6: {"IsBlocking": False}, 4: {"IsBlocking": False}, 7: {"IsBlocking": True}}


async def test_a_question_names_the_items_that_a_change_skips(store: Store) -> None:
    target = target_of(store, [1, 2, 5], [Choice(7, "Zoe"), None])

    await ask(target, "AssignedToID")

    words = words_of(target.asked[1])
    assert "Stays as it is 1 item" in words
    assert "Item 5 a feedback has no owner" in words


async def test_a_field_that_a_form_opens_is_not_asked_for(store: Store) -> None:
    class Form(FakeTarget):
        async def open_field(self, key: str) -> bool:
            return key == "Estimate"

    await change_field(Form(store, [1]), "Estimate", Form(store, [1]).chosen())

    assert edits(store) == {}


async def test_typed_text_is_kept_by_field_and_items(store: Store) -> None:
    for key, ids in (("Estimate", [1]), ("Priority", [1, 2])):
        kept = draft_key(FIELD_BY_KEY[key], store.batch.items(ids))
        await store.drafts.save(f"typed:{kept}", {"lines": ["13"]})
    found = []
    for ids, key in (
        ([1], "Estimate"),
        ([2], "Estimate"),
        ([1], "Priority"),
        ([1, 2], "Priority"),
        ([1, 3], "Priority"),
        ([1, 5], "Estimate"),
    ):
        target = target_of(store, ids, [None])
        await ask(target, key)
        dialog = target.asked[0]
        found.append(dialog.input.value if isinstance(dialog, LineDialog) else "")

    assert found == ["13", "8", "", "13", "", "13"]


# Long texts


async def test_a_text_is_changed_from_what_it_was_made_from_and_its_draft_discarded(store: Store) -> None:
    put(store, [item(1, Description="Mine\r\nold\r\n"), item(2, Description="Other")])
    for ids in ([1], [1, 2]):
        kept = draft_key(FIELD_BY_KEY["Description"], store.batch.items(ids))
        await store.drafts.save(kept, {"text": "Begun", "base": "Then"})
    one, both = (
        target_of(store, ids, [answer, *more])
        for ids, answer, more in (
            ([1], WrittenText("Mine\nnew\n", "Mine\r\nold\r\n"), []),
            ([1, 2], WrittenText("Both", ""), [None, WrittenText("Both", ""), "y"]),
        )
    )

    await run(one, "item.description")
    await run(both, "item.description")
    opened = both.asked[0]

    assert isinstance(opened, ComposeDialog)
    assert (opened.area.text, opened.made_from) == ("Begun", "Then")
    assert edits(store) == {1: {"Description": "Mine\r\nnew\r\n"}}
    assert store.drafts.find("field:Description:1") is None


async def test_a_text_made_from_an_older_one_is_a_conflict_with_the_present_one(store: Store) -> None:
    put(store, [item(1, Description="Theirs")])

    await run(target_of(store, [1], [WrittenText("Mine\nend", "Before\r\nend")]), "item.description")

    assert [(each.payload, each.base) for each in store.outbox_entries()] == [
        ({"Description": "Mine\r\nend"}, {"Description": "Before\r\nend"})
    ]


async def test_a_text_begins_with_what_all_items_share(store: Store) -> None:
    put(store, [item(1, Description="Same"), item(2, Description="Same"), item(3, Description="Else")])
    found = []
    for ids in ([1, 2], [1, 3]):
        target = target_of(store, ids, [None])
        await run(target, "item.description")
        dialog = target.asked[0]
        assert isinstance(dialog, ComposeDialog)
        found.append(dialog.area.text)

    assert found == ["Same", ""]


# Checks


def test_the_first_status_of_a_group_is_taken(store: Store) -> None:
    groups = store.lookups.status_groups()

    assert first_status(("Active", "Closed", "Done"), StatusGroup.DONE, groups) == "Closed"
    assert first_status(("Closed", "In Progress"), StatusGroup.NOT_STARTED, groups) == "In Progress"
    for group, status in ((StatusGroup.NOT_STARTED, "Closed"), (StatusGroup.DONE, "In Progress")):
        with pytest.raises(DoesNotApply, match=f"no status that means {group.value}"):
            first_status((status,), group, groups)


async def test_each_type_gets_its_own_status_of_a_group(store: Store) -> None:
    put(store, [item(6, kind="Issue", Status="Active")])

    await run(target_of(store, [2, 6], ["y"]), "item.done")

    assert edits(store) == {2: {"Status": "Done"}, 6: {"Status": "Closed"}}
