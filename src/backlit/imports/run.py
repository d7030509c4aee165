"""Imports from the bytes of a file to the journal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from backlit.imports.drafts.draft import Drafts
from backlit.imports.faults import Remark
from backlit.imports.formats.detection import drafts_of
from backlit.imports.mapping import counted_values, mapping_lines
from backlit.imports.own import is_own, planned_rows
from backlit.imports.plan import ImportPlan
from backlit.imports.planning import planned
from backlit.imports.reading.source import Source, read_source
from backlit.model.import_mappings import ImportMapping
from backlit.store.edits.imports import NewItem
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
        plan = planned_rows(store, source)
        skipped = plan.faults if options.skips_faulty else []
        if skipped:
            plan = planned_rows(store, source, _lines(skipped))
        return PreparedImport(source, mapping, plan, None, skipped)
    fields = {each.key: each.label for each in custom}
    drafts = drafts_of(source, wanted, mapping, fields)
    drafts.source = options.source or mapping.source or drafts.source
    plan = planned(store, drafts, mapping, overwrite=options.overwrite)
    skipped = plan.faults if options.skips_faulty else []
    if skipped:
        drafts.items = [draft for draft in drafts.items if draft.line not in _lines(skipped)]
        plan = planned(store, drafts, mapping, overwrite=options.overwrite)
    return PreparedImport(source, mapping, plan, drafts, skipped)


def _lines(faults: Iterable[Remark]) -> frozenset[int]:
    return frozenset(fault.line for fault in faults)


async def write(store: Store, plan: ImportPlan) -> None:
    """Journal an import as one act, batch by batch."""
    step = await store.imports.make_places(plan.places)
    for batch in _batches(plan.items):
        step = await store.imports.write(plan.source, batch, (), step)
    for start in range(0, len(plan.changes), BATCH):
        step = await store.imports.write(plan.source, (), plan.changes[start : start + BATCH], step)


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


def mapping_of(prepared: PreparedImport) -> Iterator[str]:
    """Return the lines of the mapping as the import uses it, with all columns and values of the file."""
    plan, drafts, mapping = prepared.plan, prepared.drafts, prepared.mapping
    if drafts is None:
        return mapping_lines({"format": "backlit"}, {}, {})
    head = {"format": drafts.format, "source": drafts.source, "key": mapping.key, "encoding": mapping.encoding}
    people: Mapping[str, int] = plan.people_unknown
    values: dict[str, Mapping[str, tuple[object, int]]] = {
        "types": counted_values(plan.types),
        "statuses": counted_values(plan.statuses),
        "priorities": counted_values(plan.priorities),
        "people": {name: (mapping.people.get(name, ""), count) for name, count in people.items()},
        "iterations": {path: (path, count) for path, count in plan.iterations.most_common()},
    }
    return mapping_lines(head, drafts.columns, values)
