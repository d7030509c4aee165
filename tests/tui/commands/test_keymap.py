"""Presets and a user's own keys, and what is wrong with those."""

import pytest

from backlit.model.settings.key_sequences import KeyChange, KeyPreset
from backlit.model.settings.own_commands import OwnCommand
from backlit.tui.commands.keymap import PRESETS, KeyOrigin, bound_commands, key_faults
from backlit.tui.commands.table import COMMANDS

FAULTS = {
    "an-unknown-command": ("item.staus", "s", "There is no command “item.staus”. Did you mean “item.status”?"),
    "a-key-of-the-same-context": ("item.done", "s", "s is a key of item.status too (Items). item.done is not reached"),
    "a-key-of-a-nearer-context": ("item.done", "j", "j is a key of list.down too (Moving in lists). item.done is not"),
    "a-key-of-a-farther-context": ("list.zen", "u", "u is a key of app.undo too (Everywhere). app.undo is not reached"),
    "a-key-that-hides-longer-ones": ("item.copy-id", "y", "y hides yn of item.copy-name, which is longer."),
    "a-key-that-is-hidden": ("list.zen", "s x", "s hides sx of list.zen, which is longer."),
    "a-key-that-is-another-one": ("list.zen", "ctrl+i", "ctrl+i may never arrive: terminals send it as tab."),
    "a-key-of-tmux": ("list.zen", "ctrl+b", "ctrl+b may never arrive: tmux keeps it for its own commands."),
    "a-key-of-few-terminals": ("list.zen", "alt+z", "alt+z may never arrive: only a terminal with kitty's"),
    "a-letter-of-texts": ("app.palette", "ö", "ö is a letter of texts, where app.palette has to work too."),
}


@pytest.mark.parametrize(("command", "keys", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_users_key_is_told(command: str, keys: str, sentence: str) -> None:
    faults = key_faults(KeyPreset.VIM, {command: KeyChange((keys,))})

    assert any(each.command_id == command and each.sentence.startswith(sentence) for each in faults), faults


@pytest.mark.parametrize("preset", KeyPreset)
def test_nothing_is_wrong_with_a_free_key_beside_the_usual_ones_or_none(preset: KeyPreset) -> None:
    changes = {"item.status": KeyChange(("ctrl+g",), is_added=True), "list.zen": KeyChange(())}

    found = {each.command.id: each for each in bound_commands(preset, changes)}

    assert key_faults(preset, changes) == []
    assert found["item.status"].command.keys == ("s", "c s", "ctrl+g")
    assert found["list.zen"].command.keys == ()
    assert found["list.zen"].origin is KeyOrigin.USER


def test_a_preset_is_as_free_of_faults_as_if_a_user_had_written_it() -> None:
    changes = {name: KeyChange(keys) for name, keys in PRESETS[KeyPreset.ARROWS].items()}

    told = [each for each in key_faults(KeyPreset.VIM, changes) if "only a terminal with kitty" not in each.sentence]

    assert {*changes} <= {each.id for each in COMMANDS}
    assert told == []


def test_commands_of_the_user_have_a_heading_of_their_own() -> None:
    own, *_ = bound_commands(KeyPreset.VIM, {}, [OwnCommand("branch", "New branch", words=("git", "branch"))])

    assert own.command.heading == "Your own"
