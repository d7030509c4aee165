"""Commands on whole work items: open, comment, repeat, resolve, delete."""

from collections.abc import Sequence

from backlit.model.amounts import counted, listed
from backlit.store.edits.deletions import ItemDeletionExtent, deleted_status
from backlit.store.records.item import Item, counted_types, number_of
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.compose import CommentDialog, ComposedComment, ask_until_saved
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.fields.field_edits import Changes, DoesNotApply, FieldEdit
from backlit.tui.items.item_tabs import need_tab
from backlit.tui.items.resolve import resolve_item
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.shell.target import ItemDestination, StoreCommandTarget
from backlit.tui.widgets.item_rows import SYNCED_SIGN


def open_place(target: ItemTarget, call: CommandContext) -> None:
    item, place = target.page_item(), ItemDestination(call.command.argument)
    need_tab(target.store, item.type, place)
    target.open(item.id, place)


async def comment(target: ItemTarget, _call: CommandContext) -> None:
    await comment_on_current(target)


async def comment_on_current(target: ItemTarget, text: str = "", *, act: str = "send") -> bool:
    """Write a comment on the current item, beginning with a text; return whether that was done."""
    target.store.lookups.need_writer()
    item = target.current()
    key, title = COMMENT_DRAFT.format(item.id), f"Comment on {item.name or item.id}"
    is_written = await write_comment(target, item.id, key, title, ComposedComment(text, False), act=act)
    if is_written:
        target.say(f"Comment added to {number_of(item.id)}. u to undo.")
    return is_written


async def write_comment(
    target: StoreCommandTarget,
    item_id: int,
    key: str,
    title: str,
    begun: ComposedComment | None = None,
    *,
    act: str = "send",
) -> bool:
    """Ask for a comment and journal it; return whether that was done. A draft keeps the text until then."""

    def make(written: ComposedComment | None, fault: str) -> CommentDialog:
        draft, is_again = StoredDraft(target.store, key), written is not None
        begins = written or begun or ComposedComment("", False)
        names = target.store.lookups.mentionable()
        return CommentDialog(title, begins, draft, act=act, names=names, is_again=is_again, fault=fault)

    async def save(written: ComposedComment) -> bool:
        if written.for_customers and not await _is_agreed(target):
            return False
        await target.store.items.comment(item_id, written.text.strip(), for_customers=written.for_customers)
        await target.store.drafts.discard(key)
        return True

    target.store.presence.begin(item_id, "a comment")
    try:
        return await ask_until_saved(target, make, save)
    finally:
        target.store.presence.end(item_id)


async def _is_agreed(target: StoreCommandTarget) -> bool:
    sentence = "Customers will see this comment. Comments cannot be changed later."
    question = ConfirmDialog("Visible to customers", sentence, [AnswerKey("y", "send")], "back to the comment")
    return await target.ask(question) == "y"


async def repeat(target: ItemTarget, call: CommandContext) -> None:
    target.store.lookups.need_writer()
    act = target.session.last_act
    if act is None:
        raise CannotAct("There is no change to repeat yet.")
    await target.apply(act, target.chosen(call.count))


async def resolve(target: ItemTarget, _call: CommandContext) -> None:
    await resolve_item(target, target.current().id)


# Deletions: softly by their status, or for good after a second question

COMMENT_DRAFT = "comment:{}"
"""The key of the draft of a comment, with the id of its item."""
NAME_SHOWN = 60


async def delete(target: ItemTarget, call: CommandContext) -> None:
    target.store.lookups.need_writer()
    items = target.chosen(call.rows)
    answers = [AnswerKey("h", "delete permanently…")]
    statuses = {deleted_status(target.store.lookups.statuses(item.type)) for item in items} - {None}
    if statuses:
        answers.insert(0, AnswerKey("s", f"set the status to {' or '.join(sorted(filter(None, statuses)))}"))
    sentence = f"{_title(items)}{synced_warning(items)}"  # what is deleted too follows before a permanent deletion

    def changes(item: Item) -> Changes:
        status = deleted_status(target.store.lookups.statuses(item.type))
        if status is None:
            raise DoesNotApply(f"A {item.type.lower()} has no status for deleted items.")
        return {"Status": status}

    key = await target.ask(ConfirmDialog("Delete", sentence, answers, "cancel"))
    if key == "s":
        await target.apply(FieldEdit("Delete", ("Status",), changes), items)
    elif key == "h" and await _is_confirmed(target, items):
        ids = [item.id for item in items]
        await target.store.deletions.delete_items(ids)
        what = f"#{ids[0]}" if len(ids) == 1 else _counted(items)
        target.say(f"Deleted {what if ids[0] > 0 or len(ids) > 1 else 'the new item'}. u to undo.")


async def _is_confirmed(target: ItemTarget, items: Sequence[Item]) -> bool:
    """Ask once more: for one item by y, for several by typing how many they are."""
    count, going = len(items), _deletion_extent(target.store, items)
    if count == 1:
        kept = f"You can undo ({key_of('app.undo')}); the item gets a new number."
        sentence = f"{_title(items)} {going} {kept}{synced_warning(items)}"
        answers = [AnswerKey("y", "delete permanently")]
        return await target.ask(ConfirmDialog("Delete permanently", sentence, answers, "cancel")) == "y"

    def check(text: str) -> str | None:
        is_right = text.strip().replace(",", "") == str(count)
        return None if is_right else f"Type {count} to delete {_counted(items)} permanently. {going}"

    title = f"Delete {_counted(items)} permanently: type {count}"
    return await target.ask(LineDialog(title, "", check, note=going + synced_warning(items))) is not None


def _deletion_extent(store: Store, items: Sequence[Item]) -> str:
    return deletion_words(store.deletions.extent([item.id for item in items]))


def deletion_words(going: ItemDeletionExtent) -> str:
    """Return what is deleted with items, and the items below them, which stay."""
    parts, is_one = going.parts(), going.items == 1
    if not parts:
        words = f"{'It has' if is_one else 'They have'} no tasks, comments or files."
    else:
        words = f"{'Its' if is_one else 'Their'} {listed(parts)} will be deleted too."
    stay = f" {counted(going.children, 'item')} below {'it' if is_one else 'them'} will stay." if going.children else ""
    return words + stay


def synced_warning(items: Sequence[Item]) -> str:
    count = sum(item.is_synced for item in items)
    if not count:
        return ""
    which = "It is" if len(items) == 1 else f"{count:,} of them {'is' if count == 1 else 'are'}"
    return f" {SYNCED_SIGN} {which} synced with another tracker, which will not be updated."


def _counted(items: Sequence[Item]) -> str:
    return counted_types(item.type for item in items)


def _title(items: Sequence[Item]) -> str:
    if len(items) > 1:
        return f"{_counted(items)}."
    number = f"#{items[0].id} " if items[0].id > 0 else ""
    name = items[0].name
    return number + (f"{name}." if len(name) <= NAME_SHOWN else name[: NAME_SHOWN - 1] + "…")
