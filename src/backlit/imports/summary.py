"""What an import does, in lines for people: short whatever the size of the file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from backlit.imports.drafts.draft import Drafts
from backlit.imports.faults import grouped
from backlit.imports.plan import ImportPlan
from backlit.imports.reading.source import Source
from backlit.imports.reading.tables import DELIMITERS
from backlit.model.amounts import counted
from backlit.model.fields import FIELD_BY_KEY, Field
from backlit.model.plain import plain
from backlit.store.field_words import FieldWords
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

MAX_CHANGES = 10
"""The most changes, and the most values to check, on the screen."""
_MAX_WORDS = 8
_LABEL = 12


def summary(store: Store, source: Source, plan: ImportPlan, drafts: Drafts | None) -> Iterator[str]:
    yield plain(_head(source, plan, drafts), 200)
    yield from _about(plan)
    yield from _beside(plan, drafts) if drafts is not None else ()
    yield from grouped(plan.warnings)
    yield from map(plain, plan.notes)
    changes = [*_changes(store, plan)]
    yield from _cut(changes, "change")
    yield from _cut([f"To check  {plain(line, 160)}" for line in plan.to_check], "value to check")
    yield _numbers(plan)


def _head(source: Source, plan: ImportPlan, drafts: Drafts | None) -> str:
    name = source.name.rpartition("/")[2]
    how = [source.encoding]
    if source.table is not None:
        how.append(DELIMITERS.get(source.table.delimiter, repr(source.table.delimiter)))
    if source.replaced:
        how.append(f"{counted(source.replaced, 'character')} replaced")
    items = f" · {counted(len(drafts.items), 'item')} from {plan.source}" if drafts is not None else ""
    return f"{name}: {plan.label} · {', '.join(how)}{items}"


def _about(plan: ImportPlan) -> Iterator[str]:
    types = [
        f"{f'{word} → ' if word != kind else ''}{kind} {count:,}" for (word, kind), count in plan.types.most_common()
    ]
    yield from _line("Types", types)
    known = [
        f"{f'{name} → ' if name != status else ''}{status} {count:,}"
        for (name, status), count in plan.statuses.most_common()
        if name not in plan.unknown_statuses
    ]
    unknown = [f"“{name}” → {to} {count:,}" for name, (count, to) in plan.unknown_statuses.items()]
    yield from _line("Statuses", [*unknown, *known])
    if plan.people_found:
        yield from _line("People", [f"{len(plan.people_found):,} found"])
    people = [f"{name} ({counted(count, 'item')})" for name, count in plan.people_unknown.items()]
    yield from _line("Not here", people, after=": no owner, the name is kept in the description")
    for kind, label in ((TreeKind.ITERATIONS, "Iterations"), (TreeKind.AREAS, "Areas")):
        paths = [place.path for place in plan.places if place.kind is kind]
        if paths:
            named = paths if len(paths) <= 4 else [paths[0], "…", paths[-1]]
            yield _labelled(label, f"{len(paths):,} to create: {', '.join(named)}")
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


def _changes(store: Store, plan: ImportPlan) -> Iterator[str]:
    words = FieldWords(store)
    custom: Mapping[str, Field] = {each.key: each for each in store.lookups.custom_fields()}
    for change in plan.changes:
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
        yield plain(f"#{item.id}  {', '.join(parts)}  ({item.fields.get('Name')})", 200)


def _cut(lines: Sequence[str], noun: str) -> Iterator[str]:
    yield from lines[:MAX_CHANGES]
    if len(lines) > MAX_CHANGES:
        yield f"… and {counted(len(lines) - MAX_CHANGES, f'more {noun}')}"


def _numbers(plan: ImportPlan) -> str:
    parts = [f"New {plan.new:,}", f"changed {len(plan.changes):,}"]
    parts += [f"unchanged {plan.unchanged:,}"] if plan.unchanged else []
    parts += [f"deleted here {plan.deleted_here:,}"] if plan.deleted_here else []
    parts += [f"to check {len(plan.to_check):,}"] if plan.to_check else []
    return " · ".join(parts)
