"""Commands that undo and redo; grave reversals are shown and asked about first."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol

from textual.content import Content

from backlit.store.store import Store
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import FieldChange, Named
from backlit.tui.app.undo_text import (
    contested_words,
    done_words,
    node_deleted_words,
    node_made_words,
    recalled_words,
)
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.confirm_difference import DifferenceQuestion
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.theme_styles import type_sign
from backlit.tui.fields.labels import label_of, words_of
from backlit.tui.shell.target import StoreTarget

MOST_LINES = 400
SHOWN = 60
"""Characters of a value that are shown."""
NEW_NUMBER = (
    "A deleted item is made anew: it gets a new number, its comments name who wrote them, files do not come back."
)


class HistoryTarget(StoreTarget, Protocol):
    """An application whose acts can be undone, one step at a time."""

    history_lock: asyncio.Lock


async def undo(target: HistoryTarget, call: Call) -> None:
    """Undo the last act, or as many as the count says."""
    await _walk(target, call.count or 1, is_redo=False)


async def redo(target: HistoryTarget, call: Call) -> None:
    """Redo the act that was undone last, or as many as the count says."""
    await _walk(target, call.count or 1, is_redo=True)


async def _walk(target: HistoryTarget, count: int, *, is_redo: bool) -> None:
    async with target.history_lock:
        for _ in range(count):
            offered = await _offered(target.store, is_redo=is_redo)
            if offered is None:
                target.say("Nothing to redo." if is_redo else "Nothing to undo.")
                return
            if offered.is_grave:
                if await _is_agreed(target, offered):
                    await _carry_out(target, is_redo=is_redo)
                return
            await _carry_out(target, is_redo=is_redo)
            if offered.is_impossible:
                return


async def _offered(store: Store, *, is_redo: bool) -> Reversal | None:
    return await (store.history.to_redo() if is_redo else store.history.to_undo())


async def _carry_out(target: HistoryTarget, *, is_redo: bool) -> None:
    history = target.store.history
    done = await (history.redo() if is_redo else history.undo())
    if done is not None:
        target.say(done_words(target.store, done), is_bad=done.is_impossible)


async def _is_agreed(target: HistoryTarget, offered: Reversal) -> bool:
    """Ask for agreement; ask again where the reversal has become another one meanwhile."""
    while await target.ask(ReversalDialog(target.store, offered)):
        current = await _offered(target.store, is_redo=offered.is_redo)
        if current is None or current == offered:
            return True
        offered = current
    return False


class ReversalDialog(DifferenceQuestion):
    """Shows every item with its present and its future values, and all that would be deleted or made again."""

    def __init__(self, store: Store, reversal: Reversal) -> None:
        verb = "redo" if reversal.is_redo else "undo"
        super().__init__(verb.capitalize(), verb)
        self._store = store
        self._reversal = reversal

    def heading(self) -> list[Content]:
        """Return the number of items, and the warnings."""
        count = len(self._reversal.item_ids - {0})
        lines = [Content(f"It concerns {count:,} items.")] if count > 1 else []
        contested = contested_words(self._reversal.changes)
        if contested:
            lines.append(Content.styled(safe(contested), "bold $warning"))
        if self._reversal.made_again:
            lines.append(Content.styled(NEW_NUMBER, "$muted"))
        if self._reversal.deleted or self._reversal.nodes_deleted:
            lines.append(Content.styled("! What is deleted for good is gone for everybody.", "bold $warning"))
        return lines

    def lines(self) -> list[Content]:
        """Return the items and comments, each with its change."""
        every = [line for _, line in zip(range(MOST_LINES + 1), self._every(), strict=False)]
        return [*every[:MOST_LINES], Content.styled("…", "$muted")] if len(every) > MOST_LINES else every

    def _every(self) -> Iterator[Content]:
        reversal = self._reversal
        yield from self._named(reversal.deleted, "deleted for good", "$error")
        yield from self._named(reversal.given_up, "not added after all", "$error")
        yield from self._named(reversal.made_again, "made again", "$success")
        yield from self._named(reversal.returned, "back again", "$success")
        for deleted in reversal.nodes_deleted:
            changed = ", although somebody has changed it since" if deleted.is_changed else ""
            yield Content.styled(safe(f"The {node_deleted_words(deleted)}{changed}"), "$error")
        for made in reversal.nodes_made:
            yield Content.styled(safe(f"The {node_made_words(made)}"), "$success")
        for recalled in reversal.recalled:
            yield Content.styled(safe(recalled_words([recalled])), "$success")
        for item_id, changes in groupby(reversal.changes, key=lambda change: change.item_id):
            item = self._store.item(item_id)
            name = str(item.fields.get("Name") or "") if item else ""
            yield _item(Named(item_id, item.type if item else "", name))
            for change in changes:
                yield self._change(change)
        for texts, words, colour in (
            (reversal.comments_deleted, "comment deleted", "$error"),
            (reversal.comments_written, "comment written again", "$success"),
        ):
            for text in texts:
                yield Content.assemble((f"{words}  ", colour), safe(_short(text)))
        if reversal.missing:
            yield Content.styled(f"{len(reversal.missing):,} no longer there", "$muted")

    def _named(self, named: Sequence[Named], words: str, colour: str) -> Iterator[Content]:
        for each in named:
            yield _item(each)
            yield Content.styled(f"    {words}", colour)

    def _change(self, change: FieldChange) -> Content:
        before, after = (_short(words_of(self._store, change.key, each)) for each in (change.before, change.after))
        return Content.assemble(
            (f"    {safe(label_of(change.key))}  ", "$muted"),
            (safe(before), "$error"),
            (" → ", "$muted"),
            (safe(after), "$success"),
        )


def _item(named: Named) -> Content:
    number = f"#{named.id} " if named.id > 0 else "new "
    sign = f"{type_sign(named.type)} " if named.type else ""
    return Content.assemble((number, "$muted"), sign, safe(named.name))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
