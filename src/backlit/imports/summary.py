"""What an import does, in lines for people: short whatever the size of the file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from backlit.imports.drafts.draft import Drafts
from backlit.imports.faults import grouped
from backlit.imports.plan import ImportPlan
from backlit.imports.reading.source import Source
from backlit.imports.reading.tables import DELIMITERS
from backlit.model.amounts import counted
from backlit.model.fields import FIELD_BY_KEY, Field
from backlit.model.plain import plain
from backlit.store.edits.imports import ImportedChange
from backlit.store.field_words import FieldWords
from backlit.store.records.entry import EntryKind
from backlit.store.records.item import is_seen_by_customers
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

MAX_CHANGES = 10
"""The most changes, and the most values to check, on the screen."""
_MAX_WORDS = 8
_LABEL = 12


def summary(
    store: Store, source: Source, plan: ImportPlan, drafts: Drafts | None, made: Sequence[int] | None = None
) -> Iterator[str]:
    """Yield what an import does; what it did, once the numbers of the new items are known."""
    is_done = made is not None
    yield plain(_head(source, plan, drafts), 200)
    yield from _about(plan, is_done=is_done)
    yield from _beside(plan, drafts) if drafts is not None else ()
    yield from grouped(plan.warnings)
    yield from map(plain, plan.notes)
    # Before and after are told once: afterwards the items have their new values.
    yield from () if is_done else _cut(_changes(store, plan.changes[:MAX_CHANGES]), len(plan.changes), "change")
    checks = (f"To check  {plain(line, 160)}" for line in plan.to_check[:MAX_CHANGES])
    yield from _cut(checks, len(plan.to_check), "value to check")
    yield numbers(plan, made)


def question(store: Store, plan: ImportPlan) -> str:
    project = {each.id: each.name for each in store.lookups.projects()}.get(store.project_id or 0, "the project")
    related = f", with {counted(len(plan.relations), 'relation')}," if plan.relations else ""
    return f"Import {plan.new:,} new and change {counted(len(plan.changes), 'item')}{related} in {plain(project)}?"


def from_before(plan: ImportPlan) -> Iterator[str]:
    """Say how far an interrupted import of the file came. Its items are in the journal, and are not planned again."""
    unsent = sum(item_id < 0 for item_id in plan.existing)
    if unsent:
        count = len(plan.existing)
        yield f"{count - unsent:,} of {counted(count, 'item')} are there from before; the others are sent now."


def is_for_customers(plan: ImportPlan) -> bool:
    """Report whether the import writes something that customers see."""
    return any(is_seen_by_customers(key) and value for each in written_values(plan) for key, value in each.items())


def written_values(plan: ImportPlan) -> Iterator[Mapping[str, object]]:
    for item in plan.items:
        yield item.fields
        yield from (task.fields for task in item.tasks)
    yield from (change.fields for change in plan.changes)


def _head(source: Source, plan: ImportPlan, drafts: Drafts | None) -> str:
    name = source.name.rpartition("/")[2]
    how = [source.encoding or "workbook"]
    if source.table is not None and source.encoding:
        how.append(DELIMITERS.get(source.table.delimiter, repr(source.table.delimiter)))
    if source.replaced:
        how.append(f"{counted(source.replaced, 'character')} replaced")
    items = f" · {counted(len(drafts.items), 'item')} from {plan.source}" if drafts is not None else ""
    return f"{name}: {plan.label} · {', '.join(how)}{items}"


def _about(plan: ImportPlan, *, is_done: bool) -> Iterator[str]:
    types = [
        f"{f'{word} → ' if word != kind else ''}{kind} {count:,}" for (word, kind), count in plan.types.most_common()
    ]
    yield from _line("Types", types)
    statuses: Counter[tuple[str, str]] = Counter()
    for (_, name, status), count in plan.statuses.items():
        statuses[name, status] += count
    known = [
        f"{f'{name} → ' if name != status else ''}{status} {count:,}"
        for (name, status), count in statuses.most_common()
        if name not in plan.unknown_statuses
    ]
    unknown = [f"“{name}” → {to} {count:,}" for name, (count, to) in plan.unknown_statuses.items()]
    yield from _line("Statuses", [*unknown, *known])
    if found := {user for _, user in plan.people if user}:
        yield from _line("People", [f"{len(found):,} found"])
    people = [f"{name} ({counted(count, 'item')})" for (name, user), count in plan.people.items() if not user]
    yield from _line("Not here", people, after=": unassigned, the name is kept in the description")
    for kind, label in ((TreeKind.ITERATIONS, "Iterations"), (TreeKind.AREAS, "Areas")):
        paths = [place.path for place in plan.places if place.kind is kind]
        if paths:
            named = paths if len(paths) <= 4 else [paths[0], "…", paths[-1]]
            yield _labelled(label, f"{len(paths):,} {'created' if is_done else 'to create'}: {', '.join(named)}")
    if plan.comments:
        yield _labelled("Comments", f"{plan.comments:,} as text with author and date")
    left_out = list(plan.left_out)
    if left_out:
        text = f"{', '.join(left_out)} (with values, no place here)"
        for number, part in enumerate(_wrapped(text, 600)):
            yield _labelled("Left out" if number == 0 else "", plain(part, 700))


def _beside(plan: ImportPlan, drafts: Drafts) -> Iterator[str]:
    """Yield what the file has beside its items, and what finds no place."""
    if drafts.counted_comments:
        heading = f" ({drafts.comment_heading})" if drafts.comment_heading else ""
        yield _labelled("Comments", f"{drafts.counted_comments:,} are only counted in the file{heading}: not imported")
    if plan.files:
        yield _labelled("Attachments", f"{counted(plan.files, 'Attachment')} not copied: names and addresses are kept")


def _line(label: str, parts: Sequence[str], after: str = "") -> Iterator[str]:
    if parts:
        rest = len(parts) - _MAX_WORDS
        shown = [*parts[:_MAX_WORDS], *([f"and {rest:,} more"] if rest > 0 else ())]
        yield _labelled(label, plain(" · ".join(shown) + after, 600))


def _labelled(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{text}"


def _wrapped(text: str, width: int) -> Iterable[str]:
    while len(text) > width:
        head, _, _ = text[:width].rpartition(", ")
        yield f"{head},"
        text = text[len(head) + 2 :]
    yield text


def _changes(store: Store, changes: Iterable[ImportedChange]) -> Iterator[str]:
    words = FieldWords(store)
    custom: Mapping[str, Field] = {each.key: each for each in store.lookups.custom_fields()}
    for change in changes:
        item = store.item(change.item_id)
        if item is None:
            continue
        parts = []
        for key, value in change.fields.items():
            field = FIELD_BY_KEY.get(key) or custom[key]
            if key == "Description":
                parts.append("Description")
                continue
            parts.append(f"{field.label} {words.written(field, item.fields.get(key))} → {words.written(field, value)}")
        parts += [f"{FIELD_BY_KEY[key].label} → {path or 'none'}" for key, path in change.places.items()]
        parts += [counted(len(change.comments), "new comment")] if change.comments else []
        links = sum(each.kind is EntryKind.ADD_LINK for each in change.objects)
        parts += [counted(len(change.objects) - links, "criterion", "criteria")] if len(change.objects) > links else []
        parts += [counted(links, "new link")] if links else []
        yield plain(f"#{item.id}  {', '.join(parts)}  ({item.fields.get('Name')})", 200)


def _cut(lines: Iterable[str], total: int, noun: str) -> Iterator[str]:
    """Yield the lines of the first few of something, and how many more there are."""
    yield from lines
    if total > MAX_CHANGES:
        yield f"… and {counted(total - MAX_CHANGES, f'more {noun}')}"


def numbers(plan: ImportPlan, made: Sequence[int] | None = None) -> str:
    """Return how many items an import makes and changes; how many it made, with their first and last number."""
    ends = [f"#{item_id}" for item_id in dict.fromkeys([*(made or ())[:1], *(made or ())[-1:]])]
    named = f": {' to '.join(ends)}" if ends else ""
    named = f", {len(made):,} of them sent{named}" if made is not None and len(made) < plan.new else named
    parts = [f"New {plan.new:,}" if made is None else f"Imported {plan.new:,}{named}"]
    parts.append(f"changed {len(plan.changes):,}")
    parts += [f"relations {len(plan.relations):,}"] if plan.relations else []
    parts += [f"unchanged {plan.unchanged:,}"] if plan.unchanged else []
    parts += [f"deleted here {plan.deleted_here:,}"] if plan.deleted_here else []
    parts += [f"to check {len(plan.to_check):,}"] if plan.to_check else []
    return " · ".join(parts)
