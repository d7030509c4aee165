"""Every command of the grammar: the function that runs it, and its help."""

import importlib
from collections.abc import Iterator

import pytest

from backlit.cli.arguments import parser
from backlit.cli.late_parser import LateParser


def commands(command: LateParser, name: str = "") -> Iterator[tuple[str, LateParser]]:
    for verb, below in command.verbs.items():
        yield from commands(below, f"{name} {verb}".strip())
    if not command.verbs:
        yield name, command


COMMANDS = dict(commands(parser()))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_names_a_function_that_exists(name: str) -> None:
    module, _, function = COMMANDS[name].get_default("handler").partition(":")

    assert callable(getattr(importlib.import_module(f"backlit.cli.{module}"), function))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_in_lines_of_text(name: str) -> None:
    text = COMMANDS[name].format_help()

    assert text.startswith(f"usage: backlit {name}")
    assert all(line.isprintable() for line in text.splitlines())
