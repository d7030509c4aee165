"""The latest changes of an item in a few lines, where another tab of it leaves room."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime

from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.dates import written_day
from backlit.model.errors import BacklitError
from backlit.store.records.entry import EntryState
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.drawing.text import Line, fit, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import near_day
from backlit.tui.items.event_words import MOST_AUTHOR, VERB_WIDTH, cut_parts, event_parts, wrapped_parts
from backlit.tui.items.preview import author_colours
from backlit.tui.shell.workers import work
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.side_lines import Part
from backlit.tui.widgets.text_view import LinesView

HEADING, GAP = "Latest changes", 2
MIN_WIDTH_WITH_VERBS = 56
"""Cells from which the verbs of changes have a column."""
LEAST_CHANGES = 3
"""Lines of changes below which there are none."""
MOST_LINES = 2
"""Lines of a change."""
EARLIER_WORDS = "Earlier changes are in its history."


async def read_newest(store: Store, item_id: int) -> None:
    """Read the newest changes of an item; without a connection those that are known stay."""
    with suppress(BacklitError):
        await store.item_history.read(item_id)


class LatestChanges(LinesView):
    """Shows as many changes as fit, the latest first, in a frame that has the heading."""

    MORE_KEY = ""

    def __init__(self, store: Store, *, is_of_page: bool = True) -> None:
        super().__init__(id="latest")
        self._store = store
        self._is_of_page = is_of_page
        self._events: Sequence[ItemEvent] = ()
        self._has_earlier = False

    def show(self, item: Item, since: date | None = None) -> None:
        """Read what this machine knows of an item's history, perhaps since a day; comments stand above."""
        events = self._store.item_history.of_item(item)
        told = (each for each in events if self._is_of_page or each.state is EntryState.SENT)
        known = [each for each in told if each.kind is not EventKind.COMMENTED]
        self._events = [each for each in known if since is None or each.at is None or self._date(each.at) >= since]
        self._has_earlier = len(self._events) < len(known)
        if self.is_mounted:
            self.lay_out()

    def on_resize(self) -> None:
        self.lay_out()  # the height says how many changes there are

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        room = self.size.height
        if room < min(LEAST_CHANGES, len(self._events)):
            return ()
        shown = self._events[:room]
        days = [self._day(each, is_brief=width < MIN_WIDTH_WITH_VERBS) for each in shown]
        colours = author_colours(self._store.lookups.known_people())
        day_width = max(map(cell_len, days), default=0)
        author_width = min(MOST_AUTHOR, max((cell_len(safe(each.author or "you")) for each in shown), default=0))
        lead = day_width + GAP + author_width + GAP
        rows: list[list[list[Part]]] = []
        spare = room - len(shown)
        for event in shown:  # each has a line; those that are left go to the latest
            rows.append(self._told(event, width - lead, min(MOST_LINES, 1 + spare)))
            spare -= len(rows[-1]) - 1
        lines: list[Line] = []
        for event, day, (first, *more) in zip(shown, days, rows, strict=True):
            author = event.author or "you"
            when, who = fit(day, day_width + GAP), fit(author, author_width) + " " * GAP
            parts = [[(when, "muted"), (who, colours.get(author, "foreground")), *first]]
            parts += [[(" " * lead, "muted"), *each] for each in more]
            lines += [[Segment(text, theme.style(colour)) for text, colour in cut_parts(each, width)] for each in parts]
        if self._has_earlier and len(lines) + 1 < room:
            lines += [*[[]] * bool(lines), [Segment(fit(EARLIER_WORDS, width), theme.style("muted"))]]
        return lines

    def _told(self, event: ItemEvent, room: int, most: int) -> list[list[Part]]:
        """Return what an event says in so many lines of at most some cells, with its verb; one line is cut later."""
        verb, parts = self._verb(event), [*event_parts(self._store, event)]
        column = len(verb) if self._has_verbs else 0
        parts = parts if column else [(verb, "muted"), *parts]
        room -= column
        lines = wrapped_parts(parts, room) if room > 0 and most > 1 else [parts]
        if len(lines) > most:
            *lines, last = lines[:most]
            lines.append([*cut_parts([*last, (" …", "muted")], room)])
        return [[(" " * column if at else verb[:column], "muted"), *line] for at, line in enumerate(lines)]

    @property
    def _has_verbs(self) -> bool:
        """Whether verbs have a column."""
        return self._is_of_page and self.size.width >= MIN_WIDTH_WITH_VERBS

    def _verb(self, event: ItemEvent) -> str:
        """Return the verb of an event; without a column for it, none where a field says enough."""
        if self._has_verbs:
            return fit(event.kind.value, VERB_WIDTH) + " "
        return "" if event.kind is EventKind.CHANGED else f"{event.kind.value} "

    def _day(self, event: ItemEvent, *, is_brief: bool) -> str:
        """Return the day of an event; in brief, of one in another year its month alone."""
        if event.at is None:
            return "Not sent"
        day, today = self._date(event.at), self._store.local_today()
        words = near_day(day, today) or written_day(day, today)
        return words.partition(" ")[2] if is_brief and words.endswith(f" {day.year}") else words

    def _date(self, at: datetime) -> date:
        return self._store.local(at).date()


class LatestChangesFrame(PaneFrame):
    """The latest changes in a frame, below what leaves room for one; those of another item are read anew."""

    DEFAULT_CSS = """
    LatestChangesFrame { display: none; }
    LatestChangesFrame > LatestChanges { width: 100%; height: 1fr; padding: 0 2; scrollbar-size-vertical: 0; }
    """
    LEAST_LINES = LEAST_CHANGES + FRAME_LINES

    def __init__(self, store: Store, *, is_of_page: bool = True) -> None:
        """On other screens than the item's page changes that wait stand elsewhere."""
        self._changes = LatestChanges(store, is_of_page=is_of_page)
        super().__init__(self._changes, id="latest-frame")
        self._store = store
        self._is_of_page = is_of_page
        self._shown: Item | None = None
        self._since: date | None = None

    def on_mount(self) -> None:
        self.say([(HEADING, "heading")])

    def show(self, item: Item | None, since: date | None = None) -> None:
        """Show the changes of an item, perhaps since a day, if there is room for them; nothing for None."""
        if not self.display or item is None or (item, since) == (self._shown, self._since):
            return
        is_other = self._shown is None or self._shown.id != item.id
        self._shown, self._since = item, since
        self._changes.show(item, since)
        if not self._is_of_page:
            title = f"{HEADING} of #{item.id}" if since is None else f"Changes of #{item.id} since it was started"
            self.say([(title, "heading")])
        if is_other:
            self.run_worker(work(self._read, item.id), exclusive=True, group="look at")

    def read_again(self) -> None:
        """Show what changed beside the item itself: its relations, criteria, files and comments."""
        if self.display and self._shown is not None:
            self._changes.show(self._shown, self._since)
            self.run_worker(work(self._read, self._shown.id), exclusive=True, group="look at")

    async def _read(self, item_id: int) -> None:
        await read_newest(self._store, item_id)
        item = self._store.item(item_id)
        if self.is_attached and item is not None and self._shown is not None and self._shown.id == item_id:
            self._changes.show(item, self._since)
