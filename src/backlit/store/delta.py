"""What changed since the last turn, by the service's own stamps (FEATURES rule 21)."""

from datetime import datetime, timedelta

from backlit.store.asking import Asking
from backlit.store.files import Files
from backlit.store.probes import FIRST, LAST, DateForm
from backlit.store.reading import store_items
from backlit.store.rows import Document, moment, whole

OVERLAP = timedelta(seconds=2)
"""Stamps may have whole seconds, and transactions end in another order than they began."""


class Delta:
    """Reads from the watermark on, which is the newest stamp seen, and moves it."""

    def __init__(self, asking: Asking, files: Files) -> None:
        self._asking = asking
        self._files = files
        self._key = f"watermark {asking.project_id}"

    async def run(self) -> int | None:
        """Store what changed; returns how many items the service has, None where it was not said on the way."""
        mark = moment(await self._files.write(lambda writer: writer.mirror.note(self._key)))
        dates = self._asking.traits.dates
        if dates is not None and self._asking.traits.is_ranged:
            await self._oldest_first(mark, dates)
            return None
        return await self._newest_first(mark)

    async def begin(self) -> None:
        """Note the newest stamp before everything is read, so that what changes meanwhile is read again."""
        if not self._asking.traits.by_change:
            return
        page = await self._asking.items(order="lastModifiedAt desc", top=1)
        newest = _newest(page.results)
        if newest is not None:
            await self._keep(newest)

    async def _oldest_first(self, mark: datetime | None, dates: DateForm) -> None:
        since = mark - OVERLAP if mark else None
        skip = 0
        while True:
            condition = f"lastModifiedAt ge {dates.write(since)}" if since else ""
            page = await self._asking.items(condition, order="lastModifiedAt", skip=skip or None)
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
        since = mark - OVERLAP if mark else FIRST
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


def _newest(documents: list[Document]) -> datetime | None:
    return max((found for each in documents if (found := moment(each.get("lastModifiedAt")))), default=None)


def _oldest(documents: list[Document]) -> datetime:
    return min((moment(each.get("lastModifiedAt")) or LAST for each in documents), default=FIRST)
