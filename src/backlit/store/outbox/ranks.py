"""Moves in the rank order, sent next to the recorded neighbour or to the next best one."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import BadRequest
from backlit.store.edits.items import show
from backlit.store.edits.rank_order import beside_of
from backlit.store.files.files import Files, Writer
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.item import Document, is_item
from backlit.store.remote.receiving import receive

if TYPE_CHECKING:
    from backlit.client.client import Client


class RankSending:
    """Sender of RANK entries. Sending one twice has the same result."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files

    async def move(self, entry: OutboxEntry) -> None:
        """Move an item and settle the entry. Raises BadRequest if every neighbour was deleted."""
        refusal = BadRequest("The item next to it was deleted.")
        for where, neighbour_id in beside_of(entry.payload):
            real_id = await self._files.write(partial(_followed, item_id=neighbour_id))
            if real_id < 0:
                continue
            try:
                moved = await self._client.work_items.rank(entry.item_id, {where: real_id or True})
            except BadRequest as error:
                refusal = error
                continue
            if not is_item(moved, entry.item_id):
                moved = await self._client.work_items.document(entry.item_id)
            await self._files.write(_settling(entry, moved))
            return
        raise refusal


def _followed(writer: Writer, item_id: int) -> int:
    return writer.journal.renames.followed(item_id)


def _settling(entry: OutboxEntry, moved: Document) -> Callable[[Writer], None]:
    def act(writer: Writer) -> None:
        receive(writer, [moved] if is_item(moved, entry.item_id) else (), entry)
        writer.journal.deliver(entry)
        writer.release_ranks()
        show(writer, [entry.item_id])
        writer.signal.publish(Change(Subject.ITEMS, frozenset({entry.item_id}), frozenset({"sign"})))

    return act
