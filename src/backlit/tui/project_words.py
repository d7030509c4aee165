"""What is known of the current project, in lines."""

from collections.abc import Iterator

from backlit.model.fields import ItemType
from backlit.store.people import TreeKind
from backlit.store.store import Store
from backlit.tui.text import wrapped

LABEL = 14
"""Cells for what a line is about."""
WIDTH = 84
FRAME = 6
"""Cells that a dialog takes around its text."""


def project_lines(store: Store, room: int) -> list[str]:
    """The facts, one or more lines each, for a screen so many cells wide; what the service does not say is left out."""
    width = min(WIDTH, room - FRAME) - LABEL
    return [line for label, text in _facts(store) if text for line in _lines(label, text, width)]


def _lines(label: str, text: str, width: int) -> Iterator[str]:
    lines = [part for line in text.splitlines() for part in wrapped(line, width)]
    for number, line in enumerate(lines):
        yield f"{label if number == 0 else '':<{LABEL}}{line}"


def _facts(store: Store) -> Iterator[tuple[str, str]]:
    document = store.project_facts.document()
    yield "Id", str(document.get("id") or store.project_id or "")
    yield "Description", str(document.get("description") or "")
    yield "Template", str(document.get("template") or "")
    days = [str(document.get(key) or "")[:10] for key in ("startDate", "endDate")]
    yield "Runs", " to ".join(each for each in days if each)
    length = document.get("defaultIterationLength")
    yield "Iterations", ", ".join(part for part in (_count_of(store), f"{length} days each" if length else "") if part)
    yield "Areas", f"{max(0, len(list(store.tree(TreeKind.AREAS).walk())) - 1):,}"
    yield "Estimates", "in story points; tasks in hours"
    yield "Your role", store.role()
    names = sorted(each.display_name for each in store.people().values())
    yield "Members", f"{len(names):,}: {', '.join(names[:12])}{' …' if len(names) > 12 else ''}" if names else ""
    yield "Teams", ", ".join(store.teams().values())
    yield "Statuses", "\n".join(_statuses(store))
    yield "Own fields", ", ".join(each.label for each in store.custom_fields())
    yield "Time is for", ", ".join(store.time_entry_types())


def _count_of(store: Store) -> str:
    entries = [each for each in store.iterations().values() if "\\" in each.path]
    releases = sum(each.is_release for each in entries)
    words = f"{len(entries) - releases:,}"
    return f"{words} in {releases:,} {'release' if releases == 1 else 'releases'}" if releases else words


def _statuses(store: Store) -> Iterator[str]:
    """Each list of statuses once, with the types that have it."""
    types: dict[tuple[str, ...], list[str]] = {}
    for item_type in ItemType:
        statuses = store.statuses(item_type)
        if statuses:
            types.setdefault(statuses, []).append(item_type.value)
    for statuses, names in types.items():
        yield f"{', '.join(names)}: {', '.join(statuses)}"
