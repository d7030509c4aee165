"""Commands of the outbox: show, settle, send again or give up a change that waits."""

from collections.abc import Sequence
from typing import Protocol

from backlit.store.records.entry import RECALLS, EntryKind, EntryState, OutboxEntry
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.fields.labels import label_of
from backlit.tui.items.entry_text import content_of, fate_words, lines_of
from backlit.tui.items.resolve import resolve_entry
from backlit.tui.outbox.outbox_list import item_name_of, number_of
from backlit.tui.shell.target import ItemPlace, StoreTarget

_GIVEN_UP = {
    EntryKind.ADD: "the new item and all that follows it",
    EntryKind.COMMENT: "the comment",
    EntryKind.DELETE: "deleting the item",
    EntryKind.DELETE_COMMENT: "deleting the comment",
    **dict.fromkeys(RECALLS, "looking for it"),
}


class OutboxTarget(StoreTarget, Protocol):
    """The screen of the outbox."""

    @property
    def entries(self) -> Sequence[OutboxEntry]:
        """The entries that are listed."""

    def current(self) -> OutboxEntry:
        """Return the entry under the cursor; raises CannotAct without one."""


async def show(target: OutboxTarget, _call: Call) -> None:
    """Settle a conflict or a deletion that was not done; show all of any other change."""
    entry = target.current()
    if (entry.state is EntryState.CONFLICT and entry.kind is EntryKind.EDIT) or fate_words(entry):
        await resolve_entry(target, entry)
        return
    title = f"{entry.state.value.capitalize()}  {number_of(entry)} {item_name_of(target.store, entry)}"
    await target.ask(ReadingDialog(title, list(lines_of(target.store, entry))))


async def settle(target: OutboxTarget, _call: Call) -> None:
    """Settle a conflict, or change a refused entry and send it again."""
    await resolve_entry(target, target.current())


def open_item(target: OutboxTarget, _call: Call) -> None:
    """Open the item of the change."""
    entry = target.current()
    if target.store.item(entry.item_id) is None:
        raise CannotAct("The item is no longer here; d gives the change up.")
    target.open(entry.item_id, ItemPlace.EDITOR)


def copy(target: OutboxTarget, _call: Call) -> None:
    """Copy the content of the change as text."""
    text = content_of(target.store, target.current())
    target.copy(text)
    target.say(f"Copied {' '.join(text.split())[:60]}")


async def retry(target: OutboxTarget, _call: Call) -> None:
    """Send the change again; over somebody else's change only after a question."""
    entry = target.current()
    if entry.state is EntryState.REFUSED:
        for each in await _refused_to_retry(target, entry):
            await target.store.retry(each.id)
        return
    if entry.state is not EntryState.CONFLICT:
        raise CannotAct("This change waits already; it is sent as soon as the service can be reached.")
    fields = ", ".join(label_of(key) for key in entry.theirs)
    sentence = f"Somebody changed {fields or 'the item'} meanwhile. Your values would take the place of theirs."
    if await _is_agreed(target, "Conflict", sentence, "send yours"):
        await target.store.retry(entry.id)


async def discard(target: OutboxTarget, _call: Call) -> None:
    """Give the change up, after a question."""
    entry = target.current()
    sentence = f"This gives up {_GIVEN_UP.get(entry.kind, 'the change')}; u brings it back."
    if await _is_agreed(target, "Discard", sentence, "discard it"):
        await target.store.discard(entry.id)


async def _refused_to_retry(target: OutboxTarget, entry: OutboxEntry) -> Sequence[OutboxEntry]:
    """Ask whether to send every refused entry of the same act, where there are several."""
    alike = [each for each in target.entries if each.step == entry.step and each.state is EntryState.REFUSED]
    if len(alike) == 1:
        return alike
    answers = [Answer("y", "send this one again"), Answer("a", f"send all {len(alike):,} again")]
    sentence = f"{len(alike):,} of what was changed in one go were refused."
    key = await target.ask(ConfirmDialog("Send again", sentence, answers, "leave them"))
    return {"y": [entry], "a": alike}.get(key or "", [])


async def _is_agreed(target: OutboxTarget, title: str, sentence: str, label: str) -> bool:
    return await target.ask(ConfirmDialog(title, sentence, [Answer("y", label)], "leave it as it is")) == "y"
