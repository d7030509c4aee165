"""What a command is: one act, its keys, and where they mean it."""

from dataclasses import dataclass
from enum import StrEnum

from backlit.tui.words import WORDS

LETTERS = "{a-z}"
"""How the key that stands for any small letter, `letter`, is spelled."""
DIGITS = "{1-9}"
"""How the key that stands for any digit but 0, `digit`, is spelled."""


class Context(StrEnum):
    """Where a key means something; a widget names its own, nearest first, GLOBAL always last."""

    BOARD = "Board"
    LIST = "Lists"
    ITEM = "Item verbs"
    TREE = "Trees"
    PLAN = "Plan"
    EDITOR = "Editor"
    COMMENTS = "Comments"
    ATTACHMENTS = "Attachments"
    OUTBOX = "Outbox"
    INBOX = "Inbox"
    REPORTS = "Reports"
    GROOM = "Groom queue"
    SUMMARY = "Groom summary"
    GLOBAL = "Everywhere"


@dataclass(frozen=True, slots=True)
class Command:
    """One act, its default key sequences and the words for it.

    `keys` holds sequences of key names separated by blanks (`g b`, `ctrl+d`, `?`). A command with
    `in_text` also acts while a text input has the focus; its keys must not be printable. What is
    typed behind one of its `words` goes to the method `told`, where there is one.
    """

    id: str
    keys: tuple[str, ...]
    context: Context
    label: str
    help: str
    in_text: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What is typed on the command line to run it."""
        return WORDS.get(self.id, ())

    @property
    def method(self) -> str:
        """The name of the method that a widget, screen or app handles it with."""
        return "do_" + self._name

    @property
    def told(self) -> str:
        """The name of the method that takes what is typed behind its word."""
        return "told_" + self._name

    @property
    def _name(self) -> str:
        return self.id.replace(".", "_").replace("-", "_")


def spelled(sequence: str) -> str:
    """A key sequence as people write it: `g b` is gb, `ctrl+d` stays, `escape` is esc."""
    names = {
        "letter": LETTERS,
        "digit": DIGITS,
        "escape": "esc",
        "pagedown": "PgDn",
        "pageup": "PgUp",
        "down": "↓",
        "up": "↑",
        "left": "←",
        "right": "→",
    }
    parts = [names.get(part, part) for part in sequence.split()]
    is_close = all(len(part) == 1 or part in {LETTERS, DIGITS} for part in parts)
    return "".join(parts) if is_close else " ".join(parts)
