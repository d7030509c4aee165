"""The lines of the grid of fields, and the fold over those beyond its height."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.fields import Field
from backlit.tui.drawing.text import wrapped

URGENT_SIGNS = frozenset("!≠")
"""Signs that open the fold."""
FOLD_NAMES = 2
"""Fields that the closed fold names."""
LEAST_FOLDED = 2
"""Empty fields that are folded at least."""
LEAST_SHOWN = 6
"""Lines above the fold in the lowest grid."""


class GridLine(Struct, frozen=True):
    """A line of the grid: a field with its value; without a field a heading, a note, or the fold of the other fields.

    The value of a line with `is_apart` stands outside the grid: the line is shown while it is the current one.
    """

    text: str
    colour: str = "foreground"
    field: Field | None = None
    sign: str = " "
    sign_colour: str = "muted"
    is_heading: bool = False
    is_fold: bool = False
    is_apart: bool = False
    is_empty: bool = False
    """True for a field without a value that is folded even where there is room for it."""

    @property
    def is_note(self) -> bool:
        return not (self.field or self.is_heading or self.is_fold)

    def wrapped(self, cells: int) -> "Iterable[GridLine]":
        """Return the lines of a note of at most so many cells; any other line stays one."""
        if not self.is_note:
            return (self,)
        return (replace(self, text=text) for text in wrapped(self.text, cells))


BLANK_LINE = GridLine("")


class FieldFold:
    """The lines of a grid, those beyond its height behind a fold; notes are wrapped."""

    def __init__(self) -> None:
        self.is_open = False
        self.revealed = ""
        """The key of the field that is shown though its value stands outside the grid."""
        self._lines: Sequence[GridLine] = ()
        self._urgent: frozenset[str] = frozenset()
        """The fields below the fold that it was opened for."""

    def show(self, lines: Sequence[GridLine]) -> None:
        self._lines = lines

    def reveal(self, key: str) -> None:
        line = next((line for line in self._lines if line.field and line.field.key == key), None)
        self.revealed = key if line and line.is_apart else ""

    def lay_out(self, width: int, height: int, wanted: str) -> list[GridLine]:
        """Return the lines in sight, with notes of at most `width` cells.

        The fold opens for a wanted field, and once for each field with a fault or with a change that is to be decided.
        An empty field that is wanted stands among the others. Where there is room, a blank stands above each heading.
        """
        lines = (each for each in self._lines if not each.is_apart or (each.field and each.field.key == self.revealed))
        every = [each for line in lines for each in line.wrapped(max(8, width))]
        empty = [each for each in every if each.is_empty and each.field and each.field.key != wanted]
        empty = empty if len(empty) >= LEAST_FOLDED else []
        shown = every if self.is_open else _without(every, empty)
        hidden = [line.field.label for line in empty if line.field]
        spaced = [each for line in shown for each in ((BLANK_LINE, line) if line.is_heading else (line,))]
        if len(spaced) + 2 * bool(empty) <= height:
            return self._with_fold([*spaced, BLANK_LINE] if empty else spaced, empty)
        first = _fold_at(spaced, max(LEAST_SHOWN, height - 1))
        below = spaced[first:]
        if len(shown) + bool(empty) <= height or not below:
            return self._with_fold(shown, empty)
        keys = {line.field.key: line.sign for line in below if line.field}
        urgent = frozenset(key for key, sign in keys.items() if sign in URGENT_SIGNS)
        is_closed = not self.is_open
        if wanted in keys or urgent - self._urgent:
            self.is_open = True
        self._urgent = urgent
        if is_closed and self.is_open and empty:
            return self.lay_out(width, height, wanted)
        labels = [line.field.label for line in below if line.field]
        if self.is_open:
            return [*spaced, GridLine("▾ fewer fields", "muted", is_fold=True)]
        named = ", ".join([*labels, *hidden][:FOLD_NAMES])
        more = f"▸ {len(labels) + len(hidden)} more ({named} …)"
        return [*spaced[:first], GridLine(more, "muted", is_fold=True)]

    def _with_fold(self, lines: list[GridLine], empty: Sequence[GridLine]) -> list[GridLine]:
        """Return lines with the fold of the empty fields at the end."""
        if not empty:
            return lines
        sign = "▾ hide" if self.is_open else "▸"
        return [*lines, GridLine(f"{sign} {len(empty)} empty fields", "muted", is_fold=True)]


def _without(lines: Sequence[GridLine], gone: Sequence[GridLine]) -> list[GridLine]:
    """Return the lines without some, and without headings that have no field left."""
    left = [line for line in lines if line not in gone]
    return [
        line
        for line, after in zip(left, [*left[1:], None], strict=True)
        if not line.is_heading or (after is not None and not after.is_heading)
    ]


def _fold_at(lines: Sequence[GridLine], at: int) -> int:
    """Return the place of the fold at or near a line: below the notes of a field, and above a heading and its blank."""
    while at < len(lines) and lines[at].is_note and lines[at] is not BLANK_LINE:
        at += 1
    while 0 < at <= len(lines) and (lines[at - 1].is_heading or lines[at - 1] is BLANK_LINE):
        at -= 1
    return at
