"""Commands of a user, `[[command]]` of config.toml: what they take, and how placeholders become words and variables."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from backlit.model.errors import BadRequest
from backlit.model.plain import plain

COMMAND_TIMEOUT = 30.0
"""Seconds after which a command is ended, unless it says another number or has the terminal."""
PROMPT = "prompt."
"""Before the name of a prompt in a placeholder."""
MAX_SLUG = 50
END_OF_OPTIONS = "--"
_PLACEHOLDER = re.compile(r"\{\{|(?<!\$)\{([a-z]+(?:\.[A-Za-z0-9_-]+)?)\}")
_SHELL_BREAKS = frozenset(" \t\n;|&()")
_CLOSING = {"'": "'", '"': '"', "`": "`", "(": ")"}


class CommandSubject(StrEnum):
    """What a command is run on: one item, the selected ones, a node, all rows of a list, or nothing."""

    ITEM = "item"
    ITEMS = "items"
    ITERATION = "iteration"
    AREA = "area"
    LIST = "list"
    ANYWHERE = "anywhere"


class CommandOutput(StrEnum):
    """Where the output of a command goes in the screens."""

    NONE = "none"
    MESSAGE = "message"
    PAGER = "pager"
    TERMINAL = "terminal"


_ALWAYS = ("project", "profile")
PLACEHOLDERS: Mapping[CommandSubject, tuple[str, ...]] = {
    CommandSubject.ITEM: (*("id", "name", "slug", "type", "status", "owner", "iter", "area", "url"), *_ALWAYS),
    CommandSubject.ITEMS: ("ids", *_ALWAYS),
    CommandSubject.ITERATION: ("id", "name", "slug", "iter", *_ALWAYS),
    CommandSubject.AREA: ("id", "name", "slug", "area", *_ALWAYS),
    CommandSubject.LIST: ("ids", *_ALWAYS),
    CommandSubject.ANYWHERE: _ALWAYS,
}
"""The placeholders of a command beside its prompts."""


class CommandPrompt(Struct, frozen=True):
    """A question before a command runs; with choices one of them is the answer."""

    name: str
    label: str
    choices: tuple[str, ...] = ()
    default: str = ""


class OwnCommand(Struct, frozen=True):
    """A command of the user: `words` without a shell, or a text for `sh`."""

    id: str
    name: str
    words: tuple[str, ...] = ()
    shell: str = ""
    keys: str = ""
    """The sequence of keys as commands hold it; empty without one."""
    subject: CommandSubject = CommandSubject.ITEM
    output: CommandOutput = CommandOutput.MESSAGE
    confirm: str = ""
    """The question before it runs, with placeholders; empty for none."""
    is_refreshing: bool = False
    """Whether a sync follows."""
    folder: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables with placeholders in their values."""
    timeout: float = COMMAND_TIMEOUT
    prompts: tuple[CommandPrompt, ...] = ()

    def placeholders(self) -> frozenset[str]:
        """Return the placeholders that the command may have."""
        return frozenset((*PLACEHOLDERS[self.subject], *(f"{PROMPT}{each.name}" for each in self.prompts)))

    def question(self, values: Mapping[str, str]) -> str:
        return _filled(self.confirm, values)

    def program(self, values: Mapping[str, str]) -> "PreparedProgram":
        """Return the program with the values of its placeholders. Raises BadRequest for one that could be an option."""
        usable = {name: _usable(value) for name, value in values.items()}
        environment = {name: _filled(text, usable) for name, text in self.environment.items()}
        if self.shell:
            text, variables = _for_shell(self.shell, usable)
            return PreparedProgram(("/bin/sh", "-c", text), {**environment, **variables})
        return PreparedProgram(tuple(_words(self.words, usable)), environment)


class PreparedProgram(NamedTuple):
    """A program with its arguments, and variables beside those of this process."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def placeholders_in(text: str) -> list[str]:
    return [found[1] for found in _PLACEHOLDER.finditer(text) if found[1]]


def slug_of(name: str) -> str:
    """Return a name as a part of a branch or a file: small letters and digits with dashes between them."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = "-".join(re.findall("[a-z0-9]+", letters))
    return words[:MAX_SLUG].rstrip("-") or "item"


def _usable(value: str) -> str:
    """Return a value that an operating system takes as an argument: without NUL and lone surrogates."""
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], "") if found[1] else "{", text)


def _words(words: Sequence[str], values: Mapping[str, str]) -> Iterator[str]:
    """Yield each word with its placeholders filled; it stays one word, whatever the values are."""
    for at, word in enumerate(words):
        filled = _filled(word, values)
        if filled.startswith("-") and not word.startswith("-") and END_OF_OPTIONS not in words[:at]:
            raise _option_fault(filled, word)
        yield filled


def check_shell(text: str) -> None:
    """Refuse a text for `sh` with a placeholder in a place where a variable cannot be quoted. Raises BadRequest."""
    _for_shell(text, {})


def _for_shell(text: str, values: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """Return a text for `sh` with variables in place of its placeholders, and the variables.

    No value stands in the text, so none can be read as a part of a program: quotes around a value would hold neither
    between double quotes nor in a here-document or a comment. A variable is quoted as its place needs it, so that it
    stays one word.
    """
    variables: dict[str, str] = {}
    parts: list[str] = []
    quotes, end = _ShellQuotes(), 0
    for found in _PLACEHOLDER.finditer(text):
        before = text[end : found.start()]
        quotes.read(before)
        parts.append(before)
        end = found.end()
        name = found[1]
        if not name:
            parts.append("{")
            continue
        value = values.get(name, "")
        if "<<" in text:
            raise BadRequest("A here-document cannot stand beside placeholders. Move it to a script of its own.")
        if quotes.is_nested:
            raise BadRequest(f"{found[0]} stands in a command inside of quotes. Take that command out of the quotes.")
        if value.startswith("-") and _begins_word(text, found.start()):
            raise _option_fault(value, found[0])
        variable = f"backlit_{re.sub('[^A-Za-z0-9]', '_', name)}"
        variables[variable] = value
        quote = {"'": "'\"", '"': ""}.get(quotes.innermost, '"')
        parts.append(f"{quote}${{{variable}}}{quote[::-1]}")
    return "".join([*parts, text[end:]]), variables


class _ShellQuotes:
    """Which quotes and parentheses are open behind a part of a text for `sh`."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._is_escaped = self._is_comment = False
        self._before = "\n"

    @property
    def innermost(self) -> str:
        return self._open[-1] if self._open else ""

    @property
    def is_nested(self) -> bool:
        """Return whether a command stands inside of quotes here."""
        return '"' in self._open[:-1] or "`" in self._open

    def read(self, text: str) -> None:
        for character in text:
            if self._is_comment:
                self._is_comment = character != "\n"
            elif self._is_escaped:
                self._is_escaped = False
            elif character == "\\" and self.innermost != "'":
                self._is_escaped = True
            elif character == _CLOSING.get(self.innermost):
                self._open.pop()
            elif self._opens(character):
                self._open.append(character)
            else:
                self._is_comment = character == "#" and not self._is_quoted and self._before in _SHELL_BREAKS
            self._before = character
        self._is_escaped = False

    @property
    def _is_quoted(self) -> bool:
        return self.innermost in {'"', "'"}

    def _opens(self, character: str) -> bool:
        if self.innermost == '"':
            return character == "`" or (character == "(" and self._before == "$")
        return self.innermost != "'" and character in _CLOSING


def _begins_word(text: str, at: int) -> bool:
    """Return whether a place in a shell's text begins a word that could be an option: no `--` stands before it."""
    before = text[:at].rstrip("\"'")
    words = re.split("[;|&\n]", before)[-1].split()
    return (not before or before[-1] in _SHELL_BREAKS) and END_OF_OPTIONS not in words


def _option_fault(value: str, placeholder: str) -> BadRequest:
    return BadRequest(
        f"“{plain(value, 40)}” for {placeholder} begins with - and would be read as an option. Nothing was run. Write"
        f' "{END_OF_OPTIONS}" before {placeholder} in the command.'
    )
