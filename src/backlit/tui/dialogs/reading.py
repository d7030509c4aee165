"""Dialogs with lines that may be longer than the screen: to read, and to agree to."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.tui.dialogs.dialog import Answer, Dialog
from backlit.tui.drawing.text import safe

MOST_LINES = 400
FRAME_LINES = 2
WIDEST = 88

Result = TypeVar("Result")


class ScrollingDialog(Dialog[Result | None]):
    """Lines that scroll below a heading; q, enter and esc leave."""

    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, title: str, lines: Sequence[Content], heading: Sequence[Content] = ()) -> None:
        super().__init__(title)
        self._heading = tuple(heading)
        self._lines = tuple(lines)
        self._scroll = VerticalScroll()

    def content(self) -> ComposeResult:
        """Yield the heading, then the lines."""
        if self._heading:
            yield Static(Content("\n").join(self._heading), classes="head")
        with self._scroll:
            yield Static(Content("\n").join(self._lines))

    def on_mount(self) -> None:
        """Take the lines it needs, as far as there are any."""
        self._fit()

    def on_resize(self) -> None:
        """Fit a smaller or larger screen."""
        self._fit()

    def _fit(self) -> None:
        width = min(WIDEST, max(10, self.app.size.width - 4))
        taken = FRAME_LINES + sum(len(line.wrap(width)) for line in self._heading)
        self._scroll.styles.max_height = max(1, self.app.size.height - taken)

    def type_early(self, character: str) -> None:
        """Scroll, or leave."""
        match character:
            case "j":
                self._scroll.scroll_down(animate=False, immediate=True)
            case "k":
                self._scroll.scroll_up(animate=False, immediate=True)
            case "q":
                self.dismiss(None)

    def press(self, key: str) -> bool:
        """Scroll, or leave."""
        match key:
            case "down":
                self._scroll.scroll_down(animate=False, immediate=True)
            case "up":
                self._scroll.scroll_up(animate=False, immediate=True)
            case "ctrl+d" | "pagedown":
                self._scroll.scroll_relative(y=self._scroll.size.height, animate=False, immediate=True)
            case "ctrl+u" | "pageup":
                self._scroll.scroll_relative(y=-self._scroll.size.height, animate=False, immediate=True)
            case _:
                return super().press("escape" if key == "enter" else key)
        return True


class ReadingDialog(ScrollingDialog[None]):
    """Shows lines."""

    def __init__(self, title: str, lines: Sequence[Content]) -> None:
        super().__init__(title, lines[:MOST_LINES])
        self.name_keys(("esc", "close"))


class DifferenceQuestion(ScrollingDialog[str]):
    """Asks about a difference; the result is the key of an answer, None for n and for leaving."""

    def __init__(
        self, title: str, answers: Sequence[Answer], heading: Sequence[Content], lines: Sequence[Content]
    ) -> None:
        super().__init__(title, lines, heading)
        self._keys = {answer.key for answer in answers}
        self.name_keys(*((each.key, each.label) for each in answers), ("esc", "cancel"))

    def type_early(self, character: str) -> None:
        """Answer, leave or scroll."""
        if character in self._keys:
            self.dismiss(character)
        else:
            super().type_early("q" if character == "n" else character)


class Difference(Struct, frozen=True):
    """A field, as the service has it and as it is here, both as text."""

    label: str
    before: str
    after: str


class DifferenceDialog(ReadingDialog):
    """Shows values one under the other and long texts line by line."""

    def __init__(self, title: str, differences: Sequence[Difference]) -> None:
        super().__init__(title, [line for difference in differences for line in _lines(difference)])


def _lines(difference: Difference) -> Iterator[Content]:
    yield Content.assemble((safe(difference.label), "bold"))
    before, after = difference.before.splitlines() or [""], difference.after.splitlines() or [""]
    if len(before) == len(after) == 1:
        yield _line("-", before[0])
        yield _line("+", after[0])
        return
    for sign, text in changed_lines(before, after):
        yield _line(sign, text)


def changed_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the changed lines with a line around them, each with its sign; … stands before a place further on."""
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(1):
        if group[0][3]:
            yield "…", f"line {group[0][3] + 1}"
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from ((" ", line) for line in before[start:end])
            else:
                yield from (("-", line) for line in before[start:end])
                yield from (("+", line) for line in after[new_start:new_end])


def _line(sign: str, text: str) -> Content:
    colour = {"-": "$error", "+": "$success"}.get(sign, "$muted")
    return Content.assemble((f"  {sign} ", colour), (safe(text), colour if sign in "-+" else "$muted"))
