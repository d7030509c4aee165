"""Commands on what items are to others: their Feature, their relations, and their place in the tree."""

from collections.abc import Sequence

from msgspec.structs import replace

from backlit.model.amounts import counted, listed
from backlit.model.fields import ItemType
from backlit.model.filters import Comparison, Literal, Operator, Property
from backlit.model.relations import RelationType
from backlit.store.edits.items import ItemWithTasks
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.finder import Offer
from backlit.tui.dialogs.palette import ItemFinder, ItemSearch, item_search
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.text import literal
from backlit.tui.drawing.themes import status_sign
from backlit.tui.fields.choices import Choice
from backlit.tui.items.item_tabs import NO_RELATIONS
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.target import ItemDestination

WORDS = {"Blocked By": "blocked by", "Blocks": "blocks", "Related": "related to", "Duplicates": "duplicates"}
"""The relations that can be added, and their words; an item's Feature has a command of its own."""


def need_relations(store: Store) -> None:
    """Raise CannotAct without relations at the service, Forbidden for a reader."""
    if not store.lookups.announces("relations"):
        raise CannotAct(NO_RELATIONS)
    store.lookups.need_writer()


class FeatureDialog(PickDialog):
    """Picks a Feature; behind those that fit, what is typed can become a new one."""

    def _show_fitting(self) -> None:
        super()._show_fitting()
        typed = self._query
        if typed and all(choice.label.partition(" ")[2].casefold() != typed.casefold() for choice in self._shown):
            self._shown = [*self._shown, Choice(typed, f"new Feature “{typed}”", "+")]
            self.list.show(self._shown, 0, is_flat=True)


async def change_feature(target: ItemTarget, call: CommandContext) -> None:
    await pick_feature(target, target.chosen(call.rows))


async def pick_feature(target: ItemTarget, chosen: Sequence[Item]) -> None:
    """Pick the Feature of some items, or none. Raises CannotAct for tasks alone."""
    need_relations(target.store)
    items = [each for each in chosen if each.type != ItemType.TASK]
    if not items:
        raise CannotAct("A task belongs to its item. Change the Feature of that.")
    ids, parents = [each.id for each in items], target.store.relations.parents(each.id for each in items)
    before = {parents.get(each) for each in ids}
    view = target.store.view(
        ViewSpec(filter=Comparison(Operator.EQ, Property("type"), Literal(ItemType.FEATURE.value)))
    )
    await view.load()
    groups = target.store.lookups.status_groups()
    choices = [
        Choice(row.id, f"{number_of(row.id)} {row.name}", status_sign(row.status, groups))
        for row in view.rows(0, view.count or 0)
        if row.id not in ids
    ]
    title = f"Feature of {_named(items)}"
    current = (next(iter(before)) or 0) if len(before) == 1 else None
    choice = await target.ask(FeatureDialog(title, [Choice(0, "none"), *choices], current))
    if choice is None:
        return
    if isinstance(choice.value, str):
        places = {item.fields.get("AreaID") for item in items}
        area = {"AreaID": places.pop()} if len(places) == 1 else {}
        feature = ItemWithTasks(ItemType.FEATURE, {**area, "Name": choice.value})
        await target.store.relation_edits.add_above(feature, ids)
    else:
        await target.store.relation_edits.set_parent(ids, int(str(choice.value)) or None)
    target.say(f"{_named(items)}: Feature → {choice.label}. u to undo.")


class RelatedItemsDialog(ItemFinder[int | None]):
    """Finds items by name or number: tab takes one more into `taken`, enter answers with the last one."""

    def __init__(self, title: str, search: ItemSearch) -> None:
        super().__init__(title, "an item's name, or #id", (), search)
        self.taken: dict[int, None] = {}
        self.name_keys(("enter", "relate"), ("tab", "several"), ("esc", "cancel"))

    def press(self, key: str) -> bool:
        if key != "tab":
            return super().press(key)
        value = self.list.current.value if self.list.current is not None else None
        if isinstance(value, int):
            self.taken[value] = None
            self.frame.border_title = literal(f"{self._title} {', '.join(map(number_of, self.taken))}")
            self.input.value = ""
        return True

    def accept(self) -> None:
        if self.taken and not self.input.value.strip():
            self.dismiss(next(reversed(self.taken)))
        else:
            super().accept()


async def relate(target: ItemTarget, call: CommandContext) -> None:
    await add_relation(target, target.chosen(call.rows))


async def add_relation(target: ItemTarget, items: Sequence[Item]) -> None:
    """Ask for a relation by its digit and for the other items; what a rule forbids is dim, with the reason."""
    need_relations(target.store)
    choices = [Choice(word, words) for word, words in WORDS.items()]
    choice = await target.ask(PickDialog(f"Relate {_named(items)}", choices))
    if choice is None:
        return
    word, store = str(choice.value), target.store
    search = item_search(target)

    def judged(offer: Offer) -> Offer:
        other = int(str(offer.value))
        fault = store.relation_edits.fault(items[0].id, word, other) if len(items) == 1 else ""
        return replace(offer, is_dim=bool(fault), help=fault)

    async def find(query: str) -> Sequence[Offer]:
        return [judged(offer) for offer in await search.find(query)]

    def find_id(item_id: int) -> Offer | None:
        offer = search.offer(item_id)
        return None if offer is None else judged(offer)

    title = f"{_named(items)} {choice.label}"
    dialog = RelatedItemsDialog(title, ItemSearch(find, find_id))
    last = await target.ask(dialog)
    if last is not None:
        others = list({**dialog.taken, last: None})
        step = await store.relation_edits.relate([each.id for each in items], word, others)
        is_closed = word == RelationType.DUPLICATES and await _is_closed(target, items, step)
        closed = ", and closed" if is_closed else ""
        target.say(f"{_named(items)} {choice.label} {', '.join(map(number_of, others))}{closed}. u to undo.")


async def _is_closed(target: ItemTarget, items: Sequence[Item], step: int) -> bool:
    """Ask whether duplicates are closed, as part of the step that related them; return whether they are."""
    edits = target.store.relation_edits
    statuses = {item.id: status for item in items if (status := edits.closed_status(item)) is not None}
    if not statuses:
        return False
    named = _named([item for item in items if item.id in statuses])
    sentence = f"Close {named} as a duplicate? Status → {listed(sorted(set(statuses.values())))}; the relation stays."
    answers = [AnswerKey("y", "close")]
    if await target.ask(ConfirmDialog("Duplicate", sentence, answers, "leave open")) != "y":
        return False
    await edits.close(statuses, step)
    return True


def go_to_parent(target: ItemTarget, _call: CommandContext) -> None:
    """Open the Feature of an item, or the item of a task. Raises CannotAct without one."""
    item = target.page_item()
    parent_id = target.store.relations.parents([item.id]).get(item.id)
    if parent_id is None or target.store.item(parent_id) is None:
        raise CannotAct(f"There is no Feature above {number_of(item.id)}. {key_of('item.feature')} chooses one.")
    target.open(parent_id, ItemDestination.EDITOR)


def _named(items: Sequence[Item]) -> str:
    return number_of(items[0].id) if len(items) == 1 else counted(len(items), "item")
