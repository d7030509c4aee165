"""The list of questions about an item, with the answers to the current one, and the layout of both panes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.containers import Container
from textual.message import Message

from backlit.model.fields import Field
from backlit.tui.drawing.markdown import Line
from backlit.tui.drawing.text import fit, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.choice_list import Choice
from backlit.tui.widgets.item_rows import UNREADY
from backlit.tui.widgets.text_view import LinesView

LABEL = 15
SIDE = 2
OTHERS = "other …"
WIDE = 110
"""Cells from which the item is beside the questions, else below."""
SHARE = 45
"""Per cent of the width for the questions beside the item; the style sheet has the same figure."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its field, reasons, the item's value, whether it is open, and likely answers."""

    field: Field
    reasons: Sequence[str]
    value: object
    words: str
    is_open: bool
    answers: Sequence[Choice] = ()


class QuestionList(LinesView, can_focus=True):
    """Draws the questions; the screen sets the current one."""

    def __init__(self) -> None:
        super().__init__(id="questions")
        self._asked: Sequence[Question] = ()
        self._at = 0
        self._place = range(0)

    def show(self, asked: Sequence[Question], at: int) -> None:
        """Show the questions of an item, and scroll to the current one."""
        self._asked, self._at = tuple(asked), at
        self.lay_out()

    def lay_out(self) -> None:
        """Lay the questions out, and scroll to the current one."""
        super().lay_out()
        self._bring_into_sight()

    def on_resize(self, event: events.Resize) -> None:
        """Keep the current question in sight."""
        super().on_resize(event)
        self._bring_into_sight()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return a line for each question, with the answers below the current one."""
        lines: list[Line] = []
        for number, asked in enumerate(self._asked):
            begin = len(lines)
            lines += _head(asked, width, theme, is_current=number == self._at)
            if number == self._at:
                lines += _body(asked, width, theme)
                self._place = range(begin, len(lines))
        return lines or [[Segment("  This item is ready.", theme.style("muted"))]]

    def _bring_into_sight(self) -> None:
        """Scroll to the current question, or to its beginning if it is too long."""
        top, height = round(self.scroll_y), self.size.height
        wanted = max(min(top, self._place.start), min(self._place.stop - height, self._place.start))
        if wanted != top:
            self.scroll_to(y=max(0, wanted), animate=False, force=True)


class GroomPanes(Container):
    """Places the questions and the item side by side where there is room."""

    class Placed(Message):
        """The panes were placed; `line` is the column between them, None without one."""

        def __init__(self, line: int | None) -> None:
            super().__init__()
            self.line = line

    def on_resize(self) -> None:
        """Place the panes for the new size."""
        is_below = self.size.width < WIDE
        self.set_class(is_below, "-below")
        self.post_message(self.Placed(None if is_below else self.size.width * SHARE // 100))


def _head(asked: Question, width: int, theme: ThemeStyles, *, is_current: bool) -> Iterator[Line]:
    on = "cursor-background" if is_current else None
    sign, colour = (UNREADY, "muted") if asked.is_open else ("✓", "mark")
    label, value = fit(asked.field.label, LABEL - 1), fit(asked.words, max(0, width - LABEL - SIDE - 2))
    yield [
        Segment("▌" if is_current else " ", theme.style("accent", on=on)),
        Segment(f"{sign} ", theme.style(colour, on=on)),
        Segment(f"{label} ", theme.style("foreground", on=on, bold=is_current)),
        Segment(f"{value} ", theme.style("muted" if asked.is_open else "foreground", on=on)),
    ]


def _body(asked: Question, width: int, theme: ThemeStyles) -> Iterator[Line]:
    for reason in asked.reasons:
        for line in wrapped(reason, width - SIDE - 2):
            yield [Segment(f"   {line}", theme.style("muted"))]
    for number, choice in enumerate(asked.answers, 1):
        has_it = choice.value == asked.value and type(choice.value) is type(asked.value)
        label, hint = choice.label.strip(), f"  {safe(choice.hint)}" if choice.hint else ""
        yield [
            Segment(f"   {number} ", theme.style("accent", bold=True)),
            Segment("● " if has_it else "  ", theme.style("accent")),
            Segment(fit(label, min(len(safe(label)), max(1, width - 8))), theme.style()),
            Segment(hint, theme.style("muted")),
        ]
    yield [Segment("   0 ", theme.style("accent", bold=True)), Segment(f"  {OTHERS}", theme.style("muted"))]
    yield []
