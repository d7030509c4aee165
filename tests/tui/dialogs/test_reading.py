"""How the lines of a dialog to be read are laid out in its width."""

from itertools import pairwise

import pytest
from textual.content import Content

from backlit.tui.dialogs.reading import laid_out

NAME = Content("20:24:09")
SENTENCES = (
    "Low bandwidth is off.",
    "No more columns to the right. tc chooses the columns, and zh scrolls to those at the left.",
    "項目の名前がとても長い場合に空のセルへ続くかどうかを確認するための文章です。",
)


@pytest.mark.parametrize("width", [20, 40, 56, 96])
def test_words_without_room_beside_their_name_stand_below_it_with_one_left_edge(width: int) -> None:
    for sentence in SENTENCES:
        lines = laid_out([(NAME, Content(sentence))], width).split("\n")

        assert all(line.cell_length <= width for line in lines)
        first, *others = (line.plain for line in lines)
        assert "".join(f"{first}{''.join(others)}".split()) == f"{NAME.plain}{sentence}".replace(" ", "")
        assert all(line.startswith("    ") for line in others)
        assert all(one[4] != " " and other[4] != " " for one, other in pairwise(others))
