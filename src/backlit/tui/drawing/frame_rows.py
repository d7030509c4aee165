"""Rows of the terminal: their cells, the pen that writes those, and the changes of a row."""

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from rich.cells import split_graphemes
from rich.color import Color, ColorSystem
from rich.style import Style
from textual.strip import Strip

from backlit.tui.drawing.text import with_visible_characters

_LEAST_TO_EDGE = 4
_LEAST_ERASED = 8
"""Blanks from which on erasing is shorter than writing."""
_ON = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
_NAMES = (
    *("bold", "dim", "italic", "underline", "blink", "blink2", "reverse", "conceal", "strike"),
    *("underline2", "frame", "encircle", "overline"),
)
"""The attributes of a style, a bit each, in the order of the codes that switch them on."""
_OFF = (
    *((0b11, "22"), (0b100, "23"), (0b10_0000_1000, "24"), (0b11_0000, "25"), (1 << 6, "27"), (1 << 7, "28")),
    *((1 << 8, "29"), (0b1100_0000_0000, "54"), (1 << 12, "55")),
)
"""Groups of attributes, and the code that switches each off."""
VISIBLE = 0b1_1111_0100_1000
"""Attributes that show on a blank: lines of all kinds, and reversed colours."""
RESET = "\x1b[m"
_SINGLE = frozenset(
    chr(code)
    for part in ((0x20, 0x7F), (0xA0, 0xAD), (0xAE, 0x300), (0x2010, 0x2028), (0x2190, 0x2300), (0x2500, 0x25FD))
    for code in range(*part)
)
"""Common characters that are one cell wide and never combine."""
_NARROW = 0x1100
"""Code below which no character is wide; combining ones come with their base."""
_SYMBOLS = range(0x2000, 0x2E80)
_WIDE = (range(0x2E80, 0xD7A4), range(0xF900, 0xFB00), range(0xFF01, 0xFF61), range(0x20000, 0x3FFFE))
_LETTERS_OF_FLAGS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
_BYTES_OF_COLOUR_AFTER_BACKGROUND = 4
"""Bytes by which a colour comes later that is on another background too: changing only the background is shorter."""
# By rows was longer in all recorded frames of more than ten runs, and the trial took a quarter of the comparison of a
# page.
_MIN_RUNS_BY_STYLE = 16
"""Runs from which on those of one style are written together."""
_MAX_REWRITTEN_CELLS = 4
"""Cells up to which rewriting is shorter than a cursor move."""


class CellStyle:
    """Attributes, colours and link of a cell; equal styles are one object, to be compared by identity."""

    __slots__ = ("attributes", "background", "blank", "colour", "key", "link")

    def __init__(self, attributes: int, colour: str, background: str, link: str) -> None:
        self.attributes = attributes
        self.colour = colour
        self.background = background
        self.link = link
        self.key = (attributes, colour, background, link)
        is_same = attributes & VISIBLE or not (attributes or colour)
        self.blank: CellStyle = self if is_same else cell_style(0, "", background, link)
        """The style that draws a blank alike."""

    def on_background_of(self, other: "CellStyle") -> "CellStyle":
        """Return the nearest style that draws a blank as another one does."""
        if other.attributes & VISIBLE:
            return other
        return cell_style(self.attributes & ~VISIBLE, self.colour, other.background, other.link)


@lru_cache(maxsize=8192)
def cell_style(attributes: int, colour: str, background: str, link: str) -> CellStyle:
    """Return the one object for a style; a second object would have cells written needlessly."""
    return CellStyle(attributes, colour, background, link)


DEFAULT_STYLE = cell_style(0, "", "", "")
"""The attributes after a reset."""


@lru_cache(maxsize=8192)
def cell_style_of(style: Style | None, system: ColorSystem) -> CellStyle:
    if style is None:
        return DEFAULT_STYLE
    attributes = sum(1 << bit for bit, name in enumerate(_NAMES) if getattr(style, name))
    link = style.link if style.link and style.link.isprintable() else ""
    return cell_style(attributes, _codes(style.color, system), _codes(style.bgcolor, system, is_background=True), link)


def _codes(colour: Color | None, system: ColorSystem, *, is_background: bool = False) -> str:
    if colour is None or colour.is_default:
        return ""
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground=not is_background))


@lru_cache(maxsize=8192)
def style_change(before: CellStyle, after: CellStyle) -> str:
    """Return the shorter sequence from one style to another: the differences, or a reset and all attributes."""
    codes: list[str] = []
    attributes = before.attributes
    for group, off in _OFF:
        if attributes & ~after.attributes & group:
            codes.append(off)
            attributes &= ~group
    codes += _switched_on(after.attributes & ~attributes)
    if before.colour != after.colour:
        codes.append(after.colour or "39")
    if before.background != after.background:
        codes.append(after.background or "49")
    differing = ";".join(codes)
    whole = ";".join(part for part in (*_switched_on(after.attributes), after.colour, after.background) if part)
    anew = f"0;{whole}" if whole else ""
    drawn = f"\x1b[{anew if len(anew) < len(differing) else differing}m" if codes else ""
    return drawn if before.link == after.link else f"{drawn}\x1b]8;;{after.link}\x1b\\"


def _switched_on(attributes: int) -> list[str]:
    return [on for bit, on in enumerate(_ON) if attributes >> bit & 1]


def cells_of(strip: Strip, system: ColorSystem) -> tuple[list[str], list[CellStyle]]:
    """Return the character of each cell, empty for the second cell of a wide one, and the attributes of each.

    A combining character is in the cell of its base. Control segments have no cells, and control characters in a text
    become visible.
    """
    characters: list[str] = []
    styles: list[CellStyle] = []
    for text, style, control in strip:
        if control:
            continue
        here = cell_style_of(style, system)
        before = len(characters)
        seen = text if text.isprintable() else with_visible_characters(text)
        characters.extend(seen if seen.isascii() or _SINGLE.issuperset(seen) else _clusters(seen))
        styles.extend([here] * (len(characters) - before))
    return characters, styles


def _clusters(text: str) -> list[str]:
    cells: list[str] = []
    is_half = False  # True behind the first letter of a flag, whose two letters are one character
    for start, end, width in split_graphemes(text)[0]:
        if is_half and text[start] in _LETTERS_OF_FLAGS:
            cells[-1:] = [cells[-1] + text[start:end], ""]
            is_half = False
        elif width:
            cells.append(text[start:end])
            cells.extend([""] * (width - 1))
            is_half = text[start] in _LETTERS_OF_FLAGS
    return cells


# Terminals, and tmux between, count the cells of joined emoji, variation selectors and flags differently. A wrong guess
# would shift the rest of the line until it is next written whole.
@lru_cache(maxsize=4096)
def is_agreed(cluster: str) -> bool:
    """Return whether terminals agree on the width; they do not for emoji and for combining characters."""
    if len(cluster) > 1:
        return False
    code = ord(cluster)
    if code < _NARROW or code in _SYMBOLS:
        return split_graphemes(cluster)[1] == 1
    return any(code in each for each in _WIDE) and split_graphemes(cluster)[1] == 2


class CellWriter:
    """Writes cells; an uncertain position is reached by an absolute move."""

    def __init__(self, width: int, style: CellStyle) -> None:
        self.style = style
        self.sequence = ""
        self._width = width
        self._x: int | None = None
        self._y: int | None = None

    def say(self, sequence: str) -> None:
        """Write a sequence after which the position is unknown."""
        self.sequence += sequence
        self._x = self._y = None

    def go(self, x: int, y: int) -> None:
        self.sequence += self._way(x, y)
        self._x, self._y = x, y

    def _way(self, x: int, y: int) -> str:
        """Return the shortest move to a cell. It is asked for some 200 times a page, so only what can be is built."""
        before, line = self._x, self._y
        if line == y:
            if before == x:
                return ""
            way = "\r" if x == 0 else f"\x1b[{x + 1}G"
            if before is None or before >= self._width:
                return way
            across = "\b" * (before - x) if x < before else _steps(x - before, "C")
            return across if len(across) < len(way) else way
        way = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H"
        if line is None or before is None:
            return way
        if min(before, self._width - 1) == x:
            straight = _steps(line - y, "A") if y < line else _steps(y - line, "B")
            way = straight if len(straight) < len(way) else way
        # A vertical tab is one byte and a line down in the same column, on all terminals; a line feed is not, as the
        # system writes a return before it. Behind the last column the terminals differ in what it does.
        if before < self._width and 0 < y - line < len(way):
            along = "\r" if x == 0 else f"\x1b[{x + 1}G"
            across = "\b" * (before - x) if x < before else _steps(x - before, "C") if x > before else ""
            down = "\v" * (y - line) + (across if len(across) < len(along) else along)
            way = down if len(down) < len(way) else way
        return way

    def take(self, style: CellStyle) -> None:
        if style is not self.style:
            self.sequence += style_change(self.style, style)
            self.style = style

    def drawn(self, runs: Sequence["CellRun"]) -> "CellWriter":
        """Return a copy that has written runs, row by row or style by style, whichever is shorter; many by style."""
        by_row, by_style = copy(self), copy(self)
        by_style.draw_styles(runs)
        if len(runs) > _MIN_RUNS_BY_STYLE:
            return by_style
        for run in runs:
            by_row.draw(run)
        return min(by_row, by_style, key=lambda pen: len(pen.sequence))

    # A change of colour takes up to 20 bytes, a move 5 to 8. Before and after, on 200 items: `j` 514 and 436 bytes, a
    # page 4,571 and 3,002, the help 8,799 and 5,609.
    def draw_styles(self, runs: Sequence["CellRun"]) -> None:
        """Write all runs of a style, then those of the style that takes the fewest bytes."""
        waiting: dict[CellStyle, list[CellRun]] = {}
        for run in runs:
            waiting.setdefault(run.style, []).append(run)
        grounds = Counter(colour for colour, _ in {(each.colour, each.background) for each in waiting})
        while waiting:
            for run in waiting.pop(self._nearest(waiting, grounds)):
                self.draw(run)

    def _nearest(self, waiting: Mapping[CellStyle, Sequence["CellRun"]], grounds: Mapping[str, int]) -> CellStyle:
        """Return the style whose first run takes the fewest bytes to begin; `grounds` counts those of each colour."""
        nearest, least = DEFAULT_STYLE, sys.maxsize
        for style, runs in waiting.items():
            run = runs[0]
            cost = len(style_change(self.style, self._style_for(run)))
            if grounds[style.colour] > 1:
                cost += _BYTES_OF_COLOUR_AFTER_BACKGROUND
            if cost < least and (cost := cost + len(self._way(run.x, run.y))) < least:
                nearest, least = style, cost
        return nearest

    def _style_for(self, run: "CellRun") -> CellStyle:
        if not run.is_blank or run.style.colour:
            return self.style if run.is_blank and self.style.blank is run.style.blank else run.style
        return self.style.on_background_of(run.style)

    def draw(self, run: "CellRun") -> None:
        """Write a run; behind a character of disputed width the position is unknown. At the edge no cell is beside."""
        self.go(run.x, run.y)
        self.take(self._style_for(run))
        self.sequence += run.text
        self._x = run.x + run.width if run.is_agreed else None

    def scroll(self, top: int, bottom: int, lines: int) -> None:
        """Move the rows from `top` to before `bottom` up by so many lines, or down for a negative number."""
        move = f"\x1b[{lines if lines > 1 else ''}M" if lines > 0 else f"\x1b[{-lines if lines < -1 else ''}L"
        self.sequence += f"\x1b[{top + 1};{bottom}r"
        self._x = self._y = None
        self.go(0, top)
        self.say(f"{move}\x1b[r")


def _steps(count: int, direction: str) -> str:
    return f"\x1b[{count if count > 1 else ''}{direction}"


class CellRun(NamedTuple):
    """Differing cells of a row that are written together: `text` moves the cursor by `width` and changes `cells`."""

    x: int
    y: int
    style: CellStyle
    text: str
    width: int
    cells: int
    is_blank: bool = False
    is_agreed: bool = True

    def joined(self, after: "CellRun") -> "CellRun | None":
        """Return one run for this and the next one; None where a move or other attributes are between them."""
        is_beside = self.is_agreed and self.x + self.width == after.x
        is_same = after.style is self.style or (
            (self.is_blank or after.is_blank) and after.style.blank is self.style.blank
        )
        if not (is_beside and is_same):
            return None
        style, is_blank = after.style if self.is_blank else self.style, self.is_blank and after.is_blank
        text, width, cells = self.text + after.text, self.width + after.width, self.cells + after.cells
        return CellRun(self.x, self.y, style, text, width, cells, is_blank, after.is_agreed)


class CellRow:
    """The wanted cells and those last written; None where the terminal's cell is unknown."""

    def __init__(self, width: int) -> None:
        self.characters: list[str] = [" "] * width
        self.styles: list[CellStyle] = [DEFAULT_STYLE] * width
        self.shown: list[str | None] = [None] * width
        self.shown_styles: list[CellStyle | None] = [None] * width
        self.strips: dict[int, Strip] = {}
        self._low, self._high = width, 0

    def put(self, x: int, strip: Strip, system: ColorSystem) -> None:
        """Take the cells of a strip; the same strip again costs nothing."""
        before = self.strips.get(x)
        if before is strip:
            return
        characters, styles = cells_of(strip, system)
        end = min(x + len(characters), len(self.characters))
        self._cut(x)
        self._cut(end)
        if before is None or before.cell_length != strip.cell_length:  # else it stands for the cells of no other
            self._forget_strips(x, end)
        self.strips[x] = strip
        self.characters[x:end] = characters[: end - x]
        self.styles[x:end] = styles[: end - x]
        self._low, self._high = min(self._low, x), max(self._high, end)

    def take(self, other: "CellRow", x: int, end: int) -> None:
        self._forget_strips(x, end)
        self.strips.update((at, strip) for at, strip in other.strips.items() if x <= at < end)
        self.characters[x:end] = other.characters[x:end]
        self.styles[x:end] = other.styles[x:end]
        self._low, self._high = min(self._low, x), max(self._high, end)

    def _cut(self, x: int) -> None:
        """Replace a wide character that a place cuts in two by blanks."""
        if x < len(self.characters) and not self.characters[x]:
            self.characters[x - 1 : x + 1] = " ", " "
            self._forget_strips(x - 1, x + 1)
            self._low, self._high = min(self._low, x - 1), max(self._high, x + 1)

    def _forget_strips(self, start: int, end: int) -> None:
        for x, strip in list(self.strips.items()):
            if x < end and x + strip.cell_length > start:
                del self.strips[x]

    def forget(self) -> None:
        width = len(self.characters)
        self.shown[:] = [None] * width
        self.shown_styles[:] = [None] * width
        self._forget_strips(0, width)

    def blank(self, start: int, end: int) -> None:
        end = min(end, len(self.characters))
        self._cut(start)
        self._cut(end)
        self.characters[start:end] = [" "] * (end - start)
        self.styles[start:end] = [style.blank for style in self.styles[start:end]]
        self._forget_strips(start, end)
        self._low, self._high = min(self._low, start), max(self._high, end)

    def kept(self) -> tuple[list[str], list[tuple[int, str, str, str]]]:
        return self.characters, [style.key for style in self.styles]

    def begin_with(self, characters: list[str], styles: list[CellStyle]) -> None:
        self.characters, self.styles = characters.copy(), styles.copy()
        self.shown, self.shown_styles = list(characters), list(styles)

    def differs(self) -> bool:
        """Return whether painted cells may differ from the terminal's."""
        if self._low < self._high and self.characters == self.shown and self.styles == self.shown_styles:
            self._low, self._high = len(self.characters), 0
        return self._low < self._high

    def move_shown(self, other: "CellRow | None") -> None:
        """Take over the shown cells of another row, which the terminal moved here; None for unknown ones."""
        width = len(self.characters)
        self.shown = [None] * width if other is None else other.shown.copy()
        self.shown_styles = [None] * width if other is None else other.shown_styles.copy()
        self._low, self._high = 0, width

    @property
    def has_wide(self) -> bool:
        """True if a wide character is wanted, or shown where another one may be written."""
        return "" in self.characters or "" in self.shown

    def changes(self, y: int, *, erases: bool) -> list[CellRun]:
        """Return the differing cells as runs, which count as shown from now on."""
        done, runs, differing = 0, list[CellRun](), self._differing()
        for x in differing:
            if x >= done:
                run = self._run(x if self.characters[x] else x - 1, y, differing, erases=erases)
                done = run.x + run.cells
                joined = runs[-1].joined(run) if runs else None
                if joined is None:
                    runs.append(run)
                else:
                    runs[-1] = joined
        low, high = self._low, self._high
        self.shown[low:high] = self.characters[low:high]
        self.shown_styles[low:high] = self.styles[low:high]
        self._low, self._high = len(self.characters), 0
        return runs

    def _differing(self) -> list[int]:
        part = slice(self._low, self._high)
        cells = zip(self.characters[part], self.shown[part], self.styles[part], self.shown_styles[part], strict=True)
        return [
            x
            for x, (character, shown, style, before) in enumerate(cells, self._low)
            if character != shown
            or (style is not before and (character != " " or before is None or before.blank is not style.blank))
        ]

    def _run(self, x: int, y: int, differing: Sequence[int], *, erases: bool) -> CellRun:
        character, style = self.characters[x], self.styles[x]
        if character == " ":
            return self._blanks(x, y, differing, erases=erases)
        if character not in _SINGLE:
            width = 2 if x + 1 < len(self.characters) and not self.characters[x + 1] else 1
            is_sure = is_agreed(character)
            text = character if is_sure or width == 1 else f"  \x1b[{x + 1}G{character}"  # it may be drawn narrower
            return CellRun(x, y, style, text, width, width, is_agreed=is_sure)
        end = self._end_of_words(x, differing)
        return CellRun(x, y, style, "".join(self.characters[x:end]), end - x, end - x)

    def _end_of_words(self, x: int, differing: Sequence[int]) -> int:
        """Return the end of the words of one style that begin at a cell; rewriting what is between is shorter."""
        characters, styles = self.characters, self.styles
        style, end = styles[x], x + 1
        for at in islice(differing, bisect_left(differing, end), None):
            if styles[at] is not style or at - end > _MAX_REWRITTEN_CELLS or characters[at] not in _SINGLE:
                break
            if at > end and not self._is_alike(slice(end, at), style):
                break
            if characters[at] != " ":
                end = at + 1
        return end

    def _is_alike(self, cells: slice, style: CellStyle) -> bool:
        """Return whether some cells have a style, and take a byte each."""
        characters = self.characters[cells]
        return self.styles[cells].count(style) == len(characters) and "".join(characters).isascii()

    def _blanks(self, x: int, y: int, differing: Sequence[int], *, erases: bool) -> CellRun:
        """Return a run of differing blanks of one background, in the style of the cell after it where that fits."""
        style, end = self.styles[x], self._end_of_blanks(x)
        after = self.styles[end] if end < self._high else None
        drawn = after if after and after.blank is style.blank else style.blank
        count = differing[bisect_left(differing, end) - 1] + 1 - x
        if erases and not style.link and not style.attributes & VISIBLE:
            if end == len(self.characters) and count >= _LEAST_TO_EDGE:
                return CellRun(x, y, drawn, "\x1b[K", 0, end - x, is_blank=True)
            if count >= _LEAST_ERASED:
                return CellRun(x, y, drawn, f"\x1b[{count}X", 0, count, is_blank=True)
        return CellRun(x, y, drawn, " " * count, count, count, is_blank=True)

    def _end_of_blanks(self, x: int) -> int:
        characters, styles, width = self.characters, self.styles, len(self.characters)
        blank, end = styles[x].blank, x + 1
        while end < width and characters[end] == " " and styles[end].blank is blank:
            end += 1
        return end
