"""Hostile text is drawn safely, at exactly the width it is given."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from tests.tui.bare_app import BareApp
from textual.strip import Strip

from backlit.tui.drawing.frame_rows import cells_of
from backlit.tui.drawing.text import SafeFilter, fit, fit_middle, fit_right, literal, literal_block, safe, safe_block

ANY = st.text(alphabet=st.characters() | st.characters(categories=["Cc", "Cf", "Mn", "Me", "Zs", "Co"]), max_size=60)
WIDTHS = st.integers(0, 40)


def is_safe(text: str) -> bool:
    """Return whether all is printable; in emoji there are joiners and tags."""
    return re.sub("(?<=[^ -\u00ff])[\u200d\U000e0061-\U000e007f]+", "", text).isprintable()


@given(ANY)
def test_safe_text_is_one_printable_line(text: str) -> None:
    assert is_safe(safe(text))


@given(ANY)
def test_safe_text_is_safe_already(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(ANY)
def test_every_line_of_a_safe_block_is_printable(text: str) -> None:
    assert all(is_safe(line) for line in safe_block(text).split("\n"))


@given(ANY, WIDTHS)
def test_fitted_text_is_printable_and_exactly_as_wide_as_asked(text: str, width: int) -> None:
    for fitted in (fit(text, width), fit_middle(text, width), fit_right(text, width)):
        assert is_safe(fitted)
        assert cell_len(fitted) == width


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_is_left_alone(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]0;owned\x07", "␛]0;owned␇"),
        ("\x9b31m", "�31m"),
        ("a\r\nb\tc\x00\x7f", "a␍␊b␉c␀␡"),
        ("abc\u202egnp.exe", "abc�gnp.exe"),
        ("\u2066x\u2069", "�x�"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("a\u200db", "ab"),
        ("✓\u200d→", "✓→"),
        ("x🏽\ufe0f", "x"),
        ("🇩", "D"),
        ("🇩🇪🇫", "🇩🇪F"),
        ("\U000e0041x\U000e007f", "x"),
        ("a\u0301\u0301\u0301\u0301", "a\u0301\u0301"),
        ("a\u00a0b\u3000c", "a b c"),
        ("\ue000\u0378", "��"),
        ("\u2028\u2029", "��"),
    ],
)
def test_hostile_characters_are_shown_or_dropped(hostile: str, shown: str) -> None:
    assert safe(hostile) == shown


EMOJI = (
    "👩\u200d👩\u200d👧",
    "👩🏽\u200d⚕\ufe0f",
    "🇩🇪",
    "👍🏽",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
)


@pytest.mark.parametrize("emoji", EMOJI)
def test_an_emoji_of_several_characters_is_kept_whole(emoji: str) -> None:
    assert safe(emoji) == safe_block(emoji) == emoji
    assert fit(f"a{emoji}b", 4) == f"a{emoji}b"
    assert fit(f"a{emoji}bc", 4) == f"a{emoji}…"
    assert fit(f"a{emoji}", 2) == "a…"
    assert cells_of(Strip([Segment(f"a{emoji}b")]), ColorSystem.TRUECOLOR)[0] == ["a", emoji, "", "b"]


@pytest.mark.parametrize("emoji", EMOJI)
def test_an_emoji_of_several_characters_passes_the_last_gate(emoji: str) -> None:
    assert [segment.text for segment in SafeFilter().apply([Segment(emoji)], None)] == [emoji]


def test_a_block_keeps_its_lines_and_nothing_else() -> None:
    assert safe_block("a\r\nb\rc\td\x1b") == "a\nb\nc    d␛"


@pytest.mark.parametrize("text", ["[bold]x[/oops]", "[/]", "[@click=app.quit]x[/]"])
def test_content_is_never_markup(text: str) -> None:
    assert literal(text).plain == text
    assert literal_block(f"{text}\n{text}").plain == f"{text}\n{text}"
    assert not literal(text).spans


def test_a_cut_is_marked() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("日本語", 5) == "日本…"
    assert fit("日本語", 4) == "日… "
    assert fit("abc", 0) == ""


def test_numbers_stand_at_the_right() -> None:
    assert fit_right("12", 4) == "  12"
    assert fit_right("日", 4) == "  日"
    assert fit_right("12345", 4) == "123…"


@given(ANY)
def test_the_last_gate_lets_only_printable_text_pass_at_the_same_width(text: str) -> None:
    segments = [Segment(text, Style(bold=True)), Segment("plain")]

    passed = SafeFilter().apply(segments, None)

    assert all(is_safe(segment.text) for segment in passed)
    assert [segment.cell_length for segment in passed] == [segment.cell_length for segment in segments]
    assert [segment.style for segment in passed] == [segment.style for segment in segments]


def test_the_last_gate_is_the_same_for_every_frame_so_that_textual_keeps_its_lines() -> None:
    app = BareApp()

    assert app.get_line_filters() == app.get_line_filters()
    assert any(isinstance(each, SafeFilter) for each in app.get_line_filters())


def test_a_cut_in_the_middle_keeps_both_ends_by_their_width() -> None:
    assert fit_middle("lost on iPhone", 9) == "lost…hone"
    assert fit_middle("lost on iPhone", 20) == "lost on iPhone      "
    assert fit_middle("日本語日本", 6) == "日…本 "
    assert fit_middle("abcdef", 1) == "…"
