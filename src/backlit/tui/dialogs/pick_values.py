"""Picking the values that a list is filtered by: one with enter, several with tab."""

from collections.abc import Mapping, Sequence

from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.dialogs.pick import Picking
from backlit.tui.text import literal


class PickValuesDialog(Picking[tuple[str, ...] | None]):
    """The answer is the values wanted, none for any; None when it was left. The counts may come later."""

    MARK = "✓"

    def __init__(self, title: str, anything: str, choices: Sequence[Choice], chosen: Sequence[str]) -> None:
        known = {choice.value for choice in choices}
        others = [Choice(value, value) for value in chosen if value not in known]
        super().__init__(title, [Choice(None, anything), *choices, *others], free=False)
        self._marked = dict.fromkeys(chosen)
        self._has_turned = False
        self.frame.border_subtitle = literal("tab marks several, enter takes")
        at = next((place for place, each in enumerate(self._choices) if each.value in self._marked), 0)
        self._first = self._choices[at].value
        self._show_marks()
        self.list.move_to(at)

    def count(self, counts: Mapping[str, int]) -> None:
        """Say beside each value how many items have it; values that were not known join the others."""
        known = {choice.value for choice in self._choices}
        others = [Choice(value, value) for value, count in counts.items() if value not in known and count]
        others = [each for each in others if each.value != "none"]
        self.replace_choices(
            [
                Choice(choice.value, choice.label, _items(counts.get(str(choice.value), 0)))
                for choice in [*self._choices, *others]
            ]
        )

    def press(self, key: str) -> bool:
        """Mark with tab."""
        if key != "tab":
            return super().press(key)
        self._narrow()
        if self.current is not None and self.current.value is not None:
            self._turn(str(self.current.value))
        self.step_on()
        return True

    def accept(self) -> None:
        """Answer with the marked ones, and the row where it was typed for; with the row alone where none was marked."""
        current = self.current
        if current is None:
            return
        is_typed = bool(self.input.value.strip())
        row = () if current.value is None else (str(current.value),)
        if self._has_turned:
            wanted = [*self._marked, *(row if is_typed else ())]
        elif self._marked and not is_typed and current.value == self._first:
            wanted = [*self._marked]
        else:
            wanted = [*row]
        self.dismiss(tuple(dict.fromkeys(wanted)))

    def _turn(self, value: str) -> None:
        self._has_turned = True
        if value in self._marked:
            del self._marked[value]
        else:
            self._marked[value] = None
        self._show_marks()

    def _show_marks(self) -> None:
        self.list.mark(frozenset(self._marked))


def _items(count: int) -> str:
    return f"{count:,} item{'s' if count > 1 else ''}" if count else ""
