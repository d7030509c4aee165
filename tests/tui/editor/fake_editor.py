"""An editor without a form."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import cast

from tests.tui.target import FakeTarget
from textual.screen import Screen

from backlit.store import Store
from backlit.tui.editor.field_grid import EditorFields
from backlit.tui.editor.item_draft import DraftAutosave, ItemDraft


class FakeEditor(FakeTarget):
    """An `editor.form_commands.EditorCommandTarget` over a draft, as far as conflicts and saving need it."""

    def __init__(self, store: Store, draft: ItemDraft, answers: Sequence[object], item_type: str = "") -> None:
        super().__init__(store, [1], answers)
        self.item_id, self.item_type, self.draft = None if item_type else 1, item_type or "Story", draft
        self.form = self.app = self
        self.lines = EditorFields(store, self.item_type, is_new=bool(item_type))
        self.autosave = DraftAutosave(cast("Screen[None]", self), store, f"new:{item_type}", draft)
        self.is_saving = asyncio.Lock()
        self.writes: list[asyncio.Task[None]] = []

    def run_worker(self, act: Callable[[], Coroutine[object, object, None]], *, group: str) -> None:
        """Run a coroutine beside the commands."""
        self.writes.append(asyncio.create_task(act(), name=group))

    def redraw(self) -> None:
        """Draw nothing."""

    def follow_saved(self) -> None:
        """Follow nothing."""

    def leave(self) -> None:
        """Leave the field."""

    def changed(self) -> None:
        """Redraw."""
