"""Picking an item by its name or number."""

from typing import TYPE_CHECKING

from backlit.model.fields import ItemType
from backlit.store.rows import Row
from backlit.tui.dialogs.palette import Palette
from backlit.tui.text import literal

if TYPE_CHECKING:
    from backlit.store.store import Store


class PickItemDialog(Palette):
    """Finds what a task may belong to; the answer is an id."""

    PLACEHOLDER = "an item's name, or #id"

    def __init__(self, store: "Store", title: str) -> None:
        super().__init__(store, ())
        self.frame.border_title = literal(title)

    def fits(self, row: Row) -> bool:
        """A task has no tasks."""
        return row.type != ItemType.TASK
