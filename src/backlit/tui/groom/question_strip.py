"""The strip of a grooming session: the questions, the answers of the current one, similar items, and the checks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message

from backlit.model.amounts import counted
from backlit.store.grooming import Check, SimilarItem
from backlit.store.records.merge import is_empty
from backlit.tui.drawing.markdown import Line
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.groom.questions import Question
from backlit.tui.widgets.text_view import LinesView

GAP = 3
INDENT = 1
NAME = 28
"""Cells for the name of a similar item."""
AIRY = 24
"""Lines of the screen from which there are blank lines between the parts."""
SHARE = 0.6
"""Largest share of the screen's height."""
SENTENCES: Mapping[str, str] = {
    "Estimate": "How many points?",
    "AssignedToID": "Who owns it?",
    "AreaID": "Which area?",
    "IterationID": "Which iteration?",
    "IsTriaged": "Is it triaged?",
    "Maturity": "How mature is it?",
    "Status": "Which status?",
}
"""The questions by field; other fields are asked for by their labels."""


class QuestionStrip(LinesView, can_focus=True):
    """Draws the questions; the screen sets the current one. As high as the longest question of the item."""

    class Clicked(Message):
        """An answer was clicked."""

        def __init__(self, digit: int) -> None:
            super().__init__()
            self.digit = digit

    def __init__(self) -> None:
        super().__init__(id="questions")
        self._asked: Sequence[Question] = ()
        self._at = 0
        self._checks: Sequence[Check] = ()
        self._similar: Sequence[SimilarItem] = ()

    def show(self, asked: Sequence[Question], at: int, checks: Sequence[Check]) -> None:
        """Show the questions and checks of an item."""
        self._asked, self._at, self._checks = tuple(asked), at, tuple(checks)
        self.lay_out()

    def show_similar(self, similar: Sequence[SimilarItem]) -> None:
        """Show the items that the estimate can be compared with."""
        if self._similar != similar:
            self._similar = similar
            self.lay_out()

    def lay_out(self) -> None:
        """Lay the current question out, in the height of the longest one."""
        super().lay_out()
        width, theme = self.scrollable_content_region.width, ThemeStyles.of(self.app)
        if width > 0:
            longest = max((len(self._lines_at(at, width, theme)) for at in range(len(self._asked))), default=1)
            self.styles.height = min(longest, max(3, round(self.app.size.height * SHARE)))

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the questions in a row, then the answers of the current one, and the checks."""
        return self._lines_at(self._at, width, theme) if self._asked else ()

    def _lines_at(self, at: int, width: int, theme: ThemeStyles) -> list[Line]:
        asked = self._asked[at]
        similar = self._similar if asked.field.key == "Estimate" else ()
        chips = [_chip(each, theme, is_current=number == at) for number, each in enumerate(self._asked)]
        blank: list[Line] = [[]] if self.app.size.height >= AIRY else []
        return [
            *_flowing(chips, width, theme, indent=0),
            *blank,
            *_flowing(_answers(asked, theme), width, theme),
            *_flowing(_similar(similar, theme), width, theme),
            *blank,
            *_flowing((_check(each, theme) for each in self._checks), width, theme),
        ]

    def on_click(self, event: events.Click) -> None:
        """Give the answer under the pointer."""
        digit = event.style.meta.get("digit")
        if isinstance(digit, int):
            self.post_message(self.Clicked(digit))


def _chip(asked: Question, theme: ThemeStyles, *, is_current: bool) -> Line:
    """Return a question with its value, if it has one: answered ones have a tick, the current one a bar."""
    on = "cursor-background" if is_current else None
    sign = " " if asked.is_open or is_empty(asked.value) else "✓"
    value = "" if sign == " " else f" {fit(asked.words, min(NAME, len(safe(asked.words))))}"
    return [
        Segment("▌" if is_current else " ", theme.style("accent", on=on)),
        Segment(f"{sign} ".lstrip(), theme.style("mark", on=on)),
        Segment(safe(asked.field.label), theme.style("foreground", on=on, bold=is_current or asked.is_open)),
        Segment(f"{value} ", theme.style("muted", on=on)),
    ]


def _answers(asked: Question, theme: ThemeStyles) -> Iterator[Line]:
    """Yield the question, then its answers; a digit that is its own answer has no label."""
    yield [Segment(SENTENCES.get(asked.field.key, f"{safe(asked.field.label)}?"), theme.style(bold=True))]
    for digit, choice in asked.answers.items():
        label = "" if choice.label == str(digit) else f" {safe(choice.label.strip())}"
        hint = f" {safe(choice.hint)}" if choice.hint else ""
        has_it = asked.has(choice)
        yield _clickable(
            digit,
            Segment("● " if has_it else "", theme.style("mark")),
            Segment(str(digit), theme.style("accent", bold=True)),
            Segment(label, theme.style(bold=has_it)),
            Segment(hint, theme.style("muted")),
        )
    yield _clickable(
        0, Segment("0", theme.style("accent", bold=True)), Segment(f" {asked.others}", theme.style("muted"))
    )


def _clickable(digit: int, *segments: Segment) -> Line:
    meta = Style(meta={"digit": digit})
    return [Segment(segment.text, (segment.style or Style()) + meta) for segment in segments]


def _similar(similar: Sequence[SimilarItem], theme: ThemeStyles) -> Iterator[Line]:
    for number, each in enumerate(similar):
        name = fit(each.name, min(NAME, len(safe(each.name))))
        yield [
            Segment("" if number else "similar: ", theme.style("muted")),
            Segment(f"#{each.item_id} {name} ", theme.style("muted")),
            Segment(counted(each.points, "pt"), theme.style(bold=True)),
        ]


def _check(check: Check, theme: ThemeStyles) -> Line:
    sign, colour = ("✓", "status-done") if check.has_passed else ("!", "pending")
    words_colour = "muted" if check.has_passed else "foreground"
    return [Segment(f"{sign} ", theme.style(colour, bold=True)), Segment(safe(check.words), theme.style(words_colour))]


def _flowing(pieces: Iterable[Line], width: int, theme: ThemeStyles, indent: int = INDENT) -> list[Line]:
    """Place pieces in a row with gaps between them, on as many lines as they need."""
    lines: list[Line] = []
    used = width
    for piece in pieces:
        length = sum(segment.cell_length for segment in piece)
        if used + GAP + length > width:
            lines.append([Segment(" " * indent, theme.style())])
            used = indent
        else:
            lines[-1].append(Segment(" " * GAP, theme.style()))
            used += GAP
        lines[-1].extend(piece)
        used += length
    return lines
