"""What a command is: one act, its keys, and where they mean it."""

from dataclasses import dataclass
from enum import StrEnum

LETTERS = "{a-z}"
"""How the key that stands for any small letter, `letter`, is spelled."""


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
    GLOBAL = "Everywhere"


@dataclass(frozen=True, slots=True)
class Command:
    """One act, its default key sequences and the words for it.

    `keys` holds sequences of key names separated by blanks (`g b`, `ctrl+d`, `?`). A command with
    `in_text` also acts while a text input has the focus; its keys must not be printable. `words` run
    it on the command line.
    """

    id: str
    keys: tuple[str, ...]
    context: Context
    label: str
    help: str
    in_text: bool = False
    words: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The name of the method that a widget, screen or app handles it with."""
        return "do_" + self.id.replace(".", "_").replace("-", "_")
