"""Screens with a current item, on which item commands run."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from backlit.model.fields import ItemType
from backlit.store.records.item import Item
from backlit.tui.commands.command import CannotAct
from backlit.tui.shell.store_screen import StoreScreen

if TYPE_CHECKING:
    from backlit.tui.fields.field_edits import FieldEdit

ITEM_COMMANDS = (
    "items.item_commands",
    "items.field_commands",
    "items.add",
    "items.as_text",
    "items.log_work",
    "items.relation_commands",
    "items.transform_commands",
    "items.split",
    "items.criteria_lines",
)


class ItemScreen(StoreScreen[None]):
    """An `items.target.ItemTarget` whose changes are journalled; subclasses say which item is the current one."""

    COMMAND_GROUPS: ClassVar[Sequence[str]] = ITEM_COMMANDS

    def current(self) -> Item:
        raise NotImplementedError

    def page_item(self) -> Item:
        return self.current()

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:  # noqa: ARG002 - for lists
        return (self.current().id,)

    def chosen(self, rows: int | None = None) -> list[Item]:
        ids = self.chosen_ids(rows)
        refuse_too_many(ids)
        items = self.store.batch.items(ids)
        if not items:
            raise CannotAct("The selected items no longer exist.")
        return items

    async def open_field(self, key: str) -> bool:  # noqa: ARG002 - for forms
        return False

    async def apply(self, act: "FieldEdit", items: Sequence[Item]) -> None:
        from backlit.tui.items.bulk_edit import journal

        await journal(self, act, items)

    def preset(self, item_type: ItemType) -> Mapping[str, object]:  # noqa: ARG002 - for lists with groups
        """Return the area and the iteration of the current item."""
        try:
            item = self.current()
        except CannotAct:
            return {}
        return {key: item.fields[key] for key in ("AreaID", "IterationID") if item.fields.get(key) is not None}

    def expected_type(self) -> ItemType | None:
        return None

    def item_added(self, item_id: int) -> None:
        """Show an item that was added, or changed by undo; subclasses say how."""

    def item_added_below(self, feature_id: int, item_id: int) -> None:  # noqa: ARG002 - for trees
        self.item_added(item_id)


# Changes

MAX_ITEMS_OF_A_CHANGE = 2_000
"""Items that one change may touch; each is asked for and written on its own."""


def refuse_too_many(ids: Sequence[int]) -> None:
    """Raise CannotAct for more items than one change may touch."""
    if len(ids) > MAX_ITEMS_OF_A_CHANGE:
        raise CannotAct(f"{len(ids):,} are selected; one change takes {MAX_ITEMS_OF_A_CHANGE:,} at most.")
