"""An editor's draft on disk, written a moment after a change."""

import time

from textual.screen import Screen
from textual.timer import Timer

from backlit.store.store import Store
from backlit.tui.item_draft import ItemDraft
from backlit.tui.work import work

SAVE_DELAY = 0.3
"""Seconds from a change until the draft is written."""


class KeptDraft:
    """Writes a draft under a key, for a screen; the writing outlives the screen, in the order it was asked for."""

    def __init__(self, screen: Screen[None], store: Store, key: str, draft: ItemDraft) -> None:
        self._screen = screen
        self._store = store
        self._key = key
        self._draft = draft
        self._timer: Timer | None = None

    def restore(self) -> str:
        """Take up what was kept; the sentence that says so, empty where there was nothing."""
        kept = self._store.draft(self._key)
        if not kept:
            return ""
        self._draft.restore(kept)
        at = kept.get("at")
        when = time.strftime(" from %d %b %H:%M", time.localtime(at)) if isinstance(at, int | float) else ""
        return f"Kept changes{when} restored; gu reverts a field." if self._draft else ""

    def write_soon(self) -> None:
        """Write it in a moment, also while somebody goes on typing."""
        if self._timer is None:
            self._timer = self._screen.set_timer(SAVE_DELAY, self.write)

    def write(self) -> None:
        """Write it now."""
        self._stop()
        self._screen.app.run_worker(work(self._write), group="drafts")

    def forget(self) -> None:
        """Throw away what is on disk."""
        self._stop()
        self._screen.app.run_worker(work(self._store.discard_draft, self._key), group="drafts")

    def move(self, key: str) -> None:
        """Keep it under another key from now on."""
        self.forget()
        self._key = key
        if self._draft:
            self.write()

    async def flush(self) -> None:
        """Write what is not written yet, for an application that ends."""
        if self._timer is not None:
            self._stop()
            await self._write()

    async def _write(self) -> None:
        if self._draft:
            await self._store.save_draft(self._key, self._draft.content(time.time()))
        else:
            await self._store.discard_draft(self._key)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
