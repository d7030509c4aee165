"""The one picker: type to filter, move, enter."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from backlit.model.amounts import counted
from backlit.model.filters import SortKey
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.dialogs.ranking import MAX_MATCHES, Searchable, ranked, searchable
from backlit.tui.fields.choices import NO_MATCHES, Choice, ChoiceList
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.widgets.inputs import LineInput
from backlit.tui.widgets.line_list import LineList

__all__ = ["Choice", "PickDialog", "PickManyDialog", "PickerDialog", "SelectDialog"]

Result = TypeVar("Result")

MAX_PICKER_ROWS = 14
DIGITS = frozenset("123456789")


class PickerDialog(Dialog[Result]):
    """An input over a list; `free` lets what is typed be chosen too, before all that only resembles it."""

    SIGN = "✓"
    LINES_AROUND = 3
    """The frame and the input."""

    def __init__(self, title: str, choices: Sequence[Choice], *, free: bool) -> None:
        super().__init__(title)
        self.input = LineInput(placeholder=" type to filter" + (", or something new" if free else ""))
        self.list = ChoiceList(self.SIGN)
        self._choices = list(choices)
        self._texts = [_searched(choice) for choice in choices]
        self._shown: Sequence[Choice] = self._choices
        self._query = ""
        self._free = free
        self._has_new = False
        """True where the first row is a new text."""
        taking = (("tab", "complete"), ("enter", "take what is typed")) if free else (("enter", "choose"),)
        self.name_keys(*taking, ("esc", "cancel"))
        self.list.show(self._choices, 0, is_flat=False)

    def content(self) -> ComposeResult:
        yield self.input
        yield self.list

    def on_mount(self) -> None:
        self._set_height()

    def on_resize(self) -> None:
        self._set_height()

    def _set_height(self) -> None:
        rows = max(len(self._choices), 3 if self._free else 1)
        self.list.styles.height = max(1, min(rows, MAX_PICKER_ROWS, self.app.size.height - self.LINES_AROUND))

    @property
    def current(self) -> Choice | None:
        return self._shown[self.list.cursor] if self.list.cursor < len(self._shown) else None

    def press(self, key: str) -> bool:
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
        raise NotImplementedError

    def taken(self) -> Choice | None:
        """Return the choice under the cursor; without one, refuse the answer."""
        if self.current is None:
            self.post_message(AnswerRefused(NO_MATCHES))
        return self.current

    def type_early(self, character: str) -> None:
        self.input.insert_text_at_cursor(character)

    def on_input_changed(self, event: Input.Changed) -> None:
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
        shown = [self._choices[index] for index in ranked(query, self._texts, MAX_MATCHES)] if query else self._choices
        self._has_new = False
        if query and self._free:
            shown, self._has_new = _with_typed_choice(query, shown)
        self._shown = shown
        self.list.show(shown, 0, is_flat=bool(query))

    def replace_choices(self, choices: Sequence[Choice]) -> None:
        value = self.current.value if self.current is not None else None
        self._choices = list(choices)
        self._texts = [_searched(choice) for choice in choices]
        self.list.is_numbered = self.list.is_numbered and not any(map(_has_digit, choices))
        self._show_fitting()
        at = next((index for index, choice in enumerate(self._shown) if choice.value == value), 0)
        self.list.move_to(at)
        self._set_height()

    def offer(self, word: str) -> None:
        if all(choice.value != word for choice in self._choices):
            self._choices.append(Choice(word, word))
            self._texts.append(searchable(word))
            self._set_height()

    def prepare_next(self) -> None:
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


def _searched(choice: Choice) -> Searchable:
    """Return the texts that find a choice: its label, its hint, and a value that is written otherwise."""
    value = choice.value if isinstance(choice.value, str) and choice.value != choice.label else ""
    return searchable(choice.label, f"{choice.hint} {value}".strip())


def _has_digit(choice: Choice) -> bool:
    return not DIGITS.isdisjoint(f"{choice.label}{choice.hint}{choice.value if isinstance(choice.value, str) else ''}")


def _with_typed_choice(query: str, found: Sequence[Choice]) -> tuple[list[Choice], bool]:
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

    The sign stands at the choice whose value is `current`. The cursor starts on the one of `start`, else on that.
    Each of a few choices without digits in their words has a number, and its digit takes it at once.
    """

    def __init__(
        self, title: str, choices: Sequence[Choice], current: object = None, *, start: object = None, free: bool = False
    ) -> None:
        super().__init__(title, choices, free=free)
        self.list.is_numbered = not free and len(choices) <= len(DIGITS) and not any(map(_has_digit, choices))
        places = {choice.value: at for at, choice in reversed([*enumerate(choices)])}
        if current in places:
            self.list.select(frozenset({current}))
        at = places.get(start, places.get(current)) if start is not None else places.get(current)
        if at is not None:
            self.list.move_to(at)

    def _set_height(self) -> None:
        super()._set_height()
        if not self._free:
            digits = f"1-{len(self._choices)} " if self.list.is_numbered else ""
            self.name_keys((f"{digits}enter", "choose"), ("esc", "cancel"))

    def accept(self) -> None:
        if (choice := self.taken()) is not None:
            self.dismiss(choice)

    def acts_on(self, character: str) -> bool:
        return self.list.is_numbered and character in DIGITS

    def _show_fitting(self) -> None:
        at = int(self._query) if self.list.is_numbered and self._query in DIGITS else 0
        if 0 < at <= len(self._choices):
            self.dismiss(self._choices[at - 1])
        else:
            super()._show_fitting()


class SelectDialog(PickerDialog[Result]):
    """A picker in which tab turns the choice under the cursor over."""

    def __init__(self, title: str, choices: Sequence[Choice], selected: Iterable[str] = (), *, free: bool) -> None:
        super().__init__(title, choices, free=free)
        self._selected = dict.fromkeys(selected)
        self.list.select(frozenset(self._selected))

    def press(self, key: str) -> bool:
        """Turn a choice over with tab, once the text is complete."""
        if key != "tab" or self.complete():
            return key == "tab" or super().press(key)
        if self.current is not None:
            self.turn(self.current.value)
            self.prepare_next()
        return True

    def turn(self, value: object) -> None:
        word = str(value)
        if word in self._selected:
            del self._selected[word]
        else:
            self._selected[word] = None
        self.offer(word)
        self.list.select(frozenset(self._selected))


class PickManyDialog(SelectDialog[tuple[str, ...] | None]):
    """Any number of words: tab selects, enter accepts the selected ones and, where something is typed, the row too.

    The answer keeps the order of `chosen`, new ones after it; None when it was left.
    """

    def __init__(self, title: str, words: Iterable[str], chosen: Sequence[str], *, free: bool = False) -> None:
        every = dict.fromkeys([*chosen, *words])
        super().__init__(title, [Choice(word, word) for word in every], chosen, free=free)
        self.name_keys(("enter", "accept"), ("tab", "select"), ("esc", "cancel"))

    def accept(self) -> None:
        if self.input.value.strip() and self.current is not None:
            self._selected[str(self.current.value)] = None
        self.dismiss(tuple(self._selected))


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


class PickValuesDialog(SelectDialog[tuple[str, ...] | None]):
    """The answer is the values wanted, none for any; None when it was left. The counts may come later."""

    def __init__(self, title: str, anything: str, choices: Sequence[Choice], chosen: Sequence[str]) -> None:
        known = {choice.value for choice in choices}
        others = [Choice(value, value) for value in chosen if value not in known]
        super().__init__(title, [Choice(None, anything), *choices, *others], chosen, free=False)
        self._has_turned = False
        self.name_keys(("enter", "accept"), ("tab", "select several"), ("esc", "cancel"))
        at = next((place for place, each in enumerate(self._choices) if each.value in self._selected), 0)
        self._first = self._choices[at].value
        self.list.move_to(at)

    def count(self, counts: Mapping[str, int]) -> None:
        """Say beside each value how many items have it; values that were not known join the others."""
        known = {choice.value for choice in self._choices}
        others = [Choice(value, value) for value, count in counts.items() if value not in known and count]
        others = [each for each in others if each.value != "none"]
        found = [(each, counts.get(str(each.value), 0)) for each in [*self._choices, *others]]
        self.replace_choices(
            [Choice(each.value, each.label, counted(count, "item") if count else "") for each, count in found]
        )

    def accept(self) -> None:
        """Answer with the selected ones, and the row where it was typed for; with the row alone without any."""
        if (current := self.taken()) is None:
            return
        is_typed = bool(self.input.value.strip())
        row = () if current.value is None else (str(current.value),)
        if self._has_turned:
            wanted = [*self._selected, *(row if is_typed else ())]
        elif self._selected and not is_typed and current.value == self._first:
            wanted = [*self._selected]
        else:
            wanted = [*row]
        self.dismiss(tuple(dict.fromkeys(wanted)))

    def turn(self, value: object) -> None:
        """Select a value, or leave it out; the first choice stands for any."""
        if value is not None:
            self._has_turned = True
            super().turn(value)


class TagChange(Struct, frozen=True):
    """The tags to put on and those to take off; all others stay."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class PickTagsDialog(SelectDialog[TagChange | None]):
    """✓ stands for all of the items, – for some; tab goes from some to all to none and back.

    `counts` says how many of the items have a tag. The answer is None when it was left.
    """

    def __init__(self, title: str, words: Iterable[str], counts: Mapping[str, int], total: int) -> None:
        every = dict.fromkeys([*counts, *words])
        choices = [Choice(word, word, _share(counts.get(word, 0), total)) for word in every]
        super().__init__(title, choices, free=True)
        self._before = {word: count == total for word, count in counts.items()}
        self._wanted: dict[str, bool] = {}
        self.name_keys(("enter", "accept"), ("tab", "add or remove"), ("esc", "cancel"))
        self._show_selected()

    def accept(self) -> None:
        """Answer with what was turned over; a word that is typed is put on."""
        if self.input.value.strip() and self.current is not None:
            self._wanted[str(self.current.value)] = True
        added = tuple(word for word, is_on in self._wanted.items() if is_on)
        self.dismiss(TagChange(added, tuple(word for word, is_on in self._wanted.items() if not is_on)))

    def turn(self, value: object) -> None:
        """Some, all, none; or all and none where no item differs."""
        word = str(value)
        self.offer(word)
        is_mixed = self._before.get(word) is False
        match self._wanted.get(word):
            case None:
                self._wanted[word] = not self._before.get(word, False)
            case True if is_mixed:
                self._wanted[word] = False
            case _:
                del self._wanted[word]
        self._show_selected()

    def _show_selected(self) -> None:
        state: dict[str, bool | None] = {word: True if has_all else None for word, has_all in self._before.items()}
        state |= self._wanted
        selected = frozenset(word for word, is_on in state.items() if is_on)
        self.list.select(selected, frozenset(word for word, is_on in state.items() if is_on is None))


def _share(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" if 0 < count < total else ""


class PickSortKeysDialog(SelectDialog[tuple[SortKey, ...] | None]):
    """Tab adds a field, turns its direction where there is one, and takes it off again; enter accepts.

    Without a tab, enter takes the row alone, or where it `adds` the row too; a choice without a value stands for none
    at all. At most `most` fields are taken, the first ones going. The answer is None when it was left.
    """

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        chosen: Sequence[SortKey],
        *,
        most: int,
        has_directions: bool = False,
        adds: bool = False,
    ) -> None:
        super().__init__(title, choices, free=False)
        self._plain = list(choices)
        self._chosen = list(chosen)
        self._most = most
        self._has_directions = has_directions
        self._is_touched = False
        self._adds = adds
        act = "add, reverse, remove" if has_directions else "add or remove"
        self.name_keys(("enter", "accept"), ("tab", act), ("esc", "cancel"))
        at = next((index for index, each in enumerate(choices) if chosen and each.value == chosen[0].name), 0)
        self._show_chosen()
        self.list.move_to(at)

    def turn(self, value: object) -> None:
        """Add a field, turn its direction, or take it off."""
        self._is_touched = True
        self._turn(value)

    def prepare_next(self) -> None:
        if self.input.value:
            self.input.value = ""

    def accept(self) -> None:
        """Answer with the selected ones; with the row alone where none was selected by tab."""
        if (current := self.taken()) is None:
            return
        name = current.value
        if not self._is_touched and self._adds and name is not None:
            if all(each.name != name for each in self._chosen):
                self._turn(name)
        elif not self._is_touched:
            turned = self._has_directions and self._chosen == [SortKey(str(name))]
            self.dismiss((SortKey(str(name), turned),) if name is not None else ())
            return
        if self.input.value.strip() and all(each.name != name for each in self._chosen):
            self._turn(name)
        self.dismiss(tuple(self._chosen))

    def _turn(self, name: object) -> None:
        if name is None:
            self._chosen = []
        elif SortKey(str(name)) in self._chosen and self._has_directions:
            self._chosen[self._chosen.index(SortKey(str(name)))] = SortKey(str(name), descending=True)
        elif any(each.name == name for each in self._chosen):
            self._chosen = [each for each in self._chosen if each.name != name]
        else:
            self._chosen = [*self._chosen, SortKey(str(name))][-self._most :]
        self._show_chosen()

    def _show_chosen(self) -> None:
        """Say at the right of each row which it is, and in which direction."""
        places = {each.name: number for number, each in enumerate(self._chosen)}
        self._choices = [
            Choice(each.value, each.label, self._hint(places[each.value])) if each.value in places else each
            for each in self._plain
        ]
        self.list.select(frozenset(places))
        if not self.input.value:
            self._shown = self._choices
            self.list.show(self._shown, self.list.cursor, is_flat=False)

    def _hint(self, number: int) -> str:
        arrow = (" ↓" if self._chosen[number].descending else " ↑") if self._has_directions else ""
        place = number + 1
        ending = "th" if place // 10 == 1 else _ENDINGS.get(place % 10, "th")
        return f"{place}{ending}{arrow}"
