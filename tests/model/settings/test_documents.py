"""JSON and TOML from others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backlit.model.settings.user_settings import json_in, toml_in

DEEP = 100_000
NO_QUOTE = "a text has no quote at its end"
TWICE = "this table is written twice"


def toml_of(text: str) -> object:
    return toml_in(text.encode(), Path("config.toml"))


@pytest.mark.parametrize(
    ("read", "begin", "repeated", "sentence"),
    [
        (json_in, "", "[", "nested too deeply"),
        (json_in, "", '{"a":', "nested too deeply"),
        (json_in, "", "9", "thousands of digits"),
        (json_in, "{", "", "line 1, column 2"),
        (toml_of, "a = ", "[", "nested too deeply"),
        (toml_of, "a = ", "{a = ", "nested too deeply"),
        (toml_of, "a = ", "9", "thousands of digits"),
        (toml_of, "a = =", "", "line 1"),
    ],
)
def test_unreadable_documents_raise_a_sentence(
    read: Callable[[str], object], begin: str, repeated: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(begin + repeated * DEEP)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("=", "it begins neither with a key nor with a [table]"),
        ("a = 1 b = 2", "more follows after its end"),
        ("theme = paper", "there is no value after the =, or a text without quotes"),
        ("theme =\n", "there is no value after the =, or a text without quotes"),
        ("theme", "there is no = after the key"),
        ("a. = 1", "a key or the name of a table needs quotes, or is missing"),
        ("[]", "a key or the name of a table needs quotes, or is missing"),
        ("[board", "the name of a table has no ] after it"),
        ("[[view]", "the name of a table has no ]] after it"),
        ("[a]\n[a]", TWICE),
        ("[[a]]\n[a]", TWICE),
        ("a.b = 1\n[a]", TWICE),
        ("a = {}\na.b = 1", TWICE),
        ("a = 1\na = 2", "this is set twice"),
        ("a = {b = 1, b = 2}", "this is set twice"),
        ("a = [1, 2", "a list has no ] at its end"),
        ("a = {b = 1", "a table has no } at its end"),
        (r'a = "C:\Users"', "a \\u in a text has too few digits after it"),
        (r'a = "C:\some"', "a \\ in a text is written \\\\"),
        (r'a = "\uD800"', "a \\u in a text stands for no character"),
        ('a = "b\nc = 1', NO_QUOTE),
        ("a = 'b\nc = 1", NO_QUOTE),
        ('a = "b', NO_QUOTE),
        ("a = 'b", NO_QUOTE),
        ('a = """b\n\n', NO_QUOTE),
        ("a = '''b\n\n", NO_QUOTE),
        ('a = "\x00"', "it has a control character"),
        ("# \x00", "it has a control character"),
        ("a = 2026-02-30", "there is no such date or time"),
    ],
)
def test_a_fault_of_toml_is_said_in_own_words_with_its_file_and_line(text: str, fault: str) -> None:
    at_line = len(text.rstrip().splitlines()) if fault in {TWICE, "this is set twice"} else 1

    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole text is compared
        toml_of(f"# Mine\n\n{text}")

    assert str(raised.value) == f"config.toml, line {at_line + 2}: {fault}"


def test_a_file_in_another_encoding_is_said_with_its_line_and_a_mark_of_utf_8_is_no_fault() -> None:
    with pytest.raises(ValueError, match=r"^config.toml, line 2: it is not text in UTF-8$"):
        toml_in("a = 1\nb = 'ü'".encode("latin-1"), Path("config.toml"))

    assert toml_in("a = 1".encode("utf-8-sig"), Path("config.toml")) == {"a": 1}
