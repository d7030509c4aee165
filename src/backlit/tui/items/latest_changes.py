"""The latest changes of an item in a few lines, where another tab of it leaves room."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.dates import written_day
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.text import Line, fit, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import near_day
from backlit.tui.items.event_words import MOST_AUTHOR, VERB_WIDTH, cut_parts, event_parts
from backlit.tui.items.preview import author_colours
from backlit.tui.widgets.text_view import LinesView

HEADING, GAP = "Latest changes", 2
MIN_WIDTH_WITH_VERBS = 56
"""Cells from which the verbs of changes have a column."""
LEAST_CHANGES = 3
"""Lines of changes below which there are none."""


class LatestChanges(LinesView):
    """Shows as many changes as fit, the latest first; the heading, or the frame around it, names the key of all."""

    MORE_KEY = ""

    def __init__(self, store: Store) -> None:
        super().__init__(id="latest")
        self._store = store
        self._events: Sequence[ItemEvent] = ()

    @property
    def count(self) -> int:
        """The changes that are known."""
        return len(self._events)

    def show(self, item: Item) -> None:
        """Read what this machine knows of an item's history; comments stand above."""
        events = self._store.item_history.of_item(item)
        self._events = [each for each in events if each.kind is not EventKind.COMMENTED]
        if self.is_mounted:
            self.lay_out()

    def on_resize(self) -> None:
        self.lay_out()  # the height says how many changes there are

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        room = self.size.height - (not self.is_framed)
        if room < min(LEAST_CHANGES, len(self._events)) or not self._events:
            return ()
        key = theme.cap(key_of("item.history"))
        rule = "─" * max(0, width - len(HEADING) - key.cell_length - GAP)
        head = [Segment(f"{HEADING} ", theme.style(bold=True)), Segment(f"{rule} ", theme.style("rule")), key]
        shown = self._events[:room]
        days, colours = [self._day(each) for each in shown], author_colours(self._store.lookups.known_people())
        day_width = max(map(cell_len, days))
        author_width = min(MOST_AUTHOR, max(cell_len(safe(each.author or "you")) for each in shown))
        lines: list[Line] = [] if self.is_framed else [head]
        for event, day in zip(shown, days, strict=True):
            author = event.author or "you"
            parts = [
                (fit(day, day_width + GAP), "muted"),
                (fit(author, author_width) + " " * GAP, colours.get(author, "foreground")),
                (self._verb(event, width), "muted"),
                *event_parts(self._store, event),
            ]
            lines.append([Segment(text, theme.style(colour)) for text, colour in cut_parts(parts, width)])
        return lines

    @staticmethod
    def _verb(event: ItemEvent, width: int) -> str:
        """Return the verb of an event in its column; without room for one, no verb where a field says enough."""
        if width >= MIN_WIDTH_WITH_VERBS:
            return fit(event.kind.value, VERB_WIDTH) + " "
        return "" if event.kind is EventKind.CHANGED else f"{event.kind.value} "

    def _day(self, event: ItemEvent) -> str:
        if event.at is None:
            return "Not sent"
        day, today = self._store.local(event.at).date(), self._store.local_today()
        return near_day(day, today) or written_day(day, today)
