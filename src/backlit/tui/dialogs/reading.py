"""Dialogs with lines that may be longer than the screen: to read, and to agree to."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Mount, Resize
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.store.records.item import number_of
from backlit.tui.dialogs.dialog import AnswerKey, Dialog
from backlit.tui.dialogs.scrolled_text import ScrolledText
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import type_colour, type_sign

MAX_DIFFERENCE_LINES = 400
FRAME_LINES = 2
MAX_READING_WIDTH = 88
GAP = 2

Line: TypeAlias = Content | tuple[Content, Content]
"""A line, or a name and words about it, which stand in a column behind the names."""
FittedLine: TypeAlias = Line | Callable[[int], Content]
"""A line, or what draws one for a width."""


def change_of(before: str, after: str) -> Content:
    return Content.assemble((before, "$muted"), (" → ", "$muted"), (after, "bold $mark"))


def item_line(item_id: int, item_type: str, name: str, width: int = 0) -> Content:
    sign = (f"{type_sign(item_type)} ", f"${type_colour(item_type)}") if item_type else ""
    return Content.assemble((f"{number_of(item_id):>{width}} ", "$muted"), sign, safe(name))


def laid_out(lines: Sequence[FittedLine], width: int) -> Content:
    """Return lines in a width: names are cut at the column of the words, and words that need more stand below."""
    pairs = [line for line in lines if isinstance(line, tuple)]
    column = max((each.cell_length for _, each in pairs if each.cell_length <= width // 2), default=0)
    names = min(max((name.cell_length for name, _ in pairs), default=0), width - column - GAP)
    drawn: list[Content] = []
    for line in lines:
        if not isinstance(line, tuple):
            drawn.append(line if isinstance(line, Content) else line(width))
        elif line[1].cell_length > width - names - GAP:
            drawn += [line[0].truncate(width, ellipsis=True), Content.assemble("    ", line[1])]
        else:
            drawn.append(Content.assemble(line[0].truncate(names, ellipsis=True, pad=True), " " * GAP, line[1]))
    return Content("\n").join(drawn)


class ReadingDialog(Dialog[str | None]):
    """Lines that scroll below a heading; the result is the key of an answer, None for n, q, enter and esc."""

    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self,
        title: str,
        lines: Sequence[FittedLine],
        heading: Sequence[Content] = (),
        answers: Sequence[AnswerKey] = (),
        way_out: str = "close",
    ) -> None:
        super().__init__(title)
        self._heading = tuple(heading)
        self._lines = tuple(lines if answers else lines[:MAX_DIFFERENCE_LINES])
        self._text = Static(laid_out(self._lines, MAX_READING_WIDTH))
        self._scroll = ScrolledText()
        self._keys = {answer.key for answer in answers}
        self._key_names = [(each.key, each.label) for each in answers]
        self._key_names.append(("enter esc" if way_out == "cancel" else "esc", way_out))
        self.name_keys(*self._key_names)

    def content(self) -> ComposeResult:
        if self._heading:
            yield Static(Content("\n").join(self._heading), classes="head")
        with self._scroll:
            yield self._text

    @on(Mount)
    @on(Resize)
    def _fit(self) -> None:
        width = min(MAX_READING_WIDTH, max(10, self.app.size.width - 4))
        self._text.update(laid_out(self._lines, width - 1))
        taken = FRAME_LINES + sum(len(line.wrap(width)) for line in self._heading)
        self._scroll.styles.max_height = max(1, self.app.size.height - taken)

    def on_mount(self) -> None:
        for name in ("scroll_y", "virtual_size"):
            self.watch(self._scroll, name, self._count_below)

    @on(ScrolledText.Measured)
    def _count_below(self) -> None:
        """Say beside the keys how many lines are below those in sight."""
        below = round(self._scroll.max_scroll_y - self._scroll.scroll_y)
        self.name_keys(*self._key_names, about=f"{counted(below, 'more line')} ↓" if below else "")

    def type_early(self, character: str) -> None:
        if character in self._keys:
            self.dismiss(character)
        else:
            keys = {"j": "down", "k": "up", "g": "home", "G": "end", "q": "escape", "n": "escape"}
            self.press(keys.get(character, character))

    def press(self, key: str) -> bool:
        return self._scroll.press(key) or super().press("escape" if key == "enter" else key)


class FieldDifference(Struct, frozen=True):
    """A field, as the service has it and as it is here, both as text."""

    label: str
    before: str
    after: str

    def lines(self) -> Iterator[Content]:
        yield Content.assemble((safe(self.label), "bold"))
        before, after = self.before.splitlines() or [""], self.after.splitlines() or [""]
        for sign, text in changed_lines(before, after):
            yield _line(sign, text)


class DifferenceDialog(ReadingDialog):
    """Shows values one under the other and long texts line by line."""

    def __init__(self, title: str, differences: Sequence[FieldDifference]) -> None:
        super().__init__(title, [line for difference in differences for line in difference.lines()])


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
    colour = {"-": "$error", "+": "$status-done"}.get(sign, "$muted")
    return Content.assemble((f"  {sign} ", colour), (safe(text), colour if sign in "-+" else "$muted"))
