"""What stands in an empty list."""

from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles
from backlit.tui.widgets.empty_list import EmptyList
from backlit.tui.widgets.wordmark import HALVES

LOOKS = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"})
WAYS = (("esc", "clear the filter"), ("/", "change the filter"))
WAYS_OUT = (("R", "try again"), ("gP", "open another workspace"), (":connect URL", "sign in"))
FACTS = (("Server", "http://backlit.local", "foreground"), ("Problem", "! nothing is listening there", "error"))
UNFILLED = EmptyList("Nothing loaded yet", WAYS_OUT, HALVES, FACTS)


def texts(empty: EmptyList, width: int = 80, height: int = 30) -> list[str]:
    lines = empty.lines(width, height, LOOKS)
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def test_the_ways_out_stand_in_one_line_where_it_has_room() -> None:
    wide, narrow = (texts(EmptyList("No item matches", WAYS), width=width, height=9) for width in (80, 44))

    assert wide == ["   No item matches", "", "   esc clear the filter   / change the filter"]
    assert narrow[2:] == ["   esc  clear the filter", "   /    change the filter"]


def test_what_the_ways_do_has_one_left_edge() -> None:
    lines = texts(EmptyList("Not loaded", WAYS_OUT, mark=HALVES))

    assert [line.strip() for line in lines[-3:]] == [
        "R             try again",
        "gP            open another workspace",
        ":connect URL  sign in",
    ]


def test_a_list_that_could_not_be_filled_says_what_is_known_in_a_box_in_the_middle() -> None:
    lines = texts(UNFILLED, width=100, height=12)
    box = [line.strip() for line in lines if line]

    assert len(lines) == 11
    assert {len(line) for line in box} == {78}
    assert lines[1].startswith(" " * 11 + "╭─ Nothing loaded yet ─")
    assert box[2:9] == [
        "│  Server        http://backlit.local                                        │",
        "│  Problem       ! nothing is listening there                                │",
        f"│{' ' * 76}│",
        "│  R             try again                                                   │",
        "│  gP            open another workspace                                      │",
        "│  :connect URL  sign in                                                     │",
        f"│{' ' * 76}│",
    ]


def test_where_lines_are_short_the_name_goes_before_the_box_and_that_before_the_facts() -> None:
    high, low, least = (texts(UNFILLED, width=60, height=height) for height in (14, 8, 7))

    assert any("█" in line for line in texts(UNFILLED, width=78, height=14))
    assert not any("█" in line for line in (*high, *low))
    assert low[0].startswith("╭─ Nothing loaded yet ─")
    assert len(low) == 8
    assert least[0] == "   Server        http://backlit.local"


def test_the_reason_stands_in_the_middle_where_nothing_else_is_shown_and_else_at_the_top() -> None:
    alone, above = (texts(EmptyList("No item matches", WAYS, is_alone=is_alone)) for is_alone in (True, False))

    assert alone[13] == " " * 19 + "No item matches"
    assert above == ["", "   No item matches", "   esc clear the filter   / change the filter", ""]


def test_the_name_of_the_program_stands_where_there_is_room_for_it_over_the_left_edge_of_the_rest() -> None:
    empty = EmptyList("! backlit.local is unavailable\nit keeps trying", WAYS, mark=HALVES)
    lines = texts(empty)
    edges = {len(line) - len(line.lstrip()) for line in lines if line}

    assert any("".join(HALVES[0]).strip() in line for line in lines)
    assert len(edges) == 1
    assert not any("█" in line for line in (*texts(empty, height=12), *texts(empty, width=58)))
