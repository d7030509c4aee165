"""Undo and redo, wherever one is: what they did is said in words, what is grave is asked first."""

import asyncio

from backlit.model.errors import BacklitError
from backlit.store.history import Reversal
from backlit.store.store import Store
from backlit.tui.chord_app import ChordApp
from backlit.tui.reversal_words import done_words
from backlit.tui.work import work


class HistoryActs(ChordApp, inherit_bindings=False):
    """An application over a store whose acts can be taken back."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self._walking = asyncio.Lock()

    def do_app_undo(self, count: int | None) -> None:
        """Take the last act back, or `count` acts."""
        self.run_worker(work(self._walk, count or 1, is_redo=False), group="history")

    def do_app_redo(self, count: int | None) -> None:
        """Do again what was undone last."""
        self.run_worker(work(self._walk, count or 1, is_redo=True), group="history")

    async def _walk(self, count: int, *, is_redo: bool) -> None:
        async with self._walking:
            for _ in range(count):
                if not await self._step(is_redo=is_redo):
                    return

    async def _step(self, *, is_redo: bool) -> bool:
        """One step, unless it has to be asked about; whether another may follow."""
        history = self.store.history
        try:
            offered = await (history.to_redo() if is_redo else history.to_undo())
            if offered is None:
                self.say("Nothing to redo." if is_redo else "Nothing to undo.")
                return False
            if offered.is_grave:
                self._ask(offered)
                return False
            await self._carry_out(offered)
        except BacklitError as error:
            self.say(str(error), is_bad=True)
            return False
        return not offered.is_impossible

    async def _carry_out(self, offered: Reversal) -> None:
        history = self.store.history
        done = await (history.redo() if offered.is_redo else history.undo())
        if done is not None:
            self.say(done_words(self.store, done), is_bad=done.is_impossible)

    def _ask(self, offered: Reversal) -> None:
        from backlit.tui.dialogs.agree_reversal import ReversalDialog

        def agreed(is_agreed: bool | None) -> None:
            if is_agreed:
                self.run_worker(work(self._agreed, offered), group="history")

        self.push_screen(ReversalDialog(self.store, offered), agreed)

    async def _agreed(self, offered: Reversal) -> None:
        """Do what was agreed to, unless it has become something else meanwhile: then ask anew."""
        async with self._walking:
            history = self.store.history
            try:
                current = await (history.to_redo() if offered.is_redo else history.to_undo())
                if current is None or current == offered:
                    await self._carry_out(offered)
                else:
                    self._ask(current)
            except BacklitError as error:
                self.say(str(error), is_bad=True)
