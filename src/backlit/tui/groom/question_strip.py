"""The strip of a grooming session: the questions, the answers of the current one, similar items, and the checks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from backlit.model.amounts import counted
from backlit.model.fields import CRITERIA_COUNT, FEATURE_ID
from backlit.store.grooming import RuleCheck, SimilarItem
from backlit.store.records.merge import is_empty
from backlit.tui.drawing.text import Line, fit, fit_middle, safe
from backlit.tui.drawing.themes import CURSOR_BAR, KEY, ThemeStyles
from backlit.tui.groom.questions import GroomingQuestion
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.text_view import LinesView

GAP = 3
INDENT = 1
EDGE = 1
"""Blank cells at the right end."""
SCROLLBAR = 1
"""Cells of the bar of a strip that was too low before."""
NAME = 28
"""Most cells for the answer in a chip."""
AIRY = 30
"""Lines of the screen from which there are blank lines between the parts, and each passed check."""
SIMILAR, CHECKS = "Similar", "Readiness"
SENTENCES: Mapping[str, str] = {
    "Estimate": "How many points?",
    "AssignedToID": "Who owns it?",
    "AreaID": "Which area?",
    "IterationID": "Which iteration?",
    "IsTriaged": "Is it triaged?",
    "Maturity": "How mature is it?",
    "Status": "Which status?",
    FEATURE_ID: "Part of which Feature?",
    CRITERIA_COUNT: "Done when?",
}
"""The questions by field; other fields are asked for by their labels."""


class QuestionStrip(LinesView, can_focus=True):
    """Draws the questions; the screen sets the current one and the height."""

    class Clicked(Message):
        """An answer was clicked."""

        def __init__(self, digit: int) -> None:
            super().__init__()
            self.digit = digit

    def __init__(self) -> None:
        super().__init__(id="questions")
        self._asked: Sequence[GroomingQuestion] = ()
        self._at = 0
        self._checks: Sequence[RuleCheck] = ()
        self._similar: Sequence[SimilarItem] = ()

    def show(self, asked: Sequence[GroomingQuestion], at: int, checks: Sequence[RuleCheck]) -> None:
        self._asked, self._at, self._checks = tuple(asked), at, tuple(checks)
        self.lay_out()

    def show_similar(self, similar: Sequence[SimilarItem]) -> None:
        if self._similar != similar:
            self._similar = similar
            self.lay_out()

    def height_for(self, width: int) -> int:
        """Return the lines of the longest question, so that the strip keeps its place while questions are answered."""
        theme, room = ThemeStyles.of(self.app), width - SCROLLBAR
        return max((len(self._lines_at(at, room, theme)) for at in range(len(self._asked))), default=1)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        return self._lines_at(self._at, width, theme) if self._asked else ()

    def _lines_at(self, at: int, width: int, theme: ThemeStyles) -> list[Line]:
        asked, height = self._asked[at], self.app.size.height
        labels = (CHECKS, *map(_sentence, self._asked))
        columns = (INDENT + cell_len(label) + GAP for label in labels)
        column = max((each for each in columns if each <= width // 2), default=width // 2)
        room = width - column - EDGE
        chips = [_chip(each, theme, is_current=number == at) for number, each in enumerate(self._asked)]
        if at + 1 < len(chips):
            chips[at + 1][:0] = [Segment(" ", theme.style()), theme.cap("tab")]
        question = theme.style(bold=True)
        answers = _labelled(_sentence(asked), question, column, _flowing(_answers(asked, theme), room, theme))
        answers = [_tinted(line, width, theme) for line in answers]
        compared = list(_similar(self._similar, room, theme)) if asked.field.key == "Estimate" else []
        similar = _labelled(SIMILAR, theme.style("muted"), column, compared)
        checks = _flowing(_checks(self._checks, theme, names_passed=height >= AIRY), room, theme)
        below = filter(None, (similar, _labelled(CHECKS, theme.style("muted"), column, checks)))
        blank: list[Line] = [[]] if height >= AIRY else []
        return [
            *_flowing(chips, width, theme),
            *blank,
            *answers,
            *(line for block in below for line in (*blank, *block)),
            *([] if self.is_framed else blank),
        ]

    def on_click(self, event: events.Click) -> None:
        digit = event.style.meta.get("digit")
        if isinstance(digit, int):
            self.post_message(self.Clicked(digit))


def _chip(asked: GroomingQuestion, theme: ThemeStyles, *, is_current: bool) -> list[Segment]:
    """Return a question with its value, if it has one: answered ones have a sign, and the current one is underlined."""
    sign = " " if asked.is_open or is_empty(asked.value) else UNREADY_SIGN if asked.is_failed else "✓"
    words = safe(asked.words)
    words = words if cell_len(words) <= NAME else words.rpartition(" › ")[2]
    value = "" if sign == " " else f" {fit(words, min(NAME, cell_len(words)))}"
    name = theme.style("foreground", bold=is_current or asked.is_open) + Style(underline=is_current)
    return [
        Segment(f" {sign} " if sign.strip() else " ", theme.style("warn" if sign == UNREADY_SIGN else "status-done")),
        Segment(safe(asked.field.label), name),
        Segment(f"{value} ", theme.style("muted")),
    ]


def _tinted(line: Line, width: int, theme: ThemeStyles) -> Line:
    """Return a line of the current question, on the ground of a cursor over the whole width, after its bar.

    Keys keep their own ground.
    """
    on = theme.style(on="cursor-background")
    ground, own = theme.tint("cursor-background"), theme.style(KEY).bgcolor if theme.has_frames else None
    strip = Strip([Segment("▌", theme.style(CURSOR_BAR, on="cursor-background")), *Strip(line).crop(1)])
    tinted = [
        Segment(text, on if style is None else style if own and style.bgcolor == own else style + ground)
        for text, style, _ in strip
    ]
    return list(Strip(tinted).adjust_cell_length(width, on))


def _sentence(asked: GroomingQuestion) -> str:
    return SENTENCES.get(asked.field.key, f"{safe(asked.field.label)}?")


def _labelled(label: str, style: Style, column: int, lines: Sequence[Line]) -> list[Line]:
    """Return lines from a column on: the first of them after a label, or below one that is wider than the column."""
    if label and INDENT + cell_len(label) >= column and lines:
        return [[Segment(f"{' ' * INDENT}{label}", style)], *_labelled("", style, column, lines)]
    labels = (label, *[""] * len(lines))
    return [
        [Segment(f"{' ' * INDENT}{fit(each, max(0, column - INDENT))}", style), *line]
        for each, line in zip(labels, lines, strict=False)
    ]


def _answers(asked: GroomingQuestion, theme: ThemeStyles) -> Iterator[Line]:
    for digit, choice in asked.answers.items():
        label = "" if choice.label == str(digit) else f" {safe(choice.label.strip())}"
        hint = f" {safe(choice.hint)}" if choice.hint else ""
        has_it = asked.has(choice)
        yield _clickable(
            digit,
            Segment("(•) " if has_it else "", theme.style("mark")),
            theme.cap(str(digit)),
            Segment(label, theme.style(bold=has_it)),
            Segment(hint, theme.style("muted")),
        )
    yield _clickable(
        0,
        theme.cap("0"),
        Segment(f" {asked.others}", theme.style("muted")),
    )


def _clickable(digit: int, *segments: Segment) -> Line:
    meta = Style(meta={"digit": digit})
    return [Segment(segment.text, (segment.style or Style()) + meta) for segment in segments]


def _similar(similar: Sequence[SimilarItem], width: int, theme: ThemeStyles) -> Iterator[Line]:
    points = max((len(counted(each.points, "pt")) for each in similar), default=0)
    numbers = max((len(str(each.item_id)) for each in similar), default=0)
    for each in similar:
        name = fit_middle(each.name, max(1, width - points - numbers - GAP - 2))
        yield [
            Segment(fit(counted(each.points, "pt"), points + GAP), theme.style(bold=True)),
            Segment(f"#{each.item_id} ".ljust(numbers + 2), theme.style("muted")),
            Segment(name.rstrip(), theme.style("muted")),
        ]


def _checks(checks: Sequence[RuleCheck], theme: ThemeStyles, *, names_passed: bool) -> Iterator[Line]:
    passed = [each for each in checks if each.has_passed]
    failed = [each for each in checks if not each.has_passed]
    if passed and not names_passed:
        passed = [RuleCheck(counted(len(passed), "other" if failed else "check"), has_passed=True)]
    for check in (*failed, *passed):
        sign, colour = ("✓", "status-done") if check.has_passed else (UNREADY_SIGN, "warn")
        words = theme.style("muted" if check.has_passed else "foreground")
        yield [Segment(f"{sign} ", theme.style(colour, bold=True)), Segment(safe(check.words), words)]


def _flowing(pieces: Iterable[Line], width: int, theme: ThemeStyles) -> list[Line]:
    """Place pieces in a row with gaps between them, on as many lines as they need."""
    lines: list[Line] = []
    used = width
    for piece in pieces:
        length = sum(segment.cell_length for segment in piece)
        if used + GAP + length > width:
            lines.append([])
            used = 0
        else:
            lines[-1].append(Segment(" " * GAP, theme.style()))
            used += GAP
        lines[-1].extend(piece)
        used += length
    return lines
