"""Reads of the service's history of items, an extension, into the mirror."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceError, ServiceRefused
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.inbox import InboxRecord
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document, whole
from backlit.store.records.item_changes import KeptHistory
from backlit.store.remote.capabilities import HISTORY, announces
from backlit.store.remote.exact_news import settle_news

if TYPE_CHECKING:
    from backlit.client.client import Client


FIRST_PAGE, NEXT_PAGE = 50, 200
AT_ONCE = 4
"""Histories that are read side by side for the inbox."""
MOST_NEWS = 100
"""Histories that one sync reads for the inbox; the next sync reads on."""


class HistoryReader:
    """Reader of items' histories from a service that announces them."""

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files
        self._tried: dict[int, str | None] = {}
        """Items of the inbox whose histories were asked for, with the time of their news then."""

    async def read(self, item_id: int, *, is_older: bool = False) -> None:
        """Read the newest changes of an item, or those before the oldest known ones.

        Does nothing for an item that was never sent or has no older ones. Raises the error that prevents it.
        """
        before = None
        if is_older:
            kept = await self._files.write(lambda writer: writer.mirror.item_changes.of_item(item_id))
            before = kept.next if kept else None
        if item_id <= 0 or (is_older and before is None):
            return
        page = _page(await self._client.work_items.history(item_id, before, NEXT_PAGE if is_older else FIRST_PAGE))
        await self._files.write(lambda writer: _keep(writer, item_id, page, before))

    async def read_news(self, project_id: int) -> None:
        """Have the inbox tell what the history says: who changed what, and who deleted an item.

        Without an answer it tells what this machine saw. Raises Offline and SignInNeeded.
        """
        due = await self._files.write(lambda writer: self._due(writer, project_id))
        for first in range(0, len(due), AT_ONCE):
            records = due[first : first + AT_ONCE]
            item_ids = [record.item_id for record in records]
            found = await asyncio.gather(*map(self.read, item_ids), return_exceptions=True)
            self._tried |= {record.item_id: record.noted_at for record in records}
            await self._files.write(partial(settle_news, item_ids=item_ids))
            failures = [each for each in found if each is not None and not isinstance(each, ServiceRefused)]
            if failures and not isinstance(failures[0], ServiceError):
                raise failures[0]
            if failures:
                return

    def _due(self, writer: WriteContext, project_id: int) -> Sequence[InboxRecord]:
        if not announces(writer.mirror.note(CAPABILITIES), HISTORY):
            return ()
        records = writer.journal.inbox.inexact(project_id)
        return [each for each in records if self._tried.get(each.item_id, "") != each.noted_at][:MOST_NEWS]


def _page(answer: Document) -> KeptHistory:
    rows = answer.get("results")
    if not isinstance(rows, list) or not all(isinstance(row, dict) and whole(row.get("revision")) for row in rows):
        raise ServiceError("The server sent a history that is none.")
    return KeptHistory(rows, whole(answer.get("next")), answer.get("isComplete") is True, time.time())


def _keep(writer: WriteContext, item_id: int, page: KeptHistory, before: int | None) -> None:
    table = writer.mirror.item_changes
    kept = table.of_item(item_id)
    if before is not None:
        if kept is None or kept.next != before:
            return  # another process read on
        history = kept.continued_by(page)
    else:
        history = page if kept is None else kept.begun_with(page)
    table.put(item_id, history)
    writer.signal.publish(StoreChange(Subject.RECORDED, frozenset({item_id})))
