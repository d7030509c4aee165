"""Commands that change one field, the same wherever there is a current item (KEYMAP, rule e)."""

from backlit.model.fields import SYNC_KEYS, Settable, fields_of
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.acts import field_named, to_value
from backlit.tui.items.field_prompts import having, title_of
from backlit.tui.items.target import ItemTarget
from backlit.tui.widgets.choice_list import Choice


async def change(target: ItemTarget, call: Call) -> None:
    """Ask for another value of the field that the command's argument names."""
    await target.change_field(call.command.argument, target.chosen(call.rows))


async def change_any(target: ItemTarget, call: Call) -> None:
    """Ask for a field, then for its value."""
    items = target.chosen(call.rows)
    found: dict[str, Choice] = {}
    for item_type in dict.fromkeys(item.type for item in items):
        for field in fields_of(item_type, target.store.lookups.custom_fields()):
            if field.settable is Settable.ALWAYS and field.key not in SYNC_KEYS:
                count = sum(field.applies_to(item.type) for item in items)
                hint = field.section.value if count == len(items) else f"{count:,} of {len(items):,}"
                found[field.key] = Choice(field.key, field.label, hint)
    choice = await target.ask(PickDialog(title_of("Field", len(items), len(items)), list(found.values())))
    if choice is not None:
        await target.change_field(str(choice.value), items)


async def take(target: ItemTarget, call: Call) -> None:
    """Assign to the user who is signed in."""
    user = target.store.connection.user
    if user is None:
        raise CannotAct("Nobody is signed in yet, so there is no “me” to assign to.")
    await _assign(target, call, user.id, user.display_name)


async def unassign(target: ItemTarget, call: Call) -> None:
    """Take the owner off."""
    await _assign(target, call, None, "nobody")


async def _assign(target: ItemTarget, call: Call, user_id: int | None, words: str) -> None:
    items = target.chosen(call.rows)
    having("AssignedToID", items, target.store.lookups)
    await target.apply(to_value(field_named("AssignedToID", target.store.lookups), user_id, words), items)
