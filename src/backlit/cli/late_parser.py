"""Argument parser that builds its grammar on first use, suggests words, and takes JSON's fields behind a sign."""

import argparse
import sys
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from backlit.cli.common_options import JSON, MOVED_OPTIONS, TEXT_OPTIONS, VALUED_OPTIONS
from backlit.cli.terminal_size import terminal_columns

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeAlias

    LateParsers: TypeAlias = UserDict[str, "LateParser | Callable[[], LateParser]"]
    SubParsers: TypeAlias = argparse._SubParsersAction["LateParser"]  # noqa: SLF001 - argparse's only name for it
else:
    LateParsers, SubParsers = UserDict, argparse._SubParsersAction  # noqa: SLF001

NO_MORE_OPTIONS = "--"


# argparse takes 1.7 ms to import, click 35.
class LateParser(argparse.ArgumentParser):
    """Parser whose verbs are made when they are first asked for, to spare the start of other commands."""

    rest = ""
    """The argument that takes words behind options too: argparse fills what may be empty once, before them."""
    takes_json_fields = False
    """Whether `--json=FIELDS` is an option; a plain `--json` never takes the next word."""

    more_words: "Callable[[Sequence[str]], Sequence[str]] | None" = None
    """Returns options that stand before those of the command line; raises ArgumentTypeError with a sentence."""

    is_json_wanted = False
    """Whether the command line asks for JSON; of the class, as argparse tells a parser nothing of the one above."""

    _verbs: "LateVerbs | None" = None

    @property
    def verbs(self) -> "Mapping[str, LateParser]":
        """The commands below this one by name, empty for a command that runs."""
        return self._verbs.choices if self._verbs is not None else {}

    @property
    def options(self) -> "Mapping[str, argparse.Action]":
        """The options of this command by what is typed."""
        return self._option_string_actions

    def verb_helps(self) -> "Iterator[tuple[str, str]]":
        """Yield the names of the commands below this one with their help; not those that are not listed."""
        listed = self._verbs._choices_actions if self._verbs is not None else []  # noqa: SLF001 - nothing else has it
        return ((str(action.dest), action.help or "") for action in listed)

    def add_verbs(self, title: str = "commands", metavar: str = "COMMAND", *, is_required: bool = True) -> "LateVerbs":
        verbs = self.add_subparsers(
            title=title, metavar=metavar, required=is_required, parser_class=LateParser, action=LateVerbs
        )
        assert isinstance(verbs, LateVerbs)
        self._verbs = verbs
        return verbs

    def _get_formatter(self) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(self.prog, width=terminal_columns() - 2)

    def parse_known_args(self, args: "Any" = None, namespace: "Any" = None) -> "Any":
        """Parse; this parser reports the words that it does not know."""
        words = list(sys.argv[1:] if args is None else args)
        if self.more_words is not None:
            try:
                words = [*self.more_words(words), *words]
            except argparse.ArgumentTypeError as fault:
                self.error(str(fault))
        found, unknown = super().parse_known_args(list(self._with_values_joined(words)), namespace)
        if unknown and self.rest and not any(each.startswith("-") for each in unknown):
            unknown = self._without_rest(found, unknown)
        if unknown and not self.verbs:
            self._refuse(unknown)
        return found, unknown

    def _without_rest(self, found: argparse.Namespace, words: "list[str]") -> "list[str]":
        """Give the argument of `rest` these words; return those that it does not take."""
        action = next(each for each in self._actions if each.dest == self.rest)
        try:
            values = [self._get_value(action, word) for word in words]
        except argparse.ArgumentError as fault:
            self.error(str(fault))
        before = getattr(found, self.rest)
        if action.nargs == argparse.ZERO_OR_MORE:
            setattr(found, self.rest, [*before, *values])
            return []
        if before == action.default:
            setattr(found, self.rest, values[0])
            return words[1:]
        return words

    def _with_values_joined(self, words: Sequence[str]) -> Iterator[str]:
        """Join options with their values where argparse would not: `--json` with none, a query that begins with `-`."""
        is_option, rest = True, iter(words)
        for word in rest:
            is_option = is_option and word != NO_MORE_OPTIONS
            if is_option and word == JSON and self.takes_json_fields:
                yield f"{JSON}="
            elif is_option and word in TEXT_OPTIONS and (value := next(rest, None)) is not None:
                yield f"{word}={value}"
            else:
                yield word

    def _refuse(self, unknown: Sequence[str]) -> "NoReturn":
        from backlit.model.nearest import nearest

        word = unknown[0]
        if not word.startswith("-"):
            fields = f" To choose fields write {JSON}={word}" if self.takes_json_fields else ""
            self.error(f"unexpected {word[:60]!r}.{fields}")
        near = nearest(word.partition("=")[0], self._option_string_actions)
        self.error(f"unrecognized arguments: {' '.join(unknown)[:200]}" + (f". Did you mean {near}?" if near else ""))

    def error(self, message: str) -> "NoReturn":
        """Print the usage, the fault and where to read on, and exit with 2."""
        if self.is_json_wanted:
            from backlit.cli.failures import write_failure

            write_failure("UsageFault", 2, message)
            self.exit(2)
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\nTry: {self.prog} --help\n")


class _ParsersByName(LateParsers):
    """Parsers by their names; one that was not asked for yet is a function that makes it."""

    def __getitem__(self, name: str) -> LateParser:
        found = self.data[name]
        if not isinstance(found, LateParser):
            found = self.data[name] = found()
        return found


# With every parser built a command takes 22 ms more than with those on its way: argparse asks for a translation of its
# words and for the size of the terminal again for each option.
class LateVerbs(SubParsers):
    """The commands below a parser."""

    def __init__(self, *arguments: "Any", **options: "Any") -> None:
        super().__init__(*arguments, **options)
        self._parsers = _ParsersByName()
        self.choices = self._name_parser_map = self._parsers  # type: ignore[assignment] # a mapping like argparse's own

    def add_late(
        self,
        name: str,
        words: str,
        handler: str = "",
        fill: "Callable[[LateParser], object] | None" = None,
        *,
        is_listed: bool = True,
    ) -> None:
        """Add a command with its help and the function that runs it; `fill` adds options when it is asked for."""
        if is_listed:
            self._choices_actions.append(self._ChoicesPseudoAction(name, (), words))

        def make() -> LateParser:
            command = LateParser(prog=f"{self._prog_prefix} {name}", description=words)
            if handler:
                command.set_defaults(handler=handler)
            if fill is not None:
                fill(command)
            return command

        self._parsers[name] = make


class TopParser(LateParser):
    """Parser of the whole command line: options before the command stand behind it, a number alone opens its item."""

    def parse_known_args(self, args: "Any" = None, namespace: "Any" = None) -> "Any":
        """Arrange the words, then parse them."""
        from backlit.cli.failures import wants_json

        words = list(sys.argv[1:] if args is None else args)
        LateParser.is_json_wanted = wants_json(words)
        return super().parse_known_args(self._arranged(words), namespace)

    def _arranged(self, words: Sequence[str]) -> Sequence[str]:
        front = list(self._options_before_command(words))
        rest = list(words[sum(map(len, front)) :])
        if not rest or rest[0].startswith("-"):
            return words
        number = rest[0].removeprefix("#")
        if number.isascii() and number.isdigit():
            rest[:1] = ["open", number]
        if rest[0] not in self.verbs:
            rest[:1] = self._words_of_alias(rest[0])
        depth, verbs = 0, self.verbs
        names: list[str] = []
        while verbs and depth < len(rest) and not rest[depth].startswith("-"):
            if rest[depth] not in verbs:
                self._refuse_command([*names, rest[depth]], verbs)
            names.append(rest[depth])
            verbs = verbs[rest[depth]].verbs
            depth += 1
        staying = [each for each in front if each[0].partition("=")[0] not in MOVED_OPTIONS]
        moved = [each for each in front if each not in staying]
        return [*chain(*staying), *names, *chain(*moved), *rest[depth:]]

    def _words_of_alias(self, name: str) -> Sequence[str]:
        """Return what an unknown command stands for, itself where it is no alias; a command is never one."""
        from backlit.cli.aliases import own_aliases, words_of_alias

        aliases = own_aliases()
        words = words_of_alias(name, aliases)
        if words is None and name not in self.verbs:
            self._refuse_command([name], self.verbs, aliases)
        return words or [name]

    def _options_before_command(self, words: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the options before the command, each with its value."""
        at = 0
        while at < len(words) and words[at].startswith("-") and words[at] not in {"-", NO_MORE_OPTIONS}:
            name, sign, _ = words[at].partition("=")
            meant = [each for each in VALUED_OPTIONS if each == name or (len(name) > 2 and each.startswith(name))]
            size = 2 if meant and not sign else 1
            yield words[at : at + size]
            at += size

    def _refuse_command(
        self, path: Sequence[str], known: Mapping[str, LateParser], aliases: Iterable[str] = ()
    ) -> "NoReturn":
        from backlit.model.nearest import nearest

        parser: LateParser = self
        for name in path[:-1]:
            parser = parser.verbs[name]
        near = nearest(path[-1], [*known, *aliases])
        hint = f" Did you mean: {parser.prog} {near}" if near else f" Commands: {', '.join(known)}."
        parser.error(f"unknown command {path[-1][:60]!r}.{hint}")
