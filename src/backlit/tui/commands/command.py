"""A command, and one call of it."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.query import Candidate
from backlit.model.settings.key_sequences import KEY_SPELLINGS

DIGITS = KEY_SPELLINGS["digit"]
"""The spelling of `digit`, the key for any digit but 0."""


LOADING_SENTENCE = "The list is still loading. Try again in a moment."


class CannotAct(Exception):
    """Raised by a command that cannot run now; the text is a sentence for the user."""


class AskFirst(CannotAct):
    """Raised by a command before it acts: `ask` returns whether the command runs again."""

    def __init__(self, sentence: str, ask: Callable[[], Awaitable[bool]]) -> None:
        super().__init__(sentence)
        self.ask = ask


class Context(StrEnum):
    """Section of the key table, in order of precedence: places, then lists and items, then the application."""

    BOARD = "Board"
    PLAN = "Plan"
    TREE = "Iterations and areas"
    EDITOR = "Editor"
    TASKS = "Tasks of an item"
    LINKS = "Links"
    CRITERIA = "Criteria"
    COMMENTS = "Comments"
    ATTACHMENTS = "Attachments"
    HISTORY = "History"
    TABS = "Tabs of an item"
    OUTBOX = "Outbox"
    INBOX = "Inbox"
    REPORTS = "Reports"
    SETTINGS = "Project settings"
    IMPORT = "Import"
    GROOM = "Grooming"
    SUMMARY = "Grooming summary"
    MOVES = "Moving in lists"
    DETAIL = "Detail below a list"
    LIST = "Lists"
    ITEM = "Items"
    GLOBAL = "Everywhere"


class Command(Struct, frozen=True):
    """A row of the command table.

    `keys` holds sequences of key names separated by blanks (`g b`, `ctrl+d`, `?`). A command with `in_text` also runs
    while a text input has the focus; its keys must not be printable. `handler` is `group:function` or
    `group:Class.method`; the group is a module below `backlit.tui` that is imported when one of its commands first
    runs. `argument` is passed on in the
    call, so that rows can share a function. With `is_stepped` a count is a number of steps; otherwise it is the number
    of rows that the command acts on. `completer` names the function that completes the command's argument, in the
    group or as `group:function`; a command with `takes_text` accepts an argument without completing it. `words` are
    the names that run the command on the command line; `also` are further words, separated by blanks, that find it in
    the palette. `section` says what it is for, where a context has many commands.
    """

    id: str
    keys: tuple[str, ...]
    context: Context
    label: str
    help: str
    handler: str
    argument: str = ""
    in_text: bool = False
    is_stepped: bool = False
    takes_text: bool = False
    completer: str = ""
    words: tuple[str, ...] = ()
    also: str = ""
    section: str = ""

    @property
    def heading(self) -> str:
        """Return what it stands under among the keys."""
        return self.section or self.context.value

    @property
    def group(self) -> str:
        """Return the module of the handler, relative to `backlit.tui`."""
        return self.handler.partition(":")[0]

    @property
    def completing(self) -> str:
        return self.completer if ":" in self.completer else f"{self.group}:{self.completer}"


def in_section(section: str, *commands: Command) -> tuple[Command, ...]:
    return tuple(replace(each, section=section) for each in commands)


class CommandContext(Struct, frozen=True):
    """A run of a command.

    `count` is the number typed before the keys, `letter` the character that ended a chord, and `text` the argument
    typed on the command line.
    """

    command: Command
    count: int | None = None
    letter: str = ""
    text: str = ""

    @property
    def rows(self) -> int | None:
        """Return the number of rows to act on from the cursor down; None without a count, or for a count of steps."""
        return None if self.command.is_stepped else self.count


def candidates_beginning(names: Sequence[str], text: str, cursor: int) -> list[Candidate]:
    typed = text[:cursor].casefold()
    return [Candidate(name, 0, cursor) for name in names if name.casefold().startswith(typed)]


ID_DIGITS = 19
"""Digits from which a number is too long for an id."""


def item_number(text: str) -> int | None:
    """Return the id in `1042` or `#1042`; None for other text."""
    number = text.removeprefix("#")
    return int(number) if number.isdecimal() and len(number) < ID_DIGITS else None
