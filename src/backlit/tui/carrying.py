"""A screen that carries files: one transfer at a time, its progress in the status line, esc or ctrl+c ends it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from textual.timer import Timer
from textual.worker import Worker

from backlit.model.attachments import friendly_size_of
from backlit.model.errors import BacklitError
from backlit.tui.acting import CannotAct
from backlit.tui.screens.base import StoreScreen
from backlit.tui.widgets.lines import Part
from backlit.tui.work import work

BAR_WIDTH = 16
LOOK_EVERY = 0.15
"""Seconds between two looks at how far a transfer is."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(slots=True)
class Carried:
    """What is on its way, and how far; written by the engine's thread, read by the screen's."""

    label: str
    done: int = 0
    total: int = 0

    def progress(self, done: int, total: int) -> None:
        """Note how far it is."""
        self.done, self.total = done, total

    def begin(self, label: str) -> None:
        """Go on with another file."""
        self.label, self.done, self.total = label, 0, 0

    def parts(self) -> list[Part]:
        """Words and a bar for the status line."""
        if not self.total:
            return [(f" {self.label} …", "foreground"), ("  esc cancels", "muted")]
        how_much = f"{friendly_size_of(self.done)} of {friendly_size_of(self.total)}"
        return [
            (f" ▕{bar(self.done / self.total)}▏ ", "accent"),
            (self.label, "foreground"),
            (f"  {how_much}", "muted"),
        ]


def bar(share: float, width: int = BAR_WIDTH) -> str:
    """A bar of blocks that is so full."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width, "·")


class Carrying(StoreScreen[None]):
    """Runs transfers; subclasses draw `carried` where it is not None."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.carried: Carried | None = None
        self._carrier: Worker[None] | None = None

    def draw_carried(self) -> None:
        """Show how far it is."""

    def must_be_free(self) -> None:
        """Raise CannotAct while something is on its way."""
        if self.carried is not None:
            raise CannotAct("A file is on its way; esc cancels it.")

    def carry(self, label: str, act: Callable[[Carried], Coroutine[Any, Any, None]]) -> None:
        """Begin a transfer; what it raises is said."""
        self.must_be_free()
        self.carried = Carried(label)
        self._carrier = self.run_worker(work(self._carry, act, self.carried), group="transfer")

    def stop_running(self) -> bool:
        """Cancel what is on its way; False where nothing is."""
        if self.carried is None or self._carrier is None:
            return False
        self._carrier.cancel()
        return True

    async def _carry(self, act: Callable[[Carried], Coroutine[Any, Any, None]], carried: Carried) -> None:
        timer: Timer = self.set_interval(LOOK_EVERY, self.draw_carried)
        try:
            await act(carried)
        except asyncio.CancelledError:
            if self.is_attached:
                self.say(f"Cancelled: {carried.label}.")
            raise
        except (BacklitError, CannotAct) as error:
            self.say(str(error), is_bad=True)
        finally:
            timer.stop()
            self.carried = None
            if self.is_attached:
                self.draw_carried()
