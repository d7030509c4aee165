"""Imports from the bytes of a file to the journal."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.imports.drafts.draft import Drafts
from backlit.imports.faults import Remark
from backlit.imports.formats.detection import drafts_of
from backlit.imports.mapping import mapping_lines
from backlit.imports.mapping_rows import MappingRow, mapping_rows
from backlit.imports.origin import FROM
from backlit.imports.own import as_of_another_project, is_own, names_an_item_here, planned_rows
from backlit.imports.plan import ImportPlan
from backlit.imports.planning import planned
from backlit.imports.reading.source import Source, read_source
from backlit.imports.relations import is_of_file
from backlit.model.import_mappings import ImportMapping
from backlit.store.edits.imports import ImportedRelation, NewItem, WrittenItem
from backlit.store.store import Store

BATCH = 200
"""Items in one commit of the journal: an interrupted import leaves whole batches, and the next one goes on."""


class ImportOptions(Struct, frozen=True):
    """What a command line says of an import."""

    format: str = ""
    source: str = ""
    encoding: str = ""
    delimiter: str = ""
    overwrite: bool = False
    skips_faulty: bool = False


class PreparedImport(Struct, frozen=True):
    """A file that was read and compared; `drafts` are None for backlit's own headings."""

    source: Source
    mapping: ImportMapping
    plan: ImportPlan
    drafts: Drafts | None
    skipped: Sequence[Remark] = ()
    """The faults of rows that are left out."""


def prepare(store: Store, content: bytes, name: str, mapping: ImportMapping, options: ImportOptions) -> PreparedImport:
    """Read a file and compare it with the project. Raises BadRequest for a file without items."""
    source = read_source(content, name, options.encoding or mapping.encoding, options.delimiter)
    wanted = options.format or mapping.format
    custom = store.lookups.custom_fields()
    if wanted == "backlit" or (not wanted and not mapping.columns and is_own(source, custom)):
        moved = _of_another_project(store, source, mapping, options)
        if moved is not None:
            return _compared(store, source, moved, mapping, options)
        plan = planned_rows(store, source)
        skipped = plan.faults if options.skips_faulty else []
        if skipped:
            plan = planned_rows(store, source, _lines(skipped))
        return PreparedImport(source, mapping, plan, None, skipped)
    fields = {each.key: each.label for each in custom}
    drafts = drafts_of(source, wanted, mapping, fields)
    return _compared(store, source, drafts, mapping, options)


def _of_another_project(store: Store, source: Source, mapping: ImportMapping, options: ImportOptions) -> Drafts | None:
    """Return the items of an export of another project, whose numbers mean nothing here; None for one of this project.

    An empty project has no numbers. In others an export is known by what came from it before.
    """
    custom = store.lookups.custom_fields()
    source, columns = as_of_another_project(source, custom)
    if not columns:
        return None
    drafts = drafts_of(source, "backlit", replace(mapping, columns={**columns, **mapping.columns}))
    if not store.imports.has_items():
        return drafts
    name = options.source or mapping.source or drafts.source
    is_known = bool(store.imports.known(name) or store.imports.described_with(f"{FROM}{name} "))
    return drafts if is_known and not names_an_item_here(store, drafts, name) else None


def _compared(
    store: Store, source: Source, drafts: Drafts, mapping: ImportMapping, options: ImportOptions
) -> PreparedImport:
    drafts.source = options.source or mapping.source or drafts.source
    plan = planned(store, drafts, mapping, overwrite=options.overwrite)
    skipped = plan.faults if options.skips_faulty else []
    if skipped:
        drafts.items = [draft for draft in drafts.items if draft.line not in _lines(skipped)]
        plan = planned(store, drafts, mapping, overwrite=options.overwrite)
    return PreparedImport(source, mapping, plan, drafts, skipped)


def _lines(faults: Iterable[Remark]) -> frozenset[int]:
    return frozenset(fault.line for fault in faults)


class ImportRun:
    """Writes an import to the journal as one act, batch by batch."""

    def __init__(self, store: Store, plan: ImportPlan) -> None:
        self._store, self._plan = store, plan
        self._step: int | None = None
        self._made_before: frozenset[int] = frozenset()
        self._written: list[WrittenItem] = []

    @property
    def total(self) -> int:
        return self._plan.new + len(self._plan.changes) + len(self._plan.relations)

    async def write(self) -> AsyncIterator[int]:
        """Yield how many items are in the journal, after each batch; one that is left then has whole batches.

        What goes on with an interrupted import belongs to its step.
        """
        imports, plan, done = self._store.imports, self._plan, 0
        self._step = imports.begun(plan.source)
        self._made_before = frozenset(self.made())
        self._step = await imports.make_places(plan.places, self._step)
        for batch in _batches(plan.items):
            self._step = await imports.write(plan.source, batch, (), self._step, self._written)
            done += sum(1 + len(item.tasks) for item in batch)
            yield done
        for start in range(0, len(plan.changes), BATCH):
            changes = plan.changes[start : start + BATCH]
            self._step = await imports.write(plan.source, (), changes, self._step)
            done += len(changes)
            yield done
        relations = [relation for each in plan.relations if (relation := self._with_ids(each)) is not None]
        for start in range(0, len(relations), BATCH):
            self._step = await imports.relate(relations[start : start + BATCH], self._step)
            done += len(relations[start : start + BATCH])
            yield done
        await imports.finish()

    def _with_ids(self, relation: ImportedRelation) -> ImportedRelation | None:
        """Return a relation with the ids that its new items have got; None where one of them was not made."""
        item_id, target_id = map(self._id_of, (relation.item_id, relation.target_id))
        return ImportedRelation(item_id, relation.word, target_id) if item_id and target_id else None

    def _id_of(self, item_id: int) -> int:
        if not is_of_file(item_id):
            return item_id
        place = self._plan.places_of_new.get(item_id)
        if place is None:
            return 0
        written = self._written[place[0]]
        return written.item_id if place[1] is None else written.task_ids[place[1]]

    def made(self) -> Sequence[int]:
        """Return the numbers of the new items that the service has."""
        made = [] if self._step is None else self._store.imports.made(self._step)
        return [item_id for item_id in made if item_id not in self._made_before]


def _batches(items: Sequence[NewItem]) -> Iterator[list[NewItem]]:
    batch: list[NewItem] = []
    size = 0
    for item in items:
        batch.append(item)
        size += 1 + len(item.tasks)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def rows_of(prepared: PreparedImport) -> Sequence[MappingRow]:
    """Return what each column and value of a file becomes; nothing for backlit's own headings."""
    return mapping_rows(prepared.plan, prepared.drafts) if prepared.drafts is not None else ()


def mapping_of(prepared: PreparedImport) -> Iterator[str]:
    """Return the lines of the mapping as the import uses it, with all columns and values of the file."""
    drafts, mapping = prepared.drafts, prepared.mapping
    if drafts is None:
        return mapping_lines({"format": "backlit"}, ())
    head = {"format": drafts.format, "source": drafts.source, "key": mapping.key, "encoding": mapping.encoding}
    return mapping_lines(head, rows_of(prepared))
