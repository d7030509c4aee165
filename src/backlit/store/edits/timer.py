"""Timer of the work on a task."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.journal import Journal
from backlit.store.records.changes import StoreChange, Subject

HOUR = 3600.0
_TIMER = "timer"


class RunningTimer(Struct, frozen=True):
    """A running timer: its task, and its start in seconds of this machine's time."""

    item_id: int
    began_at: float


class WorkTimer:
    """A timer that the user starts and stops. It keeps running while backlit is closed."""

    def __init__(self, files: LocalDatabase, clock: Callable[[], datetime]) -> None:
        self._files = files
        self._clock = clock

    @property
    def running(self) -> RunningTimer | None:
        """The running timer, possibly of another process, or None."""
        return _running(self._files.journal)

    def seconds(self) -> float:
        """Return the elapsed seconds, 0 without a timer or after the clock was set back."""
        running = self.running
        return max(0.0, self._clock().timestamp() - running.began_at) if running else 0.0

    def hours_on(self, item_id: int) -> float | None:
        """Return the hours elapsed on an item, to a hundredth, or None if the timer runs elsewhere."""
        running = self.running
        if running is None or running.item_id != self._files.journal.real_id(item_id):
            return None
        return max(0.01, round(self.seconds() / HOUR, 2))

    async def start(self, item_id: int) -> None:
        """Start the timer on a task. Raises BadRequest while it runs on another task."""
        began_at = self._clock().timestamp()

        def act(writer: WriteContext) -> None:
            running, wanted = _running(writer.journal), writer.journal.real_id(item_id)
            if running is None:
                writer.journal.drafts.save(_TIMER, {"item": wanted, "began": began_at})
                writer.signal.publish(StoreChange(Subject.TIMER))
            elif running.item_id != wanted:
                raise BadRequest("The timer is running on another task. Stop it first.")

        await self._files.write(act)

    async def stop(self) -> None:
        def act(writer: WriteContext) -> None:
            writer.journal.drafts.discard(_TIMER)
            writer.signal.publish(StoreChange(Subject.TIMER))

        await self._files.write(act)


def end_timer(journal: Journal, item_id: int) -> None:
    running = _running(journal)
    if running is not None and running.item_id == item_id:
        journal.drafts.discard(_TIMER)


def _running(journal: Journal) -> RunningTimer | None:
    kept = journal.drafts.find(_TIMER)
    if kept is None:
        return None
    item_id, began_at = kept.get("item"), kept.get("began")
    if not isinstance(item_id, int) or not isinstance(began_at, int | float):
        return None
    return RunningTimer(journal.real_id(item_id), float(began_at))
