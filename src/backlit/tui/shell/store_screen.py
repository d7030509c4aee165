"""Screens over the store, and the batches of changes that reach them at most once a frame."""

import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeVar, TypeVarTuple, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import ScreenResume
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from backlit.store.records.changes import StoreChange, Subject
from backlit.store.store import Store
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.drawing.textual_private import BatchScreen
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.input_queue import ListReadCounter
from backlit.tui.shell.status_text import TitleLine
from backlit.tui.shell.target import ItemDestination, OpenItem, UiSession
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import RuleLine
from backlit.tui.widgets.storage_errors import StorageErrorGuard

Answer = TypeVar("Answer")
Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

FLOOD_ROWS, FLOOD_SECONDS = 200, 1.0
"""Items that others change in a second, after which screens follow once a second."""
RANK = "BacklogPriority"
"""The field of an item's place in the order."""


class ChangeBatch:
    """Changes of the store since the last frame; `ids` of a subject are None where all of it may have changed."""

    def __init__(self) -> None:
        self._ids: dict[Subject, set[int] | None] = {}
        self.fields: set[str] = set()
        self.acted_on: set[int] = set()
        """Items that acts of the user changed, added, planned or ranked."""
        self.ranked: set[int] = set()
        """Those of them whose place in the order changed."""
        self.renamed: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._ids)

    def __contains__(self, subject: Subject) -> bool:
        return subject in self._ids

    def ids(self, subject: Subject) -> set[int] | None:
        """Return the changed ids; None where any may have changed."""
        return self._ids.get(subject, set())

    def touches(self, subject: Subject, item_id: int) -> bool:
        ids = self.ids(subject)
        return ids is None or item_id in ids

    def add(self, change: StoreChange) -> None:
        self._add_ids(change.kind, change.ids or None)
        self.fields |= change.fields
        if change.is_own and change.kind in {Subject.ITEMS, Subject.PLAN} and change.fields != {"sign"}:
            self.acted_on |= change.ids
            self.ranked |= change.ids if RANK in change.fields else frozenset()
        self._rename(change.renamed)

    def merge(self, other: "ChangeBatch") -> None:
        for subject, ids in other._ids.items():  # noqa: SLF001 - same class
            self._add_ids(subject, ids)
        self.fields |= other.fields
        self.acted_on |= other.acted_on
        self.ranked |= other.ranked
        self._rename(other.renamed)

    def forget_acts(self) -> None:
        """Take the changes for anybody's: nobody waits for an answer to an act where they are shown later."""
        self.acted_on, self.ranked = set(), set()

    def _rename(self, ids: Mapping[int, int]) -> None:
        self.renamed = {before: ids.get(after, after) for before, after in self.renamed.items()} | dict(ids)

    def _add_ids(self, subject: Subject, ids: Iterable[int] | None) -> None:
        known = self._ids.get(subject, set())
        self._ids[subject] = None if ids is None or known is None else known | set(ids)


class StoreScreen(StorageErrorGuard, BatchScreen[Result]):
    """A screen that shows the store; a hidden one collects the changes it missed."""

    class Seen(Message):
        """The user saw an item."""

        def __init__(self, item_id: int) -> None:
            super().__init__()
            self.item_id = item_id

    PLACE: ClassVar[str] = ""
    """The command that goes to the screen, or the name of its tab."""

    def __init__(self, store: Store, place: str = "") -> None:
        super().__init__()
        self.store = store
        self.title_line = TitleLine(store, place or self.PLACE)
        self._missed = ChangeBatch()
        self.readings = ListReadCounter()

    def compose_panes(self, heading: RuleLine, panes: Iterable[PaneFrame], footer: Widget) -> ComposeResult:
        """Yield the widgets of a screen whose lists have a text beside them."""
        yield self.title_line
        yield heading
        with Container(id="lists"):
            yield from panes
        yield RuleLine("┴")
        yield footer

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show changes; for subclasses."""

    NEEDED_MOST: ClassVar[Sequence[str]] = ()
    """Commands that the help names first, as the screen says their keys elsewhere than in its footer."""

    def definition(self) -> Sequence[str]:
        """Return a heading and sentences about what is shown, with which the help begins; for subclasses."""
        return ()

    @property
    def shown_place(self) -> tuple[int, ItemDestination, int | None] | None:
        """Return the item, place and comment that `OpenItem` finds this screen by; None for other screens."""
        return None

    @property
    def has_unsaved_text(self) -> bool:
        """Return whether something is being written here; for subclasses."""
        return False

    async def may_leave(self) -> bool:
        """Return whether the screen may be closed; a screen with unsaved changes asks."""
        return True

    def run_command(self, command_id: str, count: int | None = None) -> None:
        cast("ChordApp", self.app).dispatch.run(COMMAND_BY_ID[command_id], count)

    def begin(self, act: Callable[[*Arguments], Awaitable[None] | None], *args: *Arguments) -> None:
        cast("ChordApp", self.app).dispatch.begin(act, *args)

    def stop_running(self) -> bool:
        """Cancel the running operation; return False without one."""
        return False

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        cast("ChordApp", self.app).say(sentence, is_bad=is_bad)

    @property
    def has_motion(self) -> bool:
        """Return whether a change of the moment may flash."""
        return cast("ChordApp", self.app).has_motion

    def forget_messages(self) -> None:
        cast("ChordApp", self.app).forget_messages()

    @property
    def session(self) -> UiSession:
        return cast("ChordApp", self.app).session

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer; for commands, which run in workers."""
        return await cast("ChordApp", self.app).answer_to(dialog)

    def copy(self, text: str, words: str) -> None:
        cast("ChordApp", self.app).copy(text, words)

    def edit_outside(self, text: str, suffix: str) -> str:
        """Return the text as edited in the user's editor; raises CannotAct on failure."""
        from backlit.tui.shell.external_programs import edit_text

        return edit_text(cast("ChordApp", self.app), text, suffix)

    def open(self, item_id: int, place: ItemDestination, comment_id: int | None = None, field: str = "") -> None:
        self.post_message(OpenItem(item_id, place, comment_id, field))

    def mark_seen(self, item_id: int | None) -> None:
        if item_id is not None:
            self.app.post_message(self.Seen(item_id))  # a screen that closes has no messages of its own any more

    def take_changes(self, changes: ChangeBatch, *, is_visible: bool) -> None:
        """Take changes; called at most once a frame."""
        self._missed.merge(changes)
        if is_visible:
            self._catch_up()
        else:
            self._missed.forget_acts()

    @on(ScreenResume)
    def _keep_styles(self, event: ScreenResume) -> None:
        """Keep the styles with which the widgets of a new screen were mounted.

        Textual applies them to all again: 12,000 of 351,000 calls until the first rows, 3 % of their CPU.
        """
        if not self.stack_updates:  # Textual counts here how often the screen was shown and hidden
            event.refresh_styles = False

    def on_screen_resume(self) -> None:
        self._catch_up()

    @on(PaneFrame.Entered)
    def _turn_frames(self, message: PaneFrame.Entered) -> None:
        """Draw the frame of the pane with the focus brighter; it stays so while a line for words has the focus."""
        for frame in self.query(PaneFrame):
            frame.turn(is_current=frame is message.frame)

    def _catch_up(self) -> None:
        if self._missed and self.is_mounted:
            missed, self._missed = self._missed, ChangeBatch()
            self.store_changed(missed)
            self.title_line.draw()


class ChangeFeed:
    """Takes changes on the store's threads and publishes them to an application, at most once a frame."""

    def __init__(
        self, app: ChordApp, frame: float, publish: Callable[[ChangeBatch], None], is_live: Callable[[], bool]
    ) -> None:
        self._app = app
        self._frame = frame
        self._tell = publish
        self._is_live = is_live
        self._batch = ChangeBatch()
        self._lock = threading.Lock()
        self._published_at = 0.0
        self._rows: deque[tuple[float, int]] = deque()
        """Times of the publications of the last second, with their numbers of changed items."""

    def take(self, change: StoreChange) -> None:
        # One call of the event loop for a batch: a sync reports thousands of changes, and each call would repaint.
        with self._lock:
            is_first = not self._batch
            # Ids are gathered in one set that grows: joining frozen sets took 292 ms for 10,000 changes, this takes 9.
            self._batch.add(change)
        if is_first or change.is_own:
            self._app.call_later(self._publish_soon)
        if change.sentence:
            self._app.call_later(self._app.say, change.sentence)

    def publish(self) -> None:
        if not (self._batch and self._app.is_running):
            return  # while the application ends, its screens are closing
        self._published_at = time.monotonic()
        with self._lock:
            changes, self._batch = self._batch, ChangeBatch()
        self._rows.append((self._published_at, len(changes.ids(Subject.ITEMS) or ())))
        self._tell(changes)

    def _publish_soon(self) -> None:
        """Publish at once after a pause, so that a key shows its effect soon; else at the end of the frame."""
        pause = FLOOD_SECONDS if self._is_flooded() else self._frame
        wait = self._published_at + pause - time.monotonic()
        if wait > 0:
            self._app.set_timer(wait, self.publish)
        else:
            self.publish()

    def _is_flooded(self) -> bool:
        """Return whether others change so many items that a list which shows them all has time for nothing else."""
        if self._batch.acted_on or not self._is_live():
            return False
        while self._rows and self._rows[0][0] < time.monotonic() - FLOOD_SECONDS:
            self._rows.popleft()
        return sum(count for _, count in self._rows) > FLOOD_ROWS
