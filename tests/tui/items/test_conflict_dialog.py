"""The dialog of a conflict, without a store."""

import pytest
from tests.store.world import until
from tests.tui.bare_app import BareApp, missing, text_of
from tests.tui.items.conflicts import TEXT

from backlit.store.edits.conflicts import ContestedField
from backlit.store.records.merge import with_both
from backlit.tui.items.conflict_dialog import HALF_MARKED, ConflictDialog, ConflictQuestion, NewValue


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_a_field_with_a_fault_is_not_called_resolved(size: tuple[int, int]) -> None:
    async def edit(_field: ContestedField, _decision: object) -> NewValue:
        return NewValue(with_both(TEXT, TEXT.replace("pay", "buy"), TEXT.replace("pay", "leave")))

    fields = [ContestedField("Description", TEXT, "Mine", "Theirs"), ContestedField("Name", "Was", "Mine", "Theirs")]
    question = ConflictQuestion("Conflict", "Somebody changed it.", fields, lambda _key, value: str(value), edit, "Jon")
    async with BareApp().run_test(size=size) as pilot:
        pilot.app.push_screen(ConflictDialog(question, {}, {}))
        await pilot.pause()
        await pilot.press("e")
        await until(lambda: HALF_MARKED[:30] in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("j", "m")
        marked = text_of(pilot.app)
        await pilot.press("k", "t")

        assert missing(pilot.app, ["All fields are resolved.", "enter apply"]) == []
        assert "1 field left to resolve" in marked
        assert "enter apply" not in marked
        assert "✓ edited" not in marked
