"""Relations that a user makes and takes away, checked by the rules of the service before they are journalled."""

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from backlit.model.errors import BadRequest, Conflict, NotFound
from backlit.model.fields import ItemType
from backlit.model.relations import (
    INVERSES,
    KnownRelation,
    NewRelation,
    RelatedItem,
    RelationType,
    directed,
    must_fit,
)
from backlit.model.statuses import StatusGroup
from backlit.store.edits.deletions import delete_objects, deleted_status
from backlit.store.edits.items import ItemEdits, ItemWithTasks, add_checked, edit_entry, present
from backlit.store.edits.objects import must_offer, shown_object, write_objects
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.schema import SHOWN
from backlit.store.object_changes.relations import ParentChange
from backlit.store.records.entry import EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Item
from backlit.store.records.object_kinds import RELATIONS
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.lookups import Lookups

NO_RELATIONS = "This server has no relations between items."
_AMONG = "IN (SELECT value FROM json_each(?))"


class ShownRelations:
    """The relations and items as the user sees them, for the rules of `model.relations`."""

    def __init__(self, mirror: sqlite3.Connection) -> None:
        self._mirror = mirror
        self._added: list[NewRelation] = []

    def add(self, relation: NewRelation) -> None:
        """Count a relation that the same act makes."""
        self._added.append(relation)

    def item(self, item_id: int) -> RelatedItem:
        """Return an item; raise NotFound for one that this machine does not have."""
        sql = "SELECT id, type, project_id FROM items WHERE id = ?"
        found = self._mirror.execute(sql, (item_id,)).fetchone()
        if found is None:
            raise NotFound(f"Item {item_id} was deleted, or is in a project that was not loaded.")
        return RelatedItem(*found)

    def parent_relation(self, item_id: int) -> KnownRelation | None:
        return next(iter(self.from_items(RelationType.PARENT, [item_id])), None)

    def from_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        new = (each for each in self._added if each.type is kind and each.first.id in item_ids)
        return [*self._of(kind, "item_id", item_ids), *(KnownRelation(0, e.first.id, e.second.id) for e in new)]

    def to_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        new = (each for each in self._added if each.type is kind and each.second.id in item_ids)
        return [*self._of(kind, "target_id", item_ids), *(KnownRelation(0, e.first.id, e.second.id) for e in new)]

    def features(self, item_ids: Collection[int]) -> Collection[int]:
        sql = f"SELECT id FROM items WHERE type = '{ItemType.FEATURE}' AND id {_AMONG}"  # noqa: S608 # constants
        return [item_id for (item_id,) in self._mirror.execute(sql, (ids_json(item_ids),))]

    def count(self, item_id: int, *, besides: int | None) -> int:
        where = f"{SHOWN} AND (item_id = ?1 OR target_id = ?1) AND id <> ?2"
        sql = f"SELECT count(*) FROM relations WHERE {where}"  # noqa: S608 # constants
        known = int(self._mirror.execute(sql, (item_id, besides or 0)).fetchone()[0])
        return known + sum(item_id in {each.first.id, each.second.id} for each in self._added)

    def are_visible(self, _item_ids: Collection[int]) -> bool:
        return True

    def _of(self, kind: RelationType, column: str, item_ids: Collection[int]) -> list[KnownRelation]:
        replaced = [each.kept_id for each in self._added if each.kept_id is not None]
        where = f"{SHOWN} AND type = ? AND {column} {_AMONG} AND id NOT {_AMONG}"
        sql = f"SELECT id, item_id, target_id FROM relations WHERE {where} ORDER BY id"  # noqa: S608 # constants
        values = (kind.value, ids_json(item_ids), ids_json(replaced))
        return [KnownRelation(*row) for row in self._mirror.execute(sql, values)]


class RelationEdits:
    """Edits of relations. Each method is one step, and changes nothing where one of its relations breaks a rule."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, items: ItemEdits) -> None:
        self._files = files
        self._lookups = lookups
        self._items = items

    async def add_below(self, family: ItemWithTasks, feature_id: int) -> int:
        """Create an item below a Feature, as one step; return its temporary id."""
        self._lookups.need_writer()
        made = self._items.checked([family])

        def act(writer: WriteContext) -> int:
            must_offer(writer, RELATIONS, NO_RELATIONS)
            (entry,) = add_checked(writer, made)
            _set_parent(writer, [entry.item_id], feature_id, entry.step)
            return entry.item_id

        return await self._files.edit(act)

    async def add_above(self, feature: ItemWithTasks, item_ids: Iterable[int]) -> int:
        """Create a Feature and put items below it, as one step; return its temporary id."""
        self._lookups.need_writer()
        made, ids = self._items.checked([feature]), list(item_ids)

        def act(writer: WriteContext) -> int:
            must_offer(writer, RELATIONS, NO_RELATIONS)
            _must_fit_below_new(writer, ids)
            (entry,) = add_checked(writer, made)
            _set_parent(writer, ids, entry.item_id, entry.step)
            return entry.item_id

        return await self._files.edit(act)

    async def relate(self, item_ids: Iterable[int], word: str, target_ids: Iterable[int]) -> int:
        """Relate each item to each target: *item* **word** *target*; return the step.

        Raises BadRequest or Conflict by the rules.
        """
        self._lookups.need_writer()
        pairs = [(item_id, target_id) for target_id in target_ids for item_id in item_ids]
        return await self._files.edit(partial(_relate, word=word, pairs=pairs))

    def closed_status(self, item: Item) -> str | None:
        """Return the status of an item that is closed as a duplicate; None for one that is not open, or has none.

        What is done counts in the velocity, and what is deferred comes back: a duplicate does neither.
        """
        groups, statuses = self._lookups.status_groups(), self._lookups.statuses(item.type)
        if not groups.is_open(item.status):
            return None
        named = next((each for each in statuses if each.strip().casefold() == "duplicate"), None)
        return named or deleted_status(statuses) or groups.first(statuses, StatusGroup.DONE)

    async def close(self, statuses: Mapping[int, str], step: int) -> None:
        """Give items the statuses of closed duplicates, as part of the step that related them."""

        def act(writer: WriteContext) -> None:
            found = [(*present(writer, item_id), status) for item_id, status in statuses.items()]
            entries = [edit_entry(item_id, document, {"Status": status}) for item_id, document, status in found]
            write_objects(writer, entries, step)

        await self._files.edit(act)

    async def set_parent(self, item_ids: Iterable[int], feature_id: int | None) -> None:
        """Put items below a Feature, or below none."""
        self._lookups.need_writer()
        await self._files.edit(partial(_set_parent, item_ids=list(item_ids), feature_id=feature_id))

    async def unrelate(self, relation_ids: Iterable[int]) -> None:
        self._lookups.need_writer()
        ids = list(relation_ids)
        await self._files.edit(lambda writer: delete_objects(writer, EntryKind.RELATE, ids))

    def fault(self, item_id: int, word: str, target_id: int) -> str:
        """Return why two items cannot be related so; empty where they can. A Feature takes the place of another."""
        known, real_id = ShownRelations(self._files.mirror), self._files.journal.real_id
        ends = real_id(item_id), real_id(target_id)
        child_id = dict(zip((RelationType.PARENT.value, INVERSES[RelationType.PARENT]), ends, strict=True)).get(word)
        before = None if child_id is None else known.parent_relation(child_id)
        kept_id = None if before is None else before.id
        try:
            _fitting(known, item_id=ends[0], word=word, target_id=ends[1], kept_id=kept_id)
        except (BadRequest, Conflict, NotFound) as error:
            return error.message
        return ""


def _relate(writer: WriteContext, word: str, pairs: Sequence[tuple[int, int]]) -> int:
    must_offer(writer, RELATIONS, NO_RELATIONS)
    known, entries = ShownRelations(writer.mirror.connection), []
    for item_id, target_id in pairs:
        real_id = writer.journal.real_id
        relation = _fitting(known, item_id=real_id(item_id), word=word, target_id=real_id(target_id))
        known.add(relation)
        entries.append(creation_of(relation))
    return write_objects(writer, entries)[0].step


def _must_fit_below_new(writer: WriteContext, item_ids: Iterable[int]) -> None:
    """Raise BadRequest for items that cannot stand below a new Feature."""
    known = ShownRelations(writer.mirror.connection)
    for item in (known.item(writer.journal.real_id(each)) for each in item_ids):
        before = known.parent_relation(item.id)
        feature = RelatedItem(0, ItemType.FEATURE, item.project_id)
        must_fit(NewRelation(RelationType.PARENT, item, feature, None if before is None else before.id), known)


def _set_parent(writer: WriteContext, item_ids: Sequence[int], feature_id: int | None, step: int | None = None) -> None:
    must_offer(writer, RELATIONS, NO_RELATIONS)
    known, entries = ShownRelations(writer.mirror.connection), []
    target_id = None if feature_id is None else writer.journal.real_id(feature_id)
    gone: list[int] = []
    for item_id in map(writer.journal.real_id, item_ids):
        before = known.parent_relation(item_id)
        if target_id is None:
            gone += [] if before is None else [before.id]
            continue
        if before is not None and before.second_id == target_id:
            continue
        kept_id = None if before is None else before.id
        relation = _fitting(known, item_id=item_id, word=RelationType.PARENT, target_id=target_id, kept_id=kept_id)
        known.add(relation)
        entries.append(creation_of(relation) if before is None else _parent_change(writer, before, relation))
    if target_id is None:
        delete_objects(writer, EntryKind.RELATE, gone)
    write_objects(writer, entries, step)


def imported_entries(writer: WriteContext, wanted: Iterable[tuple[int, str, int]]) -> list[OutboxEntry]:
    """Return the entries of relations, each an item, a type and another item, which were checked before.

    Another Feature takes the place of the one before. Items that were deleted are left out.
    """
    known, entries = ShownRelations(writer.mirror.connection), []
    for item_id, word, target_id in wanted:
        try:
            item, target = (known.item(writer.journal.real_id(each)) for each in (item_id, target_id))
        except NotFound:
            continue
        relation = directed(word, item, target)
        before = known.parent_relation(relation.first.id) if relation.type is RelationType.PARENT else None
        entries.append(creation_of(relation) if before is None else _parent_change(writer, before, relation))
    return entries


def _parent_change(writer: WriteContext, before: KnownRelation, relation: NewRelation) -> OutboxEntry:
    document = shown_object(writer, RELATIONS, before.id)
    return ParentChange.of(EntryKind.MOVE_PARENT, document, {"targetId": relation.second.id})


def _fitting(
    known: ShownRelations, *, item_id: int, word: str, target_id: int, kept_id: int | None = None
) -> NewRelation:
    """Return a relation in its kept direction; raise BadRequest or Conflict for one that breaks a rule."""
    relation = directed(word, known.item(item_id), known.item(target_id), kept_id)
    try:
        must_fit(relation, known)
    except (BadRequest, Conflict) as error:
        # An item that was not sent has no number yet.
        raise type(error)(re.sub(r"#-\d+", "The new item", error.message), error.errors) from None
    return relation


def creation_of(relation: NewRelation) -> OutboxEntry:
    payload = {
        "type": relation.type.value,
        "targetId": relation.second.id,
        "targetProjectId": relation.second.project_id,
    }
    return new_entry(EntryKind.RELATE, relation.first.project_id, payload, relation.first.id)
