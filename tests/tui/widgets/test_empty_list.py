"""What stands in an empty list."""

from collections.abc import Sequence

from rich.segment import Segment

from backlit.store.records.item import ItemRow, RowSign
from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles
from backlit.tui.widgets.empty_list import EmptyList, HiddenItems
from backlit.tui.widgets.wordmark import HALVES

LOOKS = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"})
WAYS = (("esc", "clear the filter"), ("/", "change the filter"))
ITEMS = tuple(
    ItemRow(at, "Story", f"Item {at}", "Not Done", None, None, None, None, None, RowSign.NONE) for at in range(1, 10)
)


def drawn(rows: Sequence[ItemRow]) -> Sequence[Line]:
    return [[Segment("   # Name")], *([Segment(f"   {row.id} {row.name}")] for row in rows)]


def texts(empty: EmptyList, width: int = 80, height: int = 30) -> list[str]:
    lines = empty.lines(width, height, LOOKS, drawn)
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def test_the_items_of_wider_filters_share_the_lines_below_the_ways_out() -> None:
    hidden = HiddenItems("Without “mine”", 2, ITEMS[:2]), HiddenItems("Without “zebra”", 30, ITEMS)
    lines = texts(EmptyList("No item matches", WAYS, hidden), height=19)

    heads = [" ".join(line.replace("─", " ").split()) for line in lines if "Without" in line]
    assert heads == ["Without “mine” 2 items", "Without “zebra” 5 of 30 items"]
    assert len([line for line in lines if "Item " in line]) == 2 + 5
    assert len([line for line in lines if "# Name" in line]) == 1
    assert len(lines) <= 19
    assert {len(line) - len(line.lstrip()) for line in lines if line} == {3}


def test_the_ways_out_stand_in_one_line_where_it_has_room() -> None:
    wide, narrow = (texts(EmptyList("No item matches", WAYS), width=width) for width in (80, 44))

    assert wide == ["   No item matches", "", "   esc clear the filter   / change the filter"]
    assert narrow[2:] == ["   esc   clear the filter", "   /     change the filter"]


def test_a_low_list_has_the_ways_out_alone() -> None:
    lines = texts(EmptyList("No item matches", WAYS, (HiddenItems("Without “zebra”", 30, ITEMS),)), height=5)

    assert not any("Without" in line for line in lines)
    assert any("change the filter" in line for line in lines)


def test_the_name_of_the_program_stands_where_there_is_room_for_it_over_the_left_edge_of_the_rest() -> None:
    empty = EmptyList("! backlit.local is unavailable\nit keeps trying", WAYS, mark=HALVES)
    lines = texts(empty)
    edges = {len(line) - len(line.lstrip()) for line in lines if line}

    assert any("".join(HALVES[0]).strip() in line for line in lines)
    assert len(edges) == 1
    assert not any("█" in line for line in (*texts(empty, height=12), *texts(empty, width=58)))
