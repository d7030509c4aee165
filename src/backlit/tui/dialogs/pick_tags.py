"""Tags of several items at once: put on all, taken off all, or left as they are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.dialogs.pick import Picking
from backlit.tui.text import literal


@dataclass(frozen=True, slots=True)
class TagChange:
    """The tags to put on and those to take off; all others stay."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class PickTagsDialog(Picking[TagChange | None]):
    """✓ stands for all of the items, – for some; tab goes from some to all to none and back.

    `counts` says how many of the items have a tag. The answer is None when it was left.
    """

    MARK = "✓"

    def __init__(self, title: str, words: Iterable[str], counts: Mapping[str, int], total: int) -> None:
        every = dict.fromkeys([*counts, *words])
        choices = [Choice(word, word, _hint(counts.get(word, 0), total)) for word in every]
        super().__init__(title, choices, free=True)
        self._before = {word: count == total for word, count in counts.items()}
        self._wanted: dict[str, bool] = {}
        self.frame.border_subtitle = literal("tab puts on and takes off, enter accepts")
        self._show_marks()

    def press(self, key: str) -> bool:
        """Turn a tag over with tab."""
        if key != "tab":
            return super().press(key)
        self._narrow()
        if self.current is not None:
            word = str(self.current.value)
            self.offer(word)
            self._turn(word)
            self.step_on()
        return True

    def accept(self) -> None:
        """Answer with what was turned over; a word that is typed is put on."""
        if self.input.value.strip() and self.current is not None:
            self._wanted[str(self.current.value)] = True
        added = tuple(word for word, is_on in self._wanted.items() if is_on)
        self.dismiss(TagChange(added, tuple(word for word, is_on in self._wanted.items() if not is_on)))

    def _turn(self, word: str) -> None:
        """Some, all, none; or all and none where no item differs."""
        is_mixed = self._before.get(word) is False
        match self._wanted.get(word):
            case None:
                self._wanted[word] = not self._before.get(word, False)
            case True if is_mixed:
                self._wanted[word] = False
            case _:
                del self._wanted[word]
        self._show_marks()

    def _show_marks(self) -> None:
        state: dict[str, bool | None] = {word: True if has_all else None for word, has_all in self._before.items()}
        state |= self._wanted
        marked = frozenset(word for word, is_on in state.items() if is_on)
        self.list.mark(marked, frozenset(word for word, is_on in state.items() if is_on is None))


def _hint(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" if 0 < count < total else ""
