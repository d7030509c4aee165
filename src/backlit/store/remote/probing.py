"""The probe: small requests that determine the traits of a service, once."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from backlit.model.errors import Offline, ServiceError, ServiceRefused, Unavailable
from backlit.store.records.item import Document, id_in, moment, whole
from backlit.store.remote.capabilities import PAGE, SIZES, DateForm, FilterSupport, ServiceTraits

if TYPE_CHECKING:
    from backlit.client.client import Client, ResultPage

EARLIEST_STAMP, LATEST_STAMP = datetime(1, 1, 1), datetime(9999, 1, 1)
"""Substitutes for missing stamps."""


# Section 4 of the interface leaves the syntax of filters open, and section 8 all limits but one.
async def probe(client: "Client", told: object = None) -> ServiceTraits:
    """Probe with up to a dozen small requests for the first items. `told` holds the stated capabilities."""
    lists = _Probe(client)
    sample = await lists.ask(top=SIZES[-1])
    if sample is None or not sample.results:
        return ServiceTraits()
    some = sorted(sample.results, key=id_in)[len(sample.results) // 2]  # below others, so an ignored condition shows
    filtering = await lists.filtering()
    works = filtering is FilterSupport.WORKS
    by_id, dates, orders, by_change, page, etag = await asyncio.gather(
        lists.by_id(some) if works else asyncio.sleep(0, result=False),
        lists.dates(sample) if works else asyncio.sleep(0),
        lists.orders(),
        lists.by_change(),
        lists.page(sample, told),
        lists.etag(some),
    )
    return ServiceTraits(filtering, by_id, dates, orders, orders and by_change, page, etag, is_sure=True)


class _Probe:
    """The requests of a probe."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    async def ask(
        self, condition: str | None = None, order: str | None = None, top: int = 5, skip: int | None = None
    ) -> "ResultPage | None":
        """Return a page of items, or None if the service rejects the request or fails."""
        try:
            return await self._client.work_items.page(filter=condition, order=order, top=top, skip=skip)
        except (Offline, Unavailable):
            raise
        except (ServiceRefused, ServiceError):
            return None

    async def filtering(self) -> FilterSupport:
        # No item has such an id, so that results mean an ignored condition.
        page = await self.ask("id lt 0")
        if page is None:
            return FilterSupport.REFUSED
        return FilterSupport.IGNORED if page.results else FilterSupport.WORKS

    async def by_id(self, some: Document) -> bool:
        low = (whole(some.get("id")) or 1) - 1
        page = await self.ask(f"projectId eq {some.get('projectId')} and id gt {low}")
        return page is not None and bool(page.results) and obeys(page.results, whole(some.get("projectId")), low)

    async def dates(self, sample: "ResultPage") -> DateForm | None:
        stamps = [found for each in sample.results if (found := moment(each.get("lastModifiedAt")))]
        if not stamps:
            return None
        since = max(stamps).replace(microsecond=0)
        for form in DateForm:
            page = await self.ask(f"lastModifiedAt ge {form.write(since)}")
            if page is None or not page.results:
                continue
            if all((moment(each.get("lastModifiedAt")) or since) >= since for each in page.results) and (
                min(stamps) >= since or page.total < sample.total
            ):
                return form
        return None

    async def orders(self) -> bool:
        # Both directions, as the order of a service that ignores `$orderby` may be that of ids.
        first, last = await asyncio.gather(self.ask(order="id"), self.ask(order="id desc"))
        if first is None or last is None:
            return False
        up, down = _ids(first.results), _ids(last.results)
        return up == sorted(up) and down == sorted(down, reverse=True) and (first.total < 2 or up[0] < down[0])

    async def by_change(self) -> bool:
        page = await self.ask(order="lastModifiedAt desc", top=10)
        first = await self.ask(order="lastModifiedAt")
        if page is None or first is None or not page.results or not first.results:
            return False
        stamps = [moment(each.get("lastModifiedAt")) or EARLIEST_STAMP for each in page.results]
        oldest = moment(first.results[0].get("lastModifiedAt")) or LATEST_STAMP
        return (
            stamps == sorted(stamps, reverse=True)
            and oldest <= stamps[0]
            and (page.total < 2 or _ids(page.results[:1]) != _ids(first.results[:1]) or oldest == stamps[-1])
        )

    async def page(self, sample: "ResultPage", told: object) -> int:
        # A service that states its limit spares up to four requests, of a thousand items each.
        limits = told.get("limits") if isinstance(told, Mapping) else None
        limit = whole(limits.get("top")) if isinstance(limits, Mapping) else None
        if limit:
            return min(PAGE, limit)
        if sample.total <= len(sample.results):
            return PAGE
        for size in SIZES:
            page = await self.ask(top=size)
            if page is not None and page.results:
                return size if len(page.results) >= page.total else len(page.results)
        return SIZES[-1]

    async def etag(self, some: Document) -> bool:
        try:
            return (await self._client.work_items.fetch(id_in(some))).etag is not None
        except ServiceRefused:
            return False


def obeys(results: Sequence[Document], project_id: int | None, low: int) -> bool:
    """Report whether all results belong to the project and have an id above `low`."""
    return all(each.get("projectId") == project_id and id_in(each) > low for each in results)


def _ids(results: Sequence[Document]) -> list[int]:
    return [id_in(each) for each in results]
