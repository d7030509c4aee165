"""How a contested field is drawn: yours and theirs beside each other where there is room, long texts by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from rich.cells import cell_len
from textual.content import Content

from backlit.store.edits.conflicts import Keep
from backlit.tui.drawing.text import fit, safe, wrapped

SIDE_BY_SIDE = 72
"""Cells from which there are two columns."""
MOST_LINES = 200
"""Of one field; all of it can be read where it is edited."""
MARGIN = 2
LEAD = 8
CONTEXT = 1
MARK = "▎"
"""Stands before what differs, so that it does without colours."""
NOTHING = "–"
SIDES = {Keep.MINE: "yours", Keep.THEIRS: "theirs"}


@dataclass(frozen=True, slots=True)
class ShownField:
    """One contested field in words: the chosen `side`, or the words of an `edited` value; both None while undecided."""

    label: str
    base: str
    mine: str
    theirs: str
    is_long: bool
    side: Keep | None = None
    edited: str | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines of both sides; `is_same` where there is no difference, or only a count of such lines."""

    mine: Sequence[str]
    theirs: Sequence[str]
    is_same: bool


def column_heads(width: int) -> Content:
    """What stands over the two columns; nothing where they are one below the other."""
    if width < SIDE_BY_SIDE:
        return Content("")
    return _pair(("yours", "$muted"), ("theirs", "$muted"), _column(width))


def field_lines(field: ShownField, width: int, *, is_current: bool) -> list[Content]:
    """All lines of one field, the heading first."""
    lines = [_heading(field, width, is_current=is_current)]
    if field.fault:
        lines += [_coloured(f"! {line}", "$error") for line in wrapped(field.fault, width - MARGIN - 2)]
    body = list(_beside(field, width) if width >= SIDE_BY_SIDE else _below(field, width))
    if len(body) > MOST_LINES:
        body = [*body[:MOST_LINES], _coloured(f"… {len(body) - MOST_LINES} more lines; e shows all", "$muted")]
    return [*lines, *body, *_edited(field, width)]


def _heading(field: ShownField, width: int, *, is_current: bool) -> Content:
    words = _decision(field)
    label = fit(field.label, min(cell_len(safe(field.label)), width - MARGIN - len(words) - 1))
    was = "" if field.is_long else f"  was {field.base}"
    return Content.assemble(
        ("▌ " if is_current else "  ", "$accent"),
        (label, "bold"),
        (fit(was, width - MARGIN - cell_len(label) - len(words) - 2) + "  ", "$muted"),
        (words, "$accent" if words.startswith("✓") else "$muted"),
    )


def _decision(field: ShownField) -> str:
    if field.edited is not None:
        return "✓ edited"
    return f"✓ {SIDES[field.side]}" if field.side is not None else "to resolve"


def _edited(field: ShownField, width: int) -> Iterator[Content]:
    if field.edited is None:
        return
    lines = [part for line in field.edited.splitlines() or [""] for part in wrapped(line, width - MARGIN - LEAD)]
    yield from _led("edited", lines[:MOST_LINES], "bold")


def _beside(field: ShownField, width: int) -> Iterator[Content]:
    column = _column(width)
    for stretch in _stretches(field):
        mark = f"{MARK} " if field.is_long and not stretch.is_same else "  "
        left_colour, right_colour = (_colour(field, keep, stretch) for keep in (Keep.MINE, Keep.THEIRS))
        for mine, theirs in zip_longest(stretch.mine, stretch.theirs):
            left, right = ([] if text is None else wrapped(text, column - 2) for text in (mine, theirs))
            for one, other in zip_longest(left, right):
                yield _pair(
                    ("" if one is None else mark + one, left_colour),
                    ("" if other is None else mark + other, right_colour),
                    column,
                )


def _below(field: ShownField, width: int) -> Iterator[Content]:
    room = width - MARGIN - LEAD
    for stretch in _stretches(field):
        if stretch.is_same:
            yield from _led("", [part for line in stretch.mine for part in wrapped(line, room)], "$muted")
            continue
        for whose, lines, keep in (("yours", stretch.mine, Keep.MINE), ("theirs", stretch.theirs, Keep.THEIRS)):
            parts = [part for line in lines or [NOTHING] for part in wrapped(line, room)]
            yield from _led(whose, parts, _colour(field, keep, stretch))


def _stretches(field: ShownField) -> Iterator[_Stretch]:
    if not field.is_long:
        yield _Stretch([field.mine], [field.theirs], is_same=False)
        return
    mine, theirs = field.mine.splitlines(), field.theirs.splitlines()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, mine, theirs).get_opcodes():
        if tag == "equal":
            same = _same(mine[i1:i2], is_first=i1 == 0, is_last=i2 == len(mine))
            yield _Stretch(same, same, is_same=True)
        else:
            yield _Stretch(mine[i1:i2], theirs[j1:j2], is_same=False)


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Sequence[str]:
    """The lines next to what differs, and how many others there are."""
    head, tail = (0 if is_first else CONTEXT), (0 if is_last else CONTEXT)
    left_out = len(lines) - head - tail
    if left_out <= 1:
        return lines
    return [*lines[:head], f"⋯ {left_out} lines the same", *lines[len(lines) - tail :]]


def _colour(field: ShownField, keep: Keep, stretch: _Stretch) -> str:
    if stretch.is_same or field.edited is not None or field.side not in {None, keep}:
        return "$muted"
    return "$foreground" if field.side is None else "bold"


def _column(width: int) -> int:
    return (width - MARGIN - 3) // 2


def _pair(left: tuple[str, str], right: tuple[str, str], column: int) -> Content:
    text = left[0] + " " * max(0, column - cell_len(left[0]))
    return Content.assemble(" " * MARGIN, (text, left[1]), ("│ ", "$rule"), right)


def _led(word: str, lines: Sequence[str], colour: str) -> Iterator[Content]:
    for number, line in enumerate(lines):
        lead = f"{word if number == 0 else '':{LEAD}}"
        yield Content.assemble(" " * MARGIN, (lead, "$muted"), (line, colour))


def _coloured(text: str, colour: str) -> Content:
    return Content.assemble(" " * MARGIN, (safe(text), colour))
