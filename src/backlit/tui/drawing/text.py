"""Safe text: the functions through which every string of a server reaches the screen.

Control and escape characters become visible pictures, bidirectional overrides a replacement sign, and
invisible joiners are dropped outside emoji. Only the drawn text changes; stored text is never touched.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import cast

from rich.cells import cell_len, set_cell_size
from rich.containers import Lines
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.filter import LineFilter
from textual.strip import Strip

Line = list[Segment]
"""A line of a drawn text."""

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_INVISIBLE = (
    0x00AD, 0x034F, 0x115F, 0x1160, 0x180E, *range(0x200B, 0x200E), *range(0x2060, 0x2065), 0x3164, 0xFEFF, 0xFFA0,
    *range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0),
)  # fmt: skip

# A lone half of a flag becomes a letter and a lone joiner nothing: terminals disagree about their widths, and the rest
# of the line would be shifted.
_TABLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "␡",
    **dict.fromkeys((*range(128, 160), *_BIDI, 8232, 8233, *range(55296, 57344)), "�"),
    **dict.fromkeys(_INVISIBLE, ""),
    **{code: chr(code - 0x1F1E6 + ord("A")) for code in range(0x1F1E6, 0x1F200)},
}
_PICTURE = "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
_LOOK = "(?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
_JOINED = f"\u200d[\u2194\u2195\u2640\u2642\u2695\u2696\u26a7\u2708\u2764\u27a1\u2b1b{_PICTURE}]{_LOOK}"
_CLUSTERS = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}"  # a flag
    "|\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f"  # the flag of a part of a country
    "|[0-9#*]\ufe0f\u20e3"  # a key
    f"|[\u26d3\u26f9\u2764{_PICTURE}]{_LOOK}(?:{_JOINED}){{0,8}}"
    "|[\u00a9\u00ae\u203c-\u3299][\ufe0f\U0001f3fb-\U0001f3ff]"
)
"""Emoji of several characters, which are drawn as one; a lone part of one is shown as a letter or dropped."""
_JOINTS = re.compile("[\u200d\U000e0061-\U000e007f]")
_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u200d\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]"
)
_CHARACTERS = f"(?s:{_CLUSTERS.pattern}|.){_MARKS}*"
"""Characters as people see them. Compiled when first used."""
_CONTINUES = "[^\x00-\u02ff\u3400-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
"""What may go on a character begun before it; not plain letters and the signs of East Asia, which always begin one.
Compiled when first used."""
_LONE_HALF = re.compile("[\U0001f1e6-\U0001f1ff]+$")
_BLOCK_TABLE: dict[int, str] = {**_TABLE, ord("\n"): "\n", ord("\t"): "    "}
_MARKS_IN_A_ROW = 2


@lru_cache(maxsize=8192)
def safe(text: str) -> str:
    """Return one line that is safe to draw; line breaks and tabs become visible too."""
    if text.isascii() and text.isprintable():
        return text
    return _bounded_marks(_made_visible(text, _TABLE))


def safe_block(text: str) -> str:
    """Return several lines that are safe to draw; tabs become four blanks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(_bounded_marks(_made_visible(line, _BLOCK_TABLE)) for line in text.split("\n"))


# Textual takes a plain string for markup: in 15 of 18 places a text such as `[/oops]` ended the program. No widget of
# it, nor rich, removes ESC, OSC or 8-bit controls, with which a text could set the title or the clipboard.
def literal(text: str) -> Content:
    """Return one safe line as content that Textual never reads as markup."""
    return Content(safe(text))


def literal_block(text: str) -> Content:
    """Return several safe lines as content that Textual never reads as markup."""
    return Content(safe_block(text))


@lru_cache(maxsize=8192)
def shortened(text: str, most: int) -> str:
    """Return a text of at most some characters: of a path, also behind `→`, the beginning goes, and else the end."""
    if len(text) <= most:
        return text
    lead, arrow, path = text.rpartition(" → ")
    places = path.split(" › ")
    ends = (f"{lead}{arrow}… › {' › '.join(places[at:])}" for at in range(1, len(places)))
    return next((end for end in ends if len(end) <= most), f"{text[: most - 1]}…")


SHADES = frozenset("░▒▓")
"""Signs of shaded cells, which only bars have."""


def fit(text: str, width: int) -> str:
    """Return safe text cut or padded to exactly `width` cells; a cut ends with …."""
    text = safe(text)
    if width <= 0:
        return ""
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    cut = set_cell_size(text, width - 1)
    if (end := _LONE_HALF.search(cut)) and len(end[0]) % 2:
        cut = cut[:-1]
    return set_cell_size(cut.rstrip() + "…", width)


def fit_middle(text: str, width: int) -> str:
    """Return safe text cut or padded to exactly `width` cells; a cut in the middle keeps both ends."""
    text = safe(text)
    if cell_len(text) <= width:
        return fit(text, width)
    end_cells = max(0, width - 1) // 2
    start = next(at for at in range(len(text) + 1) if cell_len(text[at:]) <= end_cells)
    end = text[boundary(text, start, is_after=True) :].lstrip()
    return fit(fit(text, width - cell_len(end)).rstrip() + end, width)


def fit_right(text: str, width: int) -> str:
    """Return safe text cut or padded on the left to exactly `width` cells; for numbers."""
    text = safe(text)
    missing = width - (len(text) if text.isascii() else cell_len(text))
    return " " * missing + text if missing >= 0 else fit(text, width)


def wrapped(text: str, width: int) -> list[str]:
    """Return safe lines of at most `width` cells, broken at blanks, or inside words that are too long."""
    return [line.plain.rstrip() for line in literal(text).wrap(max(1, width))] or [""]


def is_joint(character: str | None) -> bool:
    """Return whether a typed character, which is not printable alone, joins its neighbours to one emoji."""
    return character is not None and _JOINTS.fullmatch(character) is not None


def boundary(text: str, position: int, *, is_after: bool) -> int:
    """Return a position that takes no visible character apart: itself, or the next one before or after it."""
    if text[: position + 1].isascii():
        return position
    for found in _characters().finditer(text, _start_before(text, position)):
        if found.start() >= position:
            break
        if position < found.end():
            return found.end() if is_after else found.start()
    return position


def _start_before(text: str, position: int) -> int:
    """Return where a visible character begins at or before a position.

    A row of a long line asks for each of its ends, and a key for the cursor: reading the line from its start each time
    took a second for a key in a line of 20,000 characters.
    """
    start = min(position, len(text))
    continues = _continues()
    while start and (start == len(text) or continues.match(text, start)):
        start -= 1
    return start


# Four such patterns were compiled among the imports of each start, for 3.2 ms of CPU, and a fifth for 3.
@cache
def _characters() -> re.Pattern[str]:
    return re.compile(_CHARACTERS)


@cache
def _continues() -> re.Pattern[str]:
    return re.compile(_CONTINUES)


class WholeCharacters(Text):
    """A line of a text input, whose styles take no visible character apart."""

    def stylize(self, style: str | Style, start: int = 0, end: int | None = None) -> None:
        """Style a range, widened to whole characters."""
        last = len(self.plain) if end is None else end
        super().stylize(style, boundary(self.plain, start, is_after=False), boundary(self.plain, last, is_after=True))


class WrappedLine(WholeCharacters):
    """A line of a text area, of which one row is drawn at a time.

    Rich makes all rows for each of them: a line of 20,000 characters took a third of a second to draw.
    """

    def divide(self, offsets: Iterable[int]) -> Lines:
        return cast("Lines", _Rows(self, [0, *offsets, len(self.plain)]))


class _Rows:
    def __init__(self, line: Text, ends: Sequence[int]) -> None:
        self._line = line
        self._ends = ends

    def __getitem__(self, index: int) -> Text:
        line, (start, end) = self._line, self._ends[index : index + 2]
        row = Text(line.plain[start:end], line.style, end="", no_wrap=True, tab_size=line.tab_size)
        for span in line.spans:
            row.stylize(span.style, max(0, span.start - start), max(0, span.end - start))
        return row


def _made_visible(text: str, table: dict[int, str]) -> str:
    parts: list[str] = []
    at = 0
    for emoji in _CLUSTERS.finditer(text):
        if not _JOINTS.sub("", emoji[0]).isprintable():
            continue
        parts += [_printable(text[at : emoji.start()].translate(table)), emoji[0]]
        at = emoji.end()
    return "".join([*parts, _printable(text[at:].translate(table))])


def _printable(text: str) -> str:
    """Replace blanks of all kinds by the plain one, and private or unassigned characters by a replacement sign."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else " " if each.isspace() else "\N{REPLACEMENT CHARACTER}" for each in text
    )


def _bounded_marks(text: str) -> str:
    """Keep at most two combining marks on a character, so that one cell stays one cell high."""
    if text.isascii():
        return text
    kept: list[str] = []
    in_a_row = 0
    for character in text:
        in_a_row = in_a_row + 1 if unicodedata.combining(character) else 0
        if in_a_row <= _MARKS_IN_A_ROW:
            kept.append(character)
    return "".join(kept)


class SafeFilter(LineFilter):
    """The last line of defence: no control character reaches the terminal, whichever widget drew it."""

    def apply(self, segments: list[Segment], background: object) -> list[Segment]:  # noqa: ARG002 - the base's signature
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [_clean(segment) for segment in segments]


def _clean(segment: Segment) -> Segment:
    if segment.control or segment.text.isprintable():
        return segment
    return Segment(with_visible_characters(segment.text), segment.style)


def with_visible_characters(text: str) -> str:
    """Return a text as wide as the given one, with its unprintable characters visible."""
    return set_cell_size(_made_visible(text, _TABLE), cell_len(text))


def line_of(segments: Iterable[Segment], width: int, ground: Style) -> Strip:
    """Return a line of exactly `width` cells, the rest in the style of the ground; one segment for each style in it."""
    parts = [*segments]
    # Textual's strip measures itself, and makes another one to be as wide as is wanted.
    cells = sum([len(text) if text.isascii() else cell_len(text) for text, _, _ in parts])
    if cells < width:
        parts.append(Segment(" " * (width - cells), ground))
    line: Line = []
    for each in parts:
        if line and line[-1].style is each.style:
            line[-1] = Segment(line[-1].text + each.text, each.style)
        else:
            line.append(each)
    return Strip(line, max(cells, width)).adjust_cell_length(width)


def marked(name: str, sought: Sequence[str], style: Style) -> Iterator[Segment]:
    """Yield a name with the first match of each sought part, in lower case, in bold and underlined."""
    if not sought and name:  # as in nearly every list
        yield Segment(name, style)
        return
    lowered, at, mark = name.lower(), 0, style + Style(bold=True, underline=True)
    for start, end in sorted((lowered.find(part), lowered.find(part) + len(part)) for part in sought):
        if start >= at and end > start:
            if start > at:
                yield Segment(name[at:start], style)
            yield Segment(name[start:end], mark)
            at = end
    if name[at:]:
        yield Segment(name[at:], style)


def joined(parts: Sequence[str], between: str = "  ") -> str:
    return between.join(part for part in parts if part)
