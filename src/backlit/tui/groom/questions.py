"""Questions of a grooming session about its items, the answers that digits give, and the list that shows them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rich.segment import Segment
from textual import events
from textual.containers import Container
from textual.message import Message

from backlit.model.fields import Field, Kind
from backlit.store.journal.groom_queue import Stop
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.records.people import TreeKind, current, following, leaves
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.tui.drawing.markdown import Line
from backlit.tui.drawing.text import fit, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.acts import Act, field_named, tags_of, to_tags, to_value
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.dates import days_until
from backlit.tui.fields.values import FieldWords, number_text
from backlit.tui.widgets.text_view import LinesView

LABEL = 15
SIDE = 2
OTHERS = "other …"
WIDE = 110
"""Cells from which the item is beside the questions, else below."""
SHARE = 45
"""Per cent of the width for the questions beside the item; the style sheet has the same figure."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its field, reasons, the item's value, whether it is open, and likely answers."""

    field: Field
    reasons: Sequence[str]
    value: object
    words: str
    is_open: bool
    answers: Sequence[Choice] = ()


class QuestionList(LinesView, can_focus=True):
    """Draws the questions; the screen sets the current one."""

    def __init__(self) -> None:
        super().__init__(id="questions")
        self._asked: Sequence[Question] = ()
        self._at = 0
        self._place = range(0)

    def show(self, asked: Sequence[Question], at: int) -> None:
        """Show the questions of an item, and scroll to the current one."""
        self._asked, self._at = tuple(asked), at
        self.lay_out()

    def lay_out(self) -> None:
        """Lay the questions out, and scroll to the current one."""
        super().lay_out()
        self._bring_into_sight()

    def on_resize(self, event: events.Resize) -> None:
        """Keep the current question in sight."""
        super().on_resize(event)
        self._bring_into_sight()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return a line for each question, with the answers below the current one."""
        lines: list[Line] = []
        for number, asked in enumerate(self._asked):
            begin = len(lines)
            lines += _head(asked, width, theme, is_current=number == self._at)
            if number == self._at:
                lines += _body(asked, width, theme)
                self._place = range(begin, len(lines))
        return lines or [[Segment("  This item is ready.", theme.style("muted"))]]

    def _bring_into_sight(self) -> None:
        """Scroll to the current question, or to its beginning if it is too long."""
        top, height = round(self.scroll_y), self.size.height
        wanted = max(min(top, self._place.start), min(self._place.stop - height, self._place.start))
        if wanted != top:
            self.scroll_to(y=max(0, wanted), animate=False, force=True)


class GroomPanes(Container):
    """Places the questions and the item side by side where there is room."""

    class Placed(Message):
        """The panes were placed; `line` is the column between them, None without one."""

        def __init__(self, line: int | None) -> None:
            super().__init__()
            self.line = line

    def on_resize(self) -> None:
        """Place the panes for the new size."""
        is_below = self.size.width < WIDE
        self.set_class(is_below, "-below")
        self.post_message(self.Placed(None if is_below else self.size.width * SHARE // 100))


def _head(asked: Question, width: int, theme: ThemeStyles, *, is_current: bool) -> Iterator[Line]:
    on = "cursor-background" if is_current else None
    sign, colour = ("¡", "muted") if asked.is_open else ("✓", "mark")
    label, value = fit(asked.field.label, LABEL - 1), fit(asked.words, max(0, width - LABEL - SIDE - 2))
    yield [
        Segment("▌" if is_current else " ", theme.style("accent", on=on)),
        Segment(f"{sign} ", theme.style(colour, on=on)),
        Segment(f"{label} ", theme.style("foreground", on=on, bold=is_current)),
        Segment(f"{value} ", theme.style("muted" if asked.is_open else "foreground", on=on)),
    ]


def _body(asked: Question, width: int, theme: ThemeStyles) -> Iterator[Line]:
    for reason in asked.reasons:
        for line in wrapped(reason, width - SIDE - 2):
            yield [Segment(f"   {line}", theme.style("muted"))]
    for number, choice in enumerate(asked.answers, 1):
        has_it = choice.value == asked.value and type(choice.value) is type(asked.value)
        label, hint = choice.label.strip(), f"  {safe(choice.hint)}" if choice.hint else ""
        yield [
            Segment(f"   {number} ", theme.style("accent", bold=True)),
            Segment("● " if has_it else "  ", theme.style("accent")),
            Segment(fit(label, min(len(safe(label)), max(1, width - 8))), theme.style()),
            Segment(hint, theme.style("muted")),
        ]
    yield [Segment("   0 ", theme.style("accent", bold=True)), Segment(f"  {OTHERS}", theme.style("muted"))]
    yield []


MOST = 9
"""Most answers that digits give; 0 enters another value."""
_PRIORITIES = range(1, 6)


@dataclass(frozen=True, slots=True)
class CommonValues:
    """The most frequent values of open items by field (owner, area, tags)."""

    values: Mapping[str, Sequence[object]] = field(default_factory=dict)


@dataclass(slots=True)
class _Seen:
    """An item's values when it was first shown, and the fields it was asked for."""

    before: Mapping[str, object]
    keys: list[str]


class ItemQuestions:
    """The questions of the current item; those of earlier items are kept until the screen is closed."""

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
        """Return the current question; None without one."""
        return self.asked[self.at] if self.asked else None

    @property
    def keys(self) -> list[str]:
        """Return the fields asked for, answered or not."""
        return [each.field.key for each in self.asked]

    def count_open(self) -> int:
        """Return the number of open questions."""
        return sum(each.is_open for each in self.asked)

    def last_place_before(self, place: int) -> int:
        """Return the last shown place before another; the journal may not have it yet. -1 without one."""
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
        """Read the questions again: those asked at first, and newer ones."""
        seen = self._seen[self._place]
        failing = {question.key: question.reasons for question in self._store.grooming.questions(item)}
        seen.keys = list(dict.fromkeys((*seen.keys, *failing)))
        self.asked = [self._question(item, key, failing.get(key), seen.before.get(key)) for key in seen.keys]

    def catch_up(self, item: Item) -> None:
        """Read the questions again, and go on if the current one was answered."""
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
        """Go to the next open question, wrapping around; stay without one."""
        self.at = self._next_open(self.at)

    def walk(self, steps: int) -> None:
        """Go down by some questions, or up."""
        self.at = max(0, min(self.at + steps, len(self.asked) - 1))

    def _next_open(self, after: int) -> int:
        order = [*range(after + 1, len(self.asked)), *range(max(0, after))]
        return next((index for index in order if self.asked[index].is_open), max(0, after))


async def common_values(store: Store) -> CommonValues:
    """Count values once for a session, so that answers keep their digits."""
    view = store.view(ViewSpec())
    found = {}
    for key in ("AssignedToID", "AreaID", "Tags"):
        found[key] = [facet.value for facet in await view.facets(key) if facet.value is not None]
    return CommonValues(found)


def answers(store: Store, asked: Field, item: Item, scale: Sequence[float], common: CommonValues) -> list[Choice]:
    """Return at most nine values, likely ones first, also the current one if it is likely."""
    found = _answers(store, asked, item, scale, common)
    return list(islice({choice.value: choice for choice in found}.values(), MOST))


def act_of(asked: Field, choice: Choice) -> Act:
    """Return the act of an answer: a tag is added, any other value is set."""
    if asked.kind is Kind.TAGS:
        return to_tags((str(choice.value),), ())
    return to_value(asked, choice.value, choice.label.strip())


def _answers(store: Store, asked: Field, item: Item, scale: Sequence[float], common: CommonValues) -> Iterable[Choice]:
    values = common.values.get(asked.key, ())
    if asked.key == "Estimate":
        return [Choice(number_text(step), number_text(step)) for step in scale if step]
    match asked.kind:
        case Kind.USER:
            return _people(store, values)
        case Kind.AREA:
            return _areas(store, values)
        case Kind.ITERATION:
            return _iterations(store)
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
            return [Choice(each, each) for each in store.lookups.choices(asked, item.type)]


def _people(store: Store, owners: Sequence[object]) -> Iterator[Choice]:
    """Yield the user, then frequent owners, then others by name."""
    people, me = store.lookups.people(), store.lookups.me()
    if me is not None:
        yield Choice(me.id, me.display_name, "me")
    for owner in owners:
        if isinstance(owner, int) and owner in people and (me is None or owner != me.id):
            yield Choice(owner, people[owner].display_name)
    for person in sorted(people.values(), key=lambda each: each.display_name.casefold()):
        if me is None or person.id != me.id:
            yield Choice(person.id, person.display_name)


def _areas(store: Store, used: Sequence[object]) -> Iterator[Choice]:
    """Yield frequent areas, then the others in their order, without the root."""
    tree = store.lookups.tree(TreeKind.AREAS)
    roots = {node.id for node in tree.roots}
    for area_id in (*used, *(node.id for node in tree.walk())):
        if isinstance(area_id, int) and area_id in tree and area_id not in roots:
            path = tree.path(area_id).split("\\")[1:]
            yield Choice(area_id, " › ".join(path))


def _iterations(store: Store) -> Iterator[Choice]:
    """Yield the current iterations, the next one, then later ones."""
    today = store.today()
    every = leaves(store.lookups.iterations().values())
    later = sorted((each for each in every if each.start and each.start > today), key=lambda each: each.start or today)
    for each in (*current(every, today), *following(every, today), *later):
        yield Choice(each.id, each.name, days_until(each.end, today) if each.end else "")
