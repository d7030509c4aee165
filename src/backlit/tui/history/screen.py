"""The history of one item: who created, changed, commented and attached, the latest first."""

from textual.strip import Strip

from backlit.store.records.changes import Subject
from backlit.store.records.entry import EntryState
from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.commands.command import CannotAct
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.fields.dates import age_of, moment
from backlit.tui.items.change_words import change_words
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.shell.target import ItemPlace
from backlit.tui.widgets.line_list import EntryList

AGE_WIDTH, AUTHOR_WIDTH, TIME_WIDTH, VERB_WIDTH = 4, 9, 16, 10
WIDE = 100
"""Cells from which there is room for the whole time."""
COLOURS = {EventKind.CREATED: "mark", EventKind.COMMENTED: "type-story", EventKind.ATTACHED: "type-feedback"}
STATES = {
    EntryState.WAITING: ("↑ waits to be sent  ", "pending"),
    EntryState.SENDING: ("↑ waits to be sent  ", "pending"),
    EntryState.REFUSED: ("! rejected  ", "conflict"),
    EntryState.CONFLICT: ("≠ in conflict  ", "conflict"),
}


class EventList(EntryList[ItemEvent]):
    """Events of an item, one to a row."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="events")
        self._store = store

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw an event: its age, its author, its kind, and the change."""
        event = self.entries[index]
        time = f"  {fit(moment(event.at), TIME_WIDTH)}" if self.size.width >= WIDE else ""
        state, colour = STATES.get(event.state, ("", "muted"))
        parts = [
            (fit_right(age_of(event.at, self._store.now()), AGE_WIDTH) + time + "  ", "muted"),
            (fit(event.author or "you", AUTHOR_WIDTH) + "  ", "foreground"),
            (fit(event.kind.value, VERB_WIDTH) + "  ", COLOURS.get(event.kind, "muted")),
            (state, colour),
        ]
        room = max(0, self.size.width - 1 - sum(len(text) for text, _ in parts))
        return self.draw_parts([*parts, (fit(self._about(event), room), "foreground")], is_cursor=is_cursor)

    def _about(self, event: ItemEvent) -> str:
        if event.kind is EventKind.EDITED:
            return "on the server; the former values are not known here"
        return ", ".join(change_words(self._store, field) for field in event.fields) or " ".join(event.text.split())


class HistoryScreen(ItemRowsScreen):
    """The events of an item."""

    COMMAND_GROUPS = TAB_COMMANDS
    AUTO_FOCUS = "EventList"
    CSS_PATH = "../styles/history.tcss"
    SUBJECTS = (Subject.ITEMS, Subject.OUTBOX)
    HINTS = ("item.next-tab", "item.comment", "app.back", "app.help")
    EMPTY = ("No events.", "No events in the local copy.")
    TAB = ItemPlace.HISTORY

    def __init__(self, store: Store, item_id: int) -> None:
        self._events = EventList(store)
        super().__init__(store, item_id, self._events)

    def show_rows(self) -> None:
        """Show the events."""
        try:
            self._events.show(self.store.item_history.of_item(self.current()))
        except CannotAct:
            self._events.show(())

    def note(self) -> str:
        """Return the source of the events."""
        return "as known to this machine"
