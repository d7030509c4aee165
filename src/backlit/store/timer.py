"""The timer: one for each profile, on one task, kept in the journal until its time is logged."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from backlit.model.errors import BadRequest
from backlit.store.changes import Change, Subject
from backlit.store.files import Files, Writer
from backlit.store.journal import Journal

_KEY = "timer"
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Running:
    """A timer that runs: on which task, and since which second of this machine's time."""

    item_id: int
    began_at: float


class Timer:
    """Started and stopped by hand; it runs on while backlit is closed."""

    def __init__(self, files: Files, clock: Callable[[], datetime]) -> None:
        self._files = files
        self._clock = clock

    @property
    def running(self) -> Running | None:
        """The timer as it runs, here or started by another process; None where there is none."""
        return _running(self._files.journal)

    def seconds(self) -> float:
        """How long it has been running; nothing where it is not, or where the clock was put back."""
        running = self.running
        return max(0.0, self._clock().timestamp() - running.began_at) if running else 0.0

    def hours_on(self, item_id: int) -> float | None:
        """The hours it has been running on an item, to a hundredth; None where it does not run on that one."""
        running = self.running
        if running is None or running.item_id != self._files.journal.real_id(item_id):
            return None
        return max(0.01, round(self.seconds() / HOUR, 2))

    async def start(self, item_id: int) -> None:
        """Start it on a task; raises BadRequest while it runs on another."""
        began_at = self._clock().timestamp()

        def act(writer: Writer) -> None:
            running, wanted = _running(writer.journal), writer.journal.real_id(item_id)
            if running is None:
                writer.journal.drafts.save(_KEY, {"item": wanted, "began": began_at})
                writer.signal.publish(Change(Subject.TIMER))
            elif running.item_id != wanted:
                raise BadRequest("The timer runs on another task.")

        await self._files.write(act)

    async def stop(self) -> None:
        """Stop it; its time is forgotten."""

        def act(writer: Writer) -> None:
            writer.journal.drafts.discard(_KEY)
            writer.signal.publish(Change(Subject.TIMER))

        await self._files.write(act)


def end_timer(journal: Journal, item_id: int) -> None:
    """Stop it where it runs on an item."""
    running = _running(journal)
    if running is not None and running.item_id == item_id:
        journal.drafts.discard(_KEY)


def _running(journal: Journal) -> Running | None:
    kept = journal.drafts.find(_KEY)
    if kept is None:
        return None
    item_id, began_at = kept.get("item"), kept.get("began")
    if not isinstance(item_id, int) or not isinstance(began_at, int | float):
        return None
    return Running(journal.real_id(item_id), float(began_at))
