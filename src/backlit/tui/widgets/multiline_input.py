"""Input of several lines."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import cast

from rich.text import Text
from textual import events
from textual.widgets import TextArea
from textual.widgets.text_area import Location
from textual.worker import WorkType

from backlit.model.mentions import typed_name
from backlit.tui.drawing.text import WrappedLine, boundary
from backlit.tui.widgets.inputs import MAX_PASTED_LINE, OrderedKeysInput, TextRefused, actions_of

PASTE_PART_LENGTH = 262_144
"""Characters that are pasted at once, a third of a second. Textual counts all lines for each row that it draws, so that
smaller parts take longer together."""


_LIST_POINT = re.compile(
    r"(?P<indent>\s*)(?P<sign>[-*+]|(?P<number>\d{1,6})(?P<end>[.)]))(?P<gap> +)(?P<box>\[[ xX]\] )?"
)
"""The beginning of a point of a list in Markdown: a sign or a number, and for some a box to be ticked."""


def _next_point(point: re.Match[str]) -> str:
    """Return the beginning of the point after one, with the next number and an empty box."""
    sign = f"{int(point['number']) + 1}{point['end']}" if point["number"] else point["sign"]
    return f"{point['indent']}{sign}{point['gap']}{'[ ] ' if point['box'] else ''}"


class MultilineInput(OrderedKeysInput, TextArea):
    """Several wrapped lines with a steady cursor; tab completes a name behind `@`, and else leaves the input.

    `names` are those of the people who may be mentioned.
    """

    ACTIONS = actions_of(TextArea.BINDINGS)

    def __init__(self, text: str = "", *, names: Sequence[str] = (), id: str | None = None) -> None:  # noqa: A002 - Textual's name
        self.names = names
        super().__init__(text, compact=True, soft_wrap=True, tab_behavior="focus", id=id)
        self.cursor_blink = False

    def update_suggestion(self) -> None:
        """Offer the rest of the first name that begins as the one at the cursor, behind a sign of a mention."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        typed = None if self.read_only or line[column : column + 1].isalnum() else typed_name(line[:column])
        begins = "" if typed is None else typed.lower()
        # Textual asks after each key, and also while the text is being made.
        found = () if typed is None else [name for name in self.names if name.lower().startswith(begins)]
        self.suggestion = min(found, key=str.lower)[len(begins) :] if found else ""

    def put(self, text: str) -> None:
        self.replace(text, *self.selection, maintain_selection_offset=False)

    async def _on_key(self, event: events.Key) -> None:
        """Complete a name, or begin the next line of a list as its line before; enter on an empty one ends the list."""
        if event.key == "tab" and self.suggestion:
            event.stop()
            event.prevent_default()
            self.put(self.suggestion)
            return
        if event.key != "enter" or self.read_only or not self.screen.is_current or not self.selection.is_empty:
            return
        row, column = self.cursor_location
        line = self.document.get_line(row)
        point = _LIST_POINT.match(line)
        if point is None or column < point.end():
            return
        event.stop()
        event.prevent_default()
        if line[point.end() :].strip():
            self.put(f"\n{_next_point(point)}")
        else:
            self.replace("", (row, 0), (row, len(line)))

    async def _on_paste(self, event: events.Paste) -> None:
        """Paste a long text in parts, so that the screen answers; keys wait for the end of it."""
        event.stop()
        event.prevent_default()
        lines = event.text.splitlines(keepends=True)
        longest = max(map(len, lines), default=0)
        if longest > MAX_PASTED_LINE:
            sentence = f"The pasted text has a line of {longest:,} characters, more than {MAX_PASTED_LINE:,}."
            self.post_message(TextRefused(f"{sentence} Nothing was pasted; attach it as a file."))
        elif not self.read_only:
            self.run_worker(cast("WorkType[None]", partial(self._put_parts, lines)), group="paste")

    async def _put_parts(self, lines: Sequence[str]) -> None:
        for part in _paste_parts(lines):
            self.put(part)
            # One insertion of a long text holds the event loop; between parts the screen is drawn and keys are read.
            await asyncio.sleep(0)

    def get_line(self, line_index: int) -> Text:
        """Return a line whose styles take no visible character apart."""
        line = super().get_line(line_index)
        return WrappedLine(line.plain, end="", no_wrap=True)

    def get_cursor_left_location(self) -> Location:
        row, column = super().get_cursor_left_location()
        return row, boundary(self.document.get_line(row), column, is_after=False)

    def get_cursor_right_location(self) -> Location:
        row, column = super().get_cursor_right_location()
        return row, boundary(self.document.get_line(row), column, is_after=True)


def _paste_parts(lines: Iterable[str]) -> Iterator[str]:
    """Join lines to texts of about PASTE_PART_LENGTH characters."""
    part: list[str] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size >= PASTE_PART_LENGTH:
            yield "".join(part)
            part, size = [], 0
    yield "".join(part)
