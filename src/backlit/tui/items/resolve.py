"""Resolving outbox entries that were refused or are in conflict."""

from backlit.store.edits.conflicts import UNRESOLVED
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.compose import ComposeDialog
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.items.conflict_dialog import ConflictDialog
from backlit.tui.items.entry_text import DELETIONS, content_of, fate_words, moved_words, name_of, node_summary
from backlit.tui.shell.target import StoreTarget


async def resolve_item(target: StoreTarget, item_id: int) -> None:
    """Resolve the oldest unsettled entry of an item; raises CannotAct where there is none."""
    entry = target.store.conflicts.of_item(item_id)
    if entry is None:
        raise CannotAct("Nothing of this item is in conflict or refused.")
    await resolve_entry(target, entry)


async def resolve_entry(target: StoreTarget, entry: OutboxEntry) -> None:
    """Ask with the dialog that fits the entry; raises CannotAct for an entry that still waits."""
    case = target.store.conflicts.case(entry.id)
    if entry.kind is EntryKind.COMMENT and entry.state is EntryState.REFUSED:
        await _rewrite(target, entry)
    elif case is not None:
        await target.ask(ConflictDialog(target.store, case))
    elif entry.state in UNRESOLVED:
        await _decide(target, entry)
    else:
        raise CannotAct("This change waits already; it is sent as soon as the service can be reached.")


async def _decide(target: StoreTarget, entry: OutboxEntry) -> None:
    """Ask about an entry without values to choose from: a deletion, a move, a change of a tree."""
    is_deletion = entry.kind in DELETIONS
    answers = [
        Answer("r", "delete it all the same" if is_deletion else "send it again"),
        Answer("d", "let it stay" if is_deletion else "give it up"),
        Answer("c", "copy it as text"),
    ]
    reason = f"{entry.reason.rstrip('.')}." if entry.reason else ""
    sentence = " ".join(part for part in (reason, fate_words(entry)) if part)
    title = "Conflict" if entry.state is EntryState.CONFLICT else "Refused"
    key = await target.ask(ConfirmDialog(f"{title}  {_called(entry)}", sentence, answers, "decide later"))
    if key == "c":
        target.copy(content_of(target.store, entry))
        target.say("Copied; it is still to be settled.")
    elif key == "r":
        await target.store.conflicts.retry(entry.id)
    elif key == "d":
        await target.store.conflicts.discard(entry.id)


async def _rewrite(target: StoreTarget, entry: OutboxEntry) -> None:
    """Offer the text of a refused comment for editing, and send it again."""

    async def send(text: str) -> None:
        await target.store.conflicts.rewrite(entry.id, text)

    draft, text = f"outbox:{entry.id}", str(entry.payload.get("text") or "")
    title = "Comment, refused"
    await target.ask(ComposeDialog(target.store, draft, title, text, act="send again", send=send))


def _called(entry: OutboxEntry) -> str:
    if entry.kind is EntryKind.DELETE_COMMENT:
        return f"delete comment on #{entry.item_id}"
    if entry.kind is EntryKind.DELETE:
        return f"delete #{entry.item_id} {entry.payload.get('name') or ''}"
    if entry.kind is EntryKind.RECALL:
        return f"whether #{entry.item_id} is deleted"
    if entry.kind is EntryKind.RANK:
        return f"move #{entry.item_id} {moved_words(entry)}"
    return f"{node_summary(entry)} “{name_of(entry)}”"
