"""A plan as text that people read, change, compare and put under version control."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.plain import plain
from backlit.store.records.people import IterationEntry

BACKLOG = "Backlog"
NONE = "-"
HEAD = """\
# backlit plan: {project}
# One item per line, columns separated by two spaces: number, points, owner, name. Move lines to another iteration,
# change points and owners ({none} for none). Names are ignored. Items not listed here are unchanged.
# Preview the changes:  backlit plan apply --dry-run FILE
"""
BASE_HEAD = """\
# Values at the time of export: number, iteration's number, points, owner. Do not edit these lines: they reveal changes
# made by others before the plan is applied.
"""
_BASE = "#= "
_SECTION = re.compile(r"\[(.+)\]\s*(?:#.*)?")
_GAP = re.compile(r"\s{2,}|\t")


class PlanLine(Struct, frozen=True):
    """An item's line in a plan."""

    id: int
    estimate: str | None
    owner: str | None
    name: str = ""


class ExportedItem(Struct, frozen=True):
    """The service's values of an item when the plan was written. The place is an iteration's id."""

    place: int | None
    estimate: str | None
    owner: str | None


Sections = Mapping[int, Sequence[PlanLine]]
"""The items by iteration. The root stands for the backlog."""


def labels_of(iterations: Iterable[IterationEntry]) -> dict[int, str]:
    """Return the label of each iteration: its name, or its path if two share a name."""
    every = list(iterations)
    counts = Counter(each.name for each in every)
    return {
        each.id: each.name if counts[each.name] == 1 and each.name != BACKLOG else each.path.partition("\\")[2]
        for each in every
    }


def plan_text(
    project: str,
    sections: Sections,
    labels: Mapping[int, str],
    notes: Mapping[int, str],
    was: Mapping[int, ExportedItem] | None = None,
) -> str:
    """Write a plan. Empty iterations get a heading too. `was` holds the values the plan starts from."""
    lines = [HEAD.format(project=plain(project), none=NONE)]
    every = [line for items in sections.values() for line in items]
    widths = [max(map(len, cells)) for cells in zip(*map(_cells, every), strict=True)]
    for place, items in sections.items():
        note = f"  # {notes[place]}" if notes.get(place) else ""
        lines.append(f"[{plain(labels.get(place, BACKLOG))}]{note}")
        for line in items:
            number, points, owner, name = _cells(line)
            lines.append(f"{number:>{widths[0]}}  {points:>{widths[1]}}  {owner:{widths[2]}}  {name}".rstrip())
        lines.append("")
    if was:
        lines.append(BASE_HEAD.rstrip())
        lines += [f"{_BASE}{'  '.join(_base_cells(item_id, each))}" for item_id, each in was.items()]
        lines.append("")
    return "\n".join(lines)


def _cells(line: PlanLine) -> tuple[str, str, str, str]:
    return str(line.id), cell(line.estimate) or NONE, cell(line.owner) or NONE, plain(line.name)


def _base_cells(item_id: int, was: ExportedItem) -> tuple[str, str, str, str]:
    return str(item_id), NONE if was.place is None else str(was.place), was.estimate or NONE, was.owner or NONE


def cell(text: str | None) -> str | None:
    """Return a value without the signs that would end its column, or None for an empty one."""
    return (_GAP.sub(" ", plain(text)).strip() if text else "") or None


def _unknown(name: str) -> int:
    raise BadRequest(f"unknown iteration {name!r}.")


def read_plan(
    text: str, labels: Mapping[int, str], backlog_id: int, iteration_id: Callable[[str], int] = _unknown
) -> dict[int, list[PlanLine]]:
    """Read a plan; `iteration_id` finds a heading that is no label, or raises BadRequest.

    Raises BadRequest that names the invalid line and the reason.
    """
    found: dict[int, list[PlanLine]] = {}
    places = {label: place for place, label in labels.items()} | {BACKLOG: backlog_id}
    seen: dict[int, int] = {}
    place: int | None = None
    for number, line in _lines(text):
        section = _SECTION.fullmatch(line)
        if section is not None:
            try:
                place = places[section[1]] if section[1] in places else iteration_id(section[1])
            except BadRequest as error:
                raise BadRequest(f"Line {number}: {error.message}") from error
            found.setdefault(place, [])
            continue
        if place is None:
            raise BadRequest(f"Line {number}: no iteration above this item. Add a line such as [Sprint 14].")
        item = _item(number, line)
        if item.id in seen:
            raise BadRequest(f"Line {number}: item {item.id} is already in line {seen[item.id]}.")
        seen[item.id] = number
        found[place].append(item)
    return found


def read_base(text: str) -> dict[int, ExportedItem]:
    """Read the values a plan starts from, by item. Raises BadRequest that names the invalid line."""
    found: dict[int, ExportedItem] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith(_BASE):
            continue
        parts = [part.strip() for part in _GAP.split(line[len(_BASE) :].strip())]
        if len(parts) != 4 or not _is_number(parts[0]) or not (parts[1] == NONE or _is_number(parts[1])):
            raise BadRequest(f"Line {number}: invalid export values. Delete the line to ignore them.")
        place, estimate, owner = (None if part == NONE else part for part in parts[1:])
        found[int(parts[0])] = ExportedItem(None if place is None else int(place), estimate, owner)
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _item(number: int, line: str) -> PlanLine:
    parts = [part.strip() for part in _GAP.split(line, maxsplit=3)]
    if len(parts) < 3 or not _is_number(parts[0]):
        raise BadRequest(f"Line {number}: expected number, points and owner, separated by two spaces.")
    estimate, owner = (None if part == NONE else part for part in parts[1:3])
    return PlanLine(int(parts[0]), estimate, owner, parts[3] if len(parts) > 3 else "")
