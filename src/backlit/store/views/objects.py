"""Acceptance criteria, links and time entries as screens read them, with unsent changes laid over."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import orjson
from msgspec import Struct

from backlit.model.resources import CriterionStatus
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.schema import SHOWN
from backlit.store.records.item import Document, moment
from backlit.store.sqlite.ids import ids_json

_OF_ITEM = f"{SHOWN} AND item_id = ?"


class Criterion(Struct, frozen=True):
    """An acceptance criterion, and who changed it last; None for an unsent one."""

    id: int
    item_id: int
    title: str
    description: str
    status: str
    pending: bool
    changed_by: str
    changed_at: datetime | None

    @property
    def status_words(self) -> str:
        return CriterionStatus.words_of(self.status)


class Criteria:
    """The acceptance criteria of items."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def of_item(self, item_id: int) -> tuple[Criterion, ...]:
        """Return the criteria in their order."""
        sql = (
            "SELECT id, item_id, title, description, status, state, doc FROM criteria"  # noqa: S608 # constants
            f" WHERE {_OF_ITEM} ORDER BY sequence, id"
        )
        found = self._files.mirror.execute(sql, (self._files.journal.real_id(item_id),))
        return tuple(
            Criterion(object_id, of, title or "", description or "", status or "", bool(state), *_last_change(doc))
            for object_id, of, title, description, status, state, doc in found
        )

    def counts(self, item_ids: Iterable[int]) -> Mapping[int, tuple[int, int]]:
        """Return how many criteria have passed and how many there are, of the items that have some."""
        sql = (
            f"SELECT item_id, total(status = '{CriterionStatus.PASS}'), count(*) FROM criteria"  # noqa: S608 # constants
            f" WHERE {SHOWN} AND item_id IN (SELECT value FROM json_each(?)) GROUP BY item_id"
        )
        found = self._files.mirror.execute(sql, (ids_json(item_ids),))
        return {item_id: (int(passed), count) for item_id, passed, count in found}


class WebLink(Struct, frozen=True):
    """A web address on an item."""

    id: int
    item_id: int
    text: str
    url: str
    pending: bool


class WebLinks:
    """The web addresses of items."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def of_item(self, item_id: int) -> tuple[WebLink, ...]:
        # An unsent link has a negative id and comes last, as it will.
        sql = f"SELECT id, item_id, text, url, state FROM links WHERE {_OF_ITEM} ORDER BY id < 0, id"  # noqa: S608 # constants
        found = self._files.mirror.execute(sql, (self._files.journal.real_id(item_id),))
        return tuple(
            WebLink(object_id, of, text or "", url or "", bool(state)) for object_id, of, text, url, state in found
        )


class LoggedTime(Struct, frozen=True):
    """Hours of a user on a task on one day."""

    id: int
    item_id: int
    user_id: int | None
    day: date | None
    hours: float
    type: str | None
    note: str
    pending: bool


class LoggedTimes:
    """The time entries of tasks, as far as they were read: the user's own of late, and those of changed tasks.

    `read` has the mirror hold those of some days, `read_of` those of some tasks; both raise what prevents it.
    """

    def __init__(
        self,
        files: LocalDatabase,
        read: Callable[[date, date], Coroutine[Any, Any, None]],
        read_of: Callable[[Sequence[int]], Coroutine[Any, Any, None]],
    ) -> None:
        self._files = files
        self.read = read
        self.read_of = read_of

    def of_task(self, task_id: int) -> tuple[LoggedTime, ...]:
        """Return the entries of a task, the latest first."""
        return self._found(_OF_ITEM, (self._files.journal.real_id(task_id),))

    def of_days(self, project_id: int, first: date, last: date, user_id: int | None = None) -> tuple[LoggedTime, ...]:
        """Return the entries of some days of a user, or of everybody, the latest first."""
        where = f"{SHOWN} AND project_id = ?1 AND substr(day, 1, 10) BETWEEN ?2 AND ?3 AND (?4 IS NULL OR user_id = ?4)"
        return self._found(where, (project_id, first.isoformat(), last.isoformat(), user_id))

    def _found(self, where: str, values: tuple[object, ...]) -> tuple[LoggedTime, ...]:
        sql = (
            "SELECT id, item_id, user_id, day, hours, type, note, state FROM time_entries"  # noqa: S608 # constants
            f" WHERE {where} ORDER BY day DESC, id < 0 DESC, id DESC"
        )
        found = self._files.mirror.execute(sql, values)
        return tuple(
            LoggedTime(object_id, of, user_id, _day(day), hours or 0.0, kind, note or "", bool(state))
            for object_id, of, user_id, day, hours, kind, note, state in found
        )


def _day(value: str | None) -> date | None:
    found = moment(value)
    return None if found is None else found.date()


def _last_change(received: bytes | None) -> tuple[str, datetime | None]:
    document: Document = {} if received is None else orjson.loads(received)
    return str(document.get("lastModifiedBy") or ""), moment(document.get("lastModifiedAt"))
