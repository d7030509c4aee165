"""The command for the due date."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, publish
from tests.tui.target import FakeTarget, run
from textual.widgets import Static

from backlit.model.fields import Kind
from backlit.model.settings.user_settings import OwnNames
from backlit.store import EntryKind
from backlit.store.records.changes import Subject
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.line import LineDialog


async def test_due_date_is_typed_as_people_say_it_and_cleared_by_nothing(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number, End_cf="2026-03-01") for number in (1, 2, 3)]) as store:
        with pytest.raises(CannotAct, match="No field of this project is its due date"):
            await run(FakeTarget(store, [1], []), "item.due")
        store.lookups.own_names = OwnNames(kinds={"End_cf": Kind.DATE}, due="End_cf")
        publish(store, Subject.ITEMS)

        asking = FakeTarget(store, [1], ["30 mar 2027"])
        await run(asking, "item.due")
        await run(FakeTarget(store, [2], [""]), "item.due")
        await run(FakeTarget(store, [3], []), "item.due", text="2026-04-01")

        edits = {each.item_id: each.payload for each in store.outbox_entries() if each.kind is EntryKind.EDIT}
        assert edits == {1: {"End_cf": "2027-03-30"}, 2: {"End_cf": None}, 3: {"End_cf": "2026-04-01"}}
    assert isinstance(asking.asked[0], LineDialog)
    note = next(iter(asking.asked[0].content()))
    assert isinstance(note, Static)
    assert str(note.content) == "A day such as fri, tomorrow, +2w, 30 mar or 2026-03-01."


async def test_error_of_a_due_date_names_the_field_and_the_forms_of_the_hint(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, End_cf="2026-03-01")]) as store:
        store.lookups.own_names = OwnNames(kinds={"End_cf": Kind.DATE}, due="End_cf")
        publish(store, Subject.ITEMS)

        words = "Due date: “soon” is not a day. Write a day such as fri, tomorrow, +2w, 30 mar or 2026-03-01."
        with pytest.raises(CannotAct, match=words.replace("+", r"\+")):
            await run(FakeTarget(store, [1], []), "item.due", text="soon")
