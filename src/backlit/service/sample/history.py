"""The history of the sample, written in order of time after its items."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Float, Integer, MetaData, Table, func, insert, select

from backlit.service.sample.past import ItemPast
from backlit.service.storage.migrations import begin_history
from backlit.service.storage.schema import LAST_REVISION, changes, iteration_log, work_items
from backlit.service.tables.changes import ChangeAct, ChangeKind, RecordedChange, Stamp, change_row, created
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import log_rows

_METADATA = MetaData()
_UNORDERED = {"revision", "request", "made_at"}
# Items are made in order of their ids, and changes have to be numbered in order of time: the database sorts them, as a
# large sample has more of them than memory should hold.
_unordered_changes = Table(
    "unordered_changes",
    _METADATA,
    Column("place", Integer, primary_key=True, autoincrement=False),
    *(Column(c.name, c.type) for c in changes.c if c.name not in _UNORDERED),
    prefixes=["TEMPORARY"],
)
_unordered_log = Table(
    "unordered_log",
    _METADATA,
    Column("place", Integer),
    *(Column(c.name, Float() if c.name == "points" else c.type) for c in iteration_log.c if c.name != "revision"),
    prefixes=["TEMPORARY"],
)


class SampleHistory:
    """The changes of all items and comments, through one connection; `write` numbers and keeps them.

    With `begun`, only items in sprints have changes: the history begins then, with all others as they are.
    """

    def __init__(self, connection: Connection, ids_by_name: Mapping[str, int], begun: datetime | None) -> None:
        self.connection = connection
        self._ids_by_name = ids_by_name
        self._begun = begun
        self._place = 0
        self._changes: list[dict[str, Any]] = []
        self._log: list[dict[str, Any]] = []
        _METADATA.create_all(connection)

    def add(
        self, pasts: Iterable[ItemPast], said: Iterable[tuple[str, RecordedChange]], settings: ProjectSettings
    ) -> None:
        """Add items of a project and comments, each of these with the name of its author."""
        for past in pasts:
            if self._begun is None or past.item.values["IterationID"] != settings.root_iteration_id:
                self._add_item(past, settings)
        for name, change in said if self._begun is None else ():
            self._add(name, change)
        self._flush()

    def _add_item(self, past: ItemPast, settings: ProjectSettings) -> None:
        first, *later = past.versions()
        values = created({"type": first.type, **first.shown(settings.fields_by_type[first.type])})
        self._add(first.created_by, first.recorded(ChangeAct.CREATED, values, first.created_at))
        self._log += log_rows(self._place, None, first)
        old = first
        for new, change in zip(later, past.changes, strict=True):
            self._add(new.last_modified_by, old.difference(new, change.cause))
            self._log += log_rows(self._place, old, new)
            old = new

    def _add(self, name: str, change: RecordedChange) -> None:
        self._place += 1
        row = change_row(self.connection, Stamp(self._ids_by_name[name], name, change.at), change)
        self._changes.append(
            {key: value for key, value in row.items() if key not in _UNORDERED} | {"place": self._place}
        )

    def _flush(self) -> None:
        for table, rows in ((_unordered_changes, self._changes), (_unordered_log, self._log)):
            if rows:
                named = [{"place" if key == "revision" else key: value for key, value in row.items()} for row in rows]
                self.connection.execute(insert(table), named)
                rows.clear()

    def write(self) -> None:
        """Number the changes from the last revision on, in order of time."""
        if self._begun is not None:
            added = select(_unordered_changes.c.object_id).where(_unordered_changes.c.kind == int(ChangeKind.ITEM))
            begin_history(self.connection, self._begun, work_items.c.id.not_in(added))
        moved = _unordered_changes
        order = func.row_number().over(order_by=(moved.c.at, moved.c.place))
        revisions = select(moved.c.place, (order + LAST_REVISION).label("revision")).cte("revisions")
        names = [c.name for c in moved.c if c.name != "place"]
        ordered = select(revisions.c.revision, *(moved.c[name] for name in names)).join(
            revisions, revisions.c.place == moved.c.place
        )
        log_names = [c.name for c in _unordered_log.c if c.name != "place"]
        log = select(revisions.c.revision, *(_unordered_log.c[name] for name in log_names)).join(
            revisions, revisions.c.place == _unordered_log.c.place
        )
        # The log first: it counts from the same last revision.
        self.connection.execute(insert(iteration_log).from_select(["revision", *log_names], log))
        self.connection.execute(
            insert(changes).from_select(["revision", *names], ordered.order_by(revisions.c.revision))
        )
        _METADATA.drop_all(self.connection)
