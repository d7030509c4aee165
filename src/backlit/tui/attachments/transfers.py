"""Transfers of files: one at a time, with its progress for the status line."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from textual.worker import Worker

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.resources import friendly_size_of
from backlit.tui.commands.command import CannotAct
from backlit.tui.shell.store_screen import StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import Part

BAR_WIDTH = 16
DRAW_EVERY = 0.15
"""Seconds between two drawings of the progress."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(slots=True)
class Transfer:
    """A file on its way and its progress; the engine's thread writes it, the screen's reads it."""

    label: str
    done: int = 0
    total: int = 0

    def progress(self, done: int, total: int) -> None:
        """Note the progress, in bytes."""
        self.done, self.total = done, total

    def begin(self, label: str) -> None:
        """Go on with another file."""
        self.label, self.done, self.total = label, 0, 0

    def parts(self) -> list[Part]:
        """Return the words and the bar for the status line."""
        if not self.total:
            return [(f" {self.label} …", "foreground"), ("  esc cancels", "muted")]
        how_much = f"{friendly_size_of(self.done)} of {friendly_size_of(self.total)}"
        return [
            (f" ▕{bar(self.done / self.total)}▏ ", "accent"),
            (self.label, "foreground"),
            (f"  {how_much}", "muted"),
        ]


def bar(share: float, width: int = BAR_WIDTH) -> str:
    """Return a bar of blocks, filled to a share of it."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width, "·")


class Transfers:
    """Runs one transfer at a time for a screen, and has it draw the progress."""

    def __init__(self, screen: StoreScreen[None], draw: Callable[[], None]) -> None:
        self._screen = screen
        self._draw = draw
        self._worker: Worker[None] | None = None
        self.current: Transfer | None = None

    def refuse_second(self) -> None:
        """Raise CannotAct while a file is on its way."""
        if self.current is not None:
            raise CannotAct("A file transfer is running. esc to cancel it.")

    def begin(self, label: str, act: Callable[[Transfer], Coroutine[Any, Any, None]]) -> None:
        """Begin a transfer, which goes on while keys are answered; raises CannotAct while another one runs."""
        self.refuse_second()
        self.current = Transfer(label)
        self._worker = self._screen.run_worker(work(self._run, act, self.current), group="transfer")

    def cancel(self) -> bool:
        """Cancel the transfer; returns False without one."""
        if self.current is None or self._worker is None:
            return False
        self._worker.cancel()
        return True

    async def _run(self, act: Callable[[Transfer], Coroutine[Any, Any, None]], transfer: Transfer) -> None:
        timer = self._screen.set_interval(DRAW_EVERY, self._draw)
        try:
            await act(transfer)
        except asyncio.CancelledError:
            if self._screen.is_attached:
                self._screen.say(f"Cancelled: {transfer.label}.")
            raise
        except (CannotAct, BacklitError) as error:
            self._screen.say(sentence_of(error), is_bad=True)
        finally:
            timer.stop()
            self.current = None
            if self._screen.is_attached:
                self._draw()
