"""Commands and items by name: type a little of either, enter runs or opens."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BacklitError
from backlit.model.fields import ItemType
from backlit.model.settings.key_sequences import spelled
from backlit.model.statuses import StatusGroups, status_word
from backlit.store.records.item import Item, ItemRow, number_of
from backlit.store.views.query import ViewSpec
from backlit.tui.commands.command import Command, Context, item_number
from backlit.tui.commands.table import commands_here, commands_in, key_to
from backlit.tui.dialogs.finder import Offer, OffersDialog, offer_of
from backlit.tui.drawing.themes import status_sign, type_sign
from backlit.tui.fields.choices import NO_MATCHES
from backlit.tui.shell.target import StoreCommandTarget
from backlit.tui.shell.workers import work

MAX_ITEMS = 50
MAX_COMMANDS = 8
"""Commands shown over items, so that both are in sight."""
MAX_COMMANDS_ELSEWHERE = 2
"""Commands of other places among them."""
LINES = 16

Result = TypeVar("Result")


class ItemSearch(Struct, frozen=True):
    """Items by typed text: `find` returns offers or raises BacklitError, `offer` that of an id that can be chosen."""

    find: Callable[[str], Awaitable[Sequence[Offer]]]
    offer: Callable[[int], Offer | None]


def item_search(target: StoreCommandTarget, *, is_for_parent: bool = False) -> ItemSearch:
    """Return the search by name and number in the current project; tasks are no parents."""
    store = target.store

    async def find(query: str) -> Sequence[Offer]:
        view = store.view(ViewSpec(text=query, with_done=True))
        await view.load()
        rows, groups = view.rows(0, MAX_ITEMS), store.lookups.status_groups()
        return [item_offer(row, groups) for row in rows if not (is_for_parent and row.type == ItemType.TASK)]

    def offer(item_id: int) -> Offer | None:
        item = store.item(item_id)
        if item is None or (is_for_parent and item.type == ItemType.TASK):
            return None
        return item_offer(item, store.lookups.status_groups())

    return ItemSearch(find, offer)


class ItemFinder(OffersDialog[Result]):
    """Offers, and items that are found while their text is typed; an id that is typed out need not be found yet."""

    def __init__(self, title: str, placeholder: str, offers: Sequence[Offer], search: ItemSearch) -> None:
        super().__init__(title, placeholder, offers)
        self.list.empty_text = ""  # nothing was looked for yet
        self._search = search
        self._found: Sequence[Offer] = ()

    def _set_height(self) -> None:
        self.list.styles.height = max(1, min(LINES, self.app.size.height - 4))

    def narrow(self, query: str) -> None:
        words = query.casefold()
        kept = [each for each in self._found if words and words in each.label.casefold()]
        self._found = self._with_typed_id(query, kept)
        self.list.empty_text = NO_MATCHES if query else ""
        self.list.show(self.arranged(query, self._found))
        if query:
            self.run_worker(work(self._find, query), exclusive=True, group="find")

    async def _find(self, query: str) -> None:
        try:
            found = await self._search.find(query)
        except BacklitError:
            return
        if self.is_attached and self.input.value.strip() == query:
            # Before the answer the first row is what else fits, such as a recent item: nobody chose it.
            self._found, kept = self._with_typed_id(query, found), None if self.list.is_at_first else self.list.current
            self.list.show(self.arranged(query, self._found), kept.value if kept else None)

    def _with_typed_id(self, query: str, found: Sequence[Offer]) -> Sequence[Offer]:
        """Return the offers after that of the id that is typed."""
        number = item_number(query)
        offer = None if number is None else self._search.offer(number)
        return found if offer is None else [offer, *(each for each in found if each.value != offer.value)]

    def arranged(self, _query: str, found: Sequence[Offer]) -> Sequence[Offer]:
        return [Offer(None, "", "Items"), *found] if found else []

    def accept(self) -> None:
        """Answer with the typed id, unless the cursor was moved, else with the offer under the cursor."""
        number = item_number(self.input.value.strip())
        if number is not None and self.list.is_at_first and self._search.offer(number) is not None:
            self.dismiss(number)  # type: ignore[arg-type] # every subclass answers with ids
        else:
            super().accept()

    def refusal(self) -> str:
        number = item_number(self.input.value.strip())
        return f"No item has number {number}." if number is not None else super().refusal()


class Palette(ItemFinder[Command | int | None]):
    """The answer is a command to run, or the id of an item to open; the first `recent` commands were run lately."""

    HAS_KEYS_AT_RIGHT = True

    def __init__(self, offers: Sequence[Offer], search: ItemSearch, recent: int = 0) -> None:
        self._recent = recent
        super().__init__("Palette", "a command, an item's name, or #id", offers, search)

    def grouped(self, offers: Sequence[Offer]) -> Sequence[Offer]:
        """Return recent commands, those of each heading of the keys, and those of other places, below their names."""
        groups: dict[str, list[Offer]] = {}
        for number, offer in enumerate(offers):
            of = offer.value.heading if isinstance(offer.value, Command) else ""
            name = "Recent" if number < self._recent else "Elsewhere" if offer.is_dim else of
            groups.setdefault(name, []).append(offer)
        return [line for name, some in groups.items() for line in (Offer(None, "", name), *some)]

    def arranged(self, query: str, found: Sequence[Offer]) -> Sequence[Offer]:
        if not query:
            return self._grouped
        fitting = self.fitting(query)
        commands = [offer for offer in fitting if not offer.is_dim]
        elsewhere = [offer for offer in fitting if offer.is_dim][:MAX_COMMANDS_ELSEWHERE]
        commands = [*commands[: MAX_COMMANDS - len(elsewhere)], *elsewhere]
        headings = [Offer(None, "", "Commands")] if found and commands else []
        return [*headings, *commands, *super().arranged(query, found)]


class PickItemDialog(ItemFinder[int | None]):
    """Finds an item by name or number; the answer is its id."""

    def __init__(self, title: str, search: ItemSearch) -> None:
        super().__init__(title, "an item's name, or #id", (), search)


def command_offers(
    contexts: tuple[Context, ...], recent: Sequence[str] = (), hidden: Collection[str] = ()
) -> list[Offer]:
    """Return the commands of some contexts, recent ones and those on items first, then those of other places, dim.

    Cursor movement is left out: nobody looks it up by name while the list is covered. So are commands that act on the
    last of their keys.
    """

    def offered(commands: Iterable[Command]) -> list[Command]:
        every = [each for each in commands if each.context is not Context.MOVES and each.id not in hidden]
        return [each for each in every if not needs_key(each)]

    here = sorted(offered(commands_here(contexts)), key=lambda each: each.context is not Context.ITEM)
    first = [each for name in recent for each in here if each.id == name]
    labels = {each.label for each in here}
    others = tuple(context for context in Context if here and context not in contexts)
    elsewhere = [each for each in offered(commands_in(others)) if each.label not in labels]
    return [*map(offer_of, dict.fromkeys([*first, *here])), *map(_offer_elsewhere, elsewhere)]


def needs_key(command: Command) -> bool:
    """Return whether a command is nothing without the letter or digit that ends its keys."""
    ends = {keys.split()[-1] for keys in command.keys}
    return bool(ends) and ends <= {"digit", "letter"} and not command.words


def _offer_elsewhere(command: Command) -> Offer:
    """Return the dim offer of a command of another place: the keys that lead there and then run it."""
    keys = f"{key_to(command.context)} {spelled(command.keys[0]) if command.keys else f':{command.words[0]}'}"
    return replace(offer_of(command), keys=keys, help=f"{command.context.value} · {command.help}", is_dim=True)


def item_offer(item: ItemRow | Item, groups: StatusGroups, about: str = "") -> Offer:
    status = f"{status_sign(item.status, groups)} {status_word(item.status)}"
    return Offer(item.id, number_of(item.id), f"{type_sign(item.type)} {item.name}  {status}{about}")
