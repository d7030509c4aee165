"""Items that become another type: checked, listed with what they lose, and journalled."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.conversions import AttachedObjects, must_convert, must_fit_above
from backlit.model.errors import BacklitError, BadRequest, Conflict, NotFound
from backlit.model.fields import ItemType
from backlit.model.relations import RelatedItem, RelationType, directed
from backlit.store.edits.checks import ON_EDIT, check
from backlit.store.edits.deletions import copy_of_item, deleted_status
from backlit.store.edits.fitted_values import ChangedValue, FittedValues
from backlit.store.edits.items import edit_entry, present
from backlit.store.edits.objects import show_written, shown_object, write_objects
from backlit.store.edits.relations import ShownRelations, creation_of
from backlit.store.edits.restored_items import made_of
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.schema import SHOWN
from backlit.store.object_changes.relations import RelationDeletion
from backlit.store.records.entry import TARGET_KEY, EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.object_kinds import RELATIONS
from backlit.store.views.lookups import Lookups

CONVERT = "convert"
"""The extension by which the service gives an item another type."""


class TransformOutlook(Struct, frozen=True):
    """What a conversion or a move of an item brings: the values that change, or why it is not possible."""

    item_id: int
    changes: Sequence[ChangedValue] = ()
    left: Sequence[str] = ()
    """What else stays behind, as parts of a sentence."""
    fault: str = ""

    @property
    def notable(self) -> Sequence[ChangedValue]:
        return [each for each in self.changes if not each.is_alike]

    @property
    def has_losses(self) -> bool:
        return bool(self.notable or self.left)


class _Asked(Struct, frozen=True):
    """What is asked for: a type, its fields, and the item of a task."""

    item_type: str
    parent_id: int | None
    fields: Mapping[str, object]


LOST_WITH_COPY = ("its number", "its files", "its history")
"""What a service without the extension cannot take along."""


class Conversions:
    """Conversions of items. A service without the extension gets a copy, and the original's status Deleted."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    @property
    def is_offered(self) -> bool:
        return self._lookups.announces(CONVERT)

    async def outlook(self, item_id: int, item_type: str, parent_id: int | None = None) -> TransformOutlook:
        """Return what would come of a conversion, which is not made."""

        def ask(writer: WriteContext) -> TransformOutlook:
            real_id, document = present(writer, item_id)
            try:
                self._must_convert(writer, document, item_type, parent_id)
            except (BadRequest, Conflict, NotFound) as error:
                return TransformOutlook(real_id, fault=error.message)
            changes = FittedValues(self._lookups).changes(document, item_type)
            return TransformOutlook(real_id, changes, self._left(writer, real_id, item_type))

        return await self._files.write(ask)

    async def convert(
        self,
        item_ids: Iterable[int],
        item_type: str,
        parent_id: int | None = None,
        fields: Mapping[str, object] | None = None,
    ) -> list[int]:
        """Give items another type, as one step; `parent_id` is the item of what becomes a task.

        Return the ids, those of the copies where the service cannot convert. Raises BadRequest or Conflict for what
        the type forbids, and then changes nothing.
        """
        self._lookups.need_writer()
        given = check(item_type, fields or {}, self._lookups, ON_EDIT)
        ids = list(item_ids)
        return await self._files.edit(lambda writer: self._convert(writer, ids, item_type, parent_id, given))

    def _convert(
        self,
        writer: WriteContext,
        item_ids: Sequence[int],
        item_type: str,
        parent_id: int | None,
        given: Mapping[str, object],
    ) -> list[int]:
        fitted, entries, copies = FittedValues(self._lookups), list[OutboxEntry](), list[tuple[Document, Document]]()
        for item_id in item_ids:
            _, document = present(writer, item_id)
            target_id = self._must_convert(writer, document, item_type, parent_id)
            changes = {**{each.key: each.after for each in fitted.changes(document, item_type)}, **given}
            if self.is_offered:
                entries += _entries(writer, document, _Asked(item_type, target_id, given), changes)
                continue
            fields = {**fields_in(document), **changes}
            fields |= {} if target_id is None else {"ParentID": target_id}
            copies.append((document, {**document, "type": item_type, "fields": fields}))
        if entries:
            write_objects(writer, entries)
            return [writer.journal.real_id(each) for each in item_ids]
        return write_copies(writer, copies, self._lookups)

    def _must_convert(
        self, writer: WriteContext, document: Document, item_type: str, parent_id: int | None
    ) -> int | None:
        """Return the id of the parent that a new task gets; raise BadRequest or Conflict."""
        item = RelatedItem(id_in(document), str(document.get("type")), id_in(document, "projectId"))
        if item_type not in set(ItemType) or item_type == item.type:
            others = ", ".join(each for each in ItemType if each != item.type)
            raise BadRequest(f"Choose another type: {others}.", {"type": "Choose another type."})
        known = ShownRelations(writer.mirror.connection)
        try:
            must_convert(item, item_type, _attached(writer, item.id))
            if item_type == ItemType.FEATURE:
                must_fit_above(item, known.parent_relation(item.id), known)
        except (BadRequest, Conflict) as error:
            raise named_as_new(error) from None
        if item_type != ItemType.TASK:
            return None
        fault = "The parent of a task must be an item of the same project, not a task."
        target_id = writer.journal.real_id(parent_id or 0)
        target = writer.mirror.effective(target_id) if parent_id else None
        if target is None or target_id == item.id or target.get("type") == ItemType.TASK:
            raise BadRequest(fault, {"ParentID": fault})
        if target.get("projectId") != item.project_id:
            raise BadRequest(fault, {"ParentID": fault})
        return target_id

    def _left(self, writer: WriteContext, item_id: int, item_type: str) -> Sequence[str]:
        parent = ShownRelations(writer.mirror.connection).parent_relation(item_id)
        feature = [f"its Feature #{parent.second_id}"] if parent is not None and item_type == ItemType.TASK else []
        return [*feature, *(() if self.is_offered else LOST_WITH_COPY)]


def named_as_new(error: BacklitError) -> BacklitError:
    """Return an error about an item that was not sent, and has no number yet."""
    return type(error)(re.sub(r"#-\d+", "The new item", error.message), error.errors)


def _attached(writer: WriteContext, item_id: int) -> AttachedObjects:
    def has(sql: str) -> bool:
        return bool(writer.mirror.connection.execute(f"SELECT EXISTS ({sql})", (item_id,)).fetchone()[0])  # constants

    below = "SELECT 1 FROM items WHERE parent_id = ?1 AND is_task = "
    return AttachedObjects(
        children=has(f"{below}0"),
        tasks=has(f"{below}1"),
        criteria=has(f"SELECT 1 FROM criteria WHERE {SHOWN} AND item_id = ?1"),  # noqa: S608 # a constant
        duplicates=has(
            f"SELECT 1 FROM relations WHERE {SHOWN} AND type = '{RelationType.DUPLICATES}'"  # noqa: S608 # constants
            " AND (item_id = ?1 OR target_id = ?1)"
        ),
        time_entries=has(f"SELECT 1 FROM time_entries WHERE {SHOWN} AND item_id = ?1"),  # noqa: S608 # a constant
    )


def _entries(
    writer: WriteContext,
    document: Document,
    asked: _Asked,
    changes: Mapping[str, object],
) -> list[OutboxEntry]:
    """Return what converts an item: the service takes a parent away from a new task, and relates a former task.

    Both are entries of their own too, so that they are shown at once, and undone.
    """
    item_id, type_before = id_in(document), str(document.get("type"))
    fields = fields_in(document)
    values = {"type": asked.item_type, **changes}
    base = {"type": type_before, **{key: fields.get(key) for key in changes}}
    payload: dict[str, object] = {"values": values, "fields": dict(asked.fields), "name": fields.get("Name")}
    if asked.parent_id is not None:
        payload[TARGET_KEY], base["ParentID"] = asked.parent_id, None
    conversion = new_entry(EntryKind.CONVERT, id_in(document, "projectId"), payload, item_id, base)
    return [
        *(parent_taken_away(writer, item_id) if asked.item_type == ItemType.TASK else ()),
        conversion,
        *(_related(writer, document) if type_before == ItemType.TASK else ()),
    ]


def parent_taken_away(writer: WriteContext, item_id: int) -> list[OutboxEntry]:
    """Return the entry that takes the parent of an item away, none without one."""
    parent = ShownRelations(writer.mirror.connection).parent_relation(item_id)
    return [] if parent is None else [RelationDeletion.of(shown_object(writer, RELATIONS, parent.id))]


def _related(writer: WriteContext, task: Document) -> list[OutboxEntry]:
    known = ShownRelations(writer.mirror.connection)
    parent_id = writer.journal.renames.followed(id_in(fields_in(task), "ParentID"))
    related = {each.second_id for each in known.from_items(RelationType.RELATED, [id_in(task)])}
    related |= {each.first_id for each in known.to_items(RelationType.RELATED, [id_in(task)])}
    if parent_id in related or writer.mirror.effective(parent_id) is None:
        return []
    return [creation_of(directed(RelationType.RELATED, known.item(id_in(task)), known.item(parent_id)))]


def write_copies(
    writer: WriteContext,
    copies: Sequence[tuple[Document, Document]],
    lookups: Lookups,
    of_task: Callable[[Document], Document] = lambda task: task,
) -> list[int]:
    """Journal copies of items with their comments and tasks, and the status Deleted of the originals, as one step.

    `of_task` says what is copied of a task. Return the ids of the copies.
    """
    made: list[int] = []
    entries: list[OutboxEntry] = []
    with writer.journal.transaction():
        step = writer.journal.undo_log.begin()
        for original, new in copies:
            copy = copy_of_item(writer, original)
            tasks = [of_task(each) for each in copy.tasks]
            written = list(made_of(writer, replace(copy, item=new, tasks=tasks, objects={}), step))
            made.append(written[0].item_id)
            entries += written
            gone = [_deleted(each, lookups) for each in (original, *copy.tasks)]
            entries += writer.journal.add([each for each in gone if each is not None], step)
    show_written(writer, entries)
    return made


def _deleted(document: Document, lookups: Lookups) -> OutboxEntry | None:
    status = deleted_status(lookups.statuses(str(document.get("type"))))
    return None if status is None else edit_entry(id_in(document), document, {"Status": status})
