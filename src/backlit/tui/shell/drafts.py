"""Drafts on disk of what is being typed, written a moment after a change."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.screen import Screen
from textual.timer import Timer

from backlit.store.store import Store
from backlit.tui.shell.workers import COMMANDS_GROUP, work

if TYPE_CHECKING:
    from backlit.tui.shell.chord_app import ChordApp

SAVE_DELAY = 0.3
"""Seconds from a change until the draft is written."""


RESTORED = "Restored your unsaved text."
LOOK = 0.02
"""Seconds between two looks whether an answer was written."""

Content = Mapping[str, object]


class StoredDraft:
    """A draft under a key; the writing outlives the screen, in the order it was asked for.

    `content` is what there is to keep now, nothing where that is empty.
    """

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key
        self._screen: Screen[Any] | None = None
        self._timer: Timer | None = None
        self._is_over = False

    def begin(self, screen: Screen[Any], content: Callable[[], Content]) -> None:
        """Write for a screen from now on."""
        self._screen, self._content = screen, content

    def found(self) -> Content:
        """What was kept; nothing where nothing was."""
        return self._store.drafts.find(self._key) or {}

    def write_soon(self) -> None:
        """Write it in a moment, also while somebody goes on typing."""
        if self._timer is None and self._screen is not None:
            self._timer = self._screen.set_timer(SAVE_DELAY, self.write)

    def write(self) -> None:
        """Write it now."""
        self._stop()
        self._run(self._write)

    def forget(self) -> None:
        """Throw away what is on disk."""
        self._stop()
        self._run(self._discard)

    def answered(self) -> None:
        """Throw away what is on disk once the answer is written; where that is refused, it is kept."""
        self._stop()
        self._is_over = True
        if self._screen is not None:
            app = cast("ChordApp", self._screen.app)
            self._run(partial(self._discard_after, app, app.faults))

    def move(self, key: str) -> None:
        """Keep it under another key from now on."""
        self.forget()
        self._key = key
        self.write()

    async def flush(self) -> None:
        """Write what is not written yet, for an application that ends."""
        if self._timer is not None and not self._is_over:
            self._stop()
            await self._write()

    async def _write(self) -> None:
        content = self._content()
        if content:
            await self._store.drafts.save(self._key, content)
        else:
            await self._discard()

    async def _discard(self) -> None:
        await self._store.drafts.discard(self._key)

    async def _discard_after(self, app: "ChordApp", faults: int) -> None:
        await asyncio.sleep(LOOK)  # for whoever asked to begin to write
        while any(each.group in {"writes", COMMANDS_GROUP} and not each.is_finished for each in app.workers):  # noqa: ASYNC110 - as workers raise
            await asyncio.sleep(LOOK)
        await (self._discard() if app.faults == faults else self._write())

    def _run(self, act: Callable[[], Any]) -> None:
        if self._screen is not None:
            self._screen.app.run_worker(work(act), group="drafts")

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


class StoredLines(StoredDraft):
    """What is typed into a dialog's lines, kept while it differs from what they began with."""

    def __init__(self, store: Store, key: str) -> None:
        super().__init__(store, f"typed:{key}")

    def lines(self, begun: tuple[str, ...]) -> tuple[str, ...]:
        """The lines that were kept, else those that the dialog begins with."""
        kept = self.found().get("lines")
        return tuple(map(str, kept)) if isinstance(kept, list) and len(kept) == len(begun) else begun

    def keep(self, screen: Screen[Any], begun: tuple[str, ...], typed: Callable[[], tuple[str, ...]]) -> None:
        """Keep what a dialog's lines hold."""
        self.begin(screen, lambda: {"lines": list(typed())} if typed() != begun else {})
