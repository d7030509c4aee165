"""Imports: new items with their tasks, comments and places, and changes of existing items, as one step for undo."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest
from backlit.model.trees import Tree
from backlit.store.edits.checks import ENDS_IN, ON_ADD, ON_EDIT, STARTS_IN, check, check_text, usual_dates
from backlit.store.edits.items import announce_objects, edit_entry, present, update_overlay
from backlit.store.edits.nodes import show_trees
from backlit.store.edits.objects import shown_object, write_objects
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.imported import ImportedItem
from backlit.store.object_changes.criteria import CriterionEdit
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import PLACE_KEYS, EntryCause, EntryKind, OutboxEntry, new_comment, new_entry
from backlit.store.records.item import fields_in
from backlit.store.records.merge import is_same
from backlit.store.records.object_kinds import CRITERIA
from backlit.store.records.people import Person, TreeKind
from backlit.store.views.lookups import MANAGER, Lookups

DAY = timedelta(days=1)
UNDER_WAY = "import under way"
"""The setting with the import that is not written to its end: project, source and step."""


class ImportedValues(Struct, frozen=True):
    """What is remembered of an imported item: its key, and the values that the file gave."""

    key: str
    values: Mapping[str, object]


class ImportedObject(Struct, frozen=True):
    """A new criterion or link of an item; with an id, other values of the criterion that has it."""

    kind: EntryKind
    values: Mapping[str, object]
    id: int | None = None


class NewItem(Struct, frozen=True):
    """An item to create. `places` are paths of areas and iterations below the root, by the key of the field."""

    type: str
    fields: Mapping[str, object]
    places: Mapping[str, str] = {}
    comments: Sequence[str] = ()
    tasks: Sequence["NewItem"] = ()
    origin: ImportedValues | None = None
    objects: Sequence[ImportedObject] = ()


class ImportedChange(Struct, frozen=True):
    """A change of an existing item, and comments, criteria and links that it does not have yet."""

    item_id: int
    fields: Mapping[str, object]
    places: Mapping[str, str] = {}
    comments: Sequence[str] = ()
    origin: ImportedValues | None = None
    objects: Sequence[ImportedObject] = ()


class ImportedRelation(Struct, frozen=True):
    """A relation to make: *item_id* **word** *target_id*. Another Feature takes the place of the one before."""

    item_id: int
    word: str
    target_id: int


class WrittenItem(Struct, frozen=True):
    """The ids of a new item and of its tasks."""

    item_id: int
    task_ids: Sequence[int]


class NewPlace(Struct, frozen=True):
    """An area or iteration to create, by its path below the root; its parents come first."""

    kind: TreeKind
    path: str
    start: date | None = None
    end: date | None = None
    is_over: bool = False
    """Whether all items of an iteration are done."""


class ImportEdits:
    """Writes imports batch by batch; all batches of an import are one act."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, today: Callable[[], date]) -> None:
        self._files = files
        self._lookups = lookups
        self._today = today

    def checked(self, item_type: str, fields: Mapping[str, object], *, is_new: bool) -> dict[str, object]:
        """Return the values as they are journalled; raises BadRequest that names each invalid key."""
        return check(item_type, fields, self._lookups, ON_ADD if is_new else ON_EDIT)

    def check_comment(self, text: str) -> None:
        check_text(text, self._lookups.limits())

    def may_make_places(self) -> bool:
        return self._lookups.role() in {"", MANAGER}

    def people(self) -> Mapping[int, tuple[Person, str]]:
        """Return the licensed users with their addresses, by id."""
        addresses = self._lookups.addresses()
        return {person.id: (person, addresses.get(person.id, "")) for person in self._lookups.people().values()}

    def known(self, source: str) -> dict[str, ImportedItem]:
        """Return what this machine has imported from a source and not undone, by key, with the items' ids of now."""
        journal = self._files.journal
        found = journal.imported.of_source(self._lookups.project_id or 0, source)
        return {
            key: replace(each, item_id=journal.real_id(each.item_id))
            for key, each in found.items()
            if not journal.undo_log.is_undone(each.step)
        }

    def described_with(self, text: str) -> list[int]:
        """Return the current project's items whose documents hold a text."""
        found = self._files.mirror.execute(
            "SELECT id FROM documents JOIN items USING (id) WHERE project_id = ? AND instr(doc, ?) > 0 ORDER BY id",
            (self._lookups.project_id, json.dumps(text, ensure_ascii=False)[1:-1]),
        )
        return [item_id for (item_id,) in found]

    def comments_of(self, item_ids: Sequence[int]) -> dict[int, set[str]]:
        """Return the comments of items with their blanks folded, by the ids that are given."""
        texts = self._texts(self._files.mirror)
        # Read after them: what an interrupted import left is being sent, and its items get their numbers meanwhile.
        return {
            item_id: texts.get(item_id, set()) | texts.get(self._files.journal.real_id(item_id), set())
            for item_id in item_ids
        }

    def _texts(self, mirror: sqlite3.Connection) -> dict[int, set[str]]:
        found = mirror.execute("SELECT item_id, text FROM comments WHERE project_id = ?", (self._lookups.project_id,))
        texts: dict[int, set[str]] = {}
        for item_id, text in found:
            texts.setdefault(item_id, set()).add(" ".join(text.split()))
        return texts

    def has_items(self) -> bool:
        """Report whether the current project has any item."""
        found = self._files.mirror.execute(
            "SELECT 1 FROM items WHERE project_id = ? LIMIT 1", (self._lookups.project_id,)
        )
        return next(iter(found), None) is not None

    def made(self, step: int) -> list[int]:
        """Return the items that an act created and the service has, by their numbers."""
        return self._files.journal.entries.items_made(step)

    def begun(self, source: str) -> int | None:
        """Return the step of an interrupted import of a source, which the next one goes on with; None without one.

        An act after it would be undone first, and the import with it not be one step.
        """
        journal = self._files.journal
        kept = json.loads(journal.settings.value(UNDER_WAY) or "{}")
        step = kept.get("step")
        is_same = (kept.get("project"), kept.get("source")) == (self._lookups.project_id, source)
        is_newest = step == next(journal.undo_log.to_undo(), None)
        return step if is_same and is_newest and journal.undo_log.latest(step) == step else None

    async def finish(self) -> None:
        await self._files.write(lambda writer: writer.journal.settings.keep(UNDER_WAY, "{}"))

    async def make_places(self, places: Sequence[NewPlace], step: int | None = None) -> int | None:
        """Create areas and iterations, and return the step of the act.

        Iterations without dates follow the one before them: a team has one sprint at a time. The first ones that are
        over end before today.
        """
        ends: dict[str, date] = {}
        for place in places:
            tree = self._lookups.tree(place.kind)
            above, _, name = place.path.rpartition("\\")
            parent_id = place_id(tree, above)
            values: dict[str, object] = {"name": name}
            if place.kind is TreeKind.ITERATIONS:
                is_dated = place.start is not None or place.end is not None
                begin = None if is_dated else self._begin_of_first(places, above)
                start, end = usual_dates(place.start or begin, place.end, self._today())
                if not is_dated and above in ends:
                    start, end = ends[above] + DAY, ends[above] + DAY + (end - start)
                ends[above] = max(start, end)
                values |= {
                    "startDate": min(start, end).isoformat(),
                    "endDate": max(start, end).isoformat(),
                    "isRelease": False,
                }
            siblings = tree.children(parent_id)
            payload = {
                "tree": place.kind.value,
                "name": name,
                "values": values,
                "place": {"parentId": parent_id, "after": siblings[-1].id if siblings else 0},
            }
            entry = new_entry(EntryKind.NODE_ADD, self._lookups.need_project(), payload)

            def act(writer: WriteContext, entry: OutboxEntry = entry, step: int | None = step) -> int:
                (written,) = writer.journal.add([entry], step)
                show_trees(writer)
                return written.step

            step = await self._files.edit(act)
        return step

    def _begin_of_first(self, places: Sequence[NewPlace], above: str) -> date | None:
        """Return the begin of the first iteration without dates of a level, so that those that are over end yesterday.

        None where none is over.
        """
        level = [
            place
            for place in places
            if place.kind is TreeKind.ITERATIONS and place.path.rpartition("\\")[0] == above and not place.start
        ]
        over = len([*takewhile(lambda place: place.is_over and not place.end, level)])
        return self._today() - over * (ENDS_IN - STARTS_IN + DAY) if over else None

    async def relate(self, relations: Sequence[ImportedRelation], step: int | None = None) -> int | None:
        """Journal relations, without those whose items were deleted; return the step of the act."""
        from backlit.store.edits.relations import imported_entries

        self._lookups.need_writer()

        def act(writer: WriteContext) -> int | None:
            wanted = ((each.item_id, each.word, each.target_id) for each in relations)
            entries = [replace(entry, cause=EntryCause.IMPORT) for entry in imported_entries(writer, wanted)]
            written = write_objects(writer, entries, step)
            return written[0].step if written else step

        return await self._files.edit(act)

    async def write(
        self,
        source: str,
        items: Sequence[NewItem],
        changes: Sequence[ImportedChange] = (),
        step: int | None = None,
        written: list[WrittenItem] | None = None,
    ) -> int:
        """Journal a batch of new items and changes, and return the step of the act; `written` gets the new items.

        Everything was checked before. Raises BadRequest where the project changed meanwhile.
        """
        self._lookups.need_writer()
        families = [(each, self._entry(each), [self._entry(task) for task in each.tasks]) for each in items]
        edits = [(each, self._fields(each)) for each in changes]
        found = [] if written is None else written
        return await self._files.edit(
            lambda writer: self._write(writer, source, families, edits, step, new_items=found)
        )

    def _fields(self, item: NewItem | ImportedChange) -> dict[str, object]:
        trees = {PLACE_KEYS[kind.value]: kind for kind in TreeKind}
        places = {key: place_id(self._lookups.tree(trees[key]), path) for key, path in item.places.items()}
        return {**item.fields, **places}

    def _entry(self, item: NewItem) -> OutboxEntry:
        project_id = self._lookups.need_project()
        given = {key: value for key, value in self._fields(item).items() if value is not None}
        if "Name" not in given:
            raise BadRequest("An item without a name cannot be imported.")
        payload = {"type": item.type, "projectId": project_id, "fields": given}
        return replace(new_entry(EntryKind.ADD, project_id, payload), cause=EntryCause.IMPORT)

    def _write(
        self,
        writer: WriteContext,
        source: str,
        families: Sequence[tuple[NewItem, OutboxEntry, Sequence[OutboxEntry]]],
        edits: Sequence[tuple[ImportedChange, Mapping[str, object]]],
        step: int | None,
        *,
        new_items: list[WrittenItem],
    ) -> int:
        project_id = self._lookups.need_project()
        with writer.journal.transaction():
            parents = writer.journal.add([entry for _, entry, _ in families], step)
            step = parents[0].step if parents else step
            below = [
                _under(task, parent) for parent, (_, _, tasks) in zip(parents, families, strict=True) for task in tasks
            ]
            tasks = writer.journal.add(below, step) if below else []
            made = [
                *zip((item for item, _, _ in families), parents, strict=True),
                *zip((task for item, _, _ in families for task in item.tasks), tasks, strict=True),
            ]
            changed = []
            for change, fields in edits:
                item_id, document = present(writer, change.item_id)
                now = fields_in(document)
                values = {key: value for key, value in fields.items() if not is_same(now.get(key), value)}
                if values:
                    changed.append(replace(edit_entry(item_id, document, values), cause=EntryCause.IMPORT))
            if changed:
                changed = writer.journal.add(changed, step)
                step = changed[0].step
            texts = [(entry.item_id, text) for item, entry in made for text in item.comments]
            # Compared once more: what an interrupted import left was sent while this one was planned.
            there = self._texts(writer.mirror.connection) if any(change.comments for change, _ in edits) else {}
            for change, _ in edits:
                item_id = writer.journal.real_id(change.item_id)
                known_texts = there.get(item_id, set())
                texts += [(item_id, text) for text in change.comments if " ".join(text.split()) not in known_texts]
            comments = [
                replace(new_comment(project_id, item_id, text), cause=EntryCause.IMPORT) for item_id, text in texts
            ]
            if comments:
                written = writer.journal.add(comments, step)
                step = written[0].step
            beside = [
                _object_entry(writer, project_id, entry.item_id, each) for item, entry in made for each in item.objects
            ]
            for change, _ in edits:
                item_id = writer.journal.real_id(change.item_id)
                beside += [_object_entry(writer, project_id, item_id, each) for each in change.objects]
            objects = writer.journal.add(beside, step) if beside else []
            step = objects[0].step if objects else step
            remembered = [(item.origin, entry.item_id, entry.step) for item, entry in made]
            known = writer.journal.imported.of_source(project_id, source) if edits else {}
            for change, _ in edits:
                if change.origin:
                    before = known.get(change.origin.key)
                    remembered.append((change.origin, change.item_id, before.step if before else 0))
            writer.journal.imported.note(
                project_id,
                source,
                [ImportedItem(each.key, item_id, of, each.values) for each, item_id, of in remembered if each],
            )
            under_way = {"project": project_id, "source": source, "step": step}
            writer.journal.settings.keep(UNDER_WAY, json.dumps(under_way))
        every = (*parents, *tasks, *changed, *comments, *objects)
        update_overlay(writer, [*dict.fromkeys(entry.item_id for entry in every)])
        announce_objects(writer, objects)
        task_ids = iter([task.item_id for task in tasks])
        new_items += [
            WrittenItem(entry.item_id, [next(task_ids) for _ in item.tasks])
            for entry, (item, _, _) in zip(parents, families, strict=True)
        ]
        if comments:
            commented = frozenset(each.item_id for each in comments)
            writer.signal.publish(StoreChange(Subject.COMMENTS, commented))
        return step or 0


def _under(task: OutboxEntry, parent: OutboxEntry) -> OutboxEntry:
    return replace(task, payload={**task.payload, "fields": {**task.fields, "ParentID": parent.item_id}})


def _object_entry(writer: WriteContext, project_id: int, item_id: int, imported: ImportedObject) -> OutboxEntry:
    if imported.id is None:
        return replace(new_entry(imported.kind, project_id, imported.values, item_id), cause=EntryCause.IMPORT)
    document = shown_object(writer, CRITERIA, writer.journal.real_id(imported.id))
    return replace(CriterionEdit.of(imported.kind, document, imported.values), cause=EntryCause.IMPORT)


def place_id(tree: Tree, path: str) -> int:
    """Return the node of a path below the root, in any case; the root for an empty path. Raises BadRequest."""
    node = tree.roots[0]
    for name in path.split("\\") if path else ():
        below = [each for each in tree.children(node.id) if each.name.casefold() == name.casefold()]
        if not below:
            raise BadRequest(f"“{path}” does not exist in this project any more. Import the file again.")
        node = below[0]
    return node.id
