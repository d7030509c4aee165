"""The one picker: type to narrow down, move, enter."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.dialogs.finder import LIMIT, ranked, searchable
from backlit.tui.drawing.text import literal
from backlit.tui.fields.choices import Choice, ChoiceList
from backlit.tui.widgets.inputs import LineInput
from backlit.tui.widgets.line_list import LineList

__all__ = ["Choice", "PickDialog", "PickManyDialog", "PickerDialog", "SelectingDialog"]

Result = TypeVar("Result")

MOST_ROWS = 14
FRAME_LINES = 3
"""The frame and the input."""


class PickerDialog(Dialog[Result]):
    """An input over a list; `free` lets what is typed be chosen too, before all that only resembles it."""

    SIGN = "●"

    def __init__(self, title: str, choices: Sequence[Choice], *, free: bool) -> None:
        super().__init__(title)
        self.input = LineInput(placeholder="type to narrow down" + (", or something new" if free else ""))
        self.list = ChoiceList(self.SIGN)
        self._choices = list(choices)
        self._texts = [searchable(choice.label, choice.hint) for choice in choices]
        self._shown: Sequence[Choice] = self._choices
        self._query = ""
        self._free = free
        self._has_new = False
        """True where the first row is a new text."""
        if free:
            self.frame.border_subtitle = literal("tab completes, enter takes what is typed")
        self.list.show(self._choices, 0, is_flat=False)

    def content(self) -> ComposeResult:
        """Yield the input, then the rows."""
        yield self.input
        yield self.list

    def on_mount(self) -> None:
        """Take as many lines as there are rows, or as the screen has."""
        self._set_height()

    def on_resize(self) -> None:
        """Fit a smaller or larger screen."""
        self._set_height()

    def _set_height(self) -> None:
        rows = max(len(self._choices), 3 if self._free else 1)
        self.list.styles.height = max(1, min(rows, MOST_ROWS, self.app.size.height - FRAME_LINES))

    @property
    def current(self) -> Choice | None:
        """The choice under the cursor."""
        return self._shown[self.list.cursor] if self.list.cursor < len(self._shown) else None

    def press(self, key: str) -> bool:
        """Move, accept or leave."""
        self._narrow()
        match key:
            case "down" | "ctrl+n":
                self._step(1)
            case "up" | "ctrl+p":
                self._step(-1)
            case "pagedown":
                self.list.move_to(self.list.cursor + self.list.page)
            case "pageup":
                self.list.move_to(self.list.cursor - self.list.page)
            case "enter":
                self.accept()
            case "tab" if self.complete():
                pass
            case _:
                return super().press(key)
        return True

    def complete(self) -> bool:
        """Complete a new text in the input to the first choice that begins with it; return whether there is one."""
        self._narrow()
        if not self._has_new or self.list.cursor != 0:
            return False
        beginning = self._query.casefold()
        label = next(
            (label for each in self._shown[1:] if (label := each.label.strip()).casefold().startswith(beginning)), ""
        )
        if label:
            self.input.value = label
            self.input.cursor_position = len(label)
            self._narrow()
        return bool(label)

    def accept(self) -> None:
        """Answer with what is under the cursor."""
        raise NotImplementedError

    def type_early(self, character: str) -> None:
        """Type into the input."""
        self.input.insert_text_at_cursor(character)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow down."""
        event.stop()
        self._narrow()

    def _narrow(self) -> None:
        """Make the rows follow the input; the message that it changed may still be on its way."""
        query = self.input.value.strip()
        if query == self._query:
            return
        self._query = query
        self._show_fitting()

    def _show_fitting(self) -> None:
        query = self._query
        shown = [self._choices[index] for index in ranked(query, self._texts, LIMIT)] if query else self._choices
        self._has_new = False
        if query and self._free:
            shown, self._has_new = _with_new(query, shown)
        self._shown = shown
        self.list.show(shown, 0, is_flat=bool(query))

    def replace_choices(self, choices: Sequence[Choice]) -> None:
        """Have other choices, the cursor on the one it was on."""
        value = self.current.value if self.current is not None else None
        self._choices = list(choices)
        self._texts = [searchable(choice.label, choice.hint) for choice in choices]
        self._show_fitting()
        at = next((index for index, choice in enumerate(self._shown) if choice.value == value), 0)
        self.list.move_to(at)
        self._set_height()

    def offer(self, word: str) -> None:
        """Have a new word among the choices."""
        if all(choice.value != word for choice in self._choices):
            self._choices.append(Choice(word, word))
            self._texts.append(searchable(word))
            self._set_height()

    def step_on(self) -> None:
        """Be ready for the next one: clear what was typed, or go down."""
        if self.input.value:
            self.input.value = ""
        else:
            self.list.move_to(self.list.cursor + 1)

    @on(LineList.Chosen)
    def _double_clicked(self) -> None:
        self.accept()

    def _step(self, rows: int) -> None:
        if self._shown:
            self.list.move_to((self.list.cursor + rows) % len(self._shown))


def _with_new(query: str, found: Sequence[Choice]) -> tuple[list[Choice], bool]:
    """Put a typed text before all that only resembles it; return whether it comes first as a new one.

    Choices that differ from it in case alone stand before it.
    """
    equal = [choice for choice in found if choice.label.strip().casefold() == query.casefold()]
    equal.sort(key=lambda choice: choice.label.strip() != query)
    is_known = any(choice.label.strip() == query for choice in equal)
    rest = [choice for choice in found if choice not in equal]
    return [*equal, *([] if is_known else [Choice(query, query, "new")]), *rest], not equal


class PickDialog(PickerDialog[Choice | None]):
    """A list to pick one value from; the answer is None when it was left.

    The cursor starts on the choice whose value is `current`.
    """

    def __init__(self, title: str, choices: Sequence[Choice], current: object = None, *, free: bool = False) -> None:
        super().__init__(title, choices, free=free)
        at = next((index for index, choice in enumerate(choices) if choice.value == current), None)
        if at is not None:
            self.list.select(frozenset({choices[at].value}))
            self.list.move_to(at)

    def accept(self) -> None:
        """Answer with the row under the cursor; nothing happens where there is none."""
        if self.current is not None:
            self.dismiss(self.current)


class SelectingDialog(PickerDialog[Result]):
    """A picker in which tab turns the choice under the cursor over."""

    SIGN = "✓"

    def press(self, key: str) -> bool:
        """Turn a choice over with tab, once the text is complete."""
        if key != "tab" or self.complete():
            return key == "tab" or super().press(key)
        if self.current is not None:
            self.turn(self.current.value)
            self.step_on()
        return True

    def turn(self, value: object) -> None:
        """Turn a choice over."""
        raise NotImplementedError


class PickManyDialog(SelectingDialog[tuple[str, ...] | None]):
    """Any number of words: tab selects, enter accepts the selected ones and, where something is typed, the row too.

    The answer keeps the order of `chosen`, new ones after it; None when it was left.
    """

    def __init__(self, title: str, words: Iterable[str], chosen: Sequence[str], *, free: bool = False) -> None:
        every = dict.fromkeys([*chosen, *words])
        super().__init__(title, [Choice(word, word) for word in every], free=free)
        self._selected = dict.fromkeys(chosen)
        self.frame.border_subtitle = literal("tab selects, enter accepts")
        self._show_selected()

    def accept(self) -> None:
        """Answer with the selected ones."""
        if self.input.value.strip() and self.current is not None:
            self._selected[str(self.current.value)] = None
        self.dismiss(tuple(self._selected))

    def turn(self, value: object) -> None:
        """Select a word, or leave it out."""
        word = str(value)
        if word in self._selected:
            del self._selected[word]
        else:
            self._selected[word] = None
        self.offer(word)
        self._show_selected()

    def _show_selected(self) -> None:
        self.list.select(frozenset(self._selected))
