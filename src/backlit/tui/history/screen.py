"""The history of one item: who created, changed, commented and attached, the latest first."""

from collections.abc import Sequence
from functools import partial

from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.strip import Strip

from backlit.store.records.changes import Subject
from backlit.store.records.entry import EntryState
from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.text import Line, fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import age_of, ago, moment
from backlit.tui.items.change_words import change_words, fields_lines, short_first
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.widgets.line_list import EntryList, LineList
from backlit.tui.widgets.side_lines import HEADING, Part
from backlit.tui.widgets.text_view import RowsOverDetail

AGE_WIDTH, TIME_WIDTH, VERB_WIDTH = 4, 16, 9
LEAST_AUTHOR, MOST_AUTHOR = 3, 12
"""Cells of the shortest and the longest name."""
WIDE = 100
"""Cells from which there is room for the whole time."""
MAX_FIELD_LINES = 500
"""Lines of a changed field, so that a key takes no longer where whole books were replaced."""
UNKNOWN = "The server does not say what was changed, and this machine did not see it."
STATES = {
    EntryState.WAITING: ("↑ waiting to be sent  ", "pending"),
    EntryState.SENDING: ("↑ waiting to be sent  ", "pending"),
    EntryState.REFUSED: ("! rejected  ", "conflict"),
    EntryState.CONFLICT: ("≠ in conflict  ", "conflict"),
}


class EventList(EntryList[ItemEvent]):
    """Events of an item, one to a row."""

    HEADER_LINES = 1

    def __init__(self, store: Store) -> None:
        super().__init__(id="events")
        self._store = store
        self._author_width = LEAST_AUTHOR

    def show(self, entries: Sequence[ItemEvent]) -> None:
        self._author_width = min(MOST_AUTHOR, max([LEAST_AUTHOR, *(cell_len(safe(each.author)) for each in entries)]))
        super().show(entries)

    def render_header(self, y: int) -> Strip:
        if not self.entries:
            return super().render_header(y)
        times = [fit("Date", TIME_WIDTH)] * (self.size.width >= WIDE)
        heads = f"{'Age':>{AGE_WIDTH}}", *times, fit("Who", self._author_width), fit("What", VERB_WIDTH), "Change"
        return self.draw_headings(f" {'  '.join(heads)}")

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        event = self.entries[index]
        time = f"  {fit(moment(event.at, self._store.local), TIME_WIDTH)}" if self.size.width >= WIDE else ""
        parts = [
            (fit_right(age_of(event.at, self._store.now()), AGE_WIDTH) + time + "  ", "muted"),
            (fit(event.author or "you", self._author_width) + "  ", "foreground"),
            (fit(event.kind.value, VERB_WIDTH) + "  ", "foreground"),
            STATES.get(event.state, ("", "muted")),
        ]
        room = max(0, self.size.width - 2 - sum(cell_len(text) for text, _ in parts))
        colour = "muted" if event.kind is EventKind.EDITED else "foreground"
        return self.draw_parts([*parts, (fit(self._about(event), room), colour)], is_cursor=is_cursor)

    def _about(self, event: ItemEvent) -> str:
        changes = ", ".join(change_words(self._store, field) for field in short_first(event.fields))
        return changes or ("not known" if event.kind is EventKind.EDITED else " ".join(event.text.split()))


class HistoryScreen(ItemRowsScreen):
    """The events of an item."""

    COMMAND_GROUPS = ("history.screen", *TAB_COMMANDS)
    AUTO_FOCUS = "EventList"
    CSS_PATH = "../styles/history.tcss"
    SUBJECTS = (Subject.ITEMS, Subject.OUTBOX)
    HINTS = ("history.open", "history.copy", "item.next-tab", "item.comment", "app.back", "app.help")
    EMPTY = ("No events.", "No events in the local copy.")
    TAB = ItemDestination.HISTORY

    def __init__(self, store: Store, item_id: int) -> None:
        self._events = EventList(store)
        super().__init__(store, item_id, self._events)
        self._body = self._split = RowsOverDetail(self._events)

    def show_rows(self) -> None:
        try:
            self._events.show(self.store.item_history.of_item(self.current()))
        except CannotAct:
            self._events.show(())

    @on(LineList.Highlighted)
    def _event_highlighted(self) -> None:
        event = self._events.current
        if event is None:
            self._split.show(None)
        else:
            self._split.show(partial(self._detail, event), _byline(event, self.store))
        self.draw_status()

    def _detail(self, event: ItemEvent, width: int, _height: int, theme: ThemeStyles) -> list[Line]:
        if event.kind is EventKind.EDITED:
            return [[Segment(line, theme.style())] for line in wrapped(UNKNOWN, width)]
        if event.fields:
            lines = list(fields_lines(self.store, event.fields, width, theme, MAX_FIELD_LINES))
            return lines if lines[0] else lines[1:]
        return list(markdown_lines(event.text, width, theme))

    def current_event(self) -> ItemEvent:
        """Return the event under the cursor; raises CannotAct without one."""
        return self._events.chosen()

    def copied(self, event: ItemEvent) -> str:
        """Return an event as text: a comment, a file's name, or the changes."""
        return event.text or ", ".join(change_words(self.store, field) for field in event.fields) or event.kind.value

    def open_event(self, _call: CommandContext) -> None:
        """Go to the tab of the event: the comments, the files, or the details."""
        self.open(self.item_id, TAB_OF_EVENT.get(self.current_event().kind, ItemDestination.EDITOR))

    def copy_event(self, _call: CommandContext) -> None:
        text = self.copied(self.current_event())
        self.copy(text, f"Copied {' '.join(text.split())[:60]}")


def _byline(event: ItemEvent, store: Store) -> list[Part]:
    return [
        (event.author or "you", HEADING),
        (f" {event.kind.value} {ago(event.at, store.now())}  {moment(event.at, store.local)}", "muted"),
    ]


TAB_OF_EVENT = {EventKind.COMMENTED: ItemDestination.COMMENTS, EventKind.ATTACHED: ItemDestination.ATTACHMENTS}
