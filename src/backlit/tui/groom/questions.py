"""Questions of a grooming session about its items, and the answers that digits give."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice

from msgspec import Struct, field

from backlit.model.dates import written_day
from backlit.model.field_values import number_text, value_word
from backlit.model.fields import CRITERIA_COUNT, FEATURE_ID, Field, Kind, fields_of
from backlit.store.grooming import ALWAYS_ASKED, NextGroomItem, OpenFeature, likely_features
from backlit.store.journal.groom_queue import GroomQueueItem
from backlit.store.records.item import Item
from backlit.store.records.merge import is_empty, is_same
from backlit.store.records.people import TreeKind, current, following, leaves
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.field_edits import FieldEdit, change_tags_edit, field_named, set_field_edit, tags_of
from backlit.tui.fields.values import ScreenFieldWords

MAX_DIGIT_ANSWERS = 9
"""Most answers that digits give; another key enters another value."""
LAST_QUESTION_FIELD = "Status"
"""The field that every item is offered a change of, after its open questions."""
OTHER_VALUE_WORDS = "another…"
NONE_DIGIT = 9
"""The digit that leaves an item without a Feature or without criteria."""
_NONE = Choice(None, "none")
_DUE_IN_DAYS = (0, 7, 14, 28)
_PRIORITIES = range(1, 6)


class GroomingQuestion(Struct, frozen=True):
    """A question: its field, the item's value, whether it is open, the answers by digit, and the words for another one.

    There are no such words where digits give every value. The status, which is only offered, is neither open nor
    answered until it is changed. `is_failed` marks a given answer that leaves the item not ready, as a word for
    points does.
    """

    field: Field
    value: object
    words: str
    is_open: bool
    answers: Mapping[int, Choice]
    others: str = OTHER_VALUE_WORDS
    is_failed: bool = False
    is_answered: bool = False

    def has(self, choice: Choice) -> bool:
        return self.has_value(choice.value)

    def has_value(self, value: object) -> bool:
        return value == self.value and type(value) is type(self.value)


OTHERS_BELOW: Mapping[str, str] = {FEATURE_ID: "another or a new one…", CRITERIA_COUNT: "write them, one a line…"}
"""The words for another answer of what is beside the fields of an item."""
BACKLOG_WORD = "backlog"
CommonValues = Mapping[str, Sequence[object]]
"""The most frequent values of open items by field (owner, area, tags), and the Features to choose from."""


class _ShownItem(Struct):
    """An item's values when it was first shown, the fields it was asked for, and those with a confirmed value."""

    before: Mapping[str, object]
    keys: list[str]
    confirmed: set[str] = field(default_factory=set)


class SingleItemQueue:
    """A queue of one item, which asks for its estimate and iteration even where they are set; no journal keeps it."""

    def __init__(self, store: Store, item: Item) -> None:
        has = {field.key for field in fields_of(item.type, store.lookups.custom_fields())}
        self._stop = GroomQueueItem(0, item.id, asked=tuple(key for key in ("Estimate", *ALWAYS_ASKED) if key in has))

    def next_stop(self, place: int) -> GroomQueueItem | None:
        return self._stop if place == 0 else None

    def stop_at(self, _place: int) -> None: ...

    previous_stop = stop_at

    def coming(self, *_: int) -> Sequence[NextGroomItem]:
        return ()

    async def show(self, *_: object) -> None: ...

    confirm = show

    async def leave(self, *_: object, is_skipped: bool) -> None: ...


class GroomingQuestions:
    """The questions of the current item; those of earlier items are kept until the screen is closed."""

    def __init__(self, store: Store, common: CommonValues, scale: Callable[[], Sequence[float]]) -> None:
        self._store = store
        self._common = common
        self._scale = scale
        self._seen: dict[int, _ShownItem] = {}
        self._place = -1
        self.asked: list[GroomingQuestion] = []
        self.at = 0

    @property
    def current(self) -> GroomingQuestion | None:
        return self.asked[self.at] if self.asked else None

    @property
    def keys(self) -> list[str]:
        return [each.field.key for each in self.asked]

    def count_open(self) -> int:
        return sum(each.is_open for each in self.asked)

    def last_place_before(self, place: int) -> int:
        """Return the last shown place before another; the journal may not have it yet. -1 without one."""
        return max((each for each in self._seen if each < place), default=-1)

    def begin(self, stop: GroomQueueItem, item: Item) -> None:
        if stop.place not in self._seen:
            before = item.fields if stop.before is None else stop.before
            self._seen[stop.place] = _ShownItem(dict(before), list(stop.asked), set(stop.confirmed))
        self._place, self.asked = stop.place, []
        self.read(item)
        self.at = self._next_open(-1)

    def read(self, item: Item) -> None:
        """Read the questions again: those asked at first, then newer ones, and the status last.

        A question without a value that nothing asks for any more is left out, as all are once an item is done.
        """
        seen, grooming = self._seen[self._place], self._store.grooming
        missing = [*grooming.questions(item), *grooming.further_questions(item)]
        is_open = self._store.names.status_groups().is_open(item.status)
        missing += ["Estimate"] * (is_open and "Estimate" in seen.keys and item.fields.get("Estimate") is None)
        status = [LAST_QUESTION_FIELD] if item.fields.get(LAST_QUESTION_FIELD) is not None else []
        seen.keys = list(dict.fromkeys((*seen.keys, *missing, *status)))
        seen.keys.sort(key=lambda key: key == LAST_QUESTION_FIELD)
        here = self.current.field.key if self.current is not None else ""
        asked = [self._question(item, key, seen, is_missing=key in missing) for key in seen.keys]
        self.asked = [each for each in asked if each.is_open or each.is_answered or each.field.key in status]
        if here in self.keys:
            self.at = self.keys.index(here)
        else:
            self.at = self._next_open(min(self.at, len(self.asked)) - 1)

    def catch_up(self, item: Item) -> None:
        """Read the questions again; go on if the current one was answered, and back to one that is open again."""
        was_open = self.current is not None and self.current.is_open
        closed = set(self._seen[self._place].keys).difference(each.field.key for each in self.asked if each.is_open)
        self.read(item)
        reopened = [at for at, each in enumerate(self.asked) if each.is_open and each.field.key in closed]
        if reopened:
            self.at = reopened[0]
        elif was_open and self.current is not None and not self.current.is_open:
            self.go_on()

    def take_answer(self, question: GroomingQuestion, item: Item) -> None:
        """Read the questions after the answer of a digit, and go on, also from one that was answered before."""
        self.catch_up(item)
        current = self.current
        if current is not None and current.field.key == question.field.key and not question.has_value(current.value):
            self.go_on()

    def confirm(self, item: Item) -> Sequence[str]:
        """Take the current question's value as its answer; return the fields of which that was said."""
        confirmed = self._seen[self._place].confirmed
        confirmed.add(self.asked[self.at].field.key)
        self.catch_up(item)
        return sorted(confirmed)

    def _question(self, item: Item, key: str, seen: _ShownItem, *, is_missing: bool) -> GroomingQuestion:
        field, value = field_named(key, self._store.lookups), self._store.grooming.value(item, key)
        is_confirmed, is_changed = key in seen.confirmed, not is_same(seen.before.get(key), value)
        is_failed = is_missing and not is_confirmed
        is_open = is_failed and not is_changed
        has_answer = not is_empty(value) and (is_changed or key != LAST_QUESTION_FIELD)
        is_answered = not is_open and (is_confirmed or is_missing or has_answer)
        words = ScreenFieldWords(self._store).shown(field, value) or _NONE.label
        if key == "IterationID" and value in {each.value for each in _backlogs(self._store)}:
            words = BACKLOG_WORD  # as its answer is called; the path of the root is the project's name
        scale = self._scale()
        if key == "Estimate" and _types_points(scale):
            points = [Choice(number_text(step), number_text(step)) for step in scale if step]
            found = {int(each.label): each for each in points if _is_digit(each.label)}
            more = ", ".join(each.label for each in points if not _is_digit(each.label))
            others = f"another ({more}…)" if more else OTHER_VALUE_WORDS
            return GroomingQuestion(field, value, words, is_open, found, others, is_failed, is_answered)
        if key in OTHERS_BELOW:
            choices = _features(item, self._common.get(key, ()))
            none = {NONE_DIGIT: _NONE} if key == FEATURE_ID or value is None else {}
            found = dict(enumerate(choices, 1)) | none
            return GroomingQuestion(field, value, words, is_open, found, OTHERS_BELOW[key], is_failed, is_answered)
        found = dict(enumerate(answers(self._store, field, item, scale, self._common), 1))
        values, is_free = self._store.lookups.choices(field, item.type), self._store.lookups.is_free(field, item.type)
        has_all = field.kind is Kind.BOOLEAN or (values and not is_free and len(found) == len(values))
        others = "" if has_all else OTHER_VALUE_WORDS
        return GroomingQuestion(field, value, words, is_open, found, others, is_failed, is_answered)

    def go_on(self) -> None:
        """Go to the next open question, wrapping around; without one, to the status."""
        self.at = self._next_open(self.at)

    def walk(self, steps: int) -> None:
        """Go some questions on or back, from the last one to the first that is still open."""
        ahead = questions_ahead(self.asked, self.at)
        if steps > 0 and ahead:
            self.at = ahead[0] if ahead[0] < self.at else min(self.at + steps, len(self.asked) - 1)
        elif steps < 0:
            self.at = max(0, self.at + steps)

    def _next_open(self, after: int) -> int:
        order = [*range(after + 1, len(self.asked)), *range(max(0, after))]
        status = (
            self.keys.index(LAST_QUESTION_FIELD) if LAST_QUESTION_FIELD in self.keys else max(0, len(self.asked) - 1)
        )
        return next((index for index in order if self.asked[index].is_open), status)


def questions_ahead(asked: Sequence[GroomingQuestion], at: int) -> list[int]:
    """Return the places that a key for the next question reaches, in order: the later ones, then open earlier ones."""
    return [*range(at + 1, len(asked)), *(place for place in range(at) if asked[place].is_open)]


def _is_digit(text: str) -> bool:
    return len(text) == 1 and text.isdecimal()


def _types_points(scale: Sequence[float]) -> bool:
    """Return whether a digit enters that many points: most steps of the scale are below 10 and whole."""
    steps = [number_text(step) for step in scale if step]
    return 2 * sum(map(_is_digit, steps)) >= len(steps)


async def common_values(store: Store) -> CommonValues:
    """Count values once for a session, so that answers keep their digits; those of a paused one come first."""
    view, kept, common = store.view(ViewSpec()), store.grooming.common(), dict[str, Sequence[object]]()
    for key in ("AssignedToID", "AreaID", "Tags"):
        counted = (facet.value for facet in await view.facets(key) if facet.value is not None)
        common[key] = list(dict.fromkeys((*kept.get(key, ()), *counted)))
    return {**common, FEATURE_ID: await store.grooming.open_features()}


def answers(store: Store, asked: Field, item: Item, scale: Sequence[float], common: CommonValues) -> list[Choice]:
    """Return at most nine values, likely ones first, also the current one if it is likely."""
    found = _answers(store, asked, item, scale, common)
    first: dict[object, Choice] = {}
    for choice in found:
        first.setdefault(choice.value, choice)
    return list(islice(first.values(), MAX_DIGIT_ANSWERS))


def edit_of(asked: Field, choice: Choice) -> FieldEdit:
    if asked.kind is Kind.TAGS:
        return change_tags_edit((str(choice.value),), ())
    return set_field_edit(asked, choice.value, choice.label.strip())


def _answers(store: Store, asked: Field, item: Item, scale: Sequence[float], common: CommonValues) -> Iterable[Choice]:
    values = common.get(asked.key, ())
    if asked.key == "Estimate":
        return [Choice(number_text(step), number_text(step)) for step in scale if step]
    match asked.kind:
        case Kind.USER:
            return _people(store, values)
        case Kind.AREA:
            return _areas(store, values)
        case Kind.ITERATION:
            return _iterations(store)
        case Kind.DATE if asked.is_due:
            return _days(store)
        case Kind.TEAM:
            return [Choice(team_id, name) for team_id, name in store.lookups.teams().items()]
        case Kind.TAGS:
            own = tags_of(item)
            return [Choice(tag, str(tag)) for tag in values if tag not in own]
        case Kind.BOOLEAN:
            return [Choice(True, "yes"), Choice(False, "no")]
        case Kind.INTEGER if asked.key == "Priority":
            return [Choice(each, str(each)) for each in _PRIORITIES]
        case _:
            return [Choice(each, value_word(asked, each)) for each in store.lookups.choices(asked, item.type)]


def _people(store: Store, owners: Sequence[object]) -> Iterator[Choice]:
    people, me = store.lookups.people(), store.lookups.me()
    if me is not None:
        yield Choice(me.id, me.display_name, "me")
    frequent = [people[owner] for owner in owners if isinstance(owner, int) and owner in people]
    by_name = sorted(people.values(), key=lambda each: each.display_name.casefold())
    yield from (Choice(person.id, person.display_name) for person in (*frequent, *by_name))


def _features(item: Item, features: Sequence[object]) -> list[Choice]:
    known = (each for each in features if isinstance(each, OpenFeature))
    return [Choice(feature.item_id, feature.name, why) for feature, why in likely_features(item, known)]


def _days(store: Store) -> Iterator[Choice]:
    today = store.today()
    for days in _DUE_IN_DAYS:
        day = today + timedelta(days)
        yield Choice(day.isoformat(), written_day(day, today), f"in {days // 7} weeks" if days > 7 else "")


def _areas(store: Store, used: Sequence[object]) -> Iterator[Choice]:
    tree = store.lookups.tree(TreeKind.AREAS)
    roots = {node.id for node in tree.roots}
    for area_id in (*used, *(node.id for node in tree.walk())):
        if isinstance(area_id, int) and area_id in tree and area_id not in roots:
            path = tree.path(area_id).split("\\")[1:]
            yield Choice(area_id, " › ".join(path))


def _iterations(store: Store) -> Iterator[Choice]:
    today, entries = store.today(), store.lookups.iterations().values()
    every = leaves(entries)
    later = sorted((each for each in every if each.start and each.start > today), key=lambda each: each.start or today)
    yield from (Choice(each.id, each.name, "current") for each in current(every, today))
    yield from (Choice(each.id, each.name, "next") for each in following(every, today))
    yield from _backlogs(store)
    yield from (Choice(each.id, each.name) for each in later)


def _backlogs(store: Store) -> Iterator[Choice]:
    entries = store.lookups.iterations().values()
    yield from (Choice(each.id, BACKLOG_WORD) for each in entries if "\\" not in each.path)
