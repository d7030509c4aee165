"""Drafts on disk of unsaved text, written a moment after each change."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from backlit.store.store import Store
from backlit.tui.shell.workers import COMMANDS_GROUP, work

if TYPE_CHECKING:
    from backlit.tui.shell.chord_app import ChordApp

# Written while it is typed and not at the end: a process that is killed has none, and nobody can be asked then.
SAVE_DELAY = 0.3
"""Seconds from a change to the write."""


RESTORED_SENTENCE = "Restored your unsaved text; ctrl+u clears it."
LOOK, LONGEST_LOOK = 0.02, 1.0
"""Seconds between the first two checks whether an answer was written, and between the later ones at most."""

Content = Mapping[str, object]


class StoredDraft:
    """A draft under a key. Writes outlive the screen and keep their order.

    `content` returns the current content; an empty one discards the draft.
    """

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key
        self._screen: Screen[Any] | None = None
        self._timer: Timer | None = None
        self._is_over = False

    def begin(self, screen: Screen[Any], content: Callable[[], Content]) -> None:
        self._screen, self._content = screen, content

    def found(self) -> Content:
        """Return the stored content; empty without any."""
        return self._store.drafts.find(self._key) or {}

    def write_soon(self) -> None:
        """Write the draft in a moment, even if typing continues."""
        if self._timer is None and self._screen is not None and not self._is_over:
            self._timer = self._screen.set_timer(SAVE_DELAY, self.write)

    def write(self) -> None:
        self._stop()
        if not self._is_over:
            self._run(self._write)

    def forget(self) -> None:
        """Discard the draft for good; a change that is noticed later is not written."""
        self._end()
        self._run(self._discard)

    def answered(self) -> None:
        """Discard the draft once the answer is written; keep it where that is refused.

        The same dialog may open before: it begins empty then, and its text is not discarded.
        """
        self._end()
        if self._screen is not None:
            app = cast("ChordApp", self._screen.app)
            self._store.drafts.accept(self._key)
            commands = [each for each in app.workers if each.group == COMMANDS_GROUP]
            self._run(partial(self._discard_after, app, app.faults, commands))

    def move(self, key: str) -> None:
        self._run(partial(self._store.drafts.discard, self._key))
        self._key = key
        self.write()

    async def flush(self) -> None:
        if self._timer is not None:
            self._stop()
            await self._write()

    async def _write(self) -> None:
        await self._save(self._content())

    async def _save(self, content: Content) -> None:
        if content:
            await self._store.drafts.save(self._key, content)
        else:
            await self._discard()

    async def _discard(self) -> None:
        await self._store.drafts.discard(self._key)

    async def _discard_after(self, app: "ChordApp", faults: int, commands: Sequence[Worker[Any]]) -> None:
        pause = LOOK
        await asyncio.sleep(pause)  # lets the caller begin its write
        while any(not each.is_finished for each in commands):
            pause = min(2 * pause, LONGEST_LOOK)
            await asyncio.sleep(pause)
        await (self._store.drafts.discard_accepted(self._key) if app.faults == faults else self._write())

    def _run(self, act: Callable[[], Any]) -> None:
        # A worker of the application: Textual cancels those of a screen that closes, which is when drafts are written.
        if self._screen is not None:
            self._screen.app.run_worker(work(act), group="drafts")

    def _end(self) -> None:
        self._stop()
        self._is_over = True

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


class StoredLines(StoredDraft):
    """The lines of a dialog, stored while they differ from the initial ones. Blank lines are nothing to keep."""

    def __init__(self, store: Store, key: str) -> None:
        super().__init__(store, f"typed:{key}")

    def lines(self, begun: tuple[str, ...]) -> tuple[str, ...]:
        kept = self.found().get("lines")
        return tuple(map(str, kept)) if isinstance(kept, list) and len(kept) == len(begun) else begun

    def keep(self, screen: Screen[Any], begun: tuple[str, ...], typed: Callable[[], tuple[str, ...]]) -> None:
        def content() -> Content:
            lines = list(typed())
            return {"lines": lines} if tuple(lines) != begun and any(map(str.strip, lines)) else {}

        self.begin(screen, content)

    def close(self) -> None:
        self._end()
        self._run(partial(self._save, self._content()))
