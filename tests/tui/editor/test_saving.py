"""Saving a draft against a target without a form: faults, questions, deleted items, and what is said of it."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store, put, put_nouns
from tests.tui.editor.fake_editor import FakeEditor
from tests.tui.target import run, words_of
from textual.screen import Screen

from backlit.store import EntryKind, EntryState, Item, Store
from backlit.store.edits.conflicts import KeptSide
from backlit.store.records.item import RowSign
from backlit.tui.commands.command import CannotAct
from backlit.tui.editor.field_form import FieldForm
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.editor.saving import EditorNotice, saved_words


class Form(FakeEditor):
    """An editor that records the field it goes to, and whether it is closed."""

    def __init__(self, store: Store, draft: ItemDraft, answers: Sequence[object] = (), item_type: str = "") -> None:
        super().__init__(store, draft, answers, item_type)
        self.grid = self
        self.at: list[str] = []
        self.ends: list[str] = []
        self.log: list[str] = []

    def leave(self) -> None:
        self.log.append("left")

    def redraw(self) -> None:
        self.log.append("drawn")

    def follow_saved(self) -> None:
        self.log.append("followed")

    def go_to(self, key: str) -> None:
        self.at.append(key)

    def tell(self, sentence: str) -> None:
        self.said.append(sentence)

    def dismiss(self, result: None = None) -> None:  # noqa: ARG002 - an editor has no result
        self.ends.append("closed")

    def open_next(self) -> None:
        self.ends.append("next")

    async def finish(self, command_id: str) -> None:
        await run(self, command_id)
        await asyncio.gather(*self.writes)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, [item(1, Estimate="1"), item(2, kind="Feedback")]) as store:
        put_nouns(store, user=[{"id": 3, "name": "zoe"}])
        yield store


def draft_of(store: Store, item_id: int = 1, **changes: object) -> ItemDraft:
    found = store.item(item_id)
    assert found is not None
    draft = ItemDraft(found.fields)
    for key, value in changes.items():
        draft.set(key, value)
    return draft


def lose(store: Store, item_id: int = 1) -> None:
    store.files.submit(lambda writer: writer.mirror.remove_items([item_id])).result()


def journalled(store: Store) -> list[tuple[EntryKind, object]]:
    return [(each.kind, each.payload) for each in store.outbox_entries()]


@pytest.mark.parametrize(("command", "ends"), [("save", []), ("save-close", ["closed"]), ("save-next", ["next"])])
async def test_a_save_journals_the_changes_and_discards_the_draft(store: Store, command: str, ends: list[str]) -> None:
    draft = draft_of(store, Name="Pay", Estimate="5")
    form = Form(store, draft)
    form.autosave.write()

    await form.finish(f"editor.{command}")

    assert journalled(store) == [(EntryKind.EDIT, {"Name": "Pay", "Estimate": "5"})]
    assert store.outbox_entries()[0].base == {"Name": "Item 1", "Estimate": "1"}
    assert (bool(draft), draft.base["Name"], form.ends) == (False, "Pay", ends)
    assert store.drafts.find("new:") is None
    assert [each.startswith("Saved on this machine, not sent yet: ") for each in form.said] == [True] * (
        command == "save-close"
    )


@pytest.mark.parametrize("command", ["save", "save-close", "save-next"])
async def test_a_draft_with_a_fault_is_not_saved_and_the_cursor_goes_to_the_field(store: Store, command: str) -> None:
    draft = draft_of(store, Estimate="8")
    draft.set_unread("Priority", "soon")
    draft.set("Name", "")
    form = Form(store, draft)

    await form.finish(f"editor.{command}")

    assert (journalled(store), form.ends, form.at, form.log) == ([], [], ["Name"], ["left", "drawn"])
    assert form.said[0].startswith("Not saved. ")
    assert set(draft.faults) >= {"Name"}
    assert draft.changes["Estimate"] == "8"


async def test_a_draft_without_changes_says_so_and_a_new_item_is_made_of_its_preset(store: Store) -> None:
    form = Form(store, draft_of(store))
    await form.finish("editor.save-close")
    new = Form(store, ItemDraft({"Name": "New", "AreaID": 1, "IterationID": 1}), item_type="Story")
    await new.finish("editor.save")

    assert form.said == ["Nothing was changed.", "Saved and sent."]
    assert form.ends == ["closed"]
    made = store.item(new.item_id or 0)
    assert made is not None
    assert new.draft.base == made.fields
    assert (form.log, new.log) == (["left"], ["left", "drawn", "followed"])
    (entry,) = store.outbox_entries()
    assert entry.kind is EntryKind.ADD
    assert entry.fields["Name"] == "New"
    assert new.item_id == entry.temporary_id
    assert new.lines.is_new is False


@pytest.mark.parametrize(("answer", "count"), [("y", 1), (None, 0)])
async def test_what_customers_will_see_is_asked_about_before_it_is_saved(
    store: Store, answer: object, count: int
) -> None:
    draft = draft_of(store, 2, IsPrivate=True, Name="Hidden")
    form = Form(store, draft, [answer])
    form.item_id, form.item_type = 2, "Feedback"
    form.lines = type(form.lines)(store, "Feedback", is_new=False)

    await form.finish("editor.save")

    words = " ".join(words_of(form.asked[0]).split())
    assert words.startswith("» Customers see this ")
    assert "Hidden" not in words
    assert len(store.outbox_entries()) == count
    assert bool(draft) is (count == 0)


@pytest.mark.parametrize(
    ("answer", "kinds", "ends", "is_left"),
    [
        ("n", [EntryKind.ADD], [], False),
        ("k", [EntryKind.ADD], [], False),
        ("d", [], ["closed"], True),
        (None, [], [], True),
    ],
)
async def test_a_draft_of_a_deleted_item_is_created_kept_or_discarded(
    store: Store, answer: object, kinds: list[EntryKind], ends: list[str], *, is_left: bool
) -> None:
    draft = draft_of(store, Name="Pay", Estimate="")
    lose(store)
    form = Form(store, draft, [answer])

    await form.finish("editor.save-next" if ends else "editor.save")

    words = " ".join(words_of(form.asked[0]).split())
    assert "This item was deleted Someone deleted #1. Your changes are not saved." in words
    found = store.outbox_entries()
    assert ([each.kind for each in found], form.ends, bool(draft)) == (kinds, ends, is_left)
    for each in found:
        assert each.fields["Name"] == "Pay"
        assert "Estimate" not in each.fields
        assert "BacklogPriority" not in each.fields
        assert (each.state is EntryState.REFUSED) is (answer == "k")
        assert each.reason == ("Someone deleted #1. Kept as a draft." if answer == "k" else "")


async def test_the_changes_of_others_are_asked_about_before_a_save(store: Store) -> None:
    draft = draft_of(store, Name="Mine", Estimate="2")
    put(store, [item(1, Name="Theirs", Estimate="1", lastModifiedBy="maya")])
    changed = store.item(1)
    assert changed is not None
    draft.rebase(changed.fields)
    asked: list[str] = []

    def theirs(dialog: Screen[object]) -> Mapping[str, object]:
        asked.append(" ".join(words_of(dialog).split()))
        return {"Name": KeptSide.THEIRS}

    left = Form(store, draft, [None])
    await left.finish("editor.save-close")
    assert (journalled(store), left.ends) == ([], [])
    await Form(store, draft, [theirs]).finish("editor.save")

    assert journalled(store) == [(EntryKind.EDIT, {"Estimate": "2"})]
    assert "changed this item while you were editing." in asked[0]
    with pytest.raises(CannotAct, match="not saved yet"):
        await Form(store, ItemDraft({}), item_type="Story").finish("editor.conflict")


async def test_a_discarded_draft_is_forgotten_and_the_editor_closes(store: Store) -> None:
    form = Form(store, draft_of(store, Name="Pay"))
    form.autosave.write()
    await asyncio.gather(*form.writes)
    assert store.drafts.find("new:") is not None

    await form.finish("editor.discard")

    assert (store.drafts.find("new:"), form.ends, journalled(store)) == (None, ["closed"], [])


async def test_the_words_about_a_save_name_its_state_and_the_way_on(store: Store) -> None:
    def words() -> str:
        found = store.item(1)
        assert found is not None
        return saved_words(store, found)

    assert words() == "Saved and sent."
    await store.items.edit([1], {"Name": "Pay"})
    assert words().startswith("Saved on this machine, not sent yet: ")
    assert words().endswith(" go: outbox.")


async def test_a_save_that_is_refused_says_why_and_keeps_the_draft(store: Store) -> None:
    draft = draft_of(store, AssignedToID=99, Estimate="5")
    form = Form(store, draft)

    await form.finish("editor.save")

    assert (journalled(store), form.at) == ([], ["AssignedToID"])
    assert draft.faults.keys() == {"AssignedToID"}
    assert form.said == [f"Not saved. {draft.faults['AssignedToID']}"]
    assert draft.changes == {"AssignedToID": 99, "Estimate": "5"}


class Cursor:
    """A form whose cursor is on a field."""

    field: object = "Name"
    open_key = ""

    @property
    def grid(self) -> "Cursor":
        return self


async def test_the_note_follows_a_save_until_it_is_sent_and_after_a_move_says_only_how_it_ended(store: Store) -> None:
    cursor = Cursor()
    found = store.item(1)
    assert found is not None
    sent, waiting = found, replace(found, sign=RowSign.PENDING)
    refused = replace(found, sign=RowSign.REFUSED)
    note = EditorNotice(cast("FieldForm", cursor), "Restored.")

    def after(item: Item) -> str:
        note.follow(store, item)
        return note.sentence

    assert after(sent) == "Restored."
    note.begin_save()
    assert note.sentence == "Saved. Sending …"
    assert after(waiting).startswith("Saved on this machine, not sent yet: ")
    note.moved()
    assert note.sentence != ""
    cursor.field = "Estimate"
    note.moved()
    assert (note.sentence, after(waiting)) == ("", "")
    assert (after(sent), after(waiting)) == ("Saved and sent.", "Saved and sent.")
    note.begin_save()
    note.say("Another sentence.")
    assert after(waiting) == "Another sentence."
    assert after(refused) == "Another sentence."
    note.resume_save()
    assert note.sentence.startswith("Saved on this machine, not sent yet: ")
    assert (after(sent), after(refused)) == ("Saved and sent.", "Saved and sent.")
    assert after(replace(sent, fields={**sent.fields, "Name": "Undone"})) == ""
