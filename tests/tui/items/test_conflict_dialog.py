"""The dialog of a conflict, without a store."""

import pytest
from msgspec.structs import replace
from tests.store.world import until
from tests.tui.bare_app import BareApp, missing, text_of
from tests.tui.items.conflicts import TEXT
from textual.content import Content

from backlit.store.edits.conflicts import ContestedField, KeptSide
from backlit.store.records.merge import with_both
from backlit.tui.items.conflict_dialog import HALF_MARKED, ConflictDialog, ConflictQuestion, NewValue, ShownField


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
        assert "✓ edited" not in marked


@pytest.mark.parametrize("width", [120, 60])
async def test_versions_have_the_colours_of_their_authors_and_the_chosen_one_a_ground(width: int) -> None:
    field = ShownField("Name", "Was", "Ours", "Jons", is_long=False, theirs_colour="$owner-3")

    def styles(side: KeptSide | None) -> list[str]:
        shown = Content("\n").join(replace(field, side=side).lines(width))
        found = [
            {str(each.style) for each in shown.spans if shown.plain[each.start : each.end] == word}
            for word in ("Ours", "Jons")
        ]
        return [" ".join(sorted(each - {"bold"})) for each in found]

    assert styles(None) == ["$pending", "$owner-3"]
    assert styles(KeptSide.MINE) == ["bold $pending on $key-background", "$muted"]
    assert styles(KeptSide.THEIRS) == ["$muted", "bold $owner-3 on $key-background"]
