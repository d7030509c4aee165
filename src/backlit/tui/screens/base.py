"""What every screen over the store has in common: it hears of changes, at once or when it comes back."""

from typing import ClassVar, TypeVar

from textual.message import Message
from textual.screen import Screen

from backlit.model.errors import BacklitError
from backlit.store.store import Store
from backlit.tui.gathered import Gathered
from backlit.tui.sturdy import Sturdy
from backlit.tui.text import safe
from backlit.tui.work import work

Result = TypeVar("Result")


class StoreScreen(Sturdy, Screen[Result]):
    """A screen that shows what the store holds; hidden ones only add up what they missed."""

    LOSES_NOTHING: ClassVar[bool] = False
    """Whether it may be closed without a question, to go to another place."""

    class Seen(Message):
        """The user looked at an item."""

        def __init__(self, item_id: int) -> None:
            super().__init__()
            self.item_id = item_id

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self._missed = Gathered()

    def store_changed(self, gathered: Gathered) -> None:
        """Show what is new; subclasses say how."""

    def must_be_free(self) -> None:
        """Raise CannotAct where something is under way that closing would end."""

    def stop_running(self) -> bool:
        """Cancel what is under way; False where nothing is."""
        return False

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""
        self.notify(safe(sentence), markup=False, severity="warning" if is_bad else "information", timeout=6)

    def mark_seen(self, item_id: int | None) -> None:
        """The user sees an item as it is now: what was new of it is so no more."""
        if item_id is not None:
            self.post_message(self.Seen(item_id))
            self.app.run_worker(work(self._mark_seen, item_id), group="seen")

    async def _mark_seen(self, item_id: int) -> None:
        try:
            await self.store.inbox.seen([item_id])
        except BacklitError as error:
            self.say(str(error), is_bad=True)

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
