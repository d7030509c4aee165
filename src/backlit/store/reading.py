"""A fresh copy, for listings: the mirror read only, by sqlite3 alone.

A listing of ten rows takes 40 ms of processor time this way and 230 through the store, whose libraries and threads are
there for sync and edits; `backlit.store.fresh_query` finds the items of a query in it. It reads what the store would
show: the mirror has the journal laid over it, and a copy with changes that wait, or with anything that the store would
align at its opening, is left to the store.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext

from backlit.store.journal.schema import CLOCK, COMMANDS_PROJECT, MIGRATIONS, UNDELIVERED_SQL
from backlit.store.mirror.schema import OWN_GROUPS, REASSIGNED, VERSION
from backlit.store.sqlite.sync_note import synced_at
from backlit.store.views.order import BACKLOG_ORDER, ORDER_INDEXES

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any

    from backlit.store.records.entry import OutboxEntry

_TO_ALIGN = (
    "SELECT EXISTS (SELECT 1 FROM items INDEXED BY items_with_sign WHERE sign > 0) OR EXISTS (SELECT 1 FROM hidden)"
    " OR EXISTS (SELECT 1 FROM comments INDEXED BY comments_pending WHERE pending = 1)"
    " OR EXISTS (SELECT 1 FROM ranks) OR EXISTS (SELECT 1 FROM notes WHERE key = ?)"
)
_WAITING = (
    f"SELECT EXISTS (SELECT 1 FROM entries INDEXED BY undelivered WHERE {UNDELIVERED_SQL})"  # noqa: S608 # constants
    " OR EXISTS (SELECT 1 FROM ranks)"
)
_SETTING = "SELECT value FROM settings WHERE key = ?"
_IN_ORDER = (
    f"SELECT doc FROM items INDEXED BY {ORDER_INDEXES[True]} CROSS JOIN documents USING (id)"  # noqa: S608 # constants
    f" WHERE project_id = ? ORDER BY {BACKLOG_ORDER} LIMIT ?"
)


FEW_ITEMS = 500
"""Up to so many items json is faster than orjson with its import, which takes 20 ms."""


class ReadItem:
    """An item as the copy has it."""

    __slots__ = ("fields", "id", "type")

    def __init__(self, document: Mapping[str, object]) -> None:
        number, fields = document.get("id"), document.get("fields")
        self.id = number if type(number) is int else 0
        self.type = str(document.get("type") or "")
        self.fields: Mapping[str, object] = fields if isinstance(fields, dict) else {}


class FreshCopy:
    """A mirror without unsent changes that was in sync a moment ago, on the project that commands show.

    It is what look-ups read, as the opened files of the store are.
    """

    refusal = ""
    trees = nullcontext()

    def __init__(self, mirror: sqlite3.Connection, journal: sqlite3.Connection, project_id: int) -> None:
        self.mirror = mirror
        self._journal = journal
        self.project_id = project_id

    def node_entries(self, _project_id: int | None, _tree: str) -> "Sequence[OutboxEntry]":
        return ()

    def clock_offset(self) -> int:
        """Return the service's clock offset from this machine's UTC, in seconds."""
        return int(str(value_of(self._journal, _SETTING, CLOCK) or 0))

    def items(self, limit: int | None) -> list[ReadItem]:
        """Return the first items in backlog order, done ones included, all without a limit."""
        return _read_items(self.mirror.execute(_IN_ORDER, (self.project_id, limit or -1)), limit)

    def items_of(self, ids: Sequence[int]) -> list[ReadItem]:
        """Return items in the order of their ids."""
        sql = "SELECT doc FROM documents WHERE id IN (SELECT value FROM json_each(?))"
        found = {item.id: item for item in _read_items(self.mirror.execute(sql, (json.dumps([*ids]),)), len(ids))}
        return [found[item_id] for item_id in ids]

    def usernames(self, user_ids: Iterable[int]) -> Mapping[int, str]:
        """Return the user names of those users that the copy knows."""
        sql = "SELECT doc FROM resources WHERE kind = ? AND project_id = 0 AND id IN (SELECT value FROM json_each(?))"
        ids, found = json.dumps(sorted(user_ids)), dict[int, str]()
        for kind in ("looked_up_user", "user"):
            for (doc,) in self.mirror.execute(sql, (kind, ids)):
                user = json.loads(doc)
                number = user.get("id") or 0
                found[number] = str(user.get("name") or "") or (f"user {number}" if kind != "user" else "")
        return found


def _read_items(rows: Iterable[tuple[bytes]], limit: int | None) -> list[ReadItem]:
    loads: Callable[[bytes], Any] = json.loads
    if not 0 < (limit or 0) <= FEW_ITEMS:
        import orjson

        loads = orjson.loads
    return [ReadItem(loads(doc)) for (doc,) in rows]


@contextmanager
def fresh_copy(
    mirror: str, journal: str, own_project: object, own_groups: Mapping[str, object], max_age: float
) -> Iterator[FreshCopy | None]:
    """Open a profile's files; yield None where the store has to open them.

    `own_project` and `own_groups` are the user's settings of the project and the status groups, `max_age` is in
    seconds.
    """
    with ExitStack() as open_files:
        try:
            of_mirror, of_journal = (open_files.enter_context(closing(opened(path))) for path in (mirror, journal))
            project_id = _project(of_mirror, of_journal, own_project, own_groups)
        except (sqlite3.Error, ValueError):
            project_id = None
        age = time.time() - (synced_at(mirror, project_id) or 0.0) if project_id else -1.0
        yield FreshCopy(of_mirror, of_journal, project_id) if project_id and 0.0 <= age < max_age else None


def opened(path: str) -> sqlite3.Connection:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"file:{quoted}?mode=ro", uri=True)


def _project(
    mirror: sqlite3.Connection, journal: sqlite3.Connection, own_project: object, own_groups: Mapping[str, object]
) -> int | None:
    """Return the project that commands show, None where the store has something to do at its opening."""
    for connection, version in ((mirror, VERSION), (journal, len(MIGRATIONS))):
        if value_of(connection, "PRAGMA user_version") != version:
            return None
    groups = value_of(mirror, "SELECT value FROM notes WHERE key = ?", OWN_GROUPS)
    if value_of(journal, _WAITING) or value_of(mirror, _TO_ALIGN, REASSIGNED) or json.loads(str(groups)) != own_groups:
        return None
    chosen = value_of(journal, _SETTING, COMMANDS_PROJECT)
    ids = [number for (number,) in mirror.execute("SELECT id FROM resources WHERE kind = 'project' ORDER BY id")]
    wanted = [int(str(chosen)) if chosen else None, own_project]
    return next((each for each in (*wanted, *ids) if each in ids), None)


def value_of(connection: sqlite3.Connection, sql: str, *values: object) -> object:
    found = connection.execute(sql, values).fetchone()
    return found[0] if found else None
