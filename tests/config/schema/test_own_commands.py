"""What `[[command]]` of `config.toml` says, and what is said of its faults."""

# ruff: noqa: E501 - a sentence stands on one line

import pytest
from tests.config.settings_text import problems_in, settings_in

from backlit.model.settings.own_commands import CommandOutput, CommandPrompt, CommandSubject, OwnCommand

FAULTS = {
    "no-program": ("", "The command 'x' needs a program (2:1). Write run = [\"git\", \"status\"], or shell = \"git status\". It is left out."),
    "two-programs": ('run = ["a"]\nshell = "a"', "The command 'x' has both run and shell (2:1). Write run = [\"git\", \"status\"], or shell = \"git status\". It is left out."),
    "an-unknown-placeholder": (
        'on = "anywhere"\nrun = ["a", "{prject}"]',
        "The command 'x' on anywhere has no placeholder {prject} (5:7). Choose from: {profile}, {project}; a brace is written {{. Did you mean 'project'? The command is left out.",
    ),
    "a-shell-behind-run": ('run = ["sh", "-c", "echo {name}"]', "The command 'x' gives placeholders to a shell, which could run them (2:1). Write shell = \"…\" in place of run. It is left out."),
    "a-here-document": ('shell = "cat <<E\\n{name}\\nE"', "A here-document cannot stand beside placeholders (4:9). Move it to a script of its own. The command is left out."),
    "a-subject": ('run = ["a"]\non = "sprint"', 'The setting "on" of command 1 must be one of "item", "items", "iteration", "area", "list", "anywhere" (5:6). The command is left out.'),
    "an-output": ('run = ["a"]\noutput = "file"', 'The setting "output" of command 1 must be one of "none", "message", "pager", "terminal" (5:10). The command is left out.'),
    "a-key": ('run = ["a"]\nkey = "entre"', "There is no key “entre” (5:7). Did you mean “enter”? The command is left out."),
    "a-time": ('run = ["a"]\ntimeout = 0', 'The setting "timeout" of command 1 must be 1.0 or more (5:11). The command is left out.'),
    "an-unknown-setting": ('run = ["a"]\ncnfirm = true', "Unknown setting 'cnfirm' of command 1 (5:1). Did you mean 'confirm'? The command is left out."),
    "a-prompt-without-a-name": ('run = ["a"]\n[[command.prompt]]\nlabel = "Base"', 'The setting "name" of prompt 1 is missing (5:1). Add, for example: name = "base". The command is left out.'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_costs_its_command_alone(text: str, sentence: str) -> None:
    written = f'mouse = false\n[[command]]\nid = "x"\n{text}\n[[command]]\nid = "y"\nrun = ["a"]\n'

    assert problems_in(written) == (sentence,)
    assert [each.id for each in settings_in(written).commands] == ["y"]
    assert not settings_in(written).mouse


def test_an_id_is_a_word_and_belongs_to_one_command() -> None:
    text = "".join(f'[[command]]\nid = "{name}"\nrun = ["a"]\n' for name in ("x", "x", "no word"))

    assert problems_in(text) == (
        "There is a command 'x' already (4:1). It is left out.",
        'The setting "id" of command 3 must be letters, digits and -, such as id = "branch" (8:6). The command is left out.',
    )


def test_a_command_is_read_with_its_prompts() -> None:
    (command,) = settings_in(
        """\
[[command]]
id = "branch"
name = "Make a branch"
run = ["git", "switch", "-c", "{id}-{slug}", "{prompt.base}"]
key = "yb"
on = "item"
output = "none"
confirm = true
refresh = true
env = {ITEM = "{id}"}
timeout = 5
[[command.prompt]]
name = "base"
choices = ["main", "develop"]
default = "main"
"""
    ).commands

    assert command == OwnCommand(
        "branch",
        "Make a branch",
        ("git", "switch", "-c", "{id}-{slug}", "{prompt.base}"),
        keys="y b",
        subject=CommandSubject.ITEM,
        output=CommandOutput.NONE,
        confirm="Run “Make a branch”?",
        is_refreshing=True,
        environment={"ITEM": "{id}"},
        timeout=5.0,
        prompts=(CommandPrompt("base", "base", ("main", "develop"), "main"),),
    )
