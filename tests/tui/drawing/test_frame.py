"""Frames: what is written is little, and comes to what was painted."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from tests.tui.drawing.drawn import Drawn
from textual.geometry import Size
from textual.strip import Strip

from backlit.tui.drawing import frame_rows
from backlit.tui.drawing.frame import Frame

WIDTH, HEIGHT = 24, 10
TRUE = ColorSystem.TRUECOLOR
STYLES = [
    Style(),
    Style(color="#d9d5cb", bgcolor="#14151a"),
    Style(color="#f4b860", bgcolor="#14151a", bold=True),
    Style(color="#f4b860", bgcolor="#362c1c"),
    Style(color="red", italic=True, underline=True),
    Style(bgcolor="#362c1c", reverse=True),
    Style(color="#d9d5cb", strike=True, bold=True),
]
WORDS = some.text(some.sampled_from("ab1 ─◆漢字한🙂é") | some.just(" "), max_size=12)
PIECES = some.lists(some.tuples(WORDS, some.sampled_from(STYLES)), max_size=4)


@dataclass(frozen=True)
class Step:
    """What happens before a frame is sent: lines are painted, all cells forgotten, or all lines move."""

    lines: dict[int, list[Strip]]
    moved: int = 0
    is_forgotten: bool = False
    is_sent: bool = True
    cursor: tuple[int, int] | None = (3, 2)


def strip_of(pieces: list[tuple[str, Style]], width: int) -> Strip:
    return Strip([Segment(text, style) for text, style in pieces]).adjust_cell_length(width, STYLES[1])


@some.composite
def line(draw: some.DrawFn) -> list[Strip]:
    cut = draw(some.integers(1, WIDTH - 1))
    return [strip_of(draw(PIECES), cut), strip_of(draw(PIECES), WIDTH - cut)]


STEPS = some.builds(
    Step,
    some.dictionaries(some.integers(0, HEIGHT - 1), line(), max_size=HEIGHT),
    some.sampled_from((0, 0, 0, 1, -1, 2, -3)),
    some.booleans(),
    some.booleans(),
    some.sampled_from((None, (3, 2))),
)


def paint(frame: Frame, stock: Drawn, y: int, strips: list[Strip]) -> None:
    """Put a line into the frame, and write it to a terminal as Textual does."""
    x = 0
    for strip in strips:
        frame.put(x, y, strip, TRUE)
        rendered = "".join(style.render(text) if style else text for text, style, _ in strip)
        stock.feed(f"\x1b[{y + 1};{x + 1}H{rendered}")
        x += strip.cell_length


@pytest.mark.slow
@settings(max_examples=60)
@given(some.lists(STEPS, min_size=1, max_size=6), some.booleans())
def test_the_terminal_shows_what_was_painted(steps: list[Step], erases: bool) -> None:
    frame, stock, drawn = Frame(erases=erases), Drawn(WIDTH, HEIGHT), Drawn(WIDTH, HEIGHT)
    frame.resize(Size(WIDTH, HEIGHT))
    lines = [[strip_of([], WIDTH)] for _ in range(HEIGHT)]
    for step in [Step(dict(enumerate(lines))), *steps, Step({})]:
        moved = [lines[(y + step.moved) % HEIGHT] for y in range(HEIGHT)] if step.moved else lines
        after = [step.lines.get(y, moved[y]) for y in range(HEIGHT)]
        if step.is_forgotten:
            frame.forget()
        for y, strips in enumerate(after):
            if strips is not lines[y] or step.is_forgotten:
                paint(frame, stock, y, strips)
        lines = after
        if step.is_sent:
            drawn.feed(frame.flush(step.cursor))

            assert drawn.cells() == stock.cells()
            assert step.cursor in {None, drawn.cursor}


@pytest.fixture
def frame() -> Frame:
    frame = Frame()
    frame.resize(Size(WIDTH, HEIGHT))
    for y in range(HEIGHT):
        frame.put(0, y, strip_of([(f"line {y}", STYLES[1])], WIDTH), TRUE)
    frame.flush()
    return frame


def test_a_control_character_never_reaches_the_terminal(frame: Frame) -> None:
    frame.put(0, 0, Strip([Segment("a\x1b[2J")]), TRUE)

    written = frame.flush()

    assert "a␛[2" in written
    assert "\x1b[2J" not in written


def test_what_is_there_already_is_not_written(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("line 3", STYLES[1])], WIDTH), TRUE)

    assert frame.flush() == ""


def test_one_other_character_is_one_character_and_the_way_to_it(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("line X", STYLES[1])], WIDTH), TRUE)

    assert frame.flush() == "\x1b[4;6HX"


@pytest.mark.parametrize(
    ("words", "after", "sequence"),
    [
        ("line of two", "like if two", "ke i"),
        ("line one of two", "like one of too", "k\x1b[14Go"),
        ("line ──▸─ two", "link ━━▸━ two", "k ━━\x1b[C━"),
    ],
)
def test_the_few_cells_between_words_are_written_again_where_that_is_shorter(
    frame: Frame, words: str, after: str, sequence: str
) -> None:
    frame.put(0, 3, strip_of([(words, STYLES[1])], WIDTH), TRUE)
    frame.flush()
    frame.put(0, 3, strip_of([(after, STYLES[1])], WIDTH), TRUE)

    assert frame.flush().endswith(sequence)


def test_common_characters_are_of_a_width_that_terminals_agree_on() -> None:
    assert [each for each in frame_rows._SINGLE if not frame_rows.is_agreed(each)] == []  # noqa: SLF001 - the table


def test_attributes_stay_with_the_terminal_until_somebody_else_writes(frame: Frame) -> None:
    assert frame.rest() == "\x1b[m"

    frame.put(0, 3, strip_of([("line X", STYLES[1])], WIDTH), TRUE)

    assert frame.flush() == "\x1b[4;6H\x1b[38;2;217;213;203;48;2;20;21;26mX"


def test_no_link_stays_open_after_a_frame(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("line 3", STYLES[1] + Style(link="https://example.com"))], WIDTH), TRUE)

    assert frame.flush().endswith("line 3\x1b]8;;\x1b\\")


def test_cells_of_one_style_are_written_together_where_that_is_shorter(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("a", STYLES[1]), ("bb", STYLES[3]), ("c", STYLES[1])], WIDTH), TRUE)
    frame.put(0, 4, strip_of([("d", STYLES[1]), ("ee", STYLES[3]), ("f", STYLES[1])], WIDTH), TRUE)

    sequence = frame.flush()

    assert (sequence.count("38;2;217;213;203"), sequence.count("38;2;244;184;96")) == (0, 1)


def test_a_row_with_a_character_of_disputed_width_is_written_in_order(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("👩‍💻a", STYLES[1]), ("bb", STYLES[3]), ("c", STYLES[1])], WIDTH), TRUE)

    sequence = frame.flush()

    assert sequence.index("a") < sequence.index("bb") < sequence.index("c", sequence.index("bb"))


def test_a_colour_that_blanks_do_not_show_is_not_sent(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("line 3", STYLES[1]), ("   ", STYLES[2])], WIDTH), TRUE)

    assert frame.flush() == ""


def test_blanks_up_to_the_edge_are_erased_where_that_fills_them(frame: Frame) -> None:
    frame.put(0, 3, strip_of([(" " * WIDTH, STYLES[3])], WIDTH), TRUE)

    assert frame.flush() == "\x1b[4H\x1b[48;2;54;44;28m\x1b[K"


def test_lines_that_moved_are_moved_by_the_terminal(frame: Frame) -> None:
    for moved in (0, 1):
        frame.flush()
        for y in range(2, HEIGHT - moved):
            frame.put(0, y, strip_of([(chr(ord("a") + y + moved) * 20, STYLES[1])], WIDTH), TRUE)

    sequence = frame.flush()

    assert sequence.startswith("\x1b[3;10r\x1b[3H\x1b[M\x1b[r")
    assert len(sequence) < 120


def test_cells_at_the_edge_are_reached_from_the_one_above(frame: Frame) -> None:
    for y in (1, 2, 3):
        frame.put(WIDTH - 1, y, strip_of([("|", STYLES[0])], 1), TRUE)

    assert frame.flush().count("|\x1b[B|\x1b[B|") == 1


def test_forgetting_has_everything_written_again_when_it_is_painted(frame: Frame) -> None:
    frame.forget()
    for y in range(HEIGHT):
        frame.put(0, y, strip_of([(f"line {y}", STYLES[1])], WIDTH), TRUE)
    sequence = frame.flush()

    assert all(f"line {y}" in sequence for y in range(HEIGHT))


def test_behind_an_emoji_the_place_is_said_anew_as_terminals_disagree_about_its_width(frame: Frame) -> None:
    frame.put(0, 3, strip_of([("👩‍💻ab", STYLES[1])], WIDTH), TRUE)

    assert "👩‍💻\x1b[3Gab" in frame.flush()


def test_an_emoji_that_a_terminal_draws_narrower_leaves_nothing_of_before_beside_it(frame: Frame) -> None:
    drawn = Drawn(WIDTH, HEIGHT)
    for words in ("x" * WIDTH, "🏳️ab" + "x" * (WIDTH - 6) + "🏳️"):
        frame.put(0, 0, strip_of([(words, STYLES[1])], WIDTH), TRUE)
        drawn.feed(frame.flush())

    assert drawn.screen.display[0].rstrip() == "🏳 ab" + "x" * (WIDTH - 6) + "🏳"


def test_half_of_a_wide_character_that_is_painted_over_leaves_a_blank(frame: Frame) -> None:
    drawn = Drawn(WIDTH, HEIGHT)
    frame.forget()
    frame.put(0, 0, strip_of([("漢字漢字", STYLES[1])], WIDTH), TRUE)
    drawn.feed(frame.flush())
    frame.put(3, 0, strip_of([("abc", STYLES[1])], 3), TRUE)

    drawn.feed(frame.flush())

    assert drawn.screen.display[0].rstrip() == "漢 abc字"
