"""Commands on whole items, against a target without an application: delete, comment, repeat, add, copy and rank."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put, put_nouns
from tests.tui.target import FakeTarget, fault_of, run, stage, taken_by, words_of
from textual.screen import Screen

from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT, ItemType
from backlit.model.filters import SortKey
from backlit.model.settings.user_settings import Template
from backlit.store import EntryKind, Store, ViewSpec
from backlit.store.edits.deletions import ItemDeletionExtent
from backlit.store.records.item import Item
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import with_keys
from backlit.tui.dialogs.compose import CommentDialog, ComposedComment
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.fields.choices import Choice
from backlit.tui.items.bulk_edit import failed_question
from backlit.tui.items.item_commands import deletion_words, synced_warning
from backlit.tui.items.item_screen import MAX_ITEMS_OF_A_CHANGE
from backlit.tui.items.rank import LOCAL_ORDER_NOTE
from backlit.tui.widgets.item_rows import SYNCED_SIGN

DOCUMENTS = (
    item(1, Tags=["ux"], Estimate="3", AreaID=4, IterationID=5),
    item(2, kind="Bug", Status="Done", Name="N" * 80, StepsToReproduce="Text", AssignedToID=7),
    item(3, kind="Task", ParentID=1, AreaID=4, IterationID=5, WorkRemaining=2.0),
    item(4, kind="Task", ParentID=1, Name="Test"),
    item(5, kind="Feedback", Status="Open", IsVisibleInPortal=True),
    item(6, kind="Issue", Status="Active", Priority=2),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, DOCUMENTS) as store:
        yield store


def kinds(store: Store) -> list[tuple[EntryKind, int]]:
    return [(each.kind, each.item_id) for each in store.outbox_entries()]


def made(store: Store) -> list[Item]:
    """The items that are new on this machine, in the order in which they were made."""
    ids = [each.item_id for each in store.outbox_entries() if each.kind is EntryKind.ADD]
    found = {each.id: each for each in store.batch.items(ids)}
    return [found[each] for each in ids]


# Deleting


async def test_the_question_about_a_deletion_names_what_is_deleted_and_how(store: Store) -> None:
    put(store, [item(7, SyncID="T-1"), item(8, kind="Feedback")])
    expected = {
        (1,): ("#1 Item 1.", "h delete permanently…"),
        (2,): (f"#2 {'N' * 59}…", "s set the status to Deleted"),
        (1, 3): ("1 item, 1 task.", "s set the status to Deleted"),
        (1, 3, 4): ("1 item, 2 tasks.", "esc cancel"),
        (2, 7): (f"2 items. {SYNCED_SIGN} 1 of them is synced", "cancel"),
    }
    target = FakeTarget(store, answers=[None] * len(expected))

    for ids in expected:
        target.ids = list(ids)
        await run(target, "item.delete")

    for asked, parts in zip(target.asked, expected.values(), strict=True):
        assert [part for part in parts if part not in words_of(asked)] == [], words_of(asked)
    assert not any("will be deleted too" in words_of(asked) for asked in target.asked)
    assert (kinds(store), target.said) == ([], [])


async def test_the_second_question_names_the_same_and_a_permanent_deletion_is_told(store: Store) -> None:
    put(store, [item(7, SyncID="T-1")])
    new_id = (await store.items.add("Story", {"Name": "New"})) or 0
    target = FakeTarget(store, answers=["h", None, "h", "y", "h", "y", "h", None, "h", "2"])

    for ids in ([7], [1], [new_id], [2, 7], [2, 7]):
        target.ids = list(ids)
        await run(target, "item.delete")

    synced, whole, _, _ = (words_of(each) for each in target.asked[1:8:2])
    number = target.asked[7]
    assert synced.endswith("y delete permanently\nesc cancel") or "y delete permanently" in synced
    assert "It is synced with another tracker" in synced
    assert words_of(target.asked[4]).startswith("Delete\nNew.")
    assert "#1 Item 1. Its 2 tasks will be deleted too. You can undo (u); the item gets a new number." in whole
    assert isinstance(number, LineDialog)
    assert "1 of them is synced with another tracker" in words_of(number)
    assert "Delete 2 items permanently: type 2" in words_of(number)
    assert target.said == ["Deleted #1. u to undo.", "Deleted the new item. u to undo.", "Deleted 2 items. u to undo."]


async def test_many_items_are_deleted_once_their_number_is_typed(store: Store) -> None:
    put(store, [item(each) for each in range(100, 1100)])
    target = FakeTarget(store, range(100, 1100), ["h", None])

    await run(target, "item.delete")

    said = [fault_of(target.asked[1], text) for text in ("y", "999", "", "1000", " 1,000 ")]
    assert (
        said == ["Type 1000 to delete 1,000 items permanently. They have no tasks, comments or files."] * 3 + [""] * 2
    )


async def test_a_soft_deletion_leaves_out_types_without_such_a_status(store: Store) -> None:
    put(store, [item(7, kind="Risk")])
    target = FakeTarget(store, [1, 7], ["s", True, None])

    await run(target, "item.delete")
    target.ids = [7]
    await run(target, "item.delete")

    assert kinds(store) == [(EntryKind.EDIT, 1)]
    assert "Item 7 a risk has no status for deleted items" in words_of(target.asked[1])
    assert "set the status" not in words_of(target.asked[2])


def test_synced_items_are_counted(store: Store) -> None:
    put(store, [item(7, SyncID="T-1"), item(8, SyncID="T-2")])
    tail = " synced with another tracker, which will not be updated."

    said = [synced_warning(store.batch.items(ids)) for ids in ([1], [7], [1, 7], [1, 7, 8])]

    assert [each.removesuffix(tail).strip(f" {SYNCED_SIGN}") for each in said] == [
        "",
        "It is",
        "1 of them is",
        "2 of them are",
    ]


def test_all_that_goes_with_items_is_listed() -> None:
    assert deletion_words(ItemDeletionExtent(1, 1, 0, 0)) == "Its 1 task will be deleted too."
    assert deletion_words(ItemDeletionExtent(2, 3, 0, 1)) == "Their 3 tasks and 1 file will be deleted too."
    assert deletion_words(ItemDeletionExtent(1, 2, 1, 4)) == "Its 2 tasks, 1 comment and 4 files will be deleted too."
    assert deletion_words(ItemDeletionExtent(1, 0, 0, 0)) == "It has no tasks, comments or files."


# Comments


async def test_a_comment_for_customers_is_agreed_to_first_and_written_again_where_it_is_not(store: Store) -> None:
    await store.drafts.save("comment:1", {"text": "Kept", "type": "Feedback"})
    target = FakeTarget(
        store, [1, 2], [ComposedComment(" Hello\n", True), None, ComposedComment(" Hello\n", True), "y"]
    )

    await run(target, "item.comment")

    first, agreement, second, _ = target.asked
    assert isinstance(first, CommentDialog)
    assert isinstance(second, CommentDialog)
    assert (str(first.frame.border_title), first.area.text) == ("Comment on Item 1", "Kept")
    assert (second.area.text, second.for_customers) == (" Hello\n", True)
    assert set(first.area.names) == {person.username for person in store.lookups.people().values()}
    assert "Customers will see this comment." in words_of(agreement)
    assert [(each.kind, each.item_id, each.payload) for each in store.outbox_entries()] == [
        (EntryKind.COMMENT, 1, {"text": "Hello", "type": "Feedback"})
    ]
    assert store.drafts.find("comment:1") is None


async def test_an_internal_comment_is_sent_at_once_and_an_empty_answer_keeps_the_draft(store: Store) -> None:
    await store.drafts.save("comment:2", {"text": "Kept"})
    left = FakeTarget(store, [2], [None])
    sent = FakeTarget(store, [1], [ComposedComment("Hello", False)])

    await run(left, "item.comment")
    await run(sent, "item.comment")

    assert [(each.item_id, each.payload) for each in store.outbox_entries()] == [(1, {"text": "Hello"})]
    assert (len(sent.asked), left.said, sent.said) == (1, [], ["Comment added to #1. u to undo."])
    assert store.drafts.find("comment:2") == {"text": "Kept"}


# Changes of several items


async def test_a_repeat_acts_on_as_many_rows_as_its_count_says(store: Store) -> None:
    target = FakeTarget(store, [1], ["o", True])
    await run(target, "item.unassign")
    assert target.said.pop() == "No change needed."
    assert target.session.last_act is None
    await run(target, "item.done")
    put(store, [item(7)])
    target.ids = [2, 6, 7]
    await run(target, "item.repeat", 2)
    target.ids = [5]
    await run(target, "item.repeat")

    assert kinds(store) == [(EntryKind.EDIT, 1), (EntryKind.EDIT, 6)]
    assert taken_by(target.asked[1], "yma") == "y"
    assert target.said == [
        "#1: Status → Done. 2 tasks open. u to undo.",
        "#6: Status → Closed. u to undo.",
        "! A feedback has no status.",
    ]


async def test_what_is_refused_is_offered_again_for_the_items_that_failed(store: Store) -> None:
    def lose(_: Screen[object]) -> bool:
        store.files.submit(lambda writer: writer.mirror.remove_items([6])).result()
        return True

    def find(dialog: Screen[object]) -> bool:
        assert isinstance(dialog, ReadingDialog)
        put(store, [DOCUMENTS[5]])
        return True

    target = FakeTarget(store, [1, 5, 6], ["o", lose, find])
    await run(target, "item.done")

    assert kinds(store) == [(EntryKind.EDIT, 1), (EntryKind.EDIT, 6)]
    assert words_of(target.asked[2]).startswith("1 of 2 could not be changed\n#6 Item 6 ")


def test_many_failures_are_counted_and_listed(store: Store) -> None:
    failed = {**dict.fromkeys(range(1, 14), "Gone"), -1: "Refused"}
    with stage():
        dialog = failed_question(20, failed, {1: "One"})

    words = words_of(dialog)
    assert words.startswith("14 of 20 could not be changed\n#1 One Gone #2 Gone")
    assert words.endswith("#13 Gone new Refused")


# Adding


async def test_an_item_is_added_with_the_values_of_its_place_and_the_typed_name(store: Store) -> None:
    class Place(FakeTarget):
        def preset(self, item_type: ItemType) -> dict[str, object]:
            values: dict[str, object] = {"AreaID": 4, "Name": "Begun"}
            return {**values, **({"Severity": "2 - High"} if item_type is ItemType.BUG else {})}

        def expected_type(self) -> ItemType | None:
            return ItemType.FEATURE

    target = Place(
        store, [1], [Choice(ItemType.BUG, "Bug"), "  Shop down ", Choice(ItemType.STORY, "Story"), None, None]
    )

    for _ in range(3):
        await run(target, "item.add")

    (bug,) = made(store)
    name = target.asked[1]
    assert isinstance(name, LineDialog)
    assert (str(name.frame.border_title), name.input.value) == ("New bug", "Begun")
    assert (bug.type, bug.fields["Name"], bug.fields["AreaID"], bug.fields["Severity"]) == (
        *("Bug", "Shop down", 4),
        "2 - High",
    )
    assert target.added == [bug.id]
    assert fault_of(name, " ") == "A name is required. esc to cancel."


async def test_a_template_goes_before_the_values_of_the_place_and_brings_its_tasks(store: Store) -> None:
    class Place(FakeTarget):
        def preset(self, item_type: ItemType) -> dict[str, object]:
            return {"Priority": 1, "AreaID": 4} if item_type is ItemType.STORY else {}

    template = Template("Spike", ItemType.STORY, {"Name": "Spike: ", "Priority": 3}, ("Read", "Try"))
    target = Place(store, [1], [Choice(0, "Spike"), "Spike: cache"])
    target.session.templates = [template]

    await run(target, "item.add")

    story, *tasks = made(store)
    assert [story.fields[key] for key in ("Name", "Priority", "AreaID")] == ["Spike: cache", 3, 4]
    assert [(each.type, each.fields["Name"], each.fields["ParentID"]) for each in tasks] == [
        ("Task", "Read", story.id),
        ("Task", "Try", story.id),
    ]
    wrong = Template("Wrong", ItemType.TASK, {"Estimate": "3"})
    target.answers, target.session.templates = [Choice(0, "Wrong")], [wrong]
    with pytest.raises(BadRequest, match="The template “Wrong” fills in Estimate"):
        await run(target, "item.add")


@pytest.mark.parametrize("current", [1, 3])
async def test_a_task_is_added_under_the_item_or_beside_the_task(store: Store, current: int) -> None:
    target = FakeTarget(store, [current], ["Write"])

    await run(target, "item.add-task")

    (task,) = made(store)
    assert (task.type, [task.fields.get(key) for key in ("ParentID", "AreaID", "IterationID")]) == ("Task", [1, 4, 5])
    assert target.added == [task.id]


async def test_tasks_alone_are_added_where_a_place_gives_their_parent(store: Store) -> None:
    class Tasks(FakeTarget):
        parent: Mapping[str, object]

        def preset(self, item_type: ItemType) -> Mapping[str, object]:
            return self.parent if item_type is ItemType.TASK else {}

        def expected_type(self) -> ItemType | None:
            return ItemType.TASK

    target = Tasks(store, [1], ["Write", None])

    for target.parent in ({"ParentID": 2}, {}):
        await run(target, "item.add")

    assert [each.fields["ParentID"] for each in made(store)] == [2]
    assert [str(each.frame.border_title) for each in target.asked] == ["New task", "New item"]  # type: ignore[attr-defined]


async def test_a_name_is_kept_by_type_and_parent(store: Store) -> None:
    await store.drafts.save("typed:new Task:1", {"lines": ["Half a na"]})
    target = FakeTarget(store, [1, 2], [None, None])

    await run(target, "item.add-task")
    target.ids = [2]
    await run(target, "item.add-task")

    assert [each.input.value for each in target.asked if isinstance(each, LineDialog)] == ["Half a na", ""]


# Copies


async def test_copies_have_all_that_can_be_set_but_status_and_what_customers_see(store: Store) -> None:
    target = FakeTarget(store, [2, 3, 5], ["y"])

    await run(target, "item.duplicate")

    task, bug, feedback = made(store)
    assert (bug.fields["Name"], bug.fields["StepsToReproduce"], bug.fields["AssignedToID"]) == (
        "N" * 80 + " (copy)",
        "Text",
        7,
    )
    assert (bug.fields.get("Status"), feedback.fields.get("IsVisibleInPortal")) != ("Done", True)
    assert feedback.fields.get("IsVisibleInPortal") is not True
    assert (task.fields["Name"], task.fields["ParentID"], task.fields["WorkRemaining"]) == ("Item 3 (copy)", 1, 2.0)
    assert target.added == [feedback.id]
    assert "y copy 2 items, 1 task" in words_of(target.asked[0])


async def test_tasks_are_copied_where_that_is_answered_and_once(store: Store) -> None:
    put(store, [item(7, Name="L" * NAME_LIMIT)])
    found = []
    for ids, answers in (([1], ["y"]), ([1], ["t"]), ([1, 3], ["t"]), ([1], [None]), ([7], []), ([7, 1], ["t"])):
        target = FakeTarget(store, ids, answers)
        before = len(made(store))
        await run(target, "item.duplicate")
        found.append([str(each.fields["Name"])[-12:] for each in made(store)[before:]])
        assert len(target.asked) == len(answers)

    whole = ["Item 1 (copy)"[-12:], "Item 3", "Test"]
    assert found == [whole[:1], whole, whole, [], ["LLLLL (copy)"], [whole[0], "LLLLL (copy)", *whole[1:]]]
    assert all(len(str(each.fields["Name"])) <= NAME_LIMIT for each in made(store))
    assert "t copy 2 items with their 2 tasks" in words_of(target.asked[0])


async def test_a_copy_leaves_out_what_no_new_item_may_have(store: Store) -> None:
    put_nouns(store, user=[{"id": 3, "name": "zoe"}])
    put(
        store, [item(8, Severity="Gone", Tags=["ux"], AssignedToID=3), item(9, kind="Task", ParentID=8, AssignedToID=7)]
    )
    target = FakeTarget(store, [2, 8], ["t"])

    await run(target, "item.duplicate")

    assert [(each.fields.get("AssignedToID"), each.fields.get("Tags")) for each in made(store)] == [
        (None, None),
        (3, ["ux"]),
        (None, None),
    ]
    assert target.said == ["Not copied: Owner 7 is not a licensed user."]


# Ranks


class Ranked(FakeTarget):
    """A list of all items but tasks in its own order, or in another one."""

    def __init__(self, store: Store, ids: Sequence[int], answers: Sequence[object] = (), **order: object) -> None:
        super().__init__(store, ids, answers)
        self.view = store.view(ViewSpec(with_done=True, query="-type:task", **order))  # type: ignore[arg-type]

    def ranked_view(self) -> View:
        return self.view

    async def order(self) -> list[int]:
        await self.view.reload()
        return list(self.view.ids())


MOVED = ("#1 moved. u to undo.", "2 items moved as one. u to undo.", "Already at the bottom.")


async def test_an_order_is_moved_by_rows_and_to_places(store: Store) -> None:
    target = Ranked(store, [1, 6], ["4"])
    await target.order()
    for command_id, count, text, expected in (
        ("item.rank-down", 2, "", [2, 5, 1, 6]),
        ("item.rank-bottom", 1, "", [2, 5, 6, 1]),
        ("item.rank-top", 1, "", [1, 2, 5, 6]),
        ("item.rank-position", 3, "", [2, 5, 1, 6]),
        ("item.rank-position", None, "2", [2, 1, 6, 5]),
        ("item.rank-position", 4, "1", [1, 6, 2, 5]),
        ("item.rank-position", 1_000, "", [2, 5, 1, 6]),
        ("item.rank-up", 2, "", [1, 6, 2, 5]),
        ("item.rank-position", None, "", [2, 5, 1, 6]),
        ("item.rank-down", None, "", [2, 5, 1, 6]),
    ):
        await run(target, command_id, count, text=text)
        assert await target.order() == expected, (command_id, count, text)
    local, *told = target.said

    assert [fault_of(target.asked[0], text) for text in ("0", "x", "1", "²")] == [
        *("The position must be a number, 1 or more.", "The position must be a number, 1 or more.", ""),
        "The position must be a number, 1 or more.",
    ]
    assert local == with_keys(LOCAL_ORDER_NOTE)
    assert set(told) == set(MOVED)


async def test_the_local_order_is_written_and_reset(store: Store) -> None:
    target = Ranked(store, [1])
    with pytest.raises(CannotAct, match="No order is kept on this machine; the list shows"):
        await run(target, "item.rank-forget")
    await run(target, "item.rank-bottom")

    await run(target, "item.rank-write")
    await run(target, "item.rank-forget")

    assert [(each.item_id, each.payload) for each in store.outbox_entries()] == [(1, {"Priority": 1})]
    assert target.said[1:] == [
        "#1: Priority → 1. u to undo.",
        "The list shows the server's order again; 1 item had been moved here.",
    ]
    assert await target.order() == [1, 2, 5, 6]


async def test_another_order_is_refused_before_a_place_is_asked_for(store: Store) -> None:
    target = Ranked(store, [1], sort=(SortKey("Name"),))

    with pytest.raises(CannotAct, match="ts and tg change that"):
        await run(target, "item.rank-position")

    assert target.asked == []


async def test_an_order_is_written_for_the_items_that_have_a_priority(store: Store) -> None:
    put(store, [item(7, kind="Feedback")])
    target = FakeTarget(store, [6, 3, 1, 2, 5, 7], [True])

    await run(target, "item.rank-write")

    assert {each.item_id: each.payload for each in store.outbox_entries()} == {
        1: {"Priority": 1},
        2: {"Priority": 2},
        6: {"Priority": 3},
    }
    assert target.session.last_act is None


async def test_too_many_items_are_refused(store: Store) -> None:
    target = FakeTarget(store, range(1, MAX_ITEMS_OF_A_CHANGE + 2))

    with pytest.raises(CannotAct, match="2,001 are selected; one change takes 2,000 at most"):
        await run(target, "item.rank-write")
