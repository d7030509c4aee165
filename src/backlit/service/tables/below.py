"""Objects below items: comments, relations, links, acceptance criteria and time entries, each a table of its own."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Generic, TypeVar

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Table,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from backlit.model.fields import ValueType
from backlit.model.filters import Filter, SortKey
from backlit.model.resources import (
    AUDIT_KEYS,
    AcceptanceCriterion,
    Comment,
    Link,
    Relation,
    Resource,
    TimeEntry,
)
from backlit.service.storage.columns import audit
from backlit.service.storage.filter_sql import Columns, Properties, columns_of, properties_of
from backlit.service.storage.objects_schema import acceptance_criteria, links, relations, time_entries
from backlit.service.storage.schema import comments
from backlit.service.tables.changes import (
    LAST_DOCUMENT,
    ChangeAct,
    ChangeCause,
    ChangeKind,
    Fields,
    RecordedChange,
    Stamp,
    created,
    differences,
    note,
    removed,
)
from backlit.service.tables.list_statement import ListStatement
from backlit.service.tables.siblings import Shift

ObjectT = TypeVar("ObjectT", Comment, Relation, Link, AcceptanceCriterion, TimeEntry)
ItemOfProject = tuple[int, int]
"""The ids of an item and of its project."""


class ObjectTable(Struct, Generic[ObjectT], frozen=True):
    """The table of a kind of objects, whose changes are noted in the history of their items.

    `ends` are the columns of an object's items, each with the column of the item's project.
    """

    table: Table
    model: type[ObjectT]
    kind: ChangeKind
    properties: Properties
    ends: tuple[tuple[str, str], ...] = (("work_item_id", "project_id"),)
    usual_order: tuple[str, ...] = ()
    """The columns by which the lists are ordered, besides the id."""

    @property
    def columns(self) -> Columns:
        return columns_of(self.table, self.properties)

    def read(self, connection: Connection, object_id: int) -> ObjectT | None:
        row = connection.execute(select(self.table).where(self.table.c.id == object_id)).mappings().first()
        return None if row is None else self.of_row(row)

    def of_row(self, row: RowMapping) -> ObjectT:
        return self.model(**row)

    def of_items(self, item_ids: Collection[int]) -> ColumnElement[bool]:
        return or_(*(self.table.c[item].in_(item_ids) for item, _ in self.ends))

    def query(
        self,
        project_ids: Collection[int],
        item_id: int | None = None,
        selected: Filter | None = None,
        order: tuple[SortKey, ...] = (),
        columns: Columns | None = None,
    ) -> ListStatement:
        """Return the list of the objects of an item, or of all, as far as all items of each are in some projects.

        The item is in one of them. `columns` are given where they are not those of the table.
        """
        within: list[ColumnElement[bool]] = []
        if item_id is None:
            within += [self.table.c[project].in_(project_ids) for _, project in self.ends]
        else:
            within.append(self.of_items([item_id]))
            # The plus keeps the planner on the indexes of the items.
            for _, project in self.ends if len(self.ends) > 1 else ():
                column: ColumnElement[int] = literal_column(f"+{self.table.name}.{project}")
                within.append(column.in_(project_ids))
        return ListStatement(self.table, columns or self.columns, tuple(within), selected, order, self.usual_order)

    def count_of_item(self, connection: Connection, item_id: int) -> int:
        number = select(func.count()).select_from(self.table).where(self.of_items([item_id]))
        return connection.execute(number).scalar_one()

    def listed_of(self, connection: Connection, item_ids: Collection[int]) -> list[ObjectT]:
        mine = select(self.table).where(self.of_items(item_ids)).order_by(self.table.c.id)
        return [self.of_row(row) for row in connection.execute(mine).mappings()]

    def items_of(self, found: Resource) -> list[ItemOfProject]:
        return [(getattr(found, item), getattr(found, project)) for item, project in self.ends]

    def add(self, connection: Connection, values: Mapping[str, Any], stamp: Stamp) -> ObjectT:
        row = {**values, **audit(stamp.name, stamp.at)}
        added = self.of_row(connection.execute(insert(self.table).values(row).returning(self.table)).mappings().one())
        note(connection, stamp, *self.creation(added, stamp.at))
        return added

    def change(self, connection: Connection, old: ObjectT, values: Mapping[str, Any], stamp: Stamp) -> ObjectT:
        """Store changed values; return the object as it is then."""
        changed = {name: value for name, value in values.items() if value != getattr(old, name)}
        if not changed:
            return old
        assert old.last_modified_at is not None
        at = stamp.after(old.last_modified_at)
        written = changed | {"last_modified_by": stamp.name, "last_modified_at": at}
        mine = update(self.table).where(self.table.c.id == old.id).values(written)
        new: ObjectT = self.of_row(connection.execute(mine.returning(self.table)).mappings().one())
        note(connection, stamp, *self.difference(old, new))
        return new

    def remove(self, connection: Connection, found: ObjectT, stamp: Stamp) -> None:
        connection.execute(delete(self.table).where(self.table.c.id == found.id))
        note(connection, stamp, *self._removal(found, stamp))

    def remove_of_items(self, connection: Connection, item_ids: Collection[int], stamp: Stamp) -> list[ObjectT]:
        """Delete the objects of items that are deleted; return them."""
        gone = self.listed_of(connection, item_ids)
        if gone:
            connection.execute(delete(self.table).where(self.of_items(item_ids)))
            cause = ChangeCause.REMOVED_WITH_ANOTHER
            note(connection, stamp, *(each for found in gone for each in self._removal(found, stamp, cause)))
        return gone

    def creation(self, found: ObjectT, at: datetime) -> list[RecordedChange]:
        fields = {key: value for key, value in _described(found).items() if key not in self._recorded_beside}
        return self._recorded(found, ChangeAct.CREATED, created(fields), at, self.items_of(found))

    def difference(self, old: ObjectT, new: ObjectT) -> list[RecordedChange]:
        """Return the change from one state to another, whose stamp tells the time."""
        assert new.last_modified_at is not None
        fields = differences(_described(old), _described(new))
        items = dict.fromkeys([*self.items_of(old), *self.items_of(new)])
        return self._recorded(new, ChangeAct.CHANGED, fields, new.last_modified_at, items)

    @property
    def _recorded_beside(self) -> Collection[str]:
        """The keys that a change of an object of one item has as columns."""
        return ("projectId", "workItemId", "taskId") if len(self.ends) == 1 else ()

    def _removal(self, found: ObjectT, stamp: Stamp, cause: ChangeCause | None = None) -> list[RecordedChange]:
        fields = removed(found.wire())
        return self._recorded(found, ChangeAct.REMOVED, fields, stamp.at, self.items_of(found), cause=cause)

    def renumbered(self, shift: Shift, stamp: Stamp) -> Iterator[RecordedChange]:
        """Yield the changes of objects in whose place another one was put."""
        ((item, _),) = self.ends
        for row, fields in shift.changes():
            change = self.kind, ChangeAct.CHANGED, row["id"], row["project_id"], fields, stamp.at
            yield RecordedChange(*change, row[item], ChangeCause.RENUMBERED)

    def _recorded(
        self,
        found: ObjectT,
        act: ChangeAct,
        fields: Fields,
        at: datetime,
        items: Iterable[ItemOfProject],
        *,
        cause: ChangeCause | None = None,
    ) -> list[RecordedChange]:
        """Return the change for each of the object's items, in whose history it stands."""
        ends = list(items)
        # The history of a project is for all who see it, an object between two for those who see both.
        told = fields if len({project_id for _, project_id in ends}) == 1 else _without_values(fields)
        return [
            RecordedChange(self.kind, act, found.id, project_id, told, at, item_id, cause)
            for item_id, project_id in ends
        ]


def _described(found: Resource) -> dict[str, Any]:
    return {key: value for key, value in found.wire().items() if key not in {"id", *AUDIT_KEYS}}


def _without_values(fields: Fields) -> Fields:
    return {key: {} if key == LAST_DOCUMENT else (None, None) for key in fields}


_ITEM = {"projectId": ValueType.INTEGER, "workItemId": ValueType.INTEGER}

COMMENTS = ObjectTable(
    comments,
    Comment,
    ChangeKind.COMMENT,
    properties_of(**_ITEM, description=ValueType.TEXT, type=ValueType.TEXT),
)
RELATIONS = ObjectTable(
    relations,
    Relation,
    ChangeKind.RELATION,
    properties_of(**_ITEM, type=ValueType.TEXT, targetId=ValueType.INTEGER, targetProjectId=ValueType.INTEGER),
    (("work_item_id", "project_id"), ("target_id", "target_project_id")),
)
LINKS = ObjectTable(
    links, Link, ChangeKind.LINK, properties_of(**_ITEM, displayText=ValueType.TEXT, url=ValueType.TEXT)
)
CRITERIA = ObjectTable(
    acceptance_criteria,
    AcceptanceCriterion,
    ChangeKind.CRITERION,
    properties_of(
        **_ITEM,
        title=ValueType.TEXT,
        description=ValueType.TEXT,
        status=ValueType.TEXT,
        sequence=ValueType.INTEGER,
    ),
    usual_order=("work_item_id", "sequence"),
)
TIME_ENTRIES = ObjectTable(
    time_entries,
    TimeEntry,
    ChangeKind.TIME_ENTRY,
    properties_of(
        projectId=ValueType.INTEGER,
        taskId=ValueType.INTEGER,
        userId=ValueType.INTEGER,
        date=ValueType.DATETIME,
        week=ValueType.INTEGER,
        hours=ValueType.NUMBER,
        type=ValueType.TEXT,
        note=ValueType.TEXT,
    ),
    (("task_id", "project_id"),),
)
BELOW_ITEMS: tuple[ObjectTable[Any], ...] = (COMMENTS, RELATIONS, LINKS, CRITERIA, TIME_ENTRIES)
"""What is deleted with an item."""
