"""Commands and items by name: type a little of either, enter runs or opens."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.model.errors import BacklitError
from backlit.model.fields import ItemType
from backlit.store.records.item import Row
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import commands_in
from backlit.tui.dialogs.finder import Offer, OffersDialog, offer_of
from backlit.tui.drawing.text import literal
from backlit.tui.drawing.theme_styles import status_sign, type_sign
from backlit.tui.shell.workers import work

MOST_ITEMS = 50
MOST_COMMANDS = 8
"""Commands shown over items, so that both are in sight."""
MOST_ELSEWHERE = 2
"""Commands of other places among them."""

ID_DIGITS = 19
"""Digits from which a number is no id."""


class Palette(OffersDialog[Command | int | None]):
    """The answer is a command to run, or the id of an item to open."""

    NAME = "Palette"
    PLACEHOLDER = "a command, an item's name, or #id"

    def __init__(self, store: Store, contexts: Sequence[Context], recent: Sequence[str] = ()) -> None:
        super().__init__(self.NAME, self.PLACEHOLDER, command_offers(contexts, recent))
        self._store = store
        self._items: list[Offer] = []
        self._commands: list[Offer] = []

    def _set_height(self) -> None:
        """Stay at one height, as items come later."""
        self.list.styles.height = max(1, min(MOST_COMMANDS * 2, self.app.size.height - 4))

    def narrow(self, query: str) -> None:
        """Show the commands at once; the items follow."""
        found = self.fitting(query) if query else self._offers
        elsewhere = [offer for offer in found if offer.is_dim][:MOST_ELSEWHERE] if query else []
        here = [offer for offer in found if not offer.is_dim]
        self._commands = [*here[: MOST_COMMANDS - len(elsewhere)], *elsewhere] if query else here
        words = query.casefold()
        self._items = [each for each in self._items if words and words in each.label.casefold()]
        self._show_found(None)
        if query:
            self.run_worker(work(self._find, query), exclusive=True, group="palette")

    async def _find(self, query: str) -> None:
        view = self._store.view(ViewSpec(text=query, with_done=True))
        try:
            await view.load()
        except BacklitError:
            return
        if self.is_attached and self.input.value.strip() == query:
            current = self.list.current
            self._items = [item_offer(row) for row in view.rows(0, MOST_ITEMS) if self.fits(row)]
            self._show_found(current.value if current else None)

    def fits(self, row: Row) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether an item may be chosen."""
        return True

    def accept(self) -> None:
        """Answer; an id that was typed out need not have been found yet."""
        number = self.input.value.strip().removeprefix("#")
        is_typed_out = self.list.current is None and number.isdecimal() and len(number) < ID_DIGITS
        if is_typed_out and self._store.item(int(number)) is not None:
            self.dismiss(int(number))
        else:
            super().accept()

    def _show_found(self, value: object) -> None:
        """Commands, then items, the cursor on the one of a value."""
        headings = [Offer(None, "", "Commands")] if self._items and self._commands else []
        items = [Offer(None, "", "Items"), *self._items] if self._items else []
        self.list.show([*headings, *self._commands, *items], value)


class PickItemDialog(Palette):
    """Finds the item that a task belongs to by name or number; the answer is its id."""

    PLACEHOLDER = "an item's name, or #id"

    def __init__(self, store: Store, title: str) -> None:
        super().__init__(store, ())
        self.frame.border_title = literal(title)

    def fits(self, row: Row) -> bool:
        """Return whether the item may have tasks."""
        return row.type != ItemType.TASK


def command_offers(contexts: Sequence[Context], recent: Sequence[str] = ()) -> list[Offer]:
    """Return the commands of some contexts, recent ones and those on items first, then those of other places, dim.

    Cursor movement is left out: nobody looks it up by name while the list is covered.
    """
    offered = (each for each in commands_in(contexts) if each.context is not Context.MOVES)
    here = sorted(offered, key=lambda each: each.context is not Context.ITEM)
    first = [each for name in recent for each in here if each.id == name]
    labels = {each.label for each in here}
    elsewhere = [
        each
        for each in (commands_in([context for context in Context if context not in contexts]) if here else ())
        if each.context is not Context.MOVES and each.label not in labels
    ]
    return [
        *(offer_of(each) for each in first),
        *(offer_of(each) for each in here if each not in first),
        *(replace(offer_of(each), help=f"{each.context.value}: {each.help}", is_dim=True) for each in elsewhere),
    ]


def item_offer(row: Row) -> Offer:
    """Return the offer of an item: its number, type, name and status."""
    number = f"#{row.id}" if row.id > 0 else "new"
    return Offer(row.id, number, f"{type_sign(row.type)} {row.name}  {status_sign(row.status)} {row.status or ''}")
