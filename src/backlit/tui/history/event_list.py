"""The list of an item's events: a line each, their day said once a day, with air between days where there is room."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from backlit.model.dates import WEEKDAYS, written_day
from backlit.store.records.entry import EntryState
from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.drawing.text import fit, safe
from backlit.tui.fields.dates import near_day
from backlit.tui.items.event_words import (
    LEAST_AUTHOR,
    MOST_AUTHOR,
    VERB_WIDTH,
    cut_parts,
    event_parts,
    first_sentence,
)
from backlit.tui.items.preview import author_colours
from backlit.tui.widgets.headed_list import HeadedList
from backlit.tui.widgets.side_lines import Part

TIME_WIDTH = 5
MIN_WIDTH_WITH_WEEKDAYS = 64
"""Cells from which days have the name of their weekday."""
NOTE_ABOVE, NOTE_BELOW = -(10**15), -(10**15) + 1
"""Ids of the notes, far from those of events."""
STATES = {
    EntryState.WAITING: ("↑ waiting to be sent  ", "pending"),
    EntryState.SENDING: ("↑ waiting to be sent  ", "pending"),
    EntryState.REFUSED: ("! rejected  ", "conflict"),
    EntryState.CONFLICT: ("≠ in conflict  ", "conflict"),
}


class EventNote(Struct, frozen=True):
    """A line between events: where the history begins, or that there is more. The cursor passes over it."""

    id: int
    text: str


class EventList(HeadedList[ItemEvent | EventNote]):
    """Events of an item, the latest first; the first of a day has the day before it."""

    HEADER_LINES = 1

    def __init__(self, store: Store) -> None:
        super().__init__(id="events")
        self._store = store
        self._author_width = LEAST_AUTHOR
        self._days: Sequence[date | None] = ()
        """The day of each row; None for those that are not sent, and for notes."""
        self._widest_day: tuple[date, int, int] | None = None
        """The day and the cells of the list for which the widest words of all days were measured, and their cells."""
        self._author_colours: Mapping[str, str] = {}
        self._room = 0

    def show_events(self, events: Sequence[ItemEvent], begins: str, end: str) -> None:
        """Show events. `begins` stands before what is known without the service's history, `end` below all.

        The cursor stays on the latest event, else on its event.
        """
        is_on_latest = self.position[0] <= 1
        self._author_colours = author_colours(self._store.lookups.known_people())
        self._author_width = min(MOST_AUTHOR, max([LEAST_AUTHOR, *(cell_len(safe(each.author)) for each in events)]))
        entries = list(self._with_notes(events, begins, end))
        self._days, self._widest_day = [self._day(entry) for entry in entries], None
        self.show(entries)
        self.fit_lines(self._room)
        if is_on_latest:
            self.move_to(0)

    @staticmethod
    def _with_notes(events: Sequence[ItemEvent], begins: str, end: str) -> Iterator[ItemEvent | EventNote]:
        for event in events:
            if begins and not event.id:
                yield EventNote(NOTE_ABOVE, begins)
            yield event
        if end:
            yield EventNote(NOTE_BELOW, end)

    def _day(self, entry: ItemEvent | EventNote) -> date | None:
        at = entry.at if isinstance(entry, ItemEvent) else None
        return self._store.local(at).date() if at else None

    def _day_words(self, day: date) -> str:
        today = self._store.local_today()
        has_weekday = day.year == today.year and self.size.width >= MIN_WIDTH_WITH_WEEKDAYS
        weekday = f"{WEEKDAYS[day.weekday()][:3].capitalize()} " if has_weekday else ""
        return near_day(day, today) or weekday + written_day(day, today)

    @property
    def _day_width(self) -> int:
        today, width = self._store.local_today(), self.size.width
        if self._widest_day is None or self._widest_day[:2] != (today, width):  # each row asks
            widest = max((len(self._day_words(day)) for day in {*self._days} if day), default=0)
            self._widest_day = today, width, widest
        return self._widest_day[2]

    @property
    def event(self) -> ItemEvent | None:
        return self.current if isinstance(self.current, ItemEvent) else None

    def is_head(self, entry: ItemEvent | EventNote) -> bool:
        return isinstance(entry, EventNote)

    # Drawing

    def render_header(self, y: int) -> Strip:
        if not self.entries:
            return super().render_header(y)
        heads = "Day".ljust(self._day_width), "Time ", fit("Who", self._author_width), fit("What", VERB_WIDTH), "Change"
        return self.draw_headings(f" {'  '.join(heads)}")

    def fit_lines(self, room: int) -> None:
        """Give each event a line, and the earliest one of a day a blank line below it where all have room."""
        self._room, before, days = room, self.row_lines, self._days
        ends = {at for at, (day, below) in enumerate(pairwise(days)) if day and below and day != below}
        self.row_lines = [(at, line) for at in range(len(days)) for line in range(1 + (at in ends))]
        if len(self.row_lines) > room:
            self.row_lines = ()
        if self.row_lines != before:
            self.rows_replaced(self.cursor)

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        return self.draw_parts((), is_cursor=False) if line else self.render_row(index, is_cursor=is_cursor)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        event, width = self.entries[index], self.size.width
        if isinstance(event, EventNote):
            return self.draw_parts([(fit(event.text, max(0, width - 1)), "muted")], is_cursor=False)
        time, author = f"{self._store.local(event.at):%H:%M}" if event.at else "", event.author or "you"
        day = self._days[index]
        is_first = not index or self._days[index - 1] != day
        parts = [
            (fit(self._day_words(day) if day and is_first else "", self._day_width) + "  ", "muted"),
            (fit(time, TIME_WIDTH) + "  ", "muted"),
            (fit(author, self._author_width) + "  ", self._author_colours.get(author, "foreground")),
            (fit(event.kind.value, VERB_WIDTH) + "  ", "muted"),
            *self._words(event),
        ]
        return self.draw_parts(list(cut_parts(parts, width - 2)), is_cursor=is_cursor)

    def _words(self, event: ItemEvent) -> Sequence[Part]:
        is_comment = event.kind is EventKind.COMMENTED
        words = [(first_sentence(event.text), "foreground")] if is_comment else event_parts(self._store, event)
        return STATES.get(event.state, ("", "muted")), *words
