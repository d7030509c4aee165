"""The page of commands, made from the grammar and the published documents.

`python -m tests.cli.command_reference` writes docs/commands.md.
"""

import argparse
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.cli.admin_reference import name, spelling

from backlit.cli.arguments import parser
from backlit.cli.common_options import add_display, add_formats, add_reading, add_target, add_writing
from backlit.cli.late_parser import LateParser
from backlit.cli.published import DOCUMENTS
from backlit.model.errors import EXIT_MEANINGS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAD = """<!-- Written by python -m tests.cli.command_reference from the grammar; a test compares them. -->

# Commands

`backlit NOUN VERB [ID…] [FIELD=VALUE…] [OPTIONS]`. Options stand before or after the command. `backlit` alone opens the
screens, and a number alone opens that item. `backlit help COMMAND` says what stands here, and `backlit help columns`,
`exit-codes` or `json` explains a topic; `backlit help query` shows that page of these docs, and `man backlit` has all
commands where the manual page is installed. [Scripting](scripting.md) has examples that belong together, and
[administration](administration.md) the commands of `backlit admin`.

Results go to standard output, everything else to standard error. A listing is a table on a terminal; elsewhere it is
one line a row, with tabs between the values and without headings. After a failure of a command with `--json`, standard
error ends with one object, the document `failure`, and standard output is empty.

"""
ELSEWHERE = "admin"
"""The command that has a page of its own."""
Groups = dict[str, tuple[str, AbstractSet[str]]]


def _options_of(*adds: object) -> list[argparse.Action]:
    command = LateParser(add_help=False)
    for add in adds:
        add(command)  # type: ignore[operator]
    return list(command._actions)


def _groups() -> Groups:
    """Return the options that many commands share: by title, what they are for, and the options."""
    display, target = _options_of(add_display), _options_of(add_target)
    reading = [each for each in _options_of(add_reading) if not _is_in(each, [*display, *target])]
    writing = [each for each in _options_of(add_writing) if not _is_in(each, [*display, *target, *reading])]
    found: Groups = {}
    for title, words, actions in (
        ("target", "which workspace", target),
        ("display", "how people read it", display),
        ("formats", "the form of the result; one at most", _options_of(add_formats)),
        ("connection", "where the data is from", reading),
        ("changes", "before and after a change", writing),
    ):
        found[title] = words, {option for action in actions for option in action.option_strings}
    return found


def _is_in(action: argparse.Action, others: list[argparse.Action]) -> bool:
    return any(action.option_strings == other.option_strings for other in others)


def commands(grammar: LateParser, path: str = "") -> Iterator[tuple[str, LateParser, str]]:
    """Yield each command that runs with its words and its help, in the order of the help."""
    for word, words in grammar.verb_helps():
        command = grammar.verbs[word]
        if command.verbs and word != ELSEWHERE:
            yield from commands(command, f"{path}{word} ")
        else:
            yield f"{path}{word}", command, words


def page() -> str:
    groups = _groups()
    lines = [*_shared(groups), *_exit_codes(), "## The commands", ""]
    noun = ""
    for path, command, words in commands(parser()):
        if path.split()[0] != noun and " " in path:
            lines += [f"### {path.split()[0]}", ""]
        elif " " not in path and " " not in noun and path.split()[0] != noun:
            lines += [f"### {path}", ""]
        noun = path.split()[0]
        lines += _section(path, command, words, groups)
    return HEAD + "\n".join(lines).rstrip() + "\n"


def _shared(groups: Groups) -> Iterator[str]:
    yield from ("## Options that many commands have", "")
    actions = _options_of(add_writing, add_formats)
    for title, (words, options) in groups.items():
        yield from (f"**{title}**: {words}.", "")
        yield from (_option(action) for action in actions if {*action.option_strings} & options)
        yield ""


def _exit_codes() -> Iterator[str]:
    yield from ("## Exit codes", "", "| code | meaning |", "|---|---|")
    yield from (f"| {code} | {words} |" for code, words in EXIT_MEANINGS.items())
    yield ""


def _section(path: str, command: LateParser, words: str, groups: Groups) -> Iterator[str]:
    places = [action for action in command._actions if not action.option_strings]
    has = {option for action in command._actions for option in action.option_strings}
    # A group counts where the command has its first option, as some commands leave one of the others out.
    shared = [title for title, (_, options) in groups.items() if len(options & has) * 2 > len(options)]
    common = {option for title in shared for option in groups[title][1]} | {"-h", "--help"}
    own = [action for action in command._actions if action.option_strings and not {*action.option_strings} & common]
    if path == ELSEWHERE:
        yield from (f"`backlit {path}`: {words}. See [administration](administration.md).", "")
        return
    yield from (
        f"#### `{' '.join(['backlit', path, *map(_place, places)])}`",
        "",
        f"{words[:1].upper()}{words[1:]}.",
        "",
    )
    described = [*(_option(action) for action in places if action.help), *map(_option, own)]
    if described:
        yield from (*described, "")
    if shared:
        yield f"Options: {', '.join(shared)}."
    yield from _documents(path)
    yield ""


def _documents(path: str) -> Iterator[str]:
    for title, document in DOCUMENTS.items():
        for written, form in ((document.one, "a"), (document.many, "an array of")):
            found = [each for each in written if " ".join(word for word in each.split() if word.islower()) == path]
            if found:
                which = "" if found == [path] else f" ({', '.join(f'`{each}`' for each in found)})"
                yield f"JSON: {form} `{title}`{which}."


def _place(action: argparse.Action) -> str:
    word = name(action)
    if action.nargs in {"*", "+"}:
        word = f"{word}…"
    return f"[{word}]" if action.nargs in {"?", "*"} else word


def _option(action: argparse.Action) -> str:
    words = LateParser()._get_formatter()._expand_help(action)
    return f"- `{spelling(action)}`: {words}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
