"""The manual page, backlit(1), in roff, made from the grammar."""

import argparse
from collections.abc import Iterator

from backlit.cli.arguments import parser
from backlit.cli.late_parser import LateParser
from backlit.model.errors import EXIT_MEANINGS
from backlit.model.version import VERSION

_NAME = "backlit \\- backlog grooming and sprint planning in the terminal"
_ABOUT = (
    "Without a command, backlit opens its screens. Results of commands go to standard output, everything else to"
    " standard error. A listing is a table on a terminal; elsewhere it is one line a row, with tabs between the values."
)


def manual_page() -> Iterator[str]:
    """Yield the lines of the page."""
    top = parser()
    yield f'.TH BACKLIT 1 "" "backlit {VERSION}" "User Commands"'
    yield from (".SH NAME", _NAME, ".SH SYNOPSIS", ".B backlit", "[\\fIOPTIONS\\fR] [\\fICOMMAND\\fR ...]")
    yield from (".SH DESCRIPTION", _escaped(_ABOUT), ".SH OPTIONS", *_options(top), ".SH COMMANDS")
    for path, command, words in _commands(top):
        yield from (f'.SS "{_escaped(path)}"', _escaped(f"{words[:1].upper()}{words[1:]}."), *_options(command))
    yield ".SH EXIT STATUS"
    for code, words in EXIT_MEANINGS.items():
        yield from (".TP", f".B {code}", _escaped(words))
    yield from (".SH FILES AND VARIABLES", "See backlit help files, and backlit help configuration.")
    yield from (".SH SEE ALSO", "backlit help lists further topics.")


def _commands(grammar: LateParser, path: str = "") -> Iterator[tuple[str, LateParser, str]]:
    for word, words in grammar.verb_helps():
        command = grammar.verbs[word]
        if command.verbs:
            yield from _commands(command, f"{path}{word} ")
        else:
            yield f"{path}{word}", command, words


def _options(command: LateParser) -> Iterator[str]:
    for action in command._actions:  # noqa: SLF001 - argparse has no other list of them
        if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):  # noqa: SLF001
            continue
        value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        takes_value = not action.option_strings or action.nargs != 0
        names = ", ".join(f"\\fB{_escaped(each)}\\fR" for each in action.option_strings)
        shown = f" \\fI{_escaped(value)}\\fR" if takes_value else ""
        words = action.help or ""
        if "%(" in words:
            words = command._get_formatter()._expand_help(action)  # noqa: SLF001 - as its help is written
        yield from (".TP", f"{names}{shown}".strip(), _escaped(words) or "\\&")


def _escaped(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
