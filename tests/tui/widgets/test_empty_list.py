"""What stands in an empty list."""

from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles
from backlit.tui.widgets.empty_list import EmptyList, HiddenItem, HiddenItems
from backlit.tui.widgets.wordmark import HALVES

LOOKS = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"})
WAYS = (("esc", "clear the filter"), ("/", "change the filter"))
ITEMS = tuple(
    HiddenItem(f"#{at}", "◆", f"Item {at}", "5", "Not done", "lena", "type-story", "owner-1") for at in range(9)
)


def texts(empty: EmptyList, width: int = 80, height: int = 30) -> list[str]:
    return ["".join(segment.text for segment in line).rstrip() for line in empty.lines(width, height, LOOKS)]


def test_the_items_of_wider_filters_share_the_lines_below_the_ways_out() -> None:
    hidden = (
        HiddenItems("Without “mine”", 2, ITEMS[:2], ("esc", "show them")),
        HiddenItems("Without “zebra”", 30, ITEMS),
    )
    lines = texts(EmptyList("No item matches", WAYS, hidden), height=20)

    heads = [" ".join(line.replace("─", " ").split()) for line in lines if "Without" in line]
    assert heads == ["Without “mine” 2 items esc show them", "Without “zebra” 7 of 30 items"]
    assert len([line for line in lines if "Item" in line]) == 2 + 7
    assert len([line for line in lines if line.split()[:3] == ["#", "Name", "Pts"]]) == len(hidden)
    assert len(lines) <= 20
    assert "No item matches" in lines[0]
    assert {line.index("◆") for line in lines if "◆" in line} == {lines[-1].index("◆")}


def test_a_low_list_has_the_ways_out_alone() -> None:
    lines = texts(EmptyList("No item matches", WAYS, (HiddenItems("Without “zebra”", 30, ITEMS),)), height=7)

    assert not any("Without" in line for line in lines)
    assert any("change the filter" in line for line in lines)


def test_the_name_of_the_program_stands_where_there_is_room_for_it() -> None:
    empty = EmptyList("! backlit.local is unavailable\nit keeps trying", WAYS, mark=HALVES)

    assert any("".join(HALVES[0]).strip() in line for line in texts(empty))
    assert not any("█" in line for line in (*texts(empty, height=12), *texts(empty, width=58)))
