"""The history of one item: who created, changed, commented and attached, the latest first."""

import time
from collections.abc import Sequence
from functools import partial

from rich.segment import Segment
from textual import on

from backlit.model.dates import written_day
from backlit.model.errors import BacklitError
from backlit.store.edits.deletions import is_settable
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.entry import EntryCause
from backlit.store.store import Store
from backlit.store.views.item_history import JUST_SAVED, EventKind, HistorySource, ItemEvent
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.text import Line, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import age, ago, moment
from backlit.tui.fields.field_edits import Changes, FieldEdit
from backlit.tui.fields.values import label_of
from backlit.tui.history.event_list import EventList
from backlit.tui.items.change_words import change_words, fields_lines
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import Hint
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import HEADING, Part
from backlit.tui.widgets.text_view import RowsOverDetail

MAX_FIELD_LINES = 500
"""Lines of a changed field, so that a key takes no longer where whole books were replaced."""
READ_AHEAD = 10
"""Events from the end of the list at which older ones are read."""
MAX_PAGES_OF_A_FIELD = 20
"""Pages of older changes that are read for the next change of a field."""
UNKNOWN = "The server does not say what was changed, and this machine did not see it."
NO_SERVICE_HISTORY = "This server keeps no history. Changes by others have no values, only the last one is known."
NO_CHANGE_YET = "The server's history of this item begins with its next change."


class HistoryScreen(ItemRowsScreen):
    """The events of an item; with a field, its changes alone."""

    COMMAND_GROUPS = ("history.screen", *TAB_COMMANDS)
    AUTO_FOCUS = "EventList"
    CSS_PATH = "../styles/history.tcss"
    SUBJECTS = (Subject.ITEMS, Subject.OUTBOX, Subject.RECORDED)
    HINTS = ("history.open", "history.copy", "item.next-tab", "item.comment", "app.back", "app.help")
    HINTS_ON_CHANGES = (HINTS[0], "history.restore", *HINTS[1:])
    EMPTY = ("No events.", "No events in the local copy.")
    TAB = ItemDestination.HISTORY
    HAS_ASIDE = True
    LEAST_WIDTH_WITH_ASIDE = 160  # below it changes need the whole width

    def __init__(self, store: Store, item_id: int, field: str = "") -> None:
        self._events = EventList(store)
        super().__init__(store, item_id, self._events)
        self._pane = self._split = RowsOverDetail(self._events)
        self._frame = self._split.frame
        self._field = field
        self._source = HistorySource(is_offered=False)
        self._is_reading = self._is_read = False

    def on_mount(self) -> None:
        super().on_mount()
        self._read_again()

    # Reading

    def store_changed(self, changes: ChangeBatch) -> None:
        super().store_changed(changes)
        is_other = any(changes.touches(each, self.item_id) for each in (Subject.ITEMS, Subject.COMMENTS))
        is_back = Subject.CONNECTION in changes and not self._is_read
        if is_other or is_back or changes.touches(Subject.ATTACHMENTS, self.item_id):
            self._read_again()

    def _read_again(self) -> None:
        if self.store.connection.state is ConnectionState.ONLINE:
            self.run_worker(work(self._read_newest), exclusive=True, group="history")

    async def _read_newest(self) -> None:
        self._is_read = await self._reads(is_older=False)
        await self._read_until_a_change()
        self.show_rows()
        self.update_labels()

    async def _reads(self, *, is_older: bool) -> bool:
        """Read recorded changes; return whether that was possible. What was read before stays in sight."""
        try:
            await self.store.item_history.read(self.item_id, is_older=is_older)
        except BacklitError:
            return False
        return True

    async def _read_older(self) -> None:
        self._is_reading = True
        try:
            if await self._reads(is_older=True):
                await self._read_until_a_change()
        finally:
            self._is_reading = False

    async def _read_until_a_change(self) -> None:
        """Read on while none of the changes that are known is about the field."""
        item = self.store.item(self.item_id)
        history = self.store.item_history
        known = self._events.position[1]
        for _ in range(MAX_PAGES_OF_A_FIELD if self._field and item is not None else 0):
            if item is None or not history.source(self.item_id).has_more:
                return
            if len(history.of_item(item, self._field)) > known or not await self._reads(is_older=True):
                return

    # Showing

    def show_rows(self) -> None:
        history = self.store.item_history
        try:
            events = history.of_item(self.current(), self._field)
        except CannotAct:
            self._events.show(())
            return
        self._source = history.source(self.item_id)
        self._events.show_events(events, self._begins(), self._end(events))

    def _begins(self) -> str:
        """Return the head over what is known beside the service's history, which begins later than the item."""
        source = self._source
        if not source.is_recorded or source.is_complete or source.has_more:
            return ""
        if source.begins_at is None:
            return NO_CHANGE_YET
        day = written_day(self.store.local(source.begins_at).date(), self.store.local_today())
        return f"The server's history begins on {day}."

    def _end(self, events: list[ItemEvent]) -> str:
        if self._source.has_more:
            return "Older changes are on the server."
        if not self._source.is_offered:
            return NO_SERVICE_HISTORY
        return f"No change of {label_of(self._field)} is recorded." if self._field and not events else ""

    def note(self) -> str:
        words = [f"only {label_of(self._field)}"] if self._field else []
        if not self._source.is_recorded:
            return ", ".join([*words, "this machine's records"])
        is_online = self.store.connection.state is ConnectionState.ONLINE
        since = age(max(0.0, time.time() - (self._source.read_at or 0.0)))
        if not is_online or not (self._is_read or since == "now"):
            words.append("as of just now" if since == "now" else f"as of {since} ago")
        return ", ".join(words)

    @property
    def position(self) -> tuple[int, int]:
        return self._events.position

    @on(LineList.Highlighted)
    def _event_highlighted(self) -> None:
        event, (position, count) = self._events.event, self._events.position
        if event is None:
            self._split.show(None)
        else:
            self._split.show(partial(self._detail, event), _byline(event, self.store))
        is_online = self.store.connection.state is ConnectionState.ONLINE
        if is_online and self._source.has_more and not self._is_reading and position > count - READ_AHEAD:
            self.run_worker(work(self._read_older), exclusive=True, group="older history")
        self.draw_status()

    def _detail(self, event: ItemEvent, width: int, _height: int, theme: ThemeStyles) -> list[Line]:
        if event.kind is EventKind.EDITED:
            return [[Segment(line, theme.style())] for line in wrapped(UNKNOWN, width)]
        if not event.fields:
            return list(markdown_lines(event.text, width, theme))
        is_new = event.kind is EventKind.CREATED
        lines = list(fields_lines(self.store, event.fields, width, theme, MAX_FIELD_LINES, is_new=is_new))
        lines = lines[1:] if lines and not lines[0] else lines
        for step in event.steps:
            time = f"{self.store.local(step.at):%H:%M}  " if step.at else ""
            words = f"{time}{', '.join(change_words(self.store, field) for field in step.fields)}"
            lines += [[Segment(line, theme.style("muted"))] for line in wrapped(words, width)]
        return lines

    @property
    def hints(self) -> Sequence[Hint | str]:
        event = self._events.event
        return self.HINTS_ON_CHANGES if event is not None and _former_values(event) else super().hints

    # Commands

    def current_event(self) -> ItemEvent:
        """Return the event under the cursor; raises CannotAct without one."""
        if self._events.event is None:
            raise CannotAct("Nothing selected.")
        return self._events.event

    def copied(self, event: ItemEvent) -> str:
        """Return an event as text: a comment, a file's name, or the changes."""
        return event.text or ", ".join(change_words(self.store, field) for field in event.fields) or event.kind.value

    def open_event(self, _call: CommandContext) -> None:
        """Go to the tab of the event: the comments, the files, or the details."""
        self.open(self.item_id, TAB_OF_EVENT.get(self.current_event().kind, ItemDestination.EDITOR))

    def copy_event(self, _call: CommandContext) -> None:
        text = self.copied(self.current_event())
        self.copy(text, f"Copied {' '.join(text.split())[:60]}")

    async def restore_value(self, _call: CommandContext) -> None:
        """Set the fields of the event to their values before it, by an edit like any other."""
        event, item = self.current_event(), self.current()
        former = _former_values(event)
        if not former:
            raise CannotAct("Nothing to restore here: only changed values can be.")
        words = ", ".join(label_of(key) for key in former)
        act = FieldEdit(
            f"{words} restored", tuple(former), lambda _item: former, is_repeatable=False, cause=EntryCause.RESTORE
        )
        await self.apply(act, [item])

    def show_all(self, _call: CommandContext) -> None:
        if not self._field:
            raise CannotAct("The changes of all fields are shown already.")
        self._field = ""
        self.show_rows()
        self.update_labels()


def _former_values(event: ItemEvent) -> Changes:
    """Return the values before a change that can be set again."""
    is_change = event.kind is EventKind.CHANGED
    return {each.key: each.before for each in event.fields if is_change and is_settable(each.key)}


def _byline(event: ItemEvent, store: Store) -> list[Part]:
    parts = [
        (event.author or "you", HEADING),
        (f" {event.kind.value} {ago(event.at, store.now())}  {moment(event.at, store.local)}", "muted"),
    ]
    if event.made_at and event.at and event.at - event.made_at > JUST_SAVED:
        parts.append((f"  made {moment(event.made_at, store.local)}", "muted"))
    return parts


TAB_OF_EVENT = {EventKind.COMMENTED: ItemDestination.COMMENTS, EventKind.ATTACHED: ItemDestination.ATTACHMENTS}
