"""The editor, as its commands see it."""

import asyncio
from typing import Protocol

from backlit.tui.editor.field_form import FieldForm, LongTextPreview
from backlit.tui.editor.field_lines import FieldLines
from backlit.tui.editor.item_draft import DraftAutosave, ItemDraft
from backlit.tui.items.target import ItemTarget


class EditorTarget(ItemTarget, Protocol):
    """A form over the draft of one item; `item_id` is None until a new item is saved."""

    item_id: int | None
    item_type: str
    form: FieldForm
    lines: FieldLines
    preview: LongTextPreview
    autosave: DraftAutosave
    is_saving: asyncio.Lock

    @property
    def draft(self) -> ItemDraft:
        """The changes."""

    def tell(self, sentence: str) -> None:
        """Show a sentence in the line of the help."""

    async def may_leave(self) -> bool:
        """Return whether the editor may be closed; asks about unsaved changes."""

    def dismiss(self, result: None = None) -> object:
        """Close the editor."""

    def open_next(self) -> None:
        """Close the editor, and open one for another new item of the type."""
