"""Completion of words in a shell: a short script for each, and the candidates that it asks for.

The candidates come from the parsers, so a script does not age with a release.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from backlit.cli.aliases import own_aliases
from backlit.cli.arguments import parser
from backlit.cli.late_parser import LateParser

_SCRIPTS: Mapping[str, str] = {
    "bash": """_backlit() {
    local IFS=$'\\n' line=${COMP_LINE:0:COMP_POINT} last=${COMP_WORDS[COMP_CWORD]} words word
    IFS=' ' read -ra words <<< "$line"
    [[ $line == *' ' ]] && words+=('')
    # Bash ends a word at : and =, and replaces what is behind them.
    [[ $last == [:=] ]] && last=
    local before=${words[-1]%"$last"}
    COMPREPLY=()
    for line in $(backlit complete -- "${words[@]:1}" 2>/dev/null); do
        word=${line%%$'\\t'*}
        printf -v word %q "${word#"$before"}"
        COMPREPLY+=("$word")
    done
}
complete -o default -F _backlit backlit
""",
    "zsh": """#compdef backlit
_backlit() {
    local -a candidates
    local line
    for line in ${(f)"$(backlit complete -- ${words[2,CURRENT]} 2>/dev/null)"}; do
        candidates+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    _describe backlit candidates || _files
}
compdef _backlit backlit
""",
    "fish": """function __backlit_complete
    set -l words (commandline -opc) (commandline -ct)
    backlit complete -- $words[2..-1] 2>/dev/null
end
complete -c backlit -a "(__backlit_complete)"
""",
}
_PLACES: Mapping[str, str] = {
    "bash": "backlit completion bash > ~/.local/share/bash-completion/completions/backlit",
    "zsh": "backlit completion zsh > a file _backlit in a directory of $fpath, before compinit",
    "fish": "backlit completion fish > ~/.config/fish/completions/backlit.fish",
}


def print_script(arguments: argparse.Namespace) -> None:
    sys.stdout.write(_SCRIPTS[arguments.shell])
    if sys.stdout.isatty():
        print(f"backlit: To install it: {_PLACES[arguments.shell]}", file=sys.stderr)


def print_candidates(arguments: argparse.Namespace) -> None:
    """Write what may stand for the last word, each with its help behind a tab."""
    *before, last = arguments.words or [""]
    for word, words in _candidates(before, last):
        if word.casefold().startswith(last.casefold()):
            print(f"{word}\t{words}" if words else word)


def _candidates(before: Sequence[str], last: str) -> Iterable[tuple[str, str]]:
    command, option = _command_at(before)
    profile = _profile_in(before)
    if option is not None:
        return [*_values_of(command, option), *_copied(command, option, last, profile)]
    if last.startswith("-"):
        return _options_of(command)
    if command.verbs:
        aliases = [] if before else [(name, words) for name, words in own_aliases().items()]
        return [*command.verb_helps(), *aliases]
    if command.prog.startswith("backlit config "):
        return _of_setting(command, before[-1])
    places = [each for each in _actions(command) if not each.option_strings]
    return [
        each for action in places for each in (*_values_of(command, action), *_copied(command, action, last, profile))
    ]


def _of_setting(command: LateParser, word: str) -> Iterator[tuple[str, str]]:
    """Yield the settings behind a verb, and behind a setting to write its values."""
    from backlit.cli.setting_words import settings, values_of

    verb = command.prog.rpartition(" ")[2]
    if word == verb and verb in {"get", "set", "unset"}:
        yield from ((name, meaning) for name, _, meaning in settings())
    elif verb == "set":
        yield from ((value, "") for value in values_of(word))


def _copied(command: LateParser, action: argparse.Action, last: str, profile: str) -> Iterator[tuple[str, str]]:
    from backlit.cli.completion_values import values_of  # 25 ms, which the completion of options saves

    return values_of(command, action, last, profile)


def _profile_in(before: Sequence[str]) -> str:
    """Return the profile that the words name, empty without one."""
    named = [after for word, after in pairwise(before) if word == "--profile"]
    return named[-1] if named else ""


def _command_at(before: Sequence[str]) -> tuple[LateParser, argparse.Action | None]:
    """Return the command that some words lead to, and the option behind them whose value is next."""
    command: LateParser = parser()
    option: argparse.Action | None = None
    for word in before:
        if option is not None:
            option = None
        elif word.startswith("-"):
            option = None if "=" in word else _valued(command, word)
        else:
            command = command.verbs.get(word, command)
    return command, option


def _actions(command: LateParser) -> Sequence[argparse.Action]:
    return command._actions  # noqa: SLF001 - argparse has no other way to them


def _options_of(command: LateParser) -> Iterator[tuple[str, str]]:
    for action in _actions(command):
        yield from ((name, _help_of(action)) for name in action.option_strings if name.startswith("--"))


def _valued(command: LateParser, name: str) -> argparse.Action | None:
    """Return the option that takes the next word as its value."""
    found = command._option_string_actions.get(name)  # noqa: SLF001
    return found if found is not None and found.nargs is None else None


def _values_of(command: LateParser, action: argparse.Action) -> Iterator[tuple[str, str]]:
    if action.choices is not None:
        yield from ((str(each), "") for each in action.choices)
    elif action.dest == "profile" or (action.dest == "name" and command.prog.startswith("backlit profiles ")):
        from backlit.config.settings import Profiles, find_locations

        yield from ((name, "") for name in Profiles(find_locations()).names())
    elif action.dest == "view":
        from pathlib import Path

        from backlit.config.settings import find_locations
        from backlit.config.view_files import read_views

        views = read_views(find_locations(), Path.cwd())
        yield from ((each.name, each.query) for each in (*views.own, *views.shared))
    elif action.dest == "own_command":
        from backlit.config.settings import find_locations, read_settings

        yield from ((each.id, each.name) for each in read_settings(find_locations()).commands)


def _help_of(action: argparse.Action) -> str:
    return (action.help or "") % {"default": action.default}
