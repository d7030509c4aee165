"""Fields one after another: those that a list is grouped by, or sorted by in which direction."""

from collections.abc import Sequence

from backlit.model.filters import SortKey
from backlit.tui.dialogs.pick import Choice, Picking
from backlit.tui.text import literal

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


class PickKeysDialog(Picking[tuple[SortKey, ...] | None]):
    """Tab adds a field, turns its direction where there is one, and takes it off again; enter accepts.

    Without a tab, enter takes the row alone, or where it `adds` the row too; a choice without a value stands for none
    at all. At most `most` fields are taken, the first ones going. The answer is None when it was left.
    """

    MARK = "✓"

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
        act = "tab adds, turns, takes off" if has_directions else "tab adds, takes off"
        self.frame.border_subtitle = literal(f"{act}; enter accepts")
        at = next((index for index, each in enumerate(choices) if chosen and each.value == chosen[0].name), 0)
        self._show_chosen()
        self.list.move_to(at)

    def press(self, key: str) -> bool:
        """Mark with tab."""
        if key != "tab":
            return super().press(key)
        self._narrow()
        if self.current is not None:
            self._is_touched = True
            self._turn(self.current.value)
            if self.input.value:
                self.input.value = ""
        return True

    def accept(self) -> None:
        """Answer with the marked ones; with the row alone where none was marked by tab."""
        if self.current is None:
            return
        name = self.current.value
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
        self.list.mark(frozenset(places))
        if not self.input.value:
            self._shown = self._choices
            self.list.show(self._shown, self.list.cursor, is_flat=False)

    def _hint(self, number: int) -> str:
        arrow = (" ↓" if self._chosen[number].descending else " ↑") if self._has_directions else ""
        place = number + 1
        ending = "th" if place // 10 == 1 else _ENDINGS.get(place % 10, "th")
        return f"{place}{ending}{arrow}"
