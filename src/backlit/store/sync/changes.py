"""Reads since the last sync: changed items by the service's timestamps, and new comments and attachments by id."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceRefused
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document, id_in, moment, whole
from backlit.store.remote.capabilities import DateForm
from backlit.store.remote.listing import PageLimit, ProjectLists, store_items
from backlit.store.remote.probing import EARLIEST_STAMP, LATEST_STAMP, obeys
from backlit.store.remote.receiving import note_comments

if TYPE_CHECKING:
    from backlit.client.client import Client, ListEndpoint


OVERLAP = timedelta(seconds=2)
"""The overlap of two reads: stamps may have whole seconds, and transactions may end in another order."""


class ChangeReader:
    """Reader of changes from the watermark, the newest seen stamp, which it advances."""

    def __init__(self, lists: ProjectLists, files: LocalDatabase) -> None:
        self._lists = lists
        self._files = files
        self._key = f"watermark {lists.project_id}"

    async def run(self) -> int | None:
        """Store the changes. Returns the service's number of items, or None if it was not stated."""
        mark = moment(await self._files.write(lambda writer: writer.mirror.note(self._key)))
        dates = self._lists.traits.dates
        if dates is not None and self._lists.traits.is_ranged:
            await self._oldest_first(mark, dates)
            return None
        return await self._newest_first(mark)

    async def begin(self) -> None:
        """Record the newest stamp before a full load, so that changes during the load are read again."""
        if not self._lists.traits.by_change:
            return
        # The service's own stamp, not this machine's clock: the two may differ by hours.
        page = await self._lists.items(order="lastModifiedAt desc", top=1)
        newest = _newest(page.results)
        if newest is not None:
            await self._keep(newest)

    async def _oldest_first(self, mark: datetime | None, dates: DateForm) -> None:
        since = _before(mark) if mark else None
        skip = 0
        walked = PageLimit("changes", self._lists.client.server)
        while True:
            condition = f"lastModifiedAt ge {dates.write(since)}" if since else ""
            page = await self._lists.items(condition, order="lastModifiedAt", skip=skip or None)
            walked.note([(id_in(each), each.get("lastModifiedAt")) for each in page.results])
            await store_items(self._files, page.results)
            latest = _newest(page.results)
            if latest is not None and (mark is None or latest > mark):
                mark = latest
                await self._keep(latest)
            if not page.results or len(page.results) >= page.total - skip:
                return
            is_further = latest is not None and (since is None or latest.replace(microsecond=0) > since)
            if is_further and self._lists.traits.by_change:
                # From the newest stamp on and not by skipping: an item that is changed during the walk leaves its
                # place, and by skipping another one would slip past the window.
                since, skip = latest, 0
            else:
                skip += len(page.results)

    async def _newest_first(self, mark: datetime | None) -> int | None:
        since = _before(mark) if mark else EARLIEST_STAMP
        seen: set[int] = set()
        newest = mark
        while True:
            page = await self._lists.items(order="lastModifiedAt desc", top=100, skip=len(seen) or None)
            fresh = [each for each in page.results if (id_in(each)) not in seen]
            seen |= {id_in(each) for each in fresh}
            await store_items(
                self._files, [each for each in fresh if (moment(each.get("lastModifiedAt")) or since) >= since]
            )
            latest = _newest(fresh)
            newest = max(filter(None, (newest, latest)), default=None)
            oldest = min((moment(each.get("lastModifiedAt")) or LATEST_STAMP for each in fresh), default=since)
            if not fresh or oldest < since or len(seen) >= page.total:
                if newest is not None and newest != mark:
                    await self._keep(newest)
                return page.total

    async def _keep(self, stamp: datetime) -> None:
        await self._files.write(lambda writer: writer.mirror.set_note(self._key, stamp.isoformat()))


def _before(mark: datetime) -> datetime:
    """Return a time shortly before a watermark. Services without a time send the year 1."""
    return mark - OVERLAP if mark > EARLIEST_STAMP + OVERLAP else EARLIEST_STAMP


def _newest(documents: list[Document]) -> datetime | None:
    return max((found for each in documents if (found := moment(each.get("lastModifiedAt")))), default=None)


Put = Callable[[WriteContext, Iterable[Document]], frozenset[int]]
_NOT_OFFERED = -1
FEEDS = (Subject.COMMENTS, Subject.ATTACHMENTS)


class CreatedObjectFeed:
    """The feed of a noun. Without the service's support, comments and files are read with their item."""

    def __init__(self, subject: Subject, listing: "ListEndpoint", files: LocalDatabase, put: Put) -> None:
        self._subject = subject
        self._listing = listing
        self._files = files
        self._put = put

    async def run(self, lists: ProjectLists) -> None:
        """Read everything created since the last sync: by id, else newest first down to known ids."""
        key = f"{self._subject.value} {lists.project_id if lists.traits.is_ranged else 'all'}"
        position = whole(await self._files.write(lambda writer: writer.mirror.note(key))) or 0
        # Asked once: a service without such a list would refuse it at every sync.
        if position == _NOT_OFFERED:
            return
        try:
            if lists.traits.is_ranged:
                is_offered = await self._read_on(lists, key, position)
            else:
                is_offered = lists.traits.orders and await self._read_back(lists, key, position)
        except ServiceRefused:
            is_offered = False
        if not is_offered:
            await self._store(key, _NOT_OFFERED, [])

    async def _read_on(self, lists: ProjectLists, key: str, position: int) -> bool:
        limit = PageLimit(self._subject.value, lists.client.server)
        while True:
            page = await lists.page(self._listing, f"id gt {position}", order="id")
            limit.note([id_in(each) for each in page.results])
            if not obeys(page.results, lists.project_id, position):
                return False
            if not page.results:
                return True
            is_all = len(page.results) >= page.total
            if is_all or lists.traits.orders:
                position = max(id_in(each) for each in page.results)
                await self._store(key, position, page.results)
            if is_all or not lists.traits.orders:
                return is_all

    async def _read_back(self, lists: ProjectLists, key: str, position: int) -> bool:
        """Read downwards to the position. The position advances only after a complete read."""
        newest, seen = position, 0
        limit = PageLimit(self._subject.value, lists.client.server)
        while True:
            page = await lists.page(self._listing, order="id desc", skip=seen or None)
            ids = [id_in(each) for each in page.results]
            # A service that ignores `$orderby` would have the walk end at the first known id, with new ones behind it.
            if ids != sorted(ids, reverse=True):
                return False
            limit.note(ids)
            seen += len(ids)
            newest = max([newest, *ids])
            is_all = not ids or ids[-1] <= position or seen >= page.total
            fresh = [each for each in page.results if id_in(each) > position]
            await self._store(key, newest if is_all else position, fresh)
            if is_all:
                return True

    async def _store(self, key: str, position: int, documents: list[Document]) -> None:
        def act(writer: WriteContext) -> None:
            ids = self._put(writer, documents)
            writer.mirror.set_note(key, position)
            if ids:
                writer.signal.publish(StoreChange(self._subject, ids))

        await self._files.write(act)


def feeds_of(client: "Client", files: LocalDatabase) -> tuple[CreatedObjectFeed, ...]:
    def put_comments(writer: WriteContext, found: Iterable[Document]) -> frozenset[int]:
        documents = list(found)
        note_comments(writer, documents)
        return writer.mirror.comments.put(documents)

    return (
        CreatedObjectFeed(Subject.COMMENTS, client.comments, files, put_comments),
        CreatedObjectFeed(
            Subject.ATTACHMENTS, client.attachments, files, lambda writer, found: writer.mirror.attachments.put(found)
        ),
    )
