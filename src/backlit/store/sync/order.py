"""Reads of the backlog's order: a rank leaves an item's stamp as it is, so that a read of changes does not see it."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.status_groups import CAPABILITIES, project_in
from backlit.store.records.item import Document, fields_in, id_in, whole
from backlit.store.remote.listing import PageLimit, ProjectLists

if TYPE_CHECKING:
    from backlit.client.client import Client

EXTENSION = "orderRevision"
RANK = "BacklogPriority"
PAGE = 1000
"""Items in a request for ranks alone: some 40 KB."""


class OrderReader:
    """Reader of all ranks of a project, when the service says that their order has changed."""

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files

    async def begin(self, project_id: int) -> None:
        """Record the order's revision before a full load, whose ranks are no older."""
        await self._keep(project_id, await self._revision(project_id))

    async def run(self, lists: ProjectLists) -> None:
        revision = await self._revision(lists.project_id)
        known = await self._files.write(lambda writer: writer.mirror.note(order_key(lists.project_id)))
        if revision is None or revision == known:
            return
        position, limit = 0, PageLimit("ranks", self._client.server)
        while True:
            page = await self._client.work_items.page(
                filter=f"projectId eq {lists.project_id} and id gt {position}",
                order="id",
                top=PAGE,
                select=f"id,{RANK}",
            )
            limit.note([id_in(each) for each in page.results])
            await self.store(page.results)
            if len(page.results) >= page.total:
                break
            position = max(id_in(each) for each in page.results)
        await self._keep(lists.project_id, revision)

    async def read(self, item_ids: Collection[int]) -> None:
        """Read the ranks of some items, at most a page of them."""
        wanted = ",".join(map(str, item_ids))
        page = await self._client.work_items.page(filter=f"id in ({wanted})", top=len(item_ids), select=f"id,{RANK}")
        await self.store(page.results)

    async def _revision(self, project_id: int) -> int | None:
        """Return the revision of a project's order; None for a service that does not count it."""
        told = await self._files.write(lambda writer: writer.mirror.note(CAPABILITIES))
        if not isinstance(told, dict) or EXTENSION not in (told.get("extensions") or ()):
            return None
        return whole(project_in(await self._client.capabilities(), project_id).get(EXTENSION))

    async def store(self, documents: list[Document]) -> None:
        if not documents:
            return
        ranks = {id_in(each): fields_in(each).get(RANK) for each in documents}

        def act(writer: WriteContext) -> None:
            undelivered = writer.journal.entries.undelivered(ranks)
            writer.announce(writer.mirror.put_values(RANK, ranks, undelivered))

        await self._files.write(act)

    async def _keep(self, project_id: int, revision: int | None) -> None:
        await self._files.write(lambda writer: writer.mirror.set_note(order_key(project_id), revision))


def order_key(project_id: int) -> str:
    return f"order {project_id}"


def without_order(capabilities: Document | None) -> Document | None:
    """Return the capabilities without what changes with each rank: they tell of settings."""
    projects = capabilities.get("projects") if capabilities else None
    if capabilities is None or not isinstance(projects, list):
        return capabilities
    kept = [
        {key: value for key, value in each.items() if key != EXTENSION} if isinstance(each, dict) else each
        for each in projects
    ]
    return {**capabilities, "projects": kept}
