"""The objects that the commands on items act on."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from backlit.model.fields import ItemType
from backlit.store.records.item import Item
from backlit.store.views.view import View
from backlit.tui.fields.field_edits import FieldEdit
from backlit.tui.shell.target import StoreCommandTarget


class ItemTarget(StoreCommandTarget, Protocol):
    """What a command on items acts on, a screen with a current item: a list, the editor, an item's tab, the queue."""

    def current(self) -> Item:
        """Return the item under the cursor; raises CannotAct without one."""

    def page_item(self) -> Item:
        """Return the item that a page is of, whatever its cursor is on; elsewhere the item under the cursor."""

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:
        """Return the ids of the selected items, else of `rows` rows from the cursor, else of the current item."""

    def chosen(self, rows: int | None = None) -> list[Item]:
        """Return the same as items; raises CannotAct for none, or for too many."""

    async def open_field(self, key: str) -> bool:
        """Open a field of a form; return False where there is none. Raises CannotAct for a fixed field."""

    async def apply(self, act: FieldEdit, items: Sequence[Item]) -> None:
        """Carry a change out: journal it, stage it in the plan's draft, or fill the editor's form."""


class AddTarget(ItemTarget, Protocol):
    """What a command that adds items acts on."""

    def preset(self, item_type: ItemType) -> Mapping[str, object]:
        """Return the values a new item takes over from where it is added."""

    def expected_type(self) -> ItemType | None:
        """Return the type to offer first."""

    def item_added(self, item_id: int) -> None: ...

    def item_added_below(self, feature_id: int, item_id: int) -> None: ...


class TreeTarget(AddTarget, Protocol):
    """What a command that moves items in the tree acts on."""

    def feature_above(self) -> int:
        """Return the Feature above the item under the cursor, beside it; raises CannotAct where there is none."""


class RankTarget(ItemTarget, Protocol):
    """What a command that moves items in their order acts on."""

    def ranked_view(self) -> View:
        """Return the view whose order is changed; raises CannotAct where none is in sight."""
