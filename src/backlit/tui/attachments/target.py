"""The attachments of an item, as their commands see them."""

from pathlib import Path
from typing import Protocol

from textual.screen import Screen

from backlit.store.records.item import Item
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.transfers import Transfers
from backlit.tui.shell.target import StoreTarget


class AttachmentTarget(StoreTarget, Protocol):
    """The files of one item, or of those the files of one comment, with a cursor on one of them."""

    item_id: int
    comment_id: int | None
    transfers: Transfers

    def current(self) -> Item:
        """Return the item; raises CannotAct for one that is gone."""

    def current_file(self) -> AttachmentEntry:
        """Return the file under the cursor; raises CannotAct without one."""

    def show(self, dialog: Screen[None]) -> None:
        """Show a dialog without waiting for it."""

    def open_outside(self, path: Path) -> None:
        """Show a file with the user's own program; raises CannotAct where that fails."""

    def dismiss(self, result: None = None) -> object:
        """Close the attachments."""
