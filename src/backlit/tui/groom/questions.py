"""The questions of the groom queue about its items, and the current one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backlit.store.journal.groom_queue import Stop
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.store import Store
from backlit.tui.fields.acts import field_named
from backlit.tui.fields.values import FieldWords
from backlit.tui.groom.answers import CommonValues, answers
from backlit.tui.groom.question_list import Question


@dataclass(slots=True)
class _Seen:
    """What an item was when it was first shown, and the fields that it was asked for."""

    before: Mapping[str, object]
    keys: list[str]


class ItemQuestions:
    """The questions of one item at a time; those of the items before are known too, until the screen is closed."""

    def __init__(self, store: Store, common: CommonValues, scale: Callable[[], Sequence[float]]) -> None:
        self._store = store
        self._common = common
        self._scale = scale
        self._seen: dict[int, _Seen] = {}
        self._place = -1
        self.asked: list[Question] = []
        self.at = 0

    @property
    def current(self) -> Question | None:
        """The present question; None where nothing is asked."""
        return self.asked[self.at] if self.asked else None

    @property
    def keys(self) -> list[str]:
        """The fields that are asked for, answered or not."""
        return [each.field.key for each in self.asked]

    def count_open(self) -> int:
        """How many questions are left."""
        return sum(each.is_open for each in self.asked)

    def last_place_before(self, place: int) -> int:
        """The last place before one that was shown; the journal may not have it yet. -1 where there is none."""
        return max((each for each in self._seen if each < place), default=-1)

    def begin(self, stop: Stop, item: Item) -> None:
        """Ask about another item, from its first open question."""
        if stop.place not in self._seen:
            before = item.fields if stop.before is None else stop.before
            self._seen[stop.place] = _Seen(dict(before), list(stop.asked))
        self._place = stop.place
        self.read(item)
        self.at = self._next_open(-1)

    def read(self, item: Item) -> None:
        """Read the item's questions anew: those that it was asked at first, and those that came since."""
        seen = self._seen[self._place]
        failing = {question.key: question.reasons for question in self._store.grooming.questions(item)}
        seen.keys = list(dict.fromkeys((*seen.keys, *failing)))
        self.asked = [self._question(item, key, failing.get(key), seen.before.get(key)) for key in seen.keys]

    def catch_up(self, item: Item) -> None:
        """The same, and go on from the present question where it was answered."""
        was_open = self.current is not None and self.current.is_open
        self.read(item)
        if was_open and not self.asked[self.at].is_open:
            self.go_on()

    def _question(self, item: Item, key: str, reasons: Sequence[str] | None, before: object) -> Question:
        field, value = field_named(key, self._store.lookups), item.fields.get(key)
        is_open = reasons is not None and is_same(before, value)
        found = answers(self._store, field, item, self._scale(), self._common)
        return Question(field, reasons or (), value, FieldWords(self._store).shown(field, value), is_open, found)

    def go_on(self) -> None:
        """Go to the next question that is open, from the first again after the last; stay where none is."""
        self.at = self._next_open(self.at)

    def walk(self, steps: int) -> None:
        """Go some questions down, or up."""
        self.at = max(0, min(self.at + steps, len(self.asked) - 1))

    def _next_open(self, after: int) -> int:
        order = [*range(after + 1, len(self.asked)), *range(max(0, after))]
        return next((index for index in order if self.asked[index].is_open), max(0, after))
