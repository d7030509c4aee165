"""The reference of `backlit admin`, made from its grammar; `python -m tests.cli.admin_reference` writes it anew."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from backlit.cli.arguments import parser

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "administration.md"
BEGIN = "<!-- Made from the program's own help by python -m tests.cli.admin_reference; a test compares them. -->\n"
COMMON = {"--database", "--files", "--json", "--help"}
"""What every command takes; said once, in the text."""


def commands(grammar: argparse.ArgumentParser | None = None) -> Iterator[argparse.ArgumentParser]:
    """Every command of `backlit admin` that can be run, in the order of the help."""
    if grammar is None:
        grammar = _below(parser())["admin"]
        grammar.parse_known_args(["users", "list"])  # the rest of the grammar is made when it is used
    below = _below(grammar)
    for command in below.values():
        yield from commands(command)
    if not below:
        yield grammar


def words_of(command: argparse.ArgumentParser) -> list[str]:
    """The command with a value for everything that it requires."""
    required = [action for action in command._actions if action.required]
    values = [[*action.option_strings[-1:], next(iter(action.choices or ["x=open"]))] for action in required]
    return [*command.prog.split()[1:], *(str(word) for words in values for word in words)]


def reference() -> str:
    """The commands as Markdown: how each is written, what it does, and its options."""
    return "\n".join(line for command in commands() for line in _lines(command))


def written() -> str:
    """The reference as it stands in the document."""
    return DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].strip("\n")


def _lines(command: argparse.ArgumentParser) -> Iterator[str]:
    places = [action for action in command._actions if not action.option_strings]
    options = [action for action in command._actions if action.option_strings and not COMMON & {*action.option_strings}]
    words = [f"{name(place)} …" if place.nargs == "+" else name(place) for place in places]
    yield f"### `{' '.join([command.prog, *words, *(['[options]'] if options else [])])}`\n"
    about = command.description or ""
    yield f"{about[:1].upper()}{about[1:]}.\n"
    for action in [*(place for place in places if place.help), *options]:
        yield f"- `{spelling(action)}`: {command._get_formatter()._expand_help(action)}"
    if options or any(place.help for place in places):
        yield ""


def spelling(action: argparse.Action) -> str:
    return " ".join([*action.option_strings, *([name(action)] if action.nargs != 0 else [])])


def name(action: argparse.Action) -> str:
    """What stands for a value: its name, or what it may be."""
    if action.metavar is None and action.choices is not None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _below(grammar: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in grammar._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


if __name__ == "__main__":
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(f"{text.partition(BEGIN)[0]}{BEGIN}\n{reference()}\n", encoding="utf-8")
