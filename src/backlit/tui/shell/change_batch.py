"""The changes of the store, gathered so that the screens draw once a frame."""

import threading
import time
from collections.abc import Callable, Iterable

from backlit.store.records.changes import Change, Subject
from backlit.tui.shell.chord_app import ChordApp


class Gathered:
    """Changes of the store added up; `ids` of a subject are None where all of it may have changed."""

    def __init__(self) -> None:
        self._ids: dict[Subject, set[int] | None] = {}
        self.fields: set[str] = set()
        self.renamed: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._ids)

    def __contains__(self, subject: Subject) -> bool:
        return subject in self._ids

    def ids(self, subject: Subject) -> set[int] | None:
        """The ids that changed; None where it may be any."""
        return self._ids.get(subject, set())

    def touches(self, subject: Subject, item_id: int) -> bool:
        """Whether one thing of the subject may have changed."""
        ids = self.ids(subject)
        return ids is None or item_id in ids

    def add(self, change: Change) -> None:
        """Add one change."""
        self._add_ids(change.kind, change.ids or None)
        self.fields |= change.fields
        self.renamed |= change.renamed

    def merge(self, other: "Gathered") -> None:
        """Add what another gathering holds; used by screens that were hidden."""
        for subject, ids in other._ids.items():  # noqa: SLF001 - same class
            self._add_ids(subject, ids)
        self.fields |= other.fields
        self.renamed |= other.renamed

    def _add_ids(self, subject: Subject, ids: Iterable[int] | None) -> None:
        known = self._ids.get(subject, set())
        self._ids[subject] = None if ids is None or known is None else known | set(ids)


class ChangeFeed:
    """Takes changes on the store's threads and publishes them to an application, at most once a frame."""

    def __init__(self, app: ChordApp, frame: float, publish: Callable[[Gathered], None]) -> None:
        self._app = app
        self._frame = frame
        self._tell = publish
        self._gathered = Gathered()
        self._gathering = threading.Lock()
        self._published_at = 0.0

    def take(self, change: Change) -> None:
        """Gather one change, and show its sentence."""
        with self._gathering:
            is_first = not self._gathered
            self._gathered.add(change)
        if is_first:
            self._app.call_later(self._publish_soon)
        if change.sentence:
            self._app.call_later(self._app.say, change.sentence)

    def publish(self) -> None:
        """Publish the gathered changes now, if there are any."""
        if not (self._gathered and self._app.is_running):
            return  # while the application ends, its screens are closing
        self._published_at = time.monotonic()
        with self._gathering:
            gathered, self._gathered = self._gathered, Gathered()
        self._tell(gathered)

    def _publish_soon(self) -> None:
        """Publish at once after a pause, so that the effect of a key is seen soon; else when the frame is over."""
        wait = self._published_at + self._frame - time.monotonic()
        if wait > 0:
            self._app.set_timer(wait, self.publish)
        else:
            self.publish()
