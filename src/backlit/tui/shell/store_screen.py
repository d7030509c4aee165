"""A screen over the store: it hears of changes at once, or when it comes back."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple, cast

from textual.message import Message
from textual.screen import Screen

from backlit.store.store import Store
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.drawing.text import safe
from backlit.tui.shell.change_batch import Gathered
from backlit.tui.shell.external_editor import edit_text
from backlit.tui.shell.open import ItemPlace, Open
from backlit.tui.shell.readings import Readings
from backlit.tui.shell.session import Session
from backlit.tui.widgets.storage_errors import keep_going

if TYPE_CHECKING:
    from backlit.tui.shell.chord_app import ChordApp

Answer = TypeVar("Answer")
Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class StoreScreen(Screen[Result]):
    """A screen that shows what the store holds; hidden ones only add up what they missed."""

    class Seen(Message):
        """The user looked at an item."""

        def __init__(self, item_id: int) -> None:
            super().__init__()
            self.item_id = item_id

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self._missed = Gathered()
        self.readings = Readings()

    def store_changed(self, gathered: Gathered) -> None:
        """Show what is new; subclasses say how."""

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None] | None:
        """The item, the place and the comment that `Open` comes back to; None for other screens."""
        return None

    async def may_leave(self) -> bool:
        """Return whether the screen may be closed to go to another place; a screen with unsaved changes asks."""
        return True

    def run_command(self, command_id: str, count: int | None = None) -> None:
        """Run a command as its key does."""
        cast("ChordApp", self.app).run_command(COMMAND_BY_ID[command_id], count)

    def begin(self, act: Callable[[*Arguments], Awaitable[None] | None], *args: *Arguments) -> None:
        """Begin an act that is awaited, as commands are."""
        cast("ChordApp", self.app).begin(act, *args)

    def stop_running(self) -> bool:
        """Cancel what is under way; False where nothing is."""
        return False

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""
        self.notify(safe(sentence), markup=False, severity="warning" if is_bad else "information", timeout=6)

    @property
    def session(self) -> Session:
        """The settings and the last change."""
        return cast("ChordApp", self.app).session

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer; for commands, which run in workers."""
        return await cast("ChordApp", self.app).ask(dialog)

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        self.app.copy_to_clipboard(text)

    def edit_outside(self, text: str, suffix: str) -> str:
        """Return the text as the user's own editor left it; raises CannotAct where that fails."""
        return edit_text(cast("ChordApp", self.app), text, suffix)

    def open(self, item_id: int, place: ItemPlace, comment_id: int | None = None) -> None:
        """Go to another place of an item."""
        self.post_message(Open(item_id, place, comment_id))

    def mark_seen(self, item_id: int | None) -> None:
        """Mark the news about an item as read."""
        if item_id is not None:
            self.app.post_message(self.Seen(item_id))  # a screen that closes has no messages of its own any more

    async def _dispatch_message(self, message: Message) -> None:
        """Handle a message; goes on where the disk fails."""
        await keep_going(self, super()._dispatch_message(message))

    def take_changes(self, gathered: Gathered, *, is_visible: bool) -> None:
        """Hear of changes; called once a frame at most."""
        self._missed.merge(gathered)
        if is_visible:
            self._catch_up()

    def on_screen_resume(self) -> None:
        """Catch up with what happened while the screen was hidden."""
        self._catch_up()

    def _catch_up(self) -> None:
        if self._missed and self.is_mounted:
            missed, self._missed = self._missed, Gathered()
            self.store_changed(missed)
