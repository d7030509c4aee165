"""Lists read from the service within its traits, and stored in the mirror in batches."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import BadRequest, ServiceError, ServiceRefused
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.item_rows import NewRows
from backlit.store.records.item import Document, whole
from backlit.store.remote.capabilities import PAGE, ServiceTraits
from backlit.store.remote.receiving import receive
from backlit.store.sqlite.database import transaction

if TYPE_CHECKING:
    from backlit.client.client import Client, ListEndpoint, ResultPage


IDLE_PAGES = 100
MOST_PAGES = 100_000
# One request after another read 72,000 items in 0.73 s, three at once in 0.55.
AT_ONCE = 3
"""The number of concurrent page requests."""


class PageLimit:
    """A bound on paging by received results, whatever total the service announces.

    A few pages without new results are allowed, because items move during paging, but not many in a row.
    """

    def __init__(self, about: str, server: str) -> None:
        self._about, self._server = about, server
        self._idle = self._pages = 0
        self._seen: set[object] = set()

    def note(self, keys: Collection[object]) -> None:
        """Count a page by the keys of its results. Raises ServiceError for endless paging."""
        self._pages += 1
        self._idle = self._idle + 1 if keys and self._seen.issuperset(keys) else 0
        self._seen.update(keys)
        if self._idle > IDLE_PAGES or self._pages > MOST_PAGES:
            raise ServiceError(
                f"{self._server} announces an endless list of {self._about}. Reading stopped after"
                f" {self._pages:,} pages, and the items read so far are kept."
            )


class DisobeyedError(BadRequest):
    """The service no longer has its probed traits and must be probed again."""


class ProjectLists:
    """The lists of a project, requested within the service's traits."""

    def __init__(self, client: "Client", traits: ServiceTraits, project_id: int) -> None:
        self.client = client
        self.traits = traits
        self.project_id = project_id

    async def items(
        self, condition: str = "", order: str | None = None, top: int = PAGE, skip: int | None = None
    ) -> "ResultPage":
        """Return a page of the project's items, or of all projects' if the service does not filter."""
        return await self.page(self.client.work_items, condition, order, top, skip)

    async def page(
        self,
        listing: "ListEndpoint",
        condition: str = "",
        order: str | None = None,
        top: int = PAGE,
        skip: int | None = None,
    ) -> "ResultPage":
        mine = f"projectId eq {self.project_id}"
        wanted = (f"{mine} and {condition}" if condition else mine) if self.traits.is_ranged else None
        return await self.whole_page(listing, wanted, order, top, skip)

    async def whole_page(
        self,
        listing: "ListEndpoint",
        filter_: str | None = None,
        order: str | None = None,
        top: int = PAGE,
        skip: int | None = None,
    ) -> "ResultPage":
        """Return a page of any list, sorted and as large as the service supports."""
        ordered = order if self.traits.orders else None
        return await listing.page(filter=filter_, order=ordered, top=min(top, self.traits.page), skip=skip or None)


async def run_together(acts: Iterable[Callable[[], Awaitable[object]]]) -> None:
    """Run acts concurrently until all have ended. The first error cancels the others."""
    tasks = [asyncio.ensure_future(act()) for act in acts]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_pooled(acts: Iterable[Callable[[], Awaitable[object]]]) -> None:
    left = list(reversed(list(acts)))

    async def work() -> None:
        while left:
            await left.pop()()

    await run_together([work] * AT_ONCE)


# The writing thread is one for all: what the user does waits for the transaction before it.
BATCH = 250
"""Items stored in one transaction. A small number keeps waiting edits fast."""


async def read_all(listing: "ListEndpoint", condition: str | None = None, select: str | None = None) -> list[Document]:
    """Read a list from end to end, each resource once. Resources without an id are all kept.

    The OData condition may be ignored by the service. `select` names the keys to read.
    """
    found: dict[object, Document] = {}
    seen = 0
    async for page in listing.pages(top=PAGE, filter=condition, select=select):
        before = len(found)
        found |= {each.get("id", f"at {seen + at}"): each for at, each in enumerate(page.results)}
        seen += len(page.results)
        if len(found) == before:
            break
    return list(found.values())


async def read_offered(listing: "ListEndpoint") -> list[Document] | None:
    """Read a list, or return None if the service does not offer it."""
    try:
        return await read_all(listing)
    except ServiceRefused:
        return None


async def store_items(files: LocalDatabase, documents: list[Document]) -> None:
    for start in range(0, len(documents), BATCH):
        await files.write(partial(receive, documents=documents[start : start + BATCH]))


async def store_new_items(
    files: LocalDatabase, documents: list[Document], stored: Callable[[WriteContext], None]
) -> None:
    """Store a page of mostly new items. Their rows are computed before the write.

    Calls `stored` in the same transaction.
    """
    new_rows = NewRows.of({item_id: each for each in documents if (item_id := whole(each.get("id"))) is not None})

    def act(writer: WriteContext) -> None:
        with transaction(writer.mirror.connection):
            receive(writer, documents, new_rows=new_rows)
            stored(writer)

    await files.write(act)
