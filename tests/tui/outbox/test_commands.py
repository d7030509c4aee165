"""Commands of the outbox and their questions, against a target without an application."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.world import until
from tests.tui.bare_app import BareApp, text_of
from tests.tui.target import FakeScreen, FakeTarget, fault_of, rows_of, run, stage, words_of
from textual.widgets import Static

from backlit.store import EntryKind, EntryState, OutboxEntry, Store, TreeKind
from backlit.store.edits.conflicts import KeptSide
from backlit.store.files.files import WriteContext
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.compose import ComposeDialog, WrittenText
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import Choice, PickDialog, PickManyDialog
from backlit.tui.items.conflict_dialog import ConflictDialog
from backlit.tui.items.resolve import resolve_entry, resolve_item
from backlit.tui.outbox.outbox_list import item_name_of, summary_of
from backlit.tui.outbox.screen import OutboxScreen
from backlit.tui.shell.target import ItemDestination

WAITING, REFUSED, CONFLICT = EntryState.WAITING, EntryState.REFUSED, EntryState.CONFLICT


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [
        item(
            1, Estimate="3", Priority=1, Tags=["a"], Description="Old\n", IsTriaged=True, AreaID=1, lastModifiedBy="x"
        ),
        item(2, Name="Pay"),
        item(3),
    ]
    with offline_store(tmp_path, documents) as store:
        put_nouns(store, areas=[node(1, "Shop"), node(2, "Cart", 1), node(3, "Pay", 1)])
        yield store


class FakeOutbox(FakeScreen):
    """An `outbox.screen.OutboxScreen` with its cursor on one change."""

    stands_for = OutboxScreen

    at = 0

    @property
    def entries(self) -> Sequence[OutboxEntry]:
        return self.store.outbox_entries()

    def current(self) -> OutboxEntry:  # type: ignore[override] # of another screen
        return self.entries[self.at]


def settle(store: Store, *states: EntryState, reason: str = "", theirs: Mapping[str, object] | None = None) -> None:
    """Give the entries their states, in order."""

    def act(writer: WriteContext) -> None:
        for entry, state in zip(store.outbox_entries(), states, strict=False):
            found = theirs or {} if state is CONFLICT else {}
            writer.journal.update(replace(entry, state=state, reason=reason if state is REFUSED else "", theirs=found))

    store.files.submit(act).result()


def states(store: Store) -> list[EntryState]:
    return [each.state for each in store.outbox_entries()]


# Sending again and discarding


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, [REFUSED, REFUSED, REFUSED]),
        ("y", [REFUSED, WAITING, REFUSED]),
        ("a", [WAITING, WAITING, REFUSED]),
    ],
)
async def test_rejected_changes_of_a_step_are_sent_again_alone_or_together(
    store: Store, answer: str | None, expected: list[EntryState]
) -> None:
    await store.items.edit([1, 2], {"Estimate": "5"})
    await store.items.edit([3], {"Estimate": "5"})
    settle(store, REFUSED, REFUSED, REFUSED)
    target = FakeOutbox(store, answers=[answer])
    target.at = 1

    await run(target, "outbox.retry")

    assert states(store) == expected
    assert "2 changes made together were rejected." in words_of(target.asked[0])


@pytest.mark.parametrize(("answer", "expected"), [(None, CONFLICT), ("y", WAITING)])
async def test_a_conflict_is_sent_again_after_a_yes_that_names_its_fields(
    store: Store, answer: str | None, expected: EntryState
) -> None:
    await store.items.edit([1], {"Estimate": "5", "Priority": 2})
    settle(store, CONFLICT, theirs={"Estimate": "8"})
    target = FakeOutbox(store, answers=[answer])

    await run(target, "outbox.retry")

    assert states(store) == [expected]
    assert "Someone else has changed Estimate. Sending again overwrites their values" in words_of(target.asked[0])


async def test_a_queued_change_is_neither_sent_again_nor_resolved(store: Store) -> None:
    await store.items.edit([1], {"Estimate": "5"})

    for command_id in ("outbox.retry", "outbox.edit"):
        with pytest.raises(CannotAct, match="Already queued"):
            await run(FakeOutbox(store), command_id)


async def test_a_discard_names_what_is_given_up_and_leaves_the_rest(store: Store) -> None:
    await store.items.comment(1, "Hello")
    await store.items.edit([2], {"Estimate": "5"})
    new_id = await store.items.add("Story", {"Name": "New"})
    await store.deletions.delete_items([3])
    target = FakeOutbox(store, answers=[None] * 4)

    for target.at in range(4):
        await run(target, "outbox.discard")
    target.at, target.answers = 1, ["y"]
    await run(target, "outbox.discard")

    asked = [words_of(each).splitlines()[1] for each in target.asked]
    assert asked[:4] == [
        "Discard the comment? You can undo (u).",
        "Discard the change? You can undo (u).",
        "Discard the new item and its later changes? You can undo (u).",
        "Discard the deletion of the item? You can undo (u).",
    ]
    assert [each.item_id for each in target.entries] == [1, new_id, 3]


# Opening and copying


async def test_a_change_is_shown_or_resolved_and_its_item_opened(store: Store) -> None:
    await store.items.edit([1], {"Estimate": "5"})
    await store.items.comment(2, "Hello")
    await store.deletions.delete_items([3])
    settle(store, CONFLICT, WAITING, REFUSED, reason="Only managers delete that.", theirs={"Estimate": "8"})
    target = FakeOutbox(store, answers=[None] * 3)

    for target.at in range(3):
        await run(target, "outbox.open")
    for target.at in (0, 1):
        await run(target, "outbox.item")
    await run(target, "outbox.copy")

    conflict, waiting, deletion = target.asked
    assert isinstance(conflict, ConflictDialog)
    assert words_of(waiting) == "Waiting #2 Pay\nHello"
    assert "r delete it anyway d keep it c copy as text esc later" in words_of(deletion)
    assert "Only managers delete that. The item was not deleted and is in its place again." in words_of(deletion)
    assert [each[:2] for each in target.opened] == [(1, ItemDestination.EDITOR), (2, ItemDestination.EDITOR)]
    assert (target.copied, target.said) == (["Hello"], ["Copied Hello"])


async def test_the_item_of_a_change_that_is_gone_does_not_open(store: Store) -> None:
    await store.items.edit([1], {"Estimate": "5"})
    store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()

    with pytest.raises(CannotAct, match="The item no longer exists"):
        await run(FakeOutbox(store), "outbox.item")
    assert item_name_of(store, store.outbox_entries()[0]) == "(deleted)"


@pytest.mark.parametrize(
    ("answer", "expected", "copied"),
    [("r", [WAITING], 0), ("d", [], 0), ("c", [REFUSED], 1), (None, [REFUSED], 0)],
)
async def test_a_rejected_change_of_a_tree_is_sent_again_discarded_or_copied(
    store: Store, answer: str | None, expected: list[EntryState], copied: int
) -> None:
    await store.nodes.edit(TreeKind.AREAS, 2, {"name": "Basket"})
    settle(store, REFUSED, reason="Only managers change trees.")
    target = FakeOutbox(store, answers=[answer])

    await run(target, "outbox.edit")

    assert (states(store), len(target.copied)) == (expected, copied)
    words = words_of(target.asked[0])
    assert words.startswith("Rejected area: name “")
    assert "Only managers change trees.\nr send it again d discard the change" in words
    assert all("Basket" in each for each in target.copied)


# Comments


async def test_a_rejected_comment_is_written_again_until_it_is_valid(store: Store) -> None:
    await store.items.comment(1, "Hello")
    settle(store, REFUSED, reason="Too long.")
    key = f"outbox:{store.outbox_entries()[0].id}"
    await store.drafts.save(key, {"text": "Kept", "base": "Hello"})
    target = FakeOutbox(store, answers=[WrittenText(" ", "Hello"), WrittenText("Shorter", "Hello")])

    await run(target, "outbox.edit")

    first, second = target.asked
    assert isinstance(first, ComposeDialog)
    assert isinstance(second, ComposeDialog)
    assert (first.area.text, second.area.text) == ("Kept", " ")
    assert "Your text is kept." in words_of(second)
    assert [(each.state, each.payload["text"]) for each in store.outbox_entries()] == [(WAITING, "Shorter")]
    assert store.drafts.find(key) is None


# Fields with two values


async def contested(store: Store, kind: str = "Story", **mine: object) -> OutboxEntry:
    """A conflict about fields, after others changed them."""
    theirs = {
        "Name": "Theirs",
        "Estimate": "8",
        "Priority": 5,
        "Tags": ["b"],
        "Description": "New\n",
        "AreaID": 3,
        "IsTriaged": False,
    }
    await store.items.edit([1], mine)
    put(store, [item(1, kind=kind, **{"Estimate": "3", "Priority": 1, **theirs})])  # type: ignore[arg-type]
    settle(store, CONFLICT, theirs={key: theirs[key] for key in mine})
    return store.outbox_entries()[0]


async def test_decisions_are_carried_out_and_their_drafts_discarded(store: Store) -> None:
    entry = await contested(store, Estimate="5", Priority=2)
    await store.drafts.save(f"settle:{entry.id}:Estimate", {"text": "x"})
    target = FakeOutbox(store, answers=[{"Estimate": KeptSide.MINE}, {"Estimate": "13", "Priority": KeptSide.THEIRS}])

    await run(target, "outbox.edit")

    first = words_of(target.asked[0])
    assert first.startswith("Conflict #1 Theirs\nmaya changed this item on 2026-03-01 10:00. Your edit is on hold.")
    assert len(target.asked) == 2
    assert [(each.payload, each.base) for each in store.outbox_entries()] == [({"Estimate": "13"}, {"Estimate": "8"})]
    assert store.drafts.find(f"settle:{entry.id}:Estimate") is None


async def test_a_refused_answer_keeps_the_decisions_and_is_explained(store: Store) -> None:
    entry = await contested(store, Estimate="5", Priority=2)
    values = {"Estimate": "13", "Priority": KeptSide.THEIRS}

    def resolved_meanwhile(_: object) -> Mapping[str, object]:
        store.files.submit(lambda writer: writer.journal.update(replace(entry, state=REFUSED))).result()
        return values

    target = FakeOutbox(store, answers=[{"Priority": KeptSide.MINE}, resolved_meanwhile, None])
    await run(target, "outbox.edit")

    app = BareApp()
    async with app.run_test(size=(110, 30)) as pilot:
        shown = []
        for dialog in target.asked:
            app.push_screen(dialog)
            await pilot.pause()
            shown.append(text_of(app))
            dialog.dismiss()
    first, incomplete, elsewhere = shown
    assert "2 fields left to resolve" in first
    for part in ("▌ Estimate", "m  mine", "t  theirs", "! Not resolved yet.", "✓  2", "1 field left to resolve"):
        assert part in incomplete, part
    for part in ("edited      13", "✓  5", "This change is already resolved. See the outbox"):
        assert part in elsewhere, part
    assert "Not resolved yet" not in elsewhere
    assert states(store) == [REFUSED]


async def test_each_kind_of_field_is_asked_for_beginning_with_the_user_s_value(store: Store) -> None:
    mine = {"Name": "Mine", "Estimate": "5", "Tags": ["c"], "Description": "Mine\n", "AreaID": 2, "IsTriaged": None}
    put(store, [item(1, kind="Bug", Tags=["a"], Description="Old\n", IsTriaged=True)])
    await contested(store, "Bug", **mine)
    answers: dict[str, object] = {
        "Name": "Both",
        "Estimate": "13",
        "Tags": ("c", "d"),
        "Description": WrittenText("Both\n", ""),
        "AreaID": Choice(1, "Shop"),
        "IsTriaged": Choice(False, "no"),
    }
    app = BareApp()
    async with app.run_test(size=(120, 40)):
        target = FakeOutbox(store)
        target.shown_on = app
        resolved = asyncio.create_task(run(target, "outbox.edit"))
        await until(lambda: app.screen.query(Static))
        dialog = app.screen
        assert isinstance(dialog, ConflictDialog)
        for answer in answers.values():
            for given in (None, answer):
                target.answers = [given]
                dialog.type_early("e")
                await until(lambda: not target.answers)
        await until(lambda: "All fields are resolved." in text_of(app), lambda: text_of(app))
        dialog.press("enter")
        await resolved

    name, estimate, tags, text, area, triaged = target.asked[1::2]
    assert isinstance(name, LineDialog)
    assert isinstance(estimate, LineDialog)
    assert isinstance(text, ComposeDialog)
    assert [name.input.value, estimate.input.value] == ["Mine", "5"]
    assert fault_of(name, " ") == "Name is required."
    assert fault_of(estimate, "") == ""
    assert text.area.text.startswith("<<<<<<< mine")
    assert text.area.cursor_location == (0, 0)
    assert [type(each) for each in (tags, area, triaged)] == [PickManyDialog, PickDialog, PickDialog]
    assert [each.label for each in rows_of(triaged)] == ["yes", "no", "–"]
    assert [each.label for each in rows_of(tags)] == ["c", *store.lookups.tags()]  # those that are chosen first
    assert [each.payload for each in store.outbox_entries()] == [
        {key: answer.value if isinstance(answer, Choice) else answer for key, answer in answers.items()}
        | {"Tags": ["c", "d"], "Description": "Both\n"}
    ]


@pytest.mark.parametrize(
    ("kind", "payload", "title", "asked"),
    [
        (EntryKind.DELETE, {"name": "Lamp"}, "delete #1 Lamp", "r delete it anyway d keep it"),
        (EntryKind.DELETE_COMMENT, {}, "delete comment on #1", "r delete it anyway d keep it"),
        (EntryKind.RECALL, {}, "whether #1 is deleted", "r send it again d discard the change"),
        (EntryKind.RANK, {"beside": [["above", 2]]}, "move #1 above #2", "r send it again d discard the change"),
    ],
)
async def test_an_entry_without_values_is_named_in_its_question(
    store: Store, kind: EntryKind, payload: dict[str, object], title: str, asked: str
) -> None:
    for state, word in ((REFUSED, "Rejected"), (CONFLICT, "Conflict")):
        target = FakeTarget(store, answers=[None])
        with stage():
            await resolve_entry(target, OutboxEntry(99, 0.0, 1, 1, kind, payload, state=state, reason="Not today."))

        words = " ".join(words_of(target.asked[0]).split())
        assert words.startswith(f"{word} {title}")
        assert "Not today. " in words
        assert asked in words


async def test_a_conflict_that_is_left_keeps_everything(store: Store) -> None:
    entry = await contested(store, Estimate="5")
    await store.drafts.save(f"settle:{entry.id}:Estimate", {"text": "x"})

    await run(FakeOutbox(store, answers=[None]), "outbox.edit")

    assert states(store) == [CONFLICT]
    assert store.drafts.find(f"settle:{entry.id}:Estimate") is not None


def test_an_item_without_a_conflict_is_not_resolved(store: Store) -> None:
    with pytest.raises(CannotAct, match="This item has no conflicts or rejected changes"):
        resolve_item(FakeTarget(store), 1).send(None)


async def test_a_rejected_change_begins_with_the_user_s_values(store: Store) -> None:
    await store.items.edit([1], {"Estimate": "5", "Priority": 2})
    settle(store, REFUSED, reason="The iteration is closed.")
    target = FakeOutbox(store, answers=[{"Estimate": KeptSide.THEIRS, "Priority": KeptSide.MINE}])

    await run(target, "outbox.edit")

    words = words_of(target.asked[0])
    assert words.startswith("Rejected #1 Item 1\nThe iteration is closed.")
    assert [(each.state, each.payload) for each in store.outbox_entries()] == [(WAITING, {"Priority": 2})]


async def test_changes_are_summed_up_in_a_few_words(store: Store) -> None:
    await store.items.edit([1], {"Estimate": "5", "Tags": ["b", "c"], "Name": "Other", "Description": "One\n\nmore"})
    await store.items.comment(1, "Hel\nlo")
    await store.items.comment(1, "Hello", for_customers=True)
    await store.items.add("Bug", {"Name": "New"})
    await store.deletions.delete_items([3])
    await store.nodes.edit(TreeKind.AREAS, 2, {"name": "Basket"})

    assert [summary_of(store, each) for each in store.outbox_entries()] == [
        "Estimate 3 → 5, Tags → b, c, renamed, Description",
        "comment: Hel lo",
        "comment for customers: Hello",
        "new bug",
        "delete permanently",
        "area: name",
    ]
