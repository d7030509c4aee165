"""Moves on the service: a thing is put beside what it was put beside here, or beside the next best that is left."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import BadRequest
from backlit.store.changes import Change, Subject
from backlit.store.edits import show
from backlit.store.entries import OutboxEntry
from backlit.store.files import Files, Writer
from backlit.store.lineup import beside_of
from backlit.store.ranks import release
from backlit.store.receiving import receive
from backlit.store.rows import Document, is_item

if TYPE_CHECKING:
    from backlit.client.client import Client


class Moves:
    """Sends RANK entries; one that was sent before, without an answer, comes to the same when it is sent again."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files

    async def move(self, entry: OutboxEntry) -> None:
        """Move it and settle the entry; raises BadRequest where none of its neighbours is left."""
        refusal = BadRequest("What it was to stand beside is no longer there.")
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
        release(writer)
        show(writer, [entry.item_id])
        writer.signal.publish(Change(Subject.ITEMS, frozenset({entry.item_id}), frozenset({"sign"})))

    return act
