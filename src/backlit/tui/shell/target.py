"""The places that commands over the store run in, as the commands see them."""

from typing import Protocol, TypeVar

from textual.screen import Screen

from backlit.store.store import Store
from backlit.tui.shell.open import ItemPlace
from backlit.tui.shell.session import Session

Answer = TypeVar("Answer")


class StoreTarget(Protocol):
    """Any screen over the store."""

    store: Store

    @property
    def session(self) -> Session:
        """The settings and the last change."""

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer."""

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""

    def edit_outside(self, text: str, suffix: str) -> str:
        """Return the text as the user's own editor left it; raises CannotAct where that fails."""

    def open(self, item_id: int, place: ItemPlace, comment_id: int | None = None) -> None:
        """Go to another place of an item."""
