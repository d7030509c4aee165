"""A plan as text that people read, change, compare and put under version control; pure but for what it looks up."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.plain import plain
from backlit.store.people import IterationEntry

BACKLOG = "Backlog"
NONE = "-"
HEAD = """\
# A plan of backlit: {project}
# One item a line, two blanks between: number, points, owner, name. Put lines under another iteration, change points
# and owners ({none} for none); the name is only there to be read. What is not in here stays as it is.
# See what it comes to:  backlit plan apply --dry-run FILE
"""
BASE_HEAD = """\
# What was so when this was written: number, iteration's number, points, owner. What somebody else changes until it is
# applied is found by that, so leave these lines as they are.
"""
_BASE = "#= "
_SECTION = re.compile(r"\[(.+)\]\s*(?:#.*)?")
_GAP = re.compile(r"\s{2,}|\t")


@dataclass(frozen=True, slots=True)
class PlanLine:
    """An item as a plan has it."""

    id: int
    estimate: str | None
    owner: str | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Was:
    """An item as the service had it when a plan was written; the place is the number of an iteration."""

    place: int | None
    estimate: str | None
    owner: str | None


Sections = Mapping[int, Sequence[PlanLine]]
"""The items by iteration; the root stands for the backlog."""


def labels_of(iterations: Iterable[IterationEntry]) -> dict[int, str]:
    """What iterations are called in the text: their names, or their paths where two have one name."""
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
    was: Mapping[int, Was] | None = None,
) -> str:
    """Write a plan; an iteration without items is there too, to put lines into. `was` is what it starts from."""
    lines = [HEAD.format(project=plain(project), none=NONE)]
    every = [line for items in sections.values() for line in items]
    widths = [
        max((len(cell) for cell in cells), default=0) for cells in zip(*(_cells(line) for line in every), strict=True)
    ] or [0, 0, 0, 0]
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


def _base_cells(item_id: int, was: Was) -> tuple[str, str, str, str]:
    return str(item_id), NONE if was.place is None else str(was.place), was.estimate or NONE, was.owner or NONE


def cell(text: str | None) -> str | None:
    """A value as it is written, without what would end its column; None for nothing."""
    return (_GAP.sub(" ", plain(text)).strip() if text else "") or None


def read_plan(text: str, labels: Mapping[int, str], backlog_id: int) -> dict[int, list[PlanLine]]:
    """Read a plan. Raises BadRequest naming the line that is wrong, and why."""
    found: dict[int, list[PlanLine]] = {}
    places = {label: place for place, label in labels.items()} | {BACKLOG: backlog_id}
    seen: dict[int, int] = {}
    place: int | None = None
    for number, line in _lines(text):
        section = _SECTION.fullmatch(line)
        if section is not None:
            if section[1] not in places:
                raise BadRequest(f"Line {number}: there is no iteration {section[1]!r}.")
            place = places[section[1]]
            found.setdefault(place, [])
            continue
        if place is None:
            raise BadRequest(f"Line {number}: an item stands below its iteration, such as [Sprint 14].")
        item = _item(number, line)
        if item.id in seen:
            raise BadRequest(f"Line {number}: item {item.id} is in line {seen[item.id]} already.")
        seen[item.id] = number
        found[place].append(item)
    return found


def read_base(text: str) -> dict[int, Was]:
    """Read what was so when a plan was written, by item. Raises BadRequest naming the line that is wrong."""
    found: dict[int, Was] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith(_BASE):
            continue
        parts = [part.strip() for part in _GAP.split(line[len(_BASE) :].strip())]
        if len(parts) != 4 or not _is_number(parts[0]) or not (parts[1] == NONE or _is_number(parts[1])):
            raise BadRequest(f"Line {number}: what was so cannot be read; take the line out to do without it.")
        place, estimate, owner = (None if part == NONE else part for part in parts[1:])
        found[int(parts[0])] = Was(None if place is None else int(place), estimate, owner)
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
        raise BadRequest(f"Line {number}: an item is its number, points and owner, two blanks between them.")
    estimate, owner = (None if part == NONE else part for part in parts[1:3])
    return PlanLine(int(parts[0]), estimate, owner, parts[3] if len(parts) > 3 else "")
