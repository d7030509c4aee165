"""The parser of the terminal's input: keys, sequences that no terminal should send, and pastes."""

import random
import re
from collections.abc import Iterable

import pytest
from textual import events
from textual.message import Message

from backlit.tui.drawing.input_parser import MAX_PASTE, PASTE_LIMIT, PASTE_PIECE, InputParser, PasteRefused
from backlit.tui.drawing.text import _CHARACTERS, boundary
from backlit.tui.drawing.textual_private import ANSI_SEQUENCES_KEYS

SEED = 13


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def seen(messages: Iterable[Message]) -> list[str]:
    """Return the keys, the pasted texts and the names of the other messages."""
    return [
        each.key
        if isinstance(each, events.Key)
        else each.text
        if isinstance(each, events.Paste)
        else type(each).__name__
        for each in messages
    ]


def keys_of(sent: str) -> list[str]:
    """Return what is seen of characters that come together, and of the pause behind them."""
    parser = InputParser()
    return [*seen(parser.feed(sent)), *seen(parser.tick())]


@pytest.mark.parametrize(
    "second", ["j", "3", "b", "f", "1", "-", "=", "]", "P", "_", "O", "[", "\r", "\t", "\x7f", "é"]
)
def test_escape_and_a_key_behind_it_are_two_keys(second: str) -> None:
    assert keys_of(f"\x1b{second}") == ["escape", *keys_of(second)]


@pytest.mark.parametrize("keys", ["\x1b\x1b", "\x1b\x1b\x1bj", "\x1b]j", "\x1bP0j", "\x1bjj\x1bk"])
def test_keys_behind_escape_come_one_by_one(keys: str) -> None:
    assert keys_of(keys) == [key for each in keys for key in keys_of(each)]


@pytest.mark.parametrize(
    "sequence", ["\x1b[A", "\x1b[1;5A", "\x1bOA", "\x1b[3~", "\x1b[[A", "\x1b[3$", "\x1b[97;5u", "\x1bOp"]
)
def test_escape_before_a_sequence_takes_nothing_from_it(sequence: str) -> None:
    assert keys_of(f"\x1b{sequence}") == ["escape", *keys_of(sequence)]


@pytest.mark.parametrize(
    ("sequence", "keys"),
    [
        ("\x1b[97;3u", ["alt+a"]),
        ("\x1b[97;5u", ["ctrl+a"]),
        ("\x1b[97:65;2;65u", ["A"]),
        ("\x1b[97;1:1;97u", ["a"]),
        ("\x1b[27u", ["escape"]),
        ("\x1b[57399u", ["0"]),
        ("\x1b[0;;20320:22909u", ["你", "好"]),
        ("\x1b[27;2;65~", ["A"]),
        ("\x1b[27;5;105~", ["ctrl+i"]),
        ("\x1b[25~", ["f13"]),
    ],
)
def test_a_key_of_the_kitty_protocol_or_xterm_is_that_key(sequence: str, keys: list[str]) -> None:
    assert keys_of(sequence) == keys


IMPOSSIBLE = {
    "no character": "\x1b[1114112u",
    "a huge number": f"\x1b[{'9' * 30}u",
    "a number without end": f"\x1b[{'9' * 6000}u",
    "a surrogate": "\x1b[55296u",
    "text of a surrogate": "\x1b[97;1;55296u",
    "a control character": "\x1b[3u",
    "text of a control character": "\x1b[97;1;3u",
    "many modifiers": "\x1b[97;99999u",
    "a release": "\x1b[97;1:3u",
    "a private character": "\x1b[57500u",
    "no function key": "\x1b[99~",
    "no arrow": "\x1b[77A",
    "attributes": "\x1b[?62;22c",
    "no command": "\x1b[x",
    "cut": "\x1b[12",
    "cut behind a semicolon": "\x1b[1114112;",
    "no size": "\x1b[48;0;0;0;0t",
    "a huge size": "\x1b[48;99999;99999;9;9t",
    "a mouse far away": "\x1b[<0;99999999;1M",
    "a colour": "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
    "a version": "\x1bP>|xterm(380)\x1b\\",
    "an answer that is cut": "\x1b]11;rgb:ff",
    "a paste that ends": "\x1b[201~",
}


@pytest.mark.parametrize("sequence", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_no_terminal_should_send_is_ignored(sequence: str) -> None:
    parser = InputParser()

    assert seen(parser.feed(sequence)) == []
    assert seen(parser.tick()) == []
    assert seen(parser.feed("j")) == ["j"]


# Strings: OSC, DCS, SOS, PM and APC


@pytest.mark.parametrize("begun", ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_"])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("q", id="key"),
        pytest.param("xd:quit", id="command"),
        pytest.param("0;a title\r\n\x07", id="controls"),
        pytest.param("é\x9c日", id="8-bit"),
        pytest.param("x" * 5_000, id="long"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_a_string_presses_no_keys_up_to_its_end(begun: str, content: str, size: int) -> None:
    content = content.replace("\x07", "") if begun == "\x1b]" else content
    parser, sent = InputParser(), f"a{begun}{content}\x1b\\j"

    found = [each for at in range(0, len(sent), size) for each in parser.feed(sent[at : at + size])]

    assert seen(found) == ["a", "j"]


def test_a_bell_ends_an_osc_alone() -> None:
    assert keys_of("\x1b]133;A\x07j") == ["j"]
    assert keys_of("\x1b^q\x07j\x1b\\k") == ["k"]


@pytest.mark.parametrize("begun", ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_"])
def test_a_string_that_is_cut_is_keys_only_where_it_may_be_typed(begun: str) -> None:
    assert keys_of(f"{begun}j\x1bk") == [key for each in f"{begun}j\x1bk" for key in keys_of(each)]
    assert keys_of(f"{begun}j\x1b[A") == ["escape", *keys_of(begun[1:]), "j", "up"]
    assert keys_of(f"{begun}{'x' * PASTE_PIECE}") == []
    assert keys_of(f"{begun}{'x' * PASTE_PIECE}\x1b[A") == ["up"]


def test_keys_of_a_cut_string_have_the_time_at_which_they_came() -> None:
    clock = Clock()
    parser = InputParser(clock)
    clock.now = 5.0
    assert [*parser.feed("\x1bXj")] == []
    clock.now = 6.0

    assert [each.time for each in parser.tick()] == [5.0, 5.0, 5.0]


def test_an_eight_bit_control_in_the_text_begins_nothing_and_is_no_key() -> None:
    for control in map(chr, range(0x80, 0xA0)):
        assert keys_of(f"{control}A{control}200~j") == ["A", "2", "0", "0", "tilde", "j"], repr(control)


def test_a_size_without_pixels_lets_the_mouse_work() -> None:
    assert keys_of("\x1b[48;40;120;0;0t\x1b[<0;1;1M") == ["Resize", "MouseDown"]


def test_every_sequence_of_textual_is_read_whole() -> None:
    for sequence in ANSI_SEQUENCES_KEYS:
        parser = InputParser()
        found = seen([*parser.feed(sequence), *parser.tick(), *parser.feed("j")])

        assert found[-1] == "j", sequence
        assert len(found) <= 3, sequence  # the key; or esc and a key


@pytest.mark.parametrize("number", range(4))
def test_no_input_ends_the_parser_or_keeps_the_next_key(number: int) -> None:
    random_number = random.Random(SEED + number)
    pieces = [
        "\x1b",
        "\x1b[",
        "\x1bO",
        "\x1b]11;",
        "\x1bP",
        "\x1b[<",
        *":;<?0123456789uMmtRy~ABP$ \x07\\jé\x00\x9b\ufffd",
    ]
    for _ in range(300):
        sent = "".join(random_number.choices(pieces, k=random_number.randrange(1, 16)))
        parser = InputParser()
        [*parser.feed(sent), *parser.tick()]

        assert seen(parser.feed("j")) == ["j"], sent


def test_an_escape_has_the_time_at_which_it_came() -> None:
    clock = Clock()
    parser = InputParser(clock)
    clock.now = 5.0
    assert [*parser.feed("j\x1b")][1:] == []
    clock.now = 6.0
    (escape,) = parser.tick()

    assert escape.time == 5.0


# Pastes


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_escapes_in_a_pasted_text_press_no_keys_however_it_arrives(size: int) -> None:
    first, rest = "\x1b[Bé\x1b[200~a", "\x1b[31mq\x1b\x1b[201~\x1b[A"
    parser = InputParser()

    pieces = [first, *(rest[at : at + size] for at in range(0, len(rest), size))]
    messages = [each for piece in pieces for each in parser.feed(piece)]

    assert seen(messages) == ["down", "é", "aq", "up"]


def test_half_a_character_is_not_the_end_of_the_input() -> None:
    parser = InputParser()

    assert [*parser.feed("")] == []
    assert [each.character for each in parser.feed("é")] == ["é"]  # type: ignore[attr-defined] # a key


@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        ("one\r\ntwo\tthree", "one\r\ntwo\tthree"),
        ("pqr \x1b[31mred\rxd", "pqr red\rxd"),
        ("\x1b", ""),
        ("a\x1b\x1b[Ab", "ab"),
        ("\x1b]8;;https://a.example\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]0;begun and never ended", "0;begun and never ended"),
        ("\x03\x00\x7f\x9bno\x1b[200~ keys", "no keys"),
    ],
)
@pytest.mark.parametrize("size", [1, 4096])
def test_nothing_in_a_paste_is_a_key(pasted: str, text: str, size: int) -> None:
    parser, sent = InputParser(), f"a\x1b[200~{pasted}\x1b[201~b"

    found = [each for at in range(0, len(sent), size) for each in parser.feed(sent[at : at + size])]

    assert seen(found) == ["a", text, "b"]


def test_a_paste_whose_end_was_lost_ends_after_a_while_although_keys_are_typed() -> None:
    clock = Clock()
    parser = InputParser(clock)
    begun = seen(parser.feed("\x1b[200~begun"))
    during = []
    for _ in range(5):
        clock.now += PASTE_LIMIT / 4
        during += [*seen(parser.tick()), *seen(parser.feed("j"))]

    assert begun == []
    assert during == ["begunjjj", "j", "j"]


def test_a_paste_that_comes_slowly_goes_on() -> None:
    clock = Clock()
    parser = InputParser(clock)
    pieces = ["\x1b[200~", *["a piece of a long paste "] * 5, "\x1b[201~"]
    found = []
    for piece in pieces:
        clock.now += PASTE_LIMIT * 0.9
        found += seen([*parser.tick(), *parser.feed(piece)])

    assert found == ["".join(pieces[1:-1])]


def test_the_end_of_a_paste_in_two_pieces_ends_it() -> None:
    for at in range(1, 6):
        parser = InputParser()
        end = "\x1b[201~"

        assert seen([*parser.feed(f"\x1b[200~ab{end[:at]}"), *parser.feed(f"{end[at:]}j")]) == ["ab", "j"]


def test_a_paste_that_is_too_long_is_refused_and_the_next_key_is_not() -> None:
    parser = InputParser()
    messages = [*parser.feed("\x1b[200~")]
    for _ in range(MAX_PASTE // 50_000 + 1):
        messages += parser.feed("x" * 50_000)
    messages += parser.feed("\x1b[201~j")

    assert seen(messages) == ["PasteRefused", "j"]
    refused = messages[0]
    assert isinstance(refused, PasteRefused)
    assert refused.size == MAX_PASTE + 50_000


def test_the_boundaries_of_a_character_are_those_of_the_whole_line() -> None:
    random_number = random.Random(SEED)
    parts = [
        *"a1日é ",
        "\u0301",
        "\u200d",
        "\ufe0f",
        "\u20e3",
        "\U0001f1e9",
        "\U0001f468",
        "\U0001f3fd",
        "\U0001f3f4",
        "\U000e0067",
        "\U000e007f",
        "©",
    ]
    for _ in range(60):
        line = "".join(random_number.choices(parts, k=20))
        characters = [found.span() for found in re.finditer(_CHARACTERS, line)]
        for position in range(len(line) + 1):
            inside = next(((start, end) for start, end in characters if start < position < end), (position, position))

            assert boundary(line, position, is_after=False) == inside[0], (line, position)
            assert boundary(line, position, is_after=True) == inside[1], (line, position)
