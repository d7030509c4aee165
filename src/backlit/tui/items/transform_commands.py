"""Commands that give items another type or another project, after a list of what cannot go along."""

from collections.abc import Iterator, Sequence

from textual.content import Content

from backlit.model.amounts import counted
from backlit.model.fields import ItemType
from backlit.store.edits.conversions import TransformOutlook
from backlit.store.edits.moves import WithChildren
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.store.views.lookups import READER
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.palette import PickItemDialog, item_search
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.dialogs.reading import Line, ReadingDialog, change_of, item_line
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import type_sign
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.values import label_of, words_of
from backlit.tui.items.target import ItemTarget


async def convert(target: ItemTarget, call: CommandContext) -> None:
    """Pick the type that items get, of one that becomes a task its item too."""
    chosen, store = saved_items(target, call.rows), target.store
    item_type = _type_named(call.text) or await _picked_type(target, chosen)
    if item_type is None:
        return
    items, parent_id = [each for each in chosen if each.type != item_type], None
    if not items:
        raise CannotAct(f"{_named(chosen)} {'is' if len(chosen) == 1 else 'are'} of this type already.")
    if item_type is ItemType.TASK:
        parent_id = await target.ask(PickItemDialog(f"{_named(items)}: a task of which item?", item_search(target)))
        if parent_id is None:
            return
    title = f"Convert {_named(items)} to {item_type.value}"
    outlooks = [await store.conversions.outlook(each.id, item_type, parent_id) for each in items]
    ids = await _agreed(target, title, items, outlooks, is_copied=not store.conversions.is_offered)
    if ids:
        await store.conversions.convert(ids, item_type, parent_id)
        what = _named([each for each in items if each.id in ids])
        copied = "" if store.conversions.is_offered else ", as a copy; the original is deleted"
        target.say(f"{what} → {item_type.value}{copied}. u to undo.")


async def move_to_project(target: ItemTarget, call: CommandContext) -> None:
    """Pick the project that items move to, and what becomes of the items below a Feature."""
    items, store = saved_items(target, call.rows), target.store
    roles = store.lookups.roles()
    others = [each for each in store.lookups.projects() if each.id != store.project_id and roles[each.id] != READER]
    if not others:
        raise CannotAct("There is no other project that you may write to.")
    choice = await target.ask(PickDialog(f"Move {_named(items)} to", [Choice(each.id, each.name) for each in others]))
    if choice is None:
        return
    project_id, children = int(str(choice.value)), WithChildren.MOVE
    below = store.moves.items_below(each.id for each in items)
    if below and store.moves.is_offered:
        answers = [AnswerKey("m", "move them too"), AnswerKey("l", "leave them here")]
        sentence = f"{counted(below, 'item')} {'is' if below == 1 else 'are'} below."
        key = await target.ask(ConfirmDialog(f"Move {_named(items)} to {choice.label}", sentence, answers, "cancel"))
        if key is None:
            return
        children = WithChildren.MOVE if key == "m" else WithChildren.LEAVE
    title = f"Move {_named(items)} to {choice.label}"
    outlooks = [await store.moves.outlook(each.id, project_id, children) for each in items]
    ids = await _agreed(target, title, items, outlooks, is_copied=not store.moves.is_offered)
    if ids:
        await store.moves.to_project(ids, project_id, children)
        what = _named([each for each in items if each.id in ids])
        copied = "" if store.moves.is_offered else ", as a copy; the original is deleted"
        target.say(f"{what} → {choice.label}{copied}. u to undo.")


def saved_items(target: ItemTarget, rows: int | None) -> list[Item]:
    """Return the chosen items; raise CannotAct for a form with changes, which would not fit any more."""
    target.store.lookups.need_writer()
    items = target.chosen(rows)
    for each in items:
        stored = target.store.item(each.id) if each.id else target.current()
        if stored is None or stored.fields != each.fields:
            raise CannotAct("Save the changes of this item first.")
    return items


def _type_named(text: str) -> ItemType | None:
    """Return the type that begins with a text; raise CannotAct for a text that begins none."""
    typed = text.strip().casefold()
    found = [each for each in ItemType if typed and each.casefold().startswith(typed)]
    if typed and not found:
        raise CannotAct(f"There is no type {text.strip()}. The types are {', '.join(ItemType)}.")
    return found[0] if found else None


async def _picked_type(target: ItemTarget, items: Sequence[Item]) -> ItemType | None:
    own = {each.type for each in items}
    types = [each for each in ItemType if {each.value} != own]
    choices = [Choice(each, each.value, type_sign(each)) for each in types]
    choice = await target.ask(PickDialog(f"Convert {_named(items)} to", choices))
    return None if choice is None else ItemType(str(choice.value))


async def _agreed(
    target: ItemTarget, title: str, items: Sequence[Item], outlooks: Sequence[TransformOutlook], *, is_copied: bool
) -> list[int]:
    """Ask about what cannot go along, if there is something; return the items to act on, none where that is refused."""
    possible = [each for each in outlooks if not each.fault]
    faults = [each.fault for each in outlooks if each.fault]
    if not possible:
        raise CannotAct(faults[0])
    if any(each.has_losses for each in possible) or faults:
        lines = list(_lines(target.store, items, outlooks))
        sentence = (
            "This server cannot do that: a copy is made, and the original gets the status Deleted. Left behind:"
            if is_copied
            else "This cannot go along:"
        )
        question = ReadingDialog(
            title, lines, [Content.styled(sentence, "$muted")], [AnswerKey("y", "go on")], "cancel"
        )
        if await target.ask(question) != "y":
            return []
    return [each.item_id for each in possible]


def _lines(store: Store, items: Sequence[Item], outlooks: Sequence[TransformOutlook]) -> Iterator[Line]:
    for item, outlook in zip(items, outlooks, strict=True):
        if outlook.fault:
            yield Content.styled(safe(outlook.fault), "$conflict")
            continue
        if len(items) > 1 and outlook.has_losses:
            yield item_line(item.id, item.type, item.name)
        for change in outlook.notable:
            before, after = words_of(store, change.key, change.before), change.words or "–"
            label = Content.styled(safe(f"{label_of(change.key)}  "), "$muted")
            yield label + change_of(safe(" ".join(before.split())), safe(after))
        if outlook.left:
            yield Content(safe(", ".join(outlook.left)))


def _named(items: Sequence[Item]) -> str:
    return number_of(items[0].id) if len(items) == 1 else counted(len(items), "item")
