"""Changes of an item as the service's history tells them, and as much of that history as this machine has read."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from backlit.store.records.item import Document, id_in, moment, whole

REMOVED_DOCUMENT = "="
"""The key under which a removal has the last state of what was removed."""
ROLLED_UP, RENUMBERED = "rollUp", "renumbered"
"""Causes of changes that follow from another one: of a task's figures, and of another item's place in the order."""


class HistoryRecord(Struct, frozen=True):
    """A change of an item, or of a comment or file on it. `fields` holds the values before and after by key.

    A removal has the last state of what was removed as the values before. `kind`, `act` and `cause` are words of the
    service, which may know more of them than this program.
    """

    revision: int
    at: datetime | None
    made_at: datetime | None
    author: str
    author_id: int | None
    kind: str
    act: str
    cause: str
    request: int
    object_id: int
    fields: Mapping[str, tuple[object, object]]

    def text(self, key: str) -> str:
        """Return a text of what was created, or of what was removed as it was."""
        before, value = self.fields.get(key, (None, None))
        return str((before if value is None else value) or "")


def _record_of(row: Document) -> HistoryRecord:
    """Read a row of the history, which has a revision."""
    revision, by = id_in(row, "revision"), row.get("by")
    person: Document = by if isinstance(by, dict) else {}
    return HistoryRecord(
        revision,
        moment(row.get("at")),
        moment(row.get("madeAt")),
        str(person.get("name") or ""),
        whole(person.get("id")),
        str(row.get("kind") or ""),
        str(row.get("act") or ""),
        str(row.get("cause") or ""),
        whole(row.get("request")) or revision,
        whole(row.get("objectId")) or 0,
        _fields(row.get("fields")),
    )


def _fields(told: object) -> Mapping[str, tuple[object, object]]:
    if not isinstance(told, dict):
        return {}
    last = told.get(REMOVED_DOCUMENT)
    if isinstance(last, dict):
        return {str(key): (value, None) for key, value in last.items()}
    return {str(key): (pair[0], pair[1]) for key, pair in told.items() if isinstance(pair, list) and len(pair) == 2}


class KeptHistory(Struct, frozen=True):
    """The changes of an item as read, newest first and without a gap.

    `next` is the revision before which older ones are still to be read, None where there are none. A history that is
    not complete begins after the item was created. `read_at` is this machine's time.
    """

    rows: Sequence[Document]
    next: int | None
    is_complete: bool
    read_at: float

    @property
    def changes(self) -> list[HistoryRecord]:
        return [_record_of(row) for row in self.rows]

    @property
    def newest_at(self) -> datetime | None:
        return moment(self.rows[0].get("at")) if self.rows else None

    @property
    def oldest_at(self) -> datetime | None:
        return moment(self.rows[-1].get("at")) if self.rows else None

    def begun_with(self, newer: "KeptHistory") -> "KeptHistory":
        """Return this history with a newly read first page before it, or that page alone where they do not meet."""
        known = {row.get("revision"): row.get("at") for row in self.rows}
        met = next((row for row in newer.rows if row.get("revision") in known), None)
        # Another row under a known number: the service's database is another one, such as one restored from a backup.
        if met is None or known[met.get("revision")] != met.get("at"):
            return newer
        seen = {row.get("revision") for row in newer.rows}
        older = [row for row in self.rows if row.get("revision") not in seen]
        return KeptHistory([*newer.rows, *older], self.next, self.is_complete or newer.is_complete, newer.read_at)

    def continued_by(self, older: "KeptHistory") -> "KeptHistory":
        return KeptHistory([*self.rows, *older.rows], older.next, older.is_complete, self.read_at)
