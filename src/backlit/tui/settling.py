"""Opening what settles an entry of the outbox, from wherever the item is shown."""

from typing import TYPE_CHECKING, Any

from backlit.model.errors import BacklitError
from backlit.store.conflicts import UNSETTLED
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.tui.acting import CannotAct
from backlit.tui.entry_words import DELETIONS, content_of, fate_words, moved_words
from backlit.tui.node_words import name_of, node_summary
from backlit.tui.screens.base import StoreScreen
from backlit.tui.work import work

if TYPE_CHECKING:
    from backlit.store.store import Store


def settle_item(screen: StoreScreen[Any], item_id: int) -> None:
    """Settle the oldest of what the service did not take of an item; raises CannotAct where it took all."""
    entry = screen.store.conflicts.of_item(item_id)
    if entry is None:
        raise CannotAct("Nothing of this item is in conflict or refused.")
    settle_entry(screen, entry)


def settle_entry(screen: StoreScreen[Any], entry: OutboxEntry) -> None:
    """Open the dialog for a conflict or a refusal; raises CannotAct for what still waits."""
    if entry.kind is EntryKind.COMMENT and entry.state is EntryState.REFUSED:
        _rewrite(screen, entry)
        return
    case = screen.store.conflicts.case(entry.id)
    if case is not None:
        from backlit.tui.dialogs.conflict import ConflictDialog

        screen.app.push_screen(ConflictDialog(screen.store, case))
        return
    if entry.state not in UNSETTLED:
        raise CannotAct("It waits already, and is sent as soon as the service can be reached.")
    _decide(screen, entry)


def _decide(screen: StoreScreen[Any], entry: OutboxEntry) -> None:
    """Ask what shall become of what has no values to choose from: a deletion, a move, what was done to a tree."""
    from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

    is_deletion = entry.kind in DELETIONS
    answers = [
        Answer("r", "delete it all the same" if is_deletion else "send it again"),
        Answer("d", "let it stay" if is_deletion else "give it up"),
        Answer("c", "copy it as text"),
    ]
    reason = f"{entry.reason.rstrip('.')}." if entry.reason else ""
    sentence = " ".join(part for part in (reason, fate_words(entry)) if part)

    def answered(key: str | None) -> None:
        if key == "c":
            screen.app.copy_to_clipboard(content_of(screen.store, entry))
            screen.say("Copied; it is still to be settled.")
        elif key is not None:
            screen.run_worker(work(_decided, screen, entry.id, is_kept=key == "r"), group="writes")

    title = "Conflict" if entry.state is EntryState.CONFLICT else "Refused"
    screen.app.push_screen(ConfirmDialog(f"{title}  {_called(entry)}", sentence, answers, "decide later"), answered)


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


async def _decided(screen: StoreScreen[Any], entry_id: int, *, is_kept: bool) -> None:
    try:
        await (screen.store.retry(entry_id) if is_kept else screen.store.discard(entry_id))
    except BacklitError as error:
        screen.say(str(error), is_bad=True)


def _rewrite(screen: StoreScreen[Any], entry: OutboxEntry) -> None:
    from backlit.tui.dialogs.compose import ComposeDialog

    draft = f"outbox:{entry.id}"

    def written(text: str | None) -> None:
        if text is not None:
            screen.run_worker(work(_send_again, screen, entry.id, text, draft), group="writes")

    text = str(entry.payload.get("text") or "")
    screen.app.push_screen(ComposeDialog(screen.store, draft, "Comment, refused", text, act="send again"), written)


async def _send_again(screen: StoreScreen[Any], entry_id: int, text: str, draft: str) -> None:
    store: Store = screen.store
    try:
        await store.conflicts.rewrite(entry_id, text)
    except BacklitError as error:
        screen.say(f"{error} What you wrote is kept.", is_bad=True)
        return
    await store.discard_draft(draft)
