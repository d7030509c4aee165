"""JSON and TOML from others."""

from collections.abc import Callable

import pytest

from backlit.model.settings.user_settings import json_in, toml_in

DEEP = 100_000


@pytest.mark.parametrize(
    ("read", "begin", "repeated", "sentence"),
    [
        (json_in, "", "[", "nested too deeply"),
        (json_in, "", '{"a":', "nested too deeply"),
        (json_in, "", "9", "thousands of digits"),
        (json_in, "{", "", "line 1, column 2"),
        (toml_in, "a = ", "[", "nested too deeply"),
        (toml_in, "a = ", "{a = ", "nested too deeply"),
        (toml_in, "a = ", "9", "thousands of digits"),
        (toml_in, "a = =", "", "line 1"),
    ],
)
def test_unreadable_documents_raise_a_sentence(
    read: Callable[[str], object], begin: str, repeated: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(begin + repeated * DEEP)
