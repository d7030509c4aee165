"""Commands on a whole work item: open, comment, repeat, resolve."""

from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.compose import Comment, CommentDialog, ask_until_saved
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.items.resolve import resolve_item
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.shell.target import ItemPlace, StoreTarget


def open_place(target: ItemTarget, call: Call) -> None:
    """Open the place that the command's argument names."""
    target.open(target.current().id, ItemPlace(call.command.argument))


async def comment(target: ItemTarget, _call: Call) -> None:
    """Write a comment."""
    target.store.lookups.need_writer()
    item = target.current()
    title = f"Comment on {item.fields.get('Name') or item.id}"
    await write_comment(target, item.id, f"comment:{item.id}", title)


async def write_comment(target: StoreTarget, item_id: int, key: str, title: str, begun: Comment | None = None) -> bool:
    """Ask for a comment and journal it; return whether that was done. A draft keeps the text until then."""

    def make(written: Comment | None, fault: str) -> CommentDialog:
        draft = StoredDraft(target.store, key)
        return CommentDialog(
            title, written or begun or Comment("", False), draft, is_again=written is not None, fault=fault
        )

    async def save(written: Comment) -> bool:
        if written.for_customers and not await _is_agreed(target):
            return False
        await target.store.items.comment(item_id, written.text.strip(), for_customers=written.for_customers)
        await target.store.drafts.discard(key)
        return True

    return await ask_until_saved(target, make, save)


async def _is_agreed(target: StoreTarget) -> bool:
    sentence = "Customers will see this comment. Comments cannot be changed later."
    question = ConfirmDialog("Visible to customers", sentence, [Answer("y", "send")], "back to the comment")
    return await target.ask(question) == "y"


async def repeat(target: ItemTarget, call: Call) -> None:
    """Repeat the last change on the chosen items, or on as many rows as the count says."""
    target.store.lookups.need_writer()
    act = target.session.last_act
    if act is None:
        raise CannotAct("There is no change to repeat yet.")
    await target.apply(act, target.chosen(call.count))


async def resolve(target: ItemTarget, _call: Call) -> None:
    """Resolve a conflict or a refusal of the item."""
    await resolve_item(target, target.current().id)
