"""Lines of the linear mode: each event is one line that begins with its kind, and each answer is one line."""

import sys
from enum import StrEnum
from typing import TextIO

from backlit.cli.terminal_input import standard_input
from backlit.model.plain import plain

PROMPT = "> "


class LineKind(StrEnum):
    """The first word of a line."""

    MENU = "Menu"
    GROOM = "Groom"
    ITEM = "Item"
    FIELD = "Field"
    TEXT = "Text"
    COMMENT = "Comment"
    QUESTION = "Question"
    PLAN = "Plan"
    BACKLOG = "Backlog"
    DRAFT = "Draft"
    REVIEW = "Review"
    LIST = "List"
    INBOX = "Inbox"
    OUTBOX = "Outbox"
    SAVED = "Saved"
    UNDONE = "Undone"
    REFUSED = "Refused"
    CONFLICT = "Conflict"
    SYNC = "Sync"
    ERROR = "Error"
    HELP = "Help"


class InputEnded(Exception):
    """Standard input has no more lines."""


class Console:
    """Standard input and output, line by line: no control character but the line end is written."""

    def __init__(self) -> None:
        self._input = standard_input("answers")
        self._is_typed = self._input.isatty()

    @property
    def _output(self) -> TextIO:
        return sys.stdout  # a command that runs meanwhile may replace it

    def say(self, kind: LineKind, text: str) -> None:
        self.line(f"{kind}: {text}")

    def line(self, text: str) -> None:
        print(plain(text), file=self._output, flush=True)

    def read(self) -> str:
        """Return the next line without blanks around it; raise InputEnded.

        An answer out of a pipe is written behind the prompt, as a terminal shows what is typed.
        """
        print(PROMPT, end="", file=self._output, flush=True)
        read = self._input.readline()
        if not read:
            print(file=self._output, flush=True)
            raise InputEnded
        text = read.decode(errors="replace").strip()
        if not self._is_typed:
            self.line(text)
        return text
