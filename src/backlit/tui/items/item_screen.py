"""Screens with a current item, on which item commands run; among them the screens of one item's comments and files."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.widget import Widget

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.fields import ItemType
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.acts import Act, Plan, plan_of
from backlit.tui.items.bulk_edit import FailedDialog, bulk_question
from backlit.tui.items.item_head import ItemHead
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.status_text import left_status
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemPlace
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import RuleLine, SidesLine, hints

ITEM_COMMANDS = (
    "items.item_commands",
    "items.field_commands",
    "items.rank",
    "items.add",
    "items.as_text",
    "items.log_work",
)
TAB_COMMANDS = ("items.item_head", *ITEM_COMMANDS)


class ItemScreen(StoreScreen[None]):
    """An `items.target.ItemTarget` whose changes are journalled; subclasses say which item is the current one."""

    COMMAND_GROUPS: ClassVar[Sequence[str]] = ITEM_COMMANDS

    def current(self) -> Item:
        """Return the item that commands act on; raises CannotAct without one."""
        raise NotImplementedError

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:  # noqa: ARG002 - for lists
        """Return the ids of the items that commands act on."""
        return (self.current().id,)

    def chosen(self, rows: int | None = None) -> list[Item]:
        """Return the items that commands act on, in backlog order; raises CannotAct for none, or for too many."""
        ids = self.chosen_ids(rows)
        refuse_too_many(ids)
        items = self.store.batch.items(ids)
        if not items:
            raise CannotAct("The selected items no longer exist.")
        return items

    async def open_field(self, key: str) -> bool:  # noqa: ARG002 - for forms
        """Open a field of a form; return False where there is none."""
        return False

    async def apply(self, act: Act, items: Sequence[Item]) -> None:
        """Journal a change."""
        await journal(self, act, items)

    def preset(self, item_type: ItemType) -> Mapping[str, object]:  # noqa: ARG002 - for lists with groups
        """Return the area and the iteration of the current item."""
        try:
            item = self.current()
        except CannotAct:
            return {}
        return {key: item.fields[key] for key in ("AreaID", "IterationID") if item.fields.get(key) is not None}

    def expected_type(self) -> ItemType | None:
        """Return the type to offer first for a new item."""
        return None

    def item_added(self, item_id: int) -> None:
        """Show an item that was added, or changed by undo; subclasses say how."""

    def ranked_view(self) -> View:
        """Return the view whose order is changed; raises CannotAct where none is in sight."""
        raise CannotAct("Items are ranked in the backlog, where their order is seen; gb goes there.")


# Changes

MOST = 2_000
"""Items that one change may touch; each is asked for and written on its own."""


async def journal(target: ItemTarget, act: Act, items: Sequence[Item]) -> None:
    """Journal a change as one step; asks first for several items and for what customers see.

    Edits that are refused are offered again. Raises the BacklitError of a single item's edit.
    """
    plan = plan_of(act, items, target.store.lookups)
    if not plan.changes:
        target.say(plan.why_nothing(), is_bad=not plan.already)
        return
    is_simple = len(items) == 1 and not plan.is_for_customers
    if not is_simple and not await target.ask(bulk_question(target.store, plan)):
        return
    if act.is_repeatable:
        target.session.last_act = act
    failed = await _write(target, plan)
    count = len(plan.changes)
    if not failed:
        if count > 1:
            target.say(f"{act.label}: {plan.words} changed.")
        return
    names = {item_id: str(plan.items[item_id].fields.get("Name") or "") for item_id in failed}
    if await target.ask(FailedDialog(count, failed, names)):
        await journal(target, act, target.store.batch.items(list(failed)))


async def _write(target: ItemTarget, plan: Plan) -> Mapping[int, str]:
    """Journal all as one step; where that is refused, journal each item alone. Returns the refusals by item."""
    try:
        await target.store.items.edit_each(plan.changes, plan.seen)
    except BacklitError:
        if len(plan.changes) == 1:
            raise
        return await _write_one_by_one(target, plan)
    return {}


async def _write_one_by_one(target: ItemTarget, plan: Plan) -> Mapping[int, str]:
    failed = {}
    for item_id, changes in plan.changes.items():
        try:
            await target.store.items.edit([item_id], changes, plan.seen[item_id])
        except BacklitError as error:
            failed[item_id] = sentence_of(error)
    return failed


def refuse_too_many(ids: Sequence[int]) -> None:
    """Raise CannotAct for more items than one change may touch."""
    if len(ids) > MOST:
        raise CannotAct(f"{len(ids):,} are selected; one change takes {MOST:,} at most.")


# Rows of one item


class ItemRows(Protocol):
    """Rows of one item, with a cursor on one of them."""

    cursor: int
    empty_text: str

    def row_count(self) -> int:
        """Return the number of rows."""


class ItemRowsScreen(ItemScreen):
    """A tab of an item: rows between its head and a status line.

    A temporary id is followed when the service gives the real one. `PLACE` is the tab, `SUBJECTS` are the changes
    after which the rows are read again, `ROOM_FOR_HINTS` the cells from which `HINTS` are shown instead of
    `FEW_HINTS`, and `EMPTY` the texts in place of rows: with a connection and without one.
    """

    PLACE: ClassVar[ItemPlace]
    SUBJECTS: ClassVar[Collection[Subject]] = ()
    HINTS: ClassVar[Sequence[str]] = ()
    FEW_HINTS: ClassVar[Sequence[str]] = ()
    ROOM_FOR_HINTS: ClassVar[int]
    EMPTY: ClassVar[tuple[str, str]]

    def __init__(self, store: Store, item_id: int, rows: ItemRows) -> None:
        super().__init__(store)
        self.item_id = item_id
        self._rows = rows
        self._head, self._status = ItemHead(store, self.PLACE), SidesLine(id="status")

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None]:
        """The tab of the item."""
        return self.item_id, self.PLACE, None

    def framed(self, rows: Widget) -> ComposeResult:
        """Yield the head, the rows between rules and the status line."""
        yield self._head.title
        yield self._head.tabs
        yield RuleLine("─")
        yield rows
        yield RuleLine("─")
        yield self._status

    def on_mount(self) -> None:
        """Show the local copy, and read the item again."""
        self.show_rows()
        self._head.count(self.item_id)
        self.draw_words()
        self.run_worker(work(self.store.look_at, self.item_id), group="look")

    def on_resize(self) -> None:
        """Show as many hints as fit."""
        self.draw_words()

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show what is new; the cursor stays on its row."""
        self.item_id = changes.renamed.get(self.item_id, self.item_id)
        if any(changes.touches(subject, self.item_id) for subject in self.SUBJECTS):
            self.show_rows()
            self._head.count(self.item_id)
        self.draw_words()

    def show_rows(self) -> None:
        """Read the rows from the store; subclasses say which."""
        raise NotImplementedError

    def count_text(self) -> str:
        """Return the number of rows for the title; subclasses name them."""
        raise NotImplementedError

    def current(self) -> Item:
        """Return the item; raises CannotAct for one that is gone."""
        item = self.store.item(self.item_id)
        if item is None:
            raise CannotAct(f"Item #{self.item_id} no longer exists.")
        return item

    def draw_words(self) -> None:
        """Draw the title, the status and the text in place of rows."""
        item = self.store.item(self.item_id)
        if item is None:
            self._head.say_gone(self.item_id)
        else:
            self._head.say(item, item.type, item.fields.get("Name"), [(f"{self.count_text()} ", "muted")])
        self._rows.empty_text = self.EMPTY[self.store.connection.state is not ConnectionState.ONLINE]
        self.draw_status()

    def draw_status(self) -> None:
        """Draw the status."""
        at = left_status(self.store, self._rows.cursor + 1, self._rows.row_count())
        hint_ids = self.HINTS if self.size.width >= self.ROOM_FOR_HINTS else self.FEW_HINTS
        self._status.say(at, hints(hint_ids))
