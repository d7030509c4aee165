"""The title of an item above its texts, and the stepper of its status."""

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.fields import FIELD_BY_KEY
from backlit.model.statuses import StatusGroup, status_word
from backlit.store.store import Store
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.text import safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles, status_colour, status_sign
from backlit.tui.widgets.side_lines import HEADING, TwoSidedLine

TITLE_LINES = 2
AIRY = 30
"""Lines of a terminal from which there is a blank line between the name and the stepper."""
CONNECTOR = " ─── "


class StepOnWay(Struct, frozen=True):
    """A status on an item's way, with its sign and its colour; those before the present one are passed."""

    status: str
    sign: str
    colour: str
    is_passed: bool = False
    is_present: bool = False

    @property
    def word(self) -> str:
        return safe(status_word(self.status))

    def chip(self, status: str) -> list[tuple[str, str, bool, str]]:
        """Return the parts of the present step: its sign has its colour, its word is as bright as a text."""
        return [(f" {self.sign} ", self.colour, True, status), (f"{self.word} ", "foreground", True, status)]


def status_steps(store: Store, item_type: str, status: str) -> list[StepOnWay]:
    """Return the statuses of a type without those that leave items out, and always the present one."""
    groups = store.lookups.status_groups()
    every = [
        each
        for each in store.lookups.choices(FIELD_BY_KEY["Status"], item_type)
        if each == status or groups.of(each) is not StatusGroup.EXCLUDED
    ]
    at = every.index(status) if status in every else 0
    is_way = groups.of(status) is not StatusGroup.EXCLUDED
    return [
        StepOnWay(each, status_sign(each, groups), status_colour(each, groups), is_way and number < at, each == status)
        for number, each in enumerate(every)
    ]


class StatusStepper(Widget):
    """The steps of an item's status: passed ones in their colour, the present one a chip, later ones muted.

    A click moves the item. A narrow terminal has the present one with its number.
    """

    DEFAULT_CSS = "StatusStepper { height: 1; }"
    refresh = refresh

    class Chosen(Message):
        """A status was clicked."""

        def __init__(self, status: str) -> None:
            super().__init__()
            self.status = status

    def __init__(self) -> None:
        super().__init__(id="stepper")
        self._steps: Sequence[StepOnWay] = ()

    def show(self, steps: Sequence[StepOnWay]) -> None:
        if steps != self._steps:
            self._steps = steps
            self.display = bool(steps)
            self.refresh()

    def _parts(self) -> list[tuple[str, str, bool, str]]:
        """Return texts with their colours, whether each is on a chip, and the status of a click."""
        found: list[tuple[str, str, bool, str]] = []
        for step in self._steps:
            found += [(CONNECTOR if found else "", "rule", False, "")]
            colour = step.colour if step.is_passed else "muted"
            other = [(f"{step.sign} {step.word}", colour, False, step.status)]
            found += step.chip(step.status) if step.is_present else other
        if sum(cell_len(text) for text, *_ in found) <= self.size.width:
            return found
        at = next((number for number, step in enumerate(self._steps) if step.is_present), None)
        if at is None:
            return found
        return [*self._steps[at].chip(""), (f"  {at + 1}/{len(self._steps)}", "muted", False, "")]

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        theme = ThemeStyles.of(self.app)
        segments = [
            Segment(text, theme.style(colour, on="key-background" if is_chip else None, bold=is_chip))
            for text, colour, is_chip, _ in self._parts()
        ]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style())

    def on_click(self, event: events.Click) -> None:
        end = 0
        for text, _, _, status in self._parts():
            end += cell_len(text)
            if event.x < end:
                if status:
                    self.post_message(self.Chosen(status))
                return


class ItemTop(Vertical):
    """The name of an item in at most two lines, and below it the stepper of its status."""

    DEFAULT_CSS = "ItemTop { height: auto; } ItemTop > TwoSidedLine { display: none; }"

    def __init__(self) -> None:
        super().__init__(id="top")
        self.stepper = StatusStepper()
        self._title = [TwoSidedLine() for _ in range(TITLE_LINES)]
        self._between, self._below = TwoSidedLine(), TwoSidedLine()
        self._name = ""

    def compose(self) -> ComposeResult:
        yield from self._title
        yield self._between
        yield self.stepper
        yield self._below

    def on_resize(self) -> None:
        self._draw()

    def show(self, name: str, steps: Sequence[StepOnWay]) -> None:
        self.stepper.show(steps)
        self._name = name
        self._draw()

    def _draw(self) -> None:
        """Draw the name where a frame leaves room for it: in a narrower terminal the line above has it."""
        has_title = ThemeStyles.of(self.app).has_frames
        lines = wrapped(self._name, max(1, self.size.width)) if has_title and self._name else []
        if len(lines) > TITLE_LINES:
            lines = [*lines[: TITLE_LINES - 1], " ".join(lines[TITLE_LINES - 1 :])]
        for number, line in enumerate(self._title):
            line.display = number < len(lines)
            if line.display:
                line.say([(lines[number], HEADING, "editor.name")])
        self._below.display = has_title
        self._between.display = has_title and self.app.size.height >= AIRY
