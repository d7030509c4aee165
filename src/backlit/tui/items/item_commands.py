"""Commands on a whole work item: open, comment, repeat, resolve (KEYMAP, rule e)."""

from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.comment import CommentDialog
from backlit.tui.items.resolve import resolve_item
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.target import ItemPlace


def open_place(target: ItemTarget, call: Call) -> None:
    """Open the place that the command's argument names."""
    target.open(target.current().id, ItemPlace(call.command.argument))


async def comment(target: ItemTarget, _call: Call) -> None:
    """Write a comment; a draft keeps the text until it is journalled."""
    item = target.current()

    async def send(text: str) -> None:
        await target.store.items.comment(item.id, text, for_customers=dialog.for_customers)

    title = f"Comment on {item.fields.get('Name') or item.id}"
    dialog = CommentDialog(target.store, f"comment:{item.id}", title, send)
    await target.ask(dialog)


async def repeat(target: ItemTarget, call: Call) -> None:
    """Repeat the last change on the chosen items, or on as many rows as the count says."""
    act = target.session.last_act
    if act is None:
        raise CannotAct("There is no change to repeat yet.")
    await target.apply(act, target.chosen(call.count))


async def resolve(target: ItemTarget, _call: Call) -> None:
    """Resolve a conflict or a refusal of the item."""
    await resolve_item(target, target.current().id)
