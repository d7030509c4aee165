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
from backlit.tui.dialogs.dialog import AIR_LINES, FRAME_LINES, AnswerKey, Dialog
from backlit.tui.dialogs.scrolled_text import ScrolledText
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.widgets.line_list import LineList

MAX_DIFFERENCE_LINES = 400
MAX_READING_WIDTH = 104
GAP = 2
INDENT = " " * 4
"""What stands before words below their name."""


class GroupHeading(Struct, frozen=True):
    """The heading of some lines: words, their number in words, and whether they are a warning; a rule fills it."""

    words: str
    count: str
    is_warning: bool = False

    def drawn(self, width: int) -> Content:
        words = (safe(self.words), "bold $warn" if self.is_warning else "bold")
        heading = Content.assemble(words, (f" {self.count} ", "$muted"))
        return Content.assemble(heading, ("─" * (width - heading.cell_length), "$rule"))


Line: TypeAlias = Content | tuple[Content, Content]
"""A line, or a name and words about it, which stand in a column behind the names."""
FittedLine: TypeAlias = Line | GroupHeading | Callable[[int], Content]
"""A line, or what draws one for a width; a heading is as wide as the other lines."""


HeadingLine: TypeAlias = Content | Callable[[int], Content]
"""A line above the others, or what draws one as wide as they are."""


def change_of(before: str, after: str) -> Content:
    return Content.assemble((before, "$muted"), (" → ", "$muted"), (after, "bold $mark"))


def item_line(item_id: int, item_type: str, name: str, width: int = 0) -> Content:
    sign = (f"{type_sign(item_type)} ", f"${type_colour(item_type)}") if item_type else ""
    return Content.assemble((f"{number_of(item_id):>{width}} ", "$muted"), sign, safe(name))


def laid_out(lines: Sequence[FittedLine], width: int) -> Content:
    """Return lines in a width: names are cut at the column of the words, and words that need more stand below."""
    pairs = [line for line in lines if isinstance(line, tuple) and line[1]]
    column = max((each.cell_length for _, each in pairs if each.cell_length <= width // 2), default=0)
    names = min(max((name.cell_length for name, _ in pairs), default=0), width - column - GAP)
    drawn: list[Content | GroupHeading] = []
    for line in lines:
        if isinstance(line, GroupHeading):
            drawn.append(line)
        elif not isinstance(line, tuple):
            drawn.append(line if isinstance(line, Content) else line(width))
        elif not line[1]:
            drawn.append(line[0].truncate(width, ellipsis=True))
        elif line[1].cell_length > width - names - GAP:
            words = line[1].wrap(width - len(INDENT))
            drawn += [line[0].truncate(width, ellipsis=True), *(Content.assemble(INDENT, each) for each in words)]
        else:
            drawn.append(Content.assemble(line[0].truncate(names, ellipsis=True, pad=True), " " * GAP, line[1]))
    widest = max((each.cell_length for each in drawn if isinstance(each, Content)), default=0)
    widest = min(width, max([widest, *(each.drawn(0).cell_length for each in drawn if isinstance(each, GroupHeading))]))
    return Content("\n").join(each if isinstance(each, Content) else each.drawn(widest) for each in drawn)


class ReadingDialog(Dialog[str | None]):
    """Lines that scroll below a heading; the result is the key of an answer, None for n, q, enter and esc."""

    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self,
        title: str,
        lines: Sequence[FittedLine],
        heading: Sequence[HeadingLine] = (),
        answers: Sequence[AnswerKey] = (),
        way_out: str = "close",
        *,
        is_near_cursor: bool = False,
    ) -> None:
        """Near the cursor, it stands below the row of a list that has the cursor, else above it, where it has room."""
        super().__init__(title)
        self._heading = tuple(heading)
        self._is_near_cursor = is_near_cursor
        self._lines = tuple(lines if answers else lines[:MAX_DIFFERENCE_LINES])
        self._text = Static(laid_out(self._lines, MAX_READING_WIDTH))
        self._head = Static(self._drawn_heading(MAX_READING_WIDTH), classes="head")
        self._scroll = ScrolledText()
        self._keys = {answer.key for answer in answers}
        self._key_names = [(each.key, each.label) for each in answers]
        self._key_names.append(("esc", way_out))
        self.name_keys(*self._key_names)

    def content(self) -> ComposeResult:
        if self._heading:
            yield self._head
        with self._scroll:
            yield self._text

    def _drawn_heading(self, width: int) -> Content:
        return Content("\n").join(line if isinstance(line, Content) else line(width) for line in self._heading)

    @on(Mount)
    @on(Resize)
    def _fit(self) -> None:
        width = min(MAX_READING_WIDTH, max(10, self.app.size.width - 4))
        text = laid_out(self._lines, width - 1)
        self._text.update(text)
        edges = (Content.from_text(each or "") for each in (self.frame.border_title, self.frame.border_subtitle))
        fixed = [line for line in self._heading if isinstance(line, Content)]
        inside = min(width - 1, max(each.cell_length for each in (*text.split("\n"), *fixed, *edges)))
        heading = self._drawn_heading(inside)
        self._head.update(heading)
        taken = FRAME_LINES + len(heading.wrap(width)) * bool(self._heading)
        is_airy = taken + len(text.split("\n")) + AIR_LINES <= self.app.size.height
        self.frame.styles.padding = (int(is_airy), 1)
        taken += AIR_LINES * is_airy
        self._scroll.styles.max_height = max(1, self.app.size.height - taken)
        if not any(callable(line) for line in self._lines):
            self.frame.styles.width = inside + 5
        if self._is_near_cursor:
            self._place(taken + len(text.split("\n")))

    def _place(self, height: int) -> None:
        rows = self.app.screen_stack[-2].focused
        y = rows.region.y + rows.HEADER_LINES + rows.cursor - rows.top if isinstance(rows, LineList) else 0
        is_below, is_above = y + 1 + height < self.app.size.height, height < y - 1
        self.styles.align_vertical = "top" if is_below or is_above else "middle"
        self.frame.styles.margin = (y + 1 if is_below else 1 if is_above else 0, 0, 0, 0)

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
