"""Changes since the last sync, by the service's timestamps."""

from datetime import datetime, timedelta

from backlit.store.files import Files
from backlit.store.records.item import Document, moment, whole
from backlit.store.remote.capabilities import FIRST, LAST, DateForm
from backlit.store.remote.listing import PageLimit, ProjectLists, store_items

OVERLAP = timedelta(seconds=2)
"""The overlap of two reads: stamps may have whole seconds, and transactions may end in another order."""


class ChangeReader:
    """Reader of changes from the watermark, the newest seen stamp, which it advances."""

    def __init__(self, lists: ProjectLists, files: Files) -> None:
        self._asking = lists
        self._files = files
        self._key = f"watermark {lists.project_id}"

    async def run(self) -> int | None:
        """Store the changes. Returns the service's number of items, or None if it was not stated."""
        mark = moment(await self._files.write(lambda writer: writer.mirror.note(self._key)))
        dates = self._asking.traits.dates
        if dates is not None and self._asking.traits.is_ranged:
            await self._oldest_first(mark, dates)
            return None
        return await self._newest_first(mark)

    async def begin(self) -> None:
        """Record the newest stamp before a full load, so that changes during the load are read again."""
        if not self._asking.traits.by_change:
            return
        page = await self._asking.items(order="lastModifiedAt desc", top=1)
        newest = _newest(page.results)
        if newest is not None:
            await self._keep(newest)

    async def _oldest_first(self, mark: datetime | None, dates: DateForm) -> None:
        since = _before(mark) if mark else None
        skip = 0
        walked, seen = PageLimit("changes"), set[tuple[int, object]]()
        while True:
            condition = f"lastModifiedAt ge {dates.write(since)}" if since else ""
            page = await self._asking.items(condition, order="lastModifiedAt", skip=skip or None)
            came = {(whole(each.get("id")) or 0, each.get("lastModifiedAt")) for each in page.results}
            walked.note(is_news=not came <= seen)
            seen |= came
            await store_items(self._files, page.results)
            latest = _newest(page.results)
            if latest is not None and (mark is None or latest > mark):
                mark = latest
                await self._keep(latest)
            if not page.results or len(page.results) >= page.total - skip:
                return
            is_further = latest is not None and (since is None or latest.replace(microsecond=0) > since)
            if is_further and self._asking.traits.by_change:
                since, skip = latest, 0
            else:
                skip += len(page.results)

    async def _newest_first(self, mark: datetime | None) -> int | None:
        since = _before(mark) if mark else FIRST
        seen: set[int] = set()
        newest = mark
        while True:
            page = await self._asking.items(order="lastModifiedAt desc", top=100, skip=len(seen) or None)
            fresh = [each for each in page.results if (whole(each.get("id")) or 0) not in seen]
            seen |= {whole(each.get("id")) or 0 for each in fresh}
            await store_items(
                self._files, [each for each in fresh if (moment(each.get("lastModifiedAt")) or since) >= since]
            )
            latest = _newest(fresh)
            newest = max(filter(None, (newest, latest)), default=None)
            if not fresh or _oldest(fresh) < since or len(seen) >= page.total:
                if newest is not None and newest != mark:
                    await self._keep(newest)
                return page.total

    async def _keep(self, stamp: datetime) -> None:
        await self._files.write(lambda writer: writer.mirror.set_note(self._key, stamp.isoformat()))


def _before(mark: datetime) -> datetime:
    """Return a time shortly before a watermark. Services without a time send the year 1."""
    return mark - OVERLAP if mark > FIRST + OVERLAP else FIRST


def _newest(documents: list[Document]) -> datetime | None:
    return max((found for each in documents if (found := moment(each.get("lastModifiedAt")))), default=None)


def _oldest(documents: list[Document]) -> datetime:
    return min((moment(each.get("lastModifiedAt")) or LAST for each in documents), default=FIRST)
