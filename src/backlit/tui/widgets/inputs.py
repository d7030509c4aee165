"""Text inputs: a line, several lines, and the query line at the foot.

Textual runs a widget's bindings only after a key has travelled up to the application. In a burst (a slow line, a
pasted or replayed sequence) a backspace or an enter would act after the letters typed behind it. These inputs act at
once, and first offer the key to the nearest node above that has `press(key) -> bool`. A node above whose reaction to a
character of the text is more than to show it has `acts_on(character) -> bool`: keys behind such a character wait.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from backlit.model.query import Candidate
from backlit.tui.drawing.text import WholeCharacters, boundary, fit, is_joint, literal, safe
from backlit.tui.drawing.themes import ThemeStyles, cap_words

if TYPE_CHECKING:
    from textual.widget import Widget

    Base = Widget
else:
    Base = object

CompleteText = Callable[[str, str, int], Sequence[Candidate]]
"""Returns completions for a sign, a text and the position of the cursor."""
FILTER, COMMAND = "/", ":"
GAP, TAB = "   ", "tab"
MAX_PASTED_LINE = 20_000
"""Characters of a line that may be pasted. Textual wraps and draws all of it for each key, which takes a fifth of a
second for this many signs of East Asia."""


class TextRefused(Message):
    """A text was too long to be pasted; the sentence says so."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class LinesJoined(Message):
    """Several lines were pasted into one."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count


def actions_of(bindings: Iterable[BindingType]) -> Mapping[str, str]:
    """Return actions by key; enter and ctrl+c are left to nodes above."""
    found = {
        key.strip(): binding.action
        for binding in bindings
        if isinstance(binding, Binding)
        for key in binding.key.split(",")
    }
    return {key: action for key, action in found.items() if key not in {"enter", "ctrl+c", "super+c"}}


class OrderedKeysInput(Base):
    """Mixin in front of Textual's text widgets that takes keys in their order."""

    ACTIONS: ClassVar[Mapping[str, str]] = {}

    async def _on_key(self, event: events.Key) -> None:
        if not self.screen.is_current or (not event.is_printable and await self._press(event.key)):
            event.stop()
            event.prevent_default()
        elif is_joint(event.character):
            event.stop()
            self.put(str(event.character))

    def put(self, text: str) -> None: ...

    def only_types(self, character: str) -> bool:
        """Return whether a character does nothing but to stand in the text; no node above has `acts_on` for it."""
        acts = [acts_on for node in self.ancestors if (acts_on := getattr(node, "acts_on", None)) is not None]
        return not any(acts_on(character) for acts_on in acts)

    async def _press(self, key: str) -> bool:
        for node in self.ancestors:
            press = getattr(node, "press", None)
            if press is not None and press(key):
                return True
        if key in self.ACTIONS:
            await self.run_action(self.ACTIONS[key])
            return True
        return False


class LineInput(OrderedKeysInput, Input):
    """A line with readline's keys and a steady cursor; typing never causes a layout of the screen."""

    ACTIONS = actions_of(Input.BINDINGS)
    chips: Callable[[str], Sequence[tuple[int, int, int]]] = staticmethod(lambda _text: ())
    """Returns the stretches of a text that are drawn as chips: the beginning, the end of a label, and the end."""
    # Textual lays the screen out for each letter, as its input grows by one.
    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, value: str = "", *, placeholder: str = "", password: bool = False) -> None:
        super().__init__(value, placeholder=placeholder, password=password, select_on_focus=False, compact=True)
        # A blinking cursor writes to the terminal twice a second. At rest the program writes nothing.
        self.cursor_blink = False

    @property
    def _value(self) -> Text:
        value = super()._value
        # Only other texts than ASCII have characters of several parts.
        if not value.plain.isascii():
            value = WholeCharacters(value.plain, no_wrap=True, overflow="ignore", end="")
        for start, middle, end in self.chips(self.value):
            style = ThemeStyles.of(self.app).style
            value.stylize(style("muted", on="key-background"), start, middle)
            value.stylize(style(on="key-background", bold=True), middle, end)
        return value

    def put(self, text: str) -> None:
        self.replace(text, *self.selection)

    def validate_selection(self, selection: Selection) -> Selection:
        """Keep the cursor out of a character of several parts, on the side that it moves to."""
        start, end = super().validate_selection(selection)
        is_after = end > self.selection.end
        return Selection(*(boundary(self.value, each, is_after=is_after) for each in (start, end)))

    def delete(self, start: int, end: int) -> None:
        """Delete a range, widened to whole characters."""
        start, end = max(0, min(start, end)), max(start, end)
        super().delete(boundary(self.value, start, is_after=False), boundary(self.value, end, is_after=True))

    def _on_paste(self, event: events.Paste) -> None:
        """Paste several lines as one, and say so; Textual would drop all but the first."""
        event.stop()
        event.prevent_default()
        if len(event.text) > MAX_PASTED_LINE:
            sentence = f"The pasted text has {len(event.text):,} characters; a line takes up to {MAX_PASTED_LINE:,}."
            self.post_message(TextRefused(f"{sentence} Nothing was pasted."))
        else:
            lines = [line for line in event.text.splitlines() if line.strip()]
            self.put(lines[0] if len(lines) == 1 else " ".join(line.strip() for line in lines))
            if len(lines) > 1:
                self.post_message(LinesJoined(len(lines)))


class QueryLine(Vertical):
    """The line for filters and commands: tab completes, up and down walk the history, enter and esc close it."""

    class Typed(Message):
        """The text changed."""

    class Turned(Message):
        """The line opened or closed."""

    def __init__(self, complete: CompleteText, history: Callable[[str], Sequence[str]]) -> None:
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
        self._seen = self._before = ""
        self._walk: list[str] = []
        self._step = 0

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield self._lead
            yield self.input
        yield self._note

    @property
    def text(self) -> str:
        return self.input.value.strip()

    @property
    def is_open(self) -> bool:
        return bool(self.display)

    def open(self, sign: str, text: str, placeholder: str) -> None:
        self.app.clear_notifications()
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
        self.post_message(self.Turned())

    def close(self) -> None:
        self.display = False
        self.post_message(self.Turned())

    def show_fault(self, fault: str, *, is_sure: bool = False) -> None:
        """Show an error, or none; unless it is sure, completions hide it."""
        self._fault = fault
        if is_sure:
            self._offered = ()
        self._draw_note()

    def press(self, key: str) -> bool:
        """Complete, or walk through the history; return False for any other key."""
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
            self._before, at = self.input.value, 0
        else:
            at = (self._completed[1] + steps) % max(1, len(self._offered))
        if not self._offered:
            return
        candidate = self._offered[at]
        text = self._before[: candidate.start] + candidate.text
        self._completed = (text + self._before[candidate.stop :], at)
        self._put(self._completed[0], len(text))
        self._draw_note()

    def _put(self, text: str, cursor: int) -> None:
        self.input.value = text
        self.input.cursor_position = cursor

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
        texts = [each.text.strip() for each in shown]
        words = GAP.join([f"{texts[0]}  {shown[0].help}".rstrip(), *texts[1:]] if texts else ())
        cap, look = cap_words(TAB, has_caps=ThemeStyles.of(self.app).has_frames)
        room = max(0, (self.size.width or self.app.size.width) - 4 - len(cap))
        indent = min(self._offered[0].start - len(cap) - 1, room - cell_len(words)) if words else 0
        first = len(safe(texts[0])) if texts else 0
        self._say(fit(words, room).rstrip(), (" " * indent, (cap, look), " "), first)

    def _say(
        self, words: str, key: Sequence[str | tuple[str, str]] = (), first: int = 0, *, is_bad: bool = False
    ) -> None:
        """Show words behind a key; `first` characters of them are what it completes, and bold."""
        self._note.set_class(is_bad, "-bad")
        self._note.display = bool(words)
        offered = safe(words[:first]), "bold $foreground"
        self._note.update(Content.assemble(*key, offered, safe(words[first:])) if words else literal(""))
