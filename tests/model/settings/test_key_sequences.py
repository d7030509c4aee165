"""Sequences of keys as people write them."""

import pytest

from backlit.model.errors import BadRequest
from backlit.model.settings.key_sequences import read_keys, spelled
from backlit.tui.commands.keymap import PRESETS
from backlit.tui.commands.table import COMMANDS

USED = {
    *(key for each in COMMANDS for key in each.keys),
    *(k for each in PRESETS.values() for ks in each.values() for k in ks),
}


def test_every_sequence_is_read_as_it_is_spelled() -> None:
    assert {spelled(each): read_keys(spelled(each)) for each in USED} == {spelled(each): each for each in USED}


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("gb", "g b"), ("g b", "g b"), ("Esc", "escape"), ("PgUp", "pageup"), ("Ctrl+D", "ctrl+d"), ("ц", "ц"),
        ("shift+ctrl+up", "ctrl+shift+up"), ("c ctrl+x", "c ctrl+x"), ("+", "+"), ("ctrl++", "ctrl++"), ("f5", "f5"),
    ],
)  # fmt: skip
def test_a_sequence_may_be_written_in_several_ways(written: str, keys: str) -> None:
    assert read_keys(written) == keys


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("", "no sequence of one to 4 keys"),
        ("a b c d e", "no sequence of one to 4 keys"),
        ("entre", "Did you mean “enter”?"),
        ("ctrl+entr", "Did you mean “enter”?"),
        ("nothing", "There is no key “nothing”"),
    ],
)
def test_other_texts_are_refused_with_the_nearest_name(written: str, words: str) -> None:
    with pytest.raises(BadRequest, match=words.replace("?", r"\?")):
        read_keys(written)
