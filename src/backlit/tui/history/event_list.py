"""The list of an item's events: days as heads, one line an event."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from backlit.model.dates import WEEKDAYS, written_day
from backlit.store.records.entry import EntryState
from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.drawing.text import fit, safe
from backlit.tui.fields.dates import near_day
from backlit.tui.fields.values import label_of, short_words_of
from backlit.tui.items.change_words import is_text_change, line_count, short_first
from backlit.tui.widgets.headed_list import HeadedList
from backlit.tui.widgets.side_lines import Part

TIME_WIDTH, VERB_WIDTH = 5, 9
LEAST_AUTHOR, MOST_AUTHOR = 3, 12
"""Cells of the shortest and the longest name."""
FIRST_HEAD = -(10**15)
"""Id of the first head of a day, far from those of events."""
STATES = {
    EntryState.WAITING: ("↑ waiting to be sent  ", "pending"),
    EntryState.SENDING: ("↑ waiting to be sent  ", "pending"),
    EntryState.REFUSED: ("! rejected  ", "conflict"),
    EntryState.CONFLICT: ("≠ in conflict  ", "conflict"),
}
CAUSES = {
    "undo": "undo",
    "restore": "restored",
    "import": "import",
    "rollUp": "from its tasks",
    "reassigned": "its place was deleted",
    "removedWithAnother": "with its comment or item",
    "administration": "by an administrator",
    "exportImported": "import of an export",
}
"""The words for the service's causes."""


class EventHead(Struct, frozen=True):
    """A line between events: a day, or where the history begins. The cursor passes over it."""

    id: int
    text: str


class EventList(HeadedList[ItemEvent | EventHead]):
    """Events of an item, the latest first, below their days."""

    HEADER_LINES = 1

    def __init__(self, store: Store) -> None:
        super().__init__(id="events")
        self._store = store
        self._author_width = LEAST_AUTHOR

    def show_events(self, events: Sequence[ItemEvent], begins: str, end: str) -> None:
        """Show events. `begins` stands before what is known without the service's history, `end` below all.

        The cursor stays on the latest event, else on its event.
        """
        is_on_latest = self.position[0] <= 1
        self._author_width = min(MOST_AUTHOR, max([LEAST_AUTHOR, *(cell_len(safe(each.author)) for each in events)]))
        self.show(list(self._with_heads(events, begins, end)))
        if is_on_latest:
            self.move_to(0)

    def _with_heads(self, events: Sequence[ItemEvent], begins: str, end: str) -> Iterator[ItemEvent | EventHead]:
        head, day = FIRST_HEAD, ""
        for event in events:
            texts = [begins] if begins and not event.id else []
            if (own := self._day(event)) != day or texts:
                texts, day = [*texts, own], own
            for text in texts:
                yield EventHead(head, text)
                head += 1
            yield event
        if end:
            yield EventHead(head, end)

    def _day(self, event: ItemEvent) -> str:
        if event.at is None:
            return "Not sent yet"
        day, today = self._store.local(event.at).date(), self._store.local_today()
        return near_day(day, today) or f"{WEEKDAYS[day.weekday()].capitalize()} {written_day(day, today)}"

    @property
    def event(self) -> ItemEvent | None:
        return self.current if isinstance(self.current, ItemEvent) else None

    def is_head(self, entry: ItemEvent | EventHead) -> bool:
        return isinstance(entry, EventHead)

    # Drawing

    def render_header(self, y: int) -> Strip:
        if not self.entries:
            return super().render_header(y)
        heads = "Time ", fit("Who", self._author_width), fit("What", VERB_WIDTH), "Change"
        return self.draw_headings(f" {'  '.join(heads)}")

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        event = self.entries[index]
        if isinstance(event, EventHead):
            return self.draw_parts([(fit(event.text, max(0, self.size.width - 1)), "heading")], is_cursor=False)
        time = f"{self._store.local(event.at):%H:%M}" if event.at else ""
        parts = [
            (fit(time, TIME_WIDTH) + "  ", "muted"),
            (fit(event.author or "you", self._author_width) + "  ", "foreground"),
            (fit(event.kind.value, VERB_WIDTH) + "  ", "foreground"),
            STATES.get(event.state, ("", "muted")),
            *event_parts(self._store, event),
        ]
        return self.draw_parts(list(_cut(parts, self.size.width - 2)), is_cursor=is_cursor)


def _cut(parts: Sequence[Part], room: int) -> Iterator[Part]:
    """Yield the parts that fit; the last one is cut, and all are literal text."""
    for text, colour in parts:
        width = cell_len(safe(text))
        if width > room:
            yield fit(text, room), colour
            return
        yield safe(text), colour
        room -= width


def event_parts(store: Store, event: ItemEvent) -> Iterator[Part]:
    """Yield what an event changed: each field with its old value dimmed, or its text; then why and how often."""
    if event.kind is EventKind.EDITED:
        yield "not known", "muted"
    elif event.text and (event.kind is not EventKind.CREATED or len(event.fields) != 1):
        yield " ".join(event.text.split()), "foreground"
    else:
        for number, field in enumerate(short_first(event.fields)):
            yield f"{', ' * bool(number)}{label_of(field.key)} ", "foreground"
            if is_text_change(field):
                yield f"({line_count(field)})", "foreground"
                continue
            before, after = (short_words_of(store, field.key, each) for each in (field.before, field.after))
            yield before, "muted"
            yield f" → {after}", "foreground"
    if cause := CAUSES.get(event.cause):
        yield f"  {cause}", "muted"
    if len(event.steps) > 1:
        yield f"  ×{len(event.steps)}", "muted"
