"""Prompts for one value select it, so that typing replaces it; prompts for texts go on at the end."""

from pathlib import Path
from typing import Any

from tests.store.documents import item, offline_store
from tests.tui.target import FakeTarget, stage

from backlit.model.fields import FIELD_BY_KEY, Kind, Settable
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.items.field_commands import change_field

ONE_LINE = frozenset({Kind.TEXT, Kind.INTEGER, Kind.NUMBER})
TEXTS = frozenset({"Name", "Benefit", "Source"})


async def test_each_prompt_for_one_value_selects_what_it_holds_and_those_for_texts_do_not(tmp_path: Path) -> None:
    held: dict[Kind, Any] = {Kind.TEXT: "8", Kind.INTEGER: 3, Kind.NUMBER: 2.5}
    fields = [each for each in FIELD_BY_KEY.values() if each.kind in ONE_LINE and each.settable is Settable.ALWAYS]
    documents = [item(at, kind=each.types[0], **{each.key: held[each.kind]}) for at, each in enumerate(fields, 1)]
    selected: dict[str, bool] = {}
    with offline_store(tmp_path, documents) as store:
        for at, field in enumerate(fields, 1):
            target = FakeTarget(store, [at], [None])
            with stage():
                await change_field(target, field.key, target.chosen())
            (dialog,) = target.asked
            assert isinstance(dialog, LineDialog)
            selected[field.key] = not dialog.input.selection.is_empty

    assert {"Estimate", "Priority", "WorkRemaining", *TEXTS} <= selected.keys()
    assert {key for key, is_selected in selected.items() if not is_selected} == TEXTS
