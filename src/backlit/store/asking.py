"""Asking for items as a service lets itself be asked."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from backlit.model.errors import BadRequest
from backlit.store.probes import Traits
from backlit.store.reading import PAGE

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing, Page

AT_ONCE = 3
"""Pages that travel at the same time."""


class DisobeyedError(BadRequest):
    """The service no longer does what it did when it was tried; it has to be tried again."""


class Asking:
    """One project's lists, asked for with what the service understands; what it does not is left out."""

    def __init__(self, client: "Client", traits: Traits, project_id: int) -> None:
        self.client = client
        self.traits = traits
        self.project_id = project_id

    async def items(
        self, condition: str = "", order: str | None = None, top: int = PAGE, skip: int | None = None
    ) -> "Page":
        """A page of the project's items; of all projects' where the service does not filter."""
        return await self.page(self.client.work_items, condition, order, top, skip)

    async def page(
        self,
        listing: "Listing[Any]",
        condition: str = "",
        order: str | None = None,
        top: int = PAGE,
        skip: int | None = None,
    ) -> "Page":
        """A page of a list of things that belong to projects."""
        mine = f"projectId eq {self.project_id}"
        wanted = (f"{mine} and {condition}" if condition else mine) if self.traits.is_ranged else None
        return await self.whole_page(listing, wanted, order, top, skip)

    async def whole_page(
        self,
        listing: "Listing[Any]",
        filter_: str | None = None,
        order: str | None = None,
        top: int = PAGE,
        skip: int | None = None,
    ) -> "Page":
        """A page of any list, in order where the service orders and as large as it gives."""
        ordered = order if self.traits.orders else None
        return await listing.documents(filter=filter_, order=ordered, top=min(top, self.traits.page), skip=skip or None)


async def together(acts: Iterable[Callable[[], Awaitable[object]]]) -> None:
    """Run acts at the same time until all have ended; the first error ends the others too."""
    tasks = [asyncio.ensure_future(act()) for act in acts]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def in_turns(acts: Iterable[Callable[[], Awaitable[object]]]) -> None:
    """Run many acts, a few at the same time."""
    left = list(reversed(list(acts)))

    async def work() -> None:
        while left:
            await left.pop()()

    await together([work] * AT_ONCE)
