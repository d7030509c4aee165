"""Lines of a screen as SVG: no seams between the cells of a bar, no cut descenders, and what is equal written once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

CELL, LINE, FONT = 8, 17, 13
"""Width and height of a cell, and the size of the letters in it, in pixels."""
BASELINE = 12
"""Pixels from the top of a row: descenders end above the row below."""
EDGE = 4
"""Pixels around a still."""
GROUND, FRONT, CAP = "#14151a", "#dcd8ce", "#2a2d36"
LINES = {
    "─": (0, 8 / 17, 1, 1 / 17),
    "━": (0, 7 / 17, 1, 3 / 17),
    "╸": (0, 7 / 17, 0.5, 3 / 17),
    "│": (7 / 16, 0, 1 / 8, 1),
    "┃": (5 / 16, 0, 3 / 8, 1),
}
ENDED = {"╸": "━"}
"""Half lines, and the lines that end with them."""
BLOCKS = (
    LINES
    | {"█": (0, 0, 1, 1), "▀": (0, 0, 1, 0.5), "▐": (0.5, 0, 0.5, 1)}
    | {sign: (0, 0, (8 - at) / 8, 1) for at, sign in enumerate("▉▊▋▌▍▎▏", 1)}
    | {sign: (0, 1 - at / 8, 1, at / 8) for at, sign in enumerate("▁▂▃▄▅▆▇", 1)}
)
"""Part of its cell that a block character or a line fills: left, top, width and height."""
QUADRANTS = {"▖": "2", "▗": "3", "▘": "0", "▝": "1", "▙": "023", "▛": "012", "▜": "013", "▞": "12", "▟": "123"}
"""The quarters of their cell that block characters fill, numbered from the left and the top."""
CORNERS = {
    "╭": "4 17V12.5Q4 8.5 8 8.5",
    "╮": "0 8.5Q4 8.5 4 12.5V17",
    "╰": "4 0V4.5Q4 8.5 8 8.5",
    "╯": "4 0V4.5Q4 8.5 0 8.5",
    "┤": "4 0V17M0 8.5H4",
    "└": "4 0V8.5H8",
}
"""The ways of the corners of frames and of the marks on axes, which meet the lines."""
HEAVY_CORNERS = {"┏": "4 17V8.5H8", "┓": "4 17V8.5H0", "┗": "4 0V8.5H8", "┛": "4 0V8.5H0", "╍": "0 8.5H3M4 8.5H7"}
"""Those of a heavy line, which is as wide as its lines, and its dashes."""
SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
DOTS = {chr(0x2800 + bits): bits for bits in range(1, 256)}
"""Braille signs and their dots as bits, drawn as terminals do that draw them themselves: as far apart in all cells."""
DOT_PLACES = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""The column and the row of the dot of each bit."""
DRAWN = frozenset({*BLOCKS, *QUADRANTS, *SHADES, *CORNERS, *HEAVY_CORNERS, *DOTS})
"""The characters that are drawn as shapes."""


@dataclass(slots=True)
class Sheet:
    """The rows and styles of an SVG, each written once; ground and front are the colours of its cells by default."""

    ground: str = GROUND
    front: str = FRONT
    rows: dict[str, str] = field(default_factory=dict)
    styles: dict[str, str] = field(default_factory=dict)

    def row(self, strip: Strip) -> str:
        """Return the name of a row."""
        drawn = "".join(self._cells(strip))
        return self.rows.setdefault(drawn, f"r{len(self.rows)}")

    def _cells(self, strip: Strip) -> Iterable[str]:
        at = 0
        for text, style, _ in Segment.simplify(strip):
            width = Segment(text).cell_length
            yield from self._run(text, style or Style.null(), at, width)
            at += width

    def _run(self, text: str, style: Style, at: int, width: int) -> Iterable[str]:
        front, ground = style.color, style.bgcolor
        if style.reverse:
            front, ground = ground, front
        x, across = at * CELL, width * CELL
        colour = None if ground is None or ground.is_default else ground.get_truecolor().hex
        if colour not in {None, self.ground}:
            yield f'<rect x="{x}" width="{across}" height="{LINE}" fill="{colour}"/>'
        for is_block, group in groupby(text, key=lambda sign: ENDED.get(sign, sign) if sign in DRAWN else ""):
            run = "".join(group)
            cells = Segment(run).cell_length
            if is_block in CORNERS or is_block in HEAVY_CORNERS:
                shade = front.get_truecolor().hex if front is not None else self.front
                for number in range(len(run)):
                    x = (at + number) * CELL
                    wide = ' stroke-width="3"' if is_block in HEAVY_CORNERS else ""
                    way = f'd="M{(CORNERS | HEAVY_CORNERS)[is_block]}" transform="translate({x} 0)"{wide}'
                    yield f'<path {way} fill="none" stroke="{shade}"/>'
            elif is_block in DOTS:
                yield _dots(run, at, front.get_truecolor().hex if front is not None else self.front)
            elif is_block:
                yield _block(run, at, front.get_truecolor().hex if front is not None else self.front)
            else:
                yield from self._words(run, style, at, front)
            at += cells

    def _words(self, text: str, style: Style, at: int, front: Color | None) -> Iterable[str]:
        x, across = at * CELL, Segment(text).cell_length * CELL
        if not text.isspace():
            look = f"fill:{front.get_truecolor().hex if front is not None else self.front}"
            look += ";font-weight:bold" if style.bold else ""
            look += ";text-decoration:underline" if style.underline else ""
            name = self.styles.setdefault(look, f"s{len(self.styles)}")
            place = f'x="{x}" y="{BASELINE}" textLength="{across}"'
            words = escape(text).replace(" ", "\xa0")  # the entity of a blank is three times as long
            yield f'<text class="{name}" {place}>{words}</text>'


def _dots(run: str, at: int, colour: str) -> str:
    """Draw the dots of braille signs beside each other."""
    places = [
        (number * CELL + column * CELL / 2 + 1, row * LINE / 4 + 1)
        for number, sign in enumerate(run, at)
        for bit, (column, row) in enumerate(DOT_PLACES)
        if DOTS[sign] >> bit & 1
    ]
    return f'<path d="{"".join(f"M{x:g} {y:g}h2v2h-2" for x, y in places)}" fill="{colour}"/>'


def _block(run: str, at: int, colour: str) -> str:
    """Draw equal block characters side by side as one rectangle, without seams; the narrow ones stand apart."""
    sign, count = run[-1], len(run)
    if sign in QUADRANTS:
        quarters = [(int(each) % 2 / 2, int(each) // 2 / 2) for each in QUADRANTS[sign]]
        return "".join(
            f'<rect x="{(at + number + left) * CELL:g}" y="{top * LINE:g}" width="{CELL / 2:g}"'
            f' height="{LINE / 2:g}" fill="{colour}"/>'
            for number in range(count)
            for left, top in quarters
        )
    left, top, width, height = BLOCKS.get(sign, (0, 0, 1, 1))
    shade = f' opacity="{SHADES[sign]}"' if sign in SHADES else ""
    places = [(at, count)] if width == 1 or sign in ENDED else [(at + number, 1) for number in range(count)]
    return "".join(
        f'<rect x="{(place + left) * CELL:g}" y="{top * LINE:g}" width="{(cells - 1 + width) * CELL:g}"'
        f' height="{height * LINE:g}" fill="{colour}"{shade}/>'
        for place, cells in places
    )


FONTS = (
    f"text{{font:{FONT}px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}}"
    # No seams between the cells of an area where a page scales it; lines stay smooth, so that all are as thick.
    'g rect:not([width="1"]):not([height="1"]):not([height="3"]){shape-rendering:crispEdges}'
)


def still(strips: Sequence[Strip], ground: str, front: str) -> str:
    """Write a screen as an SVG, with room for its edge."""
    sheet = Sheet(ground, front)
    width, height = strips[0].cell_length * CELL, len(strips) * LINE
    rows = [(sheet.row(strip), y) for y, strip in enumerate(strips)]
    names = {name: cells for cells, name in sheet.rows.items()}
    drawn = "\n".join(f'<g transform="translate(0 {y * LINE})">{names[name]}</g>' for name, y in rows)
    styles = "".join(f".{name}{{{look}}}" for look, name in sheet.styles.items())
    width, height = width + 2 * EDGE, height + 2 * EDGE
    size = f'viewBox="{-EDGE} {-EDGE} {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f"<style>{FONTS}{styles}</style>\n"
        f'<rect x="{-EDGE}" y="{-EDGE}" width="100%" height="100%" rx="6" fill="{ground}"/>\n{drawn}\n</svg>\n'
    )
