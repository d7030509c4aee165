"""Items that are split into several: new items for the parts, with tasks, criteria and points, as one step."""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from backlit.model.amounts import points_of
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.relations import RelatedItem, RelationType, directed
from backlit.store.edits.checks import ON_ADD, check, fault_of_name
from backlit.store.edits.deletions import deleted_status
from backlit.store.edits.items import edit_entry, present, update_overlay
from backlit.store.edits.moves import MOVE, task_move
from backlit.store.edits.objects import show_written, shown_object
from backlit.store.edits.rank_order import RankedBlock, reorder
from backlit.store.edits.relations import ShownRelations, creation_of
from backlit.store.edits.restored_items import made_of
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.object_changes.criteria import CriterionDeletion
from backlit.store.object_changes.rows import LAST_PLACE, SEQUENCE
from backlit.store.records.entry import SPLIT_KEY, EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.object_kinds import CRITERIA, RELATIONS
from backlit.store.views.lookups import Lookups

_KEPT = ("AreaID", "AssignedToID", "TeamID", "Tags", "Priority", "PriorityClass", "Severity", "IterationID")
"""The fields that the part of an item copies."""
RANK = "rank"
"""The extension by which the service keeps an order."""


def part_entry(
    document: Document,
    values: Mapping[str, object],
    lookups: Lookups,
    left_out: set[str],
    *,
    is_done_part: bool = False,
) -> OutboxEntry:
    """Return the entry of a new item that is a part of another one; see `check` for `left_out`."""
    kind, fields = str(document.get("type") or ""), fields_in(document)
    kept = {key: fields[key] for key in _KEPT if fields.get(key) not in (None, "", [])}
    project_id = lookups.project_id or 0
    checked = check(kind, {**kept, **values}, lookups, ON_ADD, left_out)
    payload: dict[str, object] = {"type": kind, "projectId": project_id, "fields": checked}
    if is_done_part:
        payload[SPLIT_KEY] = id_in(document)
    return new_entry(EntryKind.ADD, project_id, payload)


def points_text(value: float) -> str:
    return repr(value).removesuffix(".0")


class SplitPart(Struct, frozen=True):
    """A part that becomes an item of its own: its name, its points, and what goes to it.

    Criteria in `shared_criteria` stay with the item too.
    """

    name: str
    points: float | None = None
    tasks: Sequence[int] = ()
    criteria: Sequence[int] = ()
    shared_criteria: Sequence[int] = ()


def rest_of_points(estimate: object, parts: Iterable[SplitPart]) -> float | None:
    """Return the points that stay with an item, at least 0; None for an item without points."""
    points = points_of(str(estimate or ""))
    return None if points is None else max(0.0, points - sum(part.points or 0.0 for part in parts))


class Splits:
    """Splitting of items. Tasks move where the service can move them, else they are made again."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def split(
        self, item_id: int, parts: Sequence[SplitPart], changes: Mapping[str, object] | None = None
    ) -> tuple[list[int], set[str]]:
        """Split an item; return the temporary ids of the parts, and see `check` for `left_out`.

        `changes` are what the item itself gets, such as its name; its points are reduced by those of the parts unless
        they are among them. Raises BadRequest for a task, for no part, and for a part without a name.
        """
        self._lookups.need_writer()
        for part in parts:
            if fault := fault_of_name(part.name):
                raise BadRequest(fault, {"Name": fault})
            if part.points is not None and not (math.isfinite(part.points) and part.points >= 0):
                raise BadRequest("Points: enter a number that is not less than 0.")
        if not parts:
            raise BadRequest("Name at least one part.")
        return await self._files.edit(lambda writer: self._split(writer, item_id, parts, changes or {}))

    def _split(
        self, writer: WriteContext, item_id: int, parts: Sequence[SplitPart], changes: Mapping[str, object]
    ) -> tuple[list[int], set[str]]:
        real_id, document = present(writer, item_id)
        if document.get("type") == ItemType.TASK:
            raise BadRequest("A task is not split. Add another task to its item.")
        fields, left_out = fields_in(document), set[str]()
        rest = rest_of_points(fields.get("Estimate"), parts)
        wanted = {**({} if rest is None else {"Estimate": points_text(rest)}), **changes}
        changed = {key: value for key, value in wanted.items() if fields.get(key) != value}
        with writer.journal.transaction():
            made = writer.journal.add([self._part(document, part, left_out) for part in parts])
            step = made[0].step
            entries = [
                entry
                for new, part in zip(made, parts, strict=True)
                for entry in self._given(writer, document, new, part)
            ]
            entries += [edit_entry(real_id, document, changed)] if changed else []
            written = [*made, *writer.journal.add(entries, step)]
            written += [
                entry
                for new, part in zip(made, parts, strict=True)
                for entry in self._tasks_again(writer, new, part, step)
            ]
        show_written(writer, written)
        self._rank(writer, document, made, step)
        return [entry.item_id for entry in made], left_out

    def _part(self, document: Document, part: SplitPart, left_out: set[str]) -> OutboxEntry:
        estimate = {} if part.points is None else {"Estimate": points_text(part.points)}
        return part_entry(document, {"Name": part.name.strip(), **estimate}, self._lookups, left_out)

    def _given(self, writer: WriteContext, document: Document, new: OutboxEntry, part: SplitPart) -> list[OutboxEntry]:
        """Return what relates a part to its item and to the Feature, and what moves its tasks and criteria."""
        entries: list[OutboxEntry] = []
        if self._lookups.announces(RELATIONS.extension):
            item = RelatedItem(id_in(document), str(document.get("type")), new.project_id)
            end = RelatedItem(new.item_id, item.type, new.project_id)
            parent = ShownRelations(writer.mirror.connection).parent_relation(item.id)
            if parent is not None:
                feature = RelatedItem(parent.second_id, ItemType.FEATURE.value, new.project_id)
                entries.append(creation_of(directed(RelationType.PARENT, end, feature)))
            entries.append(creation_of(directed(RelationType.RELATED, end, item)))
        if self._lookups.announces(MOVE):
            entries += [task_move(writer, task_id, new.item_id) for task_id in part.tasks]
        for criterion_id in (*part.criteria, *part.shared_criteria):
            known = shown_object(writer, CRITERIA, writer.journal.real_id(criterion_id))
            values = {key: known.get(key) for key in ("title", "description", "status")}
            values[SEQUENCE] = LAST_PLACE
            entries.append(new_entry(EntryKind.ADD_CRITERION, new.project_id, values, new.item_id))
            if criterion_id in part.criteria:
                entries.append(CriterionDeletion.of(known))
        return entries

    def _tasks_again(self, writer: WriteContext, new: OutboxEntry, part: SplitPart, step: int) -> list[OutboxEntry]:
        """Journal copies of tasks that the service cannot move, and the status Deleted of the originals."""
        written: list[OutboxEntry] = []
        for task_id in () if self._lookups.announces(MOVE) else part.tasks:
            real_id, task = present(writer, task_id)
            below = {**task, "fields": {**fields_in(task), "ParentID": new.item_id}}
            copy = ItemCopy(below, comments=writer.mirror.comments.documents([real_id]))
            written += made_of(writer, copy, step)
            if status := deleted_status(self._lookups.statuses(ItemType.TASK)):
                written += writer.journal.add([edit_entry(real_id, task, {"Status": status})], step)
        return written

    def _rank(self, writer: WriteContext, document: Document, made: Sequence[OutboxEntry], step: int) -> None:
        """Put the parts below their item, where the service keeps an order."""
        if self._lookups.announces(RANK):
            block = RankedBlock(made[0].project_id, None, tuple(entry.item_id for entry in made))
            reorder(writer, block, [("after", id_in(document))], is_local=False, step=step)
            update_overlay(writer, block.ids)
