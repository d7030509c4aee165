"""Objects below items that a user makes, edits and deletes: criteria and links, and what relations share with them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import ClassVar

from backlit.model.criteria_lists import criteria_in
from backlit.model.errors import BadRequest, NotFound
from backlit.model.field_values import Misfit, parse_hours, parse_link, parse_name, parse_text
from backlit.model.fields import ItemType
from backlit.model.resources import CriterionStatus
from backlit.store.edits.deletions import delete_objects
from backlit.store.edits.items import announce_objects, edit_entry, present, update_overlay
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.object_changes.kinds import EDITS
from backlit.store.object_changes.rows import LAST_PLACE, SEQUENCE
from backlit.store.records.entry import OBJECT_EDIT_BY_CREATION, EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.merge import is_same
from backlit.store.records.object_kinds import CRITERIA, LINKS, TIME_ENTRIES, ObjectKind
from backlit.store.remote.capabilities import announces
from backlit.store.views.lookups import Lookups

Parser = Callable[[object], object]


class ObjectEdits:
    """Edits of a kind of objects. Each method is one step and returns after it is on disk and visible."""

    row: ClassVar[ObjectKind]
    creation_kind: ClassVar[EntryKind]
    missing: ClassVar[str]
    """The sentence about a server without such objects."""
    parsers: ClassVar[Mapping[str, tuple[str, Parser]]] = {}
    """The label and the parser of each value by key."""
    is_of_tasks: ClassVar[bool] = False

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def delete(self, object_ids: Iterable[int]) -> None:
        """Delete objects; raise NotFound for one that was deleted."""
        self._lookups.need_writer()
        ids = list(object_ids)
        await self._files.edit(lambda writer: delete_objects(writer, self.creation_kind, ids))

    async def _add(self, item_id: int, several: Sequence[Mapping[str, object]]) -> list[int]:
        """Make objects on an item; return their temporary ids."""
        self._lookups.need_writer()
        checked = [self.checked(values) for values in several]
        return await self._files.edit(partial(self._written, item_id=item_id, several=checked))

    async def _edit(self, object_ids: Collection[int], values: Mapping[str, object]) -> None:
        """Change values of objects, and skip what is so already."""
        self._lookups.need_writer()
        checked = self.checked(values)
        await self._files.edit(partial(self._changed, object_ids=object_ids, values=checked))

    def checked(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return values as they are journalled; raise BadRequest that names each invalid one."""
        errors: dict[str, str] = {}
        found: dict[str, object] = {}
        for key, value in values.items():
            label, parse = self.parsers[key]
            try:
                found[key] = parse(value)
            except Misfit as misfit:
                errors[key] = misfit.sentence_for_people(label)
        if errors:
            raise BadRequest(" ".join(errors.values()), errors)
        return found

    def _written(self, writer: WriteContext, item_id: int, several: Sequence[Mapping[str, object]]) -> list[int]:
        return [entry.temporary_id for entry in write_objects(writer, self._entries(writer, item_id, several))]

    def _entries(
        self, writer: WriteContext, item_id: int, several: Sequence[Mapping[str, object]]
    ) -> list[OutboxEntry]:
        """Return the entries of new objects on an item; raise BadRequest for an item that cannot have them."""
        must_offer(writer, self.row, self.missing)
        real_id, document = present(writer, item_id)
        if (document.get("type") == ItemType.TASK) is not self.is_of_tasks:
            raise BadRequest(self._misplaced(real_id))
        project_id = id_in(document, "projectId")
        return [new_entry(self.creation_kind, project_id, values, real_id) for values in several]

    def _misplaced(self, item_id: int) -> str:
        return f"#{item_id} is a Task; a Task has no {self.row.table}."

    def _changed(self, writer: WriteContext, object_ids: Iterable[int], values: Mapping[str, object]) -> None:
        kind = OBJECT_EDIT_BY_CREATION[self.creation_kind]
        entries = []
        for wanted_id in object_ids:
            document = shown_object(writer, self.row, writer.journal.real_id(wanted_id))
            changed = {key: value for key, value in values.items() if not is_same(document.get(key), value)}
            if changed:
                entries.append(EDITS[kind].of(kind, document, changed))
        write_objects(writer, entries)


def must_offer(writer: WriteContext, kind: ObjectKind, sentence: str) -> None:
    if not announces(writer.mirror.note(CAPABILITIES), kind.extension):
        raise BadRequest(sentence)


def shown_object(writer: WriteContext, kind: ObjectKind, object_id: int) -> Document:
    """Return an object with its pending values; raise NotFound for one that is gone."""
    found = writer.mirror.table_of(kind).shown(object_id)
    if found is None:
        raise NotFound("It was deleted in the meantime.")
    return found


def write_objects(writer: WriteContext, entries: Sequence[OutboxEntry], step: int | None = None) -> list[OutboxEntry]:
    """Journal changes as one step, lay them over the mirror and announce them."""
    written = writer.journal.add(entries, step) if entries else []
    show_written(writer, written)
    return written


def show_written(writer: WriteContext, entries: Sequence[OutboxEntry]) -> None:
    """Lay journalled entries over the mirror and announce them."""
    update_overlay(writer, [entry.item_id for entry in entries])
    announce_objects(writer, entries)


class CriterionEdits(ObjectEdits):
    """Edits of acceptance criteria."""

    row = CRITERIA
    creation_kind = EntryKind.ADD_CRITERION
    missing = "This server has no acceptance criteria."

    def _status(value: object) -> str:  # noqa: N805 # a parser
        if value not in {each.value for each in CriterionStatus}:
            raise Misfit(f"must be one of: {', '.join(CriterionStatus)}.")
        return str(value)

    parsers: ClassVar[Mapping[str, tuple[str, Parser]]] = {
        "title": ("Criterion", parse_name),
        "description": ("Description", lambda value: parse_text(value, None)),
        "status": ("Status", _status),
        SEQUENCE: ("Place", lambda value: value),
    }

    async def add(
        self,
        item_id: int,
        title: str,
        description: str = "",
        status: str = CriterionStatus.NOT_EXECUTED,
        after: int | None = None,
    ) -> int:
        """Add a criterion below another one, 0 for the top, None for the end; return its temporary id."""
        place = LAST_PLACE if after is None else await self._place_after(after)
        values = {"title": title, "description": description, "status": str(status), SEQUENCE: place}
        return (await self._add(item_id, [values]))[0]

    async def add_all(self, item_id: int, titles: Iterable[str]) -> list[int]:
        preset = {"description": "", "status": CriterionStatus.NOT_EXECUTED.value, SEQUENCE: LAST_PLACE}
        return await self._add(item_id, [{"title": title, **preset} for title in titles])

    async def take_from_description(self, item_id: int) -> int:
        """Make criteria of the list that the description has for them, and take it out of the text, as one step.

        Return how many they are. Raises BadRequest for a description without such a list.
        """
        self._lookups.need_writer()
        return await self._files.edit(partial(self._taken_from_description, item_id=item_id))

    def _taken_from_description(self, writer: WriteContext, item_id: int) -> int:
        _, document = present(writer, item_id)
        found = criteria_in(str(fields_in(document).get("Description") or ""))
        several = [
            {"title": each.title, "description": each.description, "status": each.status.value, SEQUENCE: LAST_PLACE}
            for each in found.criteria
        ]
        entries = self._entries(writer, item_id, several)
        if not entries:
            raise BadRequest("The description has no list below a heading such as “Done when”, and no checklist.")
        write_objects(writer, [*entries, edit_entry(entries[0].item_id, document, {"Description": found.rest})])
        return len(entries)

    async def edit(self, criterion_ids: Iterable[int], values: Mapping[str, object]) -> None:
        await self._edit(list(criterion_ids), values)

    async def place(self, criterion_id: int, after: int) -> None:
        """Put a criterion below another one of its item, 0 for the top."""
        self._lookups.need_writer()
        await self._files.edit(partial(self._placed, criterion_id=criterion_id, after=after))

    def _placed(self, writer: WriteContext, criterion_id: int, after: int) -> None:
        moved = shown_object(writer, self.row, writer.journal.real_id(criterion_id))
        place = 1
        if after:
            above = id_in(shown_object(writer, self.row, writer.journal.real_id(after)), SEQUENCE)
            place = above if id_in(moved, SEQUENCE) < above else above + 1
        self._changed(writer, [criterion_id], {SEQUENCE: place})

    async def _place_after(self, after: int) -> int:
        def act(writer: WriteContext) -> int:
            return id_in(shown_object(writer, self.row, writer.journal.real_id(after)), SEQUENCE) + 1

        return await self._files.write(act) if after else 1


class LinkEdits(ObjectEdits):
    """Edits of web addresses."""

    row = LINKS
    creation_kind = EntryKind.ADD_LINK
    missing = "This server has no links on items."
    parsers: ClassVar[Mapping[str, tuple[str, Parser]]] = {
        "displayText": ("Text", parse_name),
        "url": ("Address", parse_link),
    }

    async def add(self, item_id: int, text: str, url: str) -> int:
        return (await self._add(item_id, [{"displayText": text or url, "url": url}]))[0]

    async def edit(self, link_id: int, values: Mapping[str, object]) -> None:
        """Change `displayText` or `url`."""
        await self._edit([link_id], values)


class TimeEdits(ObjectEdits):
    """Corrections of logged hours; `WorkLog` logs them."""

    row = TIME_ENTRIES
    creation_kind = EntryKind.LOG_TIME
    missing = "This server has no time entries."
    is_of_tasks = True
    parsers: ClassVar[Mapping[str, tuple[str, Parser]]] = {
        "date": ("Day", lambda value: value.isoformat() + "T00:00:00" if isinstance(value, date) else value),
        "hours": ("Hours", parse_hours),
        "type": ("Type", lambda value: value),
        "note": ("Note", lambda value: value),
    }

    async def edit(self, entry_id: int, values: Mapping[str, object]) -> None:
        """Change `date` (a date), `hours`, `type` or `note`."""
        await self._edit([entry_id], values)
