"""The strip of a grooming session: the item's name, the question, its answers, similar items, and the checks."""

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
from backlit.store.records.item import Item, number_of
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.text import Line, fit, fit_middle, safe, wrapped
from backlit.tui.drawing.themes import CURSOR_BAR, ThemeStyles, type_colour, type_sign
from backlit.tui.groom.questions import GroomingQuestion, questions_ahead
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.text_view import LinesView

GAP = 3
INDENT = 1
EDGE = 1
"""Blank cells at the right end."""
SCROLLBAR = 1
"""Cells of the bar of a strip that was too low before."""
NAME, MAX_NAME_LINES = 28, 2
"""Most cells for an answer that was given, and most lines for the name of the item."""
AIRY = 30
"""Lines of the screen from which there are blank lines between the parts, and each passed check."""
ANSWERED_SIGN = "✓"
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
        self._item: Item | None = None
        self._asked: Sequence[GroomingQuestion] = ()
        self._at = 0
        self._checks: Sequence[RuleCheck] = ()
        self._similar: Sequence[SimilarItem] = ()

    def show(self, item: Item, asked: Sequence[GroomingQuestion], at: int, checks: Sequence[RuleCheck]) -> None:
        self._item = item
        self._asked, self._at, self._checks = tuple(asked), at, tuple(checks)
        self.lay_out()

    def show_similar(self, similar: Sequence[SimilarItem]) -> None:
        if self._similar != similar:
            self._similar = similar
            self.lay_out()

    def height_for(self, width: int) -> int:
        """Return the lines of the longest question, so that the item keeps its place while questions are answered.

        A low screen has no room for that: there they are those of the current question.
        """
        theme, room = ThemeStyles.of(self.app), width - SCROLLBAR
        places = range(len(self._asked)) if self.app.size.height >= AIRY else [self._at] * bool(self._asked)
        return max((len(self._lines_at(at, room, theme)) for at in places), default=1)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        return self._lines_at(self._at, width, theme) if self._asked else ()

    def _lines_at(self, at: int, width: int, theme: ThemeStyles) -> list[Line]:
        asked, height = self._asked[at], self.app.size.height
        progress = _progress_label(self._asked, at)
        labels = (CHECKS, progress, *map(_sentence, self._asked))
        columns = (INDENT + cell_len(label) + GAP for label in labels)
        column = max((each for each in columns if each <= width // 2), default=width // 2)
        room = width - column - EDGE
        question, quiet = theme.style(bold=True), theme.style("muted")
        answers = _labelled(_sentence(asked), question, column, _flowing(_answers(asked, theme), room, theme))
        bar = Segment("▌", theme.style(CURSOR_BAR))
        answers = [[bar, *Strip(line).crop(1)] for line in answers]
        compared = list(_similar(self._similar, room, theme)) if asked.field.key == "Estimate" else []
        similar = _labelled(SIMILAR, quiet, column, compared)
        checks = _flowing(_checks(self._checks, room, theme, names_passed=height >= AIRY), room, theme)
        order = _flowing(_progress(self._asked, at, room, theme), room, theme)
        asked_so_far = _labelled(progress, quiet, column, order)
        blank: list[Line] = [[]] if height >= AIRY else []
        below = (similar, [*_labelled(CHECKS, quiet, column, checks), *asked_so_far])
        return [
            *blank,
            *self._name_lines(width, theme, most=MAX_NAME_LINES if height >= AIRY else 1),
            *blank,
            *answers,
            *(line for block in filter(None, below) for line in (*blank, *block)),
            *([] if self.is_framed else blank),
        ]

    def _name_lines(self, width: int, theme: ThemeStyles, most: int) -> Iterator[Line]:
        """Yield the name of the item, after its number and the sign of its type where no frame has them."""
        if self._item is None:
            return
        kind = [
            (f"{number_of(self._item.id)} ", "muted"),
            (f"{type_sign(self._item.type)} ", type_colour(self._item.type)),
        ]
        signs = [] if self.is_framed else [Segment(text, theme.style(colour)) for text, colour in kind]
        used = INDENT + sum(each.cell_length for each in signs)
        lines = wrapped(self._item.name, width - used - EDGE)
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
        for number, line in enumerate(filter(None, lines)):
            lead = [Segment(" " * used, theme.style())] if number else [Segment(" " * INDENT, theme.style()), *signs]
            yield [*lead, Segment(fit(line, width - used - EDGE), theme.heading())]

    def on_click(self, event: events.Click) -> None:
        digit = event.style.meta.get("digit")
        if isinstance(digit, int):
            self.post_message(self.Clicked(digit))


def _progress_label(asked: Sequence[GroomingQuestion], at: int) -> str:
    """Return which of the item's questions the current one is; on an offer of a change, how many are left."""
    left = sum(each.is_open for each in asked)
    if asked[at].is_open or at < len(asked) - 1:
        return f"Question {at + 1} of {len(asked)}"
    return f"{counted(left, 'question')} left" if left else "All answered"


def _progress(asked: Sequence[GroomingQuestion], at: int, width: int, theme: ThemeStyles) -> Iterator[Line]:
    """Yield the answers up to the current question, it, and after their key the ones that follow, in its order."""
    for place, each in enumerate(asked[: at + 1]):
        if place == at or each.is_answered:
            yield _asked(each, theme, is_current=place == at)
    ahead = [asked[place] for place in questions_ahead(asked, at)]
    if ahead:
        key = theme.cap(key_of("groom.down"))
        names = ", ".join(f"{_sign(each)}{safe(each.field.label)}" for each in ahead)
        first, *others = wrapped(f" then {names}", max(1, width - key.cell_length))
        yield [key, Segment(f" {first.strip()}", theme.style("muted"))]
        for line in others:
            yield [Segment(line.strip(), theme.style("muted"))]


def _sign(asked: GroomingQuestion) -> str:
    if not asked.is_answered:
        return ""
    return f"{UNREADY_SIGN if asked.is_failed else ANSWERED_SIGN} "


def _asked(asked: GroomingQuestion, theme: ThemeStyles, *, is_current: bool) -> Line:
    """Return a question, and where it is answered its value after a sign."""
    words = safe(asked.words)
    words = words if cell_len(words) <= NAME else words.rpartition(" › ")[2]
    value = f" {fit(words, min(NAME, cell_len(words)))}" if asked.is_answered else ""
    return [
        Segment(_sign(asked), theme.style("warn" if asked.is_failed else "status-done")),
        Segment(safe(asked.field.label), theme.style(bold=is_current)),
        Segment(value, theme.style("muted")),
    ]


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
    if asked.others:
        yield _clickable(0, theme.cap(key_of("groom.other")), Segment(f" {asked.others}", theme.style("muted")))


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


def _checks(checks: Sequence[RuleCheck], width: int, theme: ThemeStyles, *, names_passed: bool) -> Iterator[Line]:
    passed = [each for each in checks if each.has_passed]
    failed = [each for each in checks if not each.has_passed]
    if passed and not names_passed:
        passed = [RuleCheck(counted(len(passed), "other" if failed else "check"), has_passed=True)]
    for check in (*failed, *passed):
        sign, colour = ("✓", "status-done") if check.has_passed else (UNREADY_SIGN, "warn")
        words = theme.style("muted" if check.has_passed else "foreground")
        text = safe(check.words)
        text = fit(text, max(1, min(cell_len(text), width - len(sign) - 1)))
        yield [Segment(f"{sign} ", theme.style(colour, bold=True)), Segment(text, words)]


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
