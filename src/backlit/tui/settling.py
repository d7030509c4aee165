"""Opening what settles an entry of the outbox, from wherever the item is shown."""

from typing import TYPE_CHECKING, Any

from backlit.model.errors import BacklitError
from backlit.store.conflicts import UNSETTLED
from backlit.store.entries import DELETES, EntryKind, EntryState, OutboxEntry
from backlit.tui.acting import CannotAct
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
    if entry.kind in DELETES and entry.state in UNSETTLED:
        raise CannotAct("r deletes it all the same; d lets it stay.")
    case = screen.store.conflicts.case(entry.id)
    if case is None:
        raise CannotAct("It waits already, and is sent as soon as the service can be reached.")
    from backlit.tui.dialogs.conflict import ConflictDialog

    screen.app.push_screen(ConflictDialog(screen.store, case))


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
