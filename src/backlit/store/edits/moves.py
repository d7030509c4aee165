"""Items that move to another project, and tasks that move below another item."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial

from backlit.model.errors import BadRequest, Forbidden
from backlit.model.fields import ItemType
from backlit.model.relations import RelationType
from backlit.store.edits.conversions import LOST_WITH_COPY, TransformOutlook, parent_taken_away, write_copies
from backlit.store.edits.fitted_values import FittedValues
from backlit.store.edits.items import present
from backlit.store.edits.objects import write_objects
from backlit.store.edits.rank_order import RANKING, RankOrder
from backlit.store.edits.relations import ShownRelations
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.entry import TARGET_KEY, EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in, id_in, number_of
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.lookups import READER, Lookups

MOVE = "move"
"""The extension by which the service moves items."""


class WithChildren(StrEnum):
    """What becomes of the items below a Feature that moves."""

    MOVE = "move"
    LEAVE = "leave"


class Moves:
    """Moves to another project. A service without the extension gets a copy, and the original's status Deleted."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    @property
    def is_offered(self) -> bool:
        return self._lookups.announces(MOVE)

    async def outlook(
        self, item_id: int, project_id: int, children: WithChildren = WithChildren.MOVE
    ) -> TransformOutlook:
        """Return what would come of a move to another project, which is not made."""

        def ask(writer: WriteContext) -> TransformOutlook:
            real_id, document = present(writer, item_id)
            try:
                self._must_move(document, project_id)
            except (BadRequest, Forbidden) as error:
                return TransformOutlook(real_id, fault=error.message)
            changes = FittedValues(self._lookups, project_id).changes(document, str(document.get("type")))
            return TransformOutlook(real_id, changes, self._left(writer, real_id, children))

        return await self._files.write(ask)

    def items_below(self, item_ids: Iterable[int]) -> int:
        """Return how many items, tasks left out, are below Features: a move says what becomes of them."""
        return len(_items_below(self._files.mirror, [self._files.journal.real_id(each) for each in item_ids]))

    async def to_project(
        self, item_ids: Iterable[int], project_id: int, children: WithChildren = WithChildren.MOVE
    ) -> list[int]:
        """Move items with their tasks, as one step; return the ids, those of the copies where the service moves none.

        Raises BadRequest or Forbidden, and then changes nothing.
        """
        self._lookups.need_writer()
        ids = list(item_ids)
        return await self._files.edit(lambda writer: self._to_project(writer, ids, project_id, children))

    def _to_project(
        self, writer: WriteContext, item_ids: Sequence[int], project_id: int, children: WithChildren
    ) -> list[int]:
        fitted = FittedValues(self._lookups, project_id)
        roots = [present(writer, each) for each in item_ids]
        for _, document in roots:
            self._must_move(document, project_id)
        if not self.is_offered:
            moved_document = partial(_in_project, fitted)
            copies = [(each, moved_document(each)) for _, each in roots]
            return write_copies(writer, copies, self._lookups, moved_document)
        families: list[tuple[Document, Sequence[int]]] = []
        moved: set[int] = set()
        for real_id, document in roots:
            if real_id not in moved:
                families.append((document, _family(writer, real_id, children)))
                moved |= {real_id, *families[-1][1]}
        places = self._places(writer, id_in(roots[0][1], "projectId"), moved) if roots else {}
        write_objects(
            writer,
            [
                entry
                for document, family in families
                for entry in _entries(writer, fitted, document, children, family, places=places)
            ],
        )
        return [real_id for real_id, _ in roots]

    def _must_move(self, document: Document, project_id: int) -> None:
        name, item_id = number_of(id_in(document)), id_in(document)
        if document.get("type") == ItemType.TASK:
            raise BadRequest(f"{'The new item' if item_id < 0 else name} is a Task, which moves with its item.")
        if project_id == document.get("projectId") or project_id not in {each.id for each in self._lookups.projects()}:
            raise BadRequest("Choose another project that you may see.")
        if self._lookups.roles().get(project_id) == READER:
            raise Forbidden("That project is read only for you: you are a reader. A manager can change your role.")

    def _left(self, writer: WriteContext, item_id: int, children: WithChildren) -> Sequence[str]:
        known = ShownRelations(writer.mirror.connection)
        parent = known.parent_relation(item_id)
        left = [f"its Feature #{parent.second_id}"] if parent is not None else []
        below = len(_items_below(writer.mirror.connection, [item_id]))
        if below and (children is WithChildren.LEAVE or not self.is_offered):
            left.append(f"the {below:,} items below it" if below > 1 else "the item below it")
        return [*left, *(() if self.is_offered else LOST_WITH_COPY)]

    def _places(self, writer: WriteContext, project_id: int, item_ids: Collection[int]) -> Mapping[int, Document]:
        """Return what items stand beside, for an undo; tasks keep their place, and without ranking nobody has one."""
        if not self._lookups.announces(RANKING):
            return {}
        rank_order, ids = RankOrder(writer.mirror.connection, project_id, None), list(item_ids)
        places = {each: place for each in ids if (place := rank_order.place_of(each))}
        from_top = sorted(places, key=lambda each: (places[each].number, each))
        return {each: {"at": at, "beside": rank_order.former(each, ids)} for at, each in enumerate(from_top)}


async def move_tasks(files: LocalDatabase, task_ids: Iterable[int], parent_id: int) -> None:
    """Put tasks below another item of their project, as one step."""
    ids = list(task_ids)
    await files.edit(lambda writer: write_objects(writer, [task_move(writer, each, parent_id) for each in ids]))


def task_move(writer: WriteContext, task_id: int, parent_id: int) -> OutboxEntry:
    """Return the entry that puts a task below another item, a new one too."""
    real_id, document = present(writer, task_id)
    base = {"ParentID": fields_in(document).get("ParentID")}
    payload = {TARGET_KEY: writer.journal.real_id(parent_id), "name": fields_in(document).get("Name")}
    return new_entry(EntryKind.MOVE_TASK, id_in(document, "projectId"), payload, real_id, base)


_BELOW = (
    "WITH RECURSIVE below (id) AS (SELECT id FROM items WHERE is_task = 0 AND parent_id IN (SELECT value FROM"
    " json_each(?1)) UNION SELECT items.id FROM below JOIN items ON items.parent_id = below.id AND items.is_task = 0)"
    " SELECT id FROM below ORDER BY id"
)
_TASKS = "SELECT id FROM items WHERE is_task = 1 AND parent_id IN (SELECT value FROM json_each(?)) ORDER BY id"


def _items_below(mirror: sqlite3.Connection, item_ids: Iterable[int]) -> list[int]:
    return [item_id for (item_id,) in mirror.execute(_BELOW, (ids_json(item_ids),))]


def _family(writer: WriteContext, item_id: int, children: WithChildren) -> list[int]:
    """Return what moves along with an item: its tasks, and the items below with theirs."""
    connection = writer.mirror.connection
    below = _items_below(connection, [item_id]) if children is WithChildren.MOVE else []
    return [*below, *(task_id for (task_id,) in connection.execute(_TASKS, (ids_json([item_id, *below]),)))]


def _entries(
    writer: WriteContext,
    fitted: FittedValues,
    document: Document,
    children: WithChildren,
    family: Sequence[int],
    *,
    places: Mapping[int, Document],
) -> list[OutboxEntry]:
    """Return what moves an item. Relations that stay behind are taken away first, so that an undo makes them again."""
    item_id = id_in(document)
    apart = parent_taken_away(writer, item_id)
    if children is WithChildren.LEAVE:
        known = ShownRelations(writer.mirror.connection)
        left = [each.first_id for each in known.to_items(RelationType.PARENT, [item_id])]
        apart += [entry for each in left for entry in parent_taken_away(writer, each)]
    move = _entry(EntryKind.MOVE, fitted, document, {"children": children.value, **places.get(item_id, {})})
    along = [
        _entry(EntryKind.MOVE_ALONG, fitted, present(writer, each)[1], {TARGET_KEY: item_id, **places.get(each, {})})
        for each in family
    ]
    return [*apart, move, *along]


def _entry(kind: EntryKind, fitted: FittedValues, document: Document, more: Mapping[str, object]) -> OutboxEntry:
    fields = fields_in(document)
    changes = {each.key: each.after for each in fitted.changes(document, str(document.get("type")))}
    base = {"projectId": document.get("projectId"), **{key: fields.get(key) for key in changes}}
    payload = {"values": {"projectId": fitted.project_id, **changes}, "fields": {}, "name": fields.get("Name"), **more}
    return new_entry(kind, id_in(document, "projectId"), payload, id_in(document), base)


def _in_project(fitted: FittedValues, document: Document) -> Document:
    changes = {each.key: each.after for each in fitted.changes(document, str(document.get("type")))}
    return {**document, "projectId": fitted.project_id, "fields": {**fields_in(document), **changes}}
