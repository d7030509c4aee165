"""The line at the foot for filters and commands: with completion, history, and what is wrong under it."""

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from backlit.model.query import Candidate
from backlit.tui.drawing.text import fit, literal
from backlit.tui.widgets.inputs import LineInput

Complete = Callable[[str, str, int], Sequence[Candidate]]
"""Gives what could stand at the cursor, of the line's sign, its text and the cursor's place."""

FILTER, COMMAND = "/", ":"
GAP = "   "


class QueryLine(Vertical):
    """Opened under a sign; tab completes, up and down walk through what was typed before, enter and esc end it."""

    class Typed(Message):
        """The text is another."""

    def __init__(self, complete: Complete, history: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self.display = False
        self.sign = FILTER
        self.input = LineInput()
        self.input.id = "filter"
        self._lead = Static(literal(FILTER), classes="sign")
        self._note = Static(literal(""), classes="note")
        self._complete = complete
        self._history = history
        self._fault = ""
        self._offered: Sequence[Candidate] = ()
        self._completed: tuple[str, int] | None = None
        self._seen = ""
        self._walk: list[str] = []
        self._step = 0

    def compose(self) -> ComposeResult:
        """The sign and the input, and below them what could follow or what is wrong."""
        with Horizontal():
            yield self._lead
            yield self.input
        yield self._note

    @property
    def text(self) -> str:
        """What is typed."""
        return self.input.value.strip()

    @property
    def is_open(self) -> bool:
        """Whether it is on the screen."""
        return bool(self.display)

    def open(self, sign: str, text: str, placeholder: str) -> None:
        """Ask for a line."""
        self.sign = sign
        self._lead.update(literal(sign))
        self.input.placeholder = placeholder
        self.input.value = text
        self.input.cursor_position = len(text)
        self._walk, self._step = [text, *self._history(sign)], 0
        self._completed, self._fault, self._seen = None, "", text
        self.display = True
        self._offer()
        self._draw_note()
        self.screen.set_focus(self.input)  # at once: the next key is for it already

    def close(self) -> None:
        """Take it off the screen; the text stays what it is."""
        self.display = False

    def blame(self, fault: str, *, is_sure: bool = False) -> None:
        """Say what is wrong, or nothing; while something could still follow only if it is sure."""
        self._fault = fault
        if is_sure:
            self._offered = ()
        self._draw_note()

    def press(self, key: str) -> bool:
        """Complete, or walk through the history."""
        match key:
            case "tab" | "shift+tab":
                self._next_candidate(1 if key == "tab" else -1)
            case "up" | "ctrl+p":
                self._walk_by(1)
            case "down" | "ctrl+n":
                self._walk_by(-1)
            case _:
                return False
        return True

    def _walk_by(self, steps: int) -> None:
        step = self._step + steps
        if 0 <= step < len(self._walk):
            self._step = step
            self._put(self._walk[step], len(self._walk[step]))

    def _next_candidate(self, steps: int) -> None:
        if self._completed is None or self._completed[0] != self.input.value:
            self._offer()
            at = 0
        else:
            at = (self._completed[1] + steps) % max(1, len(self._offered))
        if not self._offered:
            return
        candidate = self._offered[at]
        if self._completed is None or self._completed[0] != self.input.value:
            self._before = self.input.value
        text = self._before[: candidate.start] + candidate.text
        self._completed = (text + self._before[candidate.stop :], at)
        self._put(self._completed[0], len(text))
        self._draw_note()

    def _put(self, text: str, cursor: int) -> None:
        self.input.value = text
        self.input.cursor_position = cursor

    _before = ""

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if not self.is_open or self.input.value == self._seen:
            return
        self._seen = self.input.value
        if self._completed is None or self._completed[0] != self.input.value:
            self._completed = None
            self._offer()
        self._fault = ""
        self._draw_note()
        self.post_message(self.Typed())

    def _offer(self) -> None:
        text = self.input.value
        self._offered = self._complete(self.sign, text, self.input.cursor_position)

    def _draw_note(self) -> None:
        if self._fault and not self._offered:
            self._say(self._fault, is_bad=True)
            return
        at = self._completed[1] if self._completed else 0
        shown = [*self._offered[at:], *self._offered[:at]]
        words = GAP.join(each.text.strip() for each in shown)
        self._say(fit(words, max(0, (self.size.width or self.app.size.width) - 3)).rstrip())

    def _say(self, words: str, *, is_bad: bool = False) -> None:
        self._note.set_class(is_bad, "-bad")
        self._note.display = bool(words)
        self._note.update(literal(words))
