"""Screens are drawn as SVG without seams and without cut letters."""

import re

from rich.segment import Segment
from rich.style import Style
from tests.svg import BASELINE, CELL, LINE, still
from textual.strip import Strip

BAR = Style.parse("#00ff00 on #101010")


def rectangles(text: str) -> list[tuple[str, ...]]:
    """Return place and size of each rectangle of a line of bars; the first one is the ground of the picture."""
    drawn = still([Strip([Segment(text, BAR)])], "#101010", "#ffffff")
    return re.findall(r'<rect x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)"', drawn)[1:]


def test_equal_cells_of_a_bar_are_one_rectangle() -> None:
    assert rectangles("████") == [("0", "0", str(4 * CELL), str(LINE))]
    assert rectangles("▀▀▀") == [("0", "0", str(3 * CELL), f"{LINE / 2:g}")]


def test_quarters_of_a_cell_are_drawn_one_by_one() -> None:
    quarter = f"{CELL / 2:g}", f"{LINE / 2:g}"

    assert rectangles("▞▞") == [(f"{x:g}", y, *quarter) for x, y in ((4, "0"), (0, "8.5"), (12, "0"), (8, "8.5"))]


def test_the_end_of_a_bar_is_as_wide_as_its_eighths() -> None:
    assert rectangles("█▎")[1] == (str(CELL), "0", f"{CELL / 4:g}", str(LINE))


def test_lines_of_a_frame_meet() -> None:
    drawn = still([Strip([Segment("╭─╮")]), Strip([Segment("│ │")])], "#101010", "#ffffff")

    assert drawn.count("<path") == 2
    assert f'height="{LINE}" fill="#ffffff"' in drawn
    assert "─" not in drawn
    assert "│" not in drawn


def test_a_ground_is_one_rectangle_and_letters_have_room_below_their_baseline() -> None:
    drawn = still([Strip([Segment(" gap ", Style.parse("#ffffff on #202020"))])], "#101010", "#ffffff")

    assert drawn.count("#202020") == 1
    assert f'y="{BASELINE}"' in drawn
    assert LINE - BASELINE >= 4
