"""A store without items, and a service whose items it reads page by page."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tests.store.foreign_server import ForeignServer
from tests.store.world import Faults

from backlit.client.client import Client
from backlit.store import Store
from backlit.store.records.item import Document
from backlit.store.remote.capabilities import ServiceTraits
from backlit.store.remote.listing import ProjectLists


@dataclass
class Reading:
    """A store without items, and a service whose items it reads page by page."""

    store: Store
    server: ForeignServer
    client: Client
    faults: Faults
    progress: list[tuple[int, int]] = field(default_factory=list)

    def lists(self, **traits: object) -> ProjectLists:
        return ProjectLists(self.client, ServiceTraits(**{"page": 2, **traits}), 7)  # type: ignore[arg-type] # of each field

    def have(self, *documents: Document) -> None:
        self.server.items = {int(str(each["id"])): dict(each) for each in documents}

    def told(self, done: int, total: int) -> None:
        self.progress.append((done, total))

    def asked(self) -> list[str]:
        """Return the conditions and the skipped results of the requests since the last call."""
        asked = [
            f"{query.get('$filter', '').removeprefix('projectId eq 7').removeprefix(' and ')} {query.get('$skip', '')}"
            for method, _, query in self.server.requests
            if method == "GET" and "$top" in query
        ]
        self.server.requests.clear()
        return [each.strip() for each in asked]

    def ids(self, table: str = "items") -> list[int]:
        return [each for (each,) in self.store.files.mirror.execute(f"SELECT id FROM {table} ORDER BY id")]

    async def note(self, key: str) -> object:
        return await self.store.files.write(lambda writer: writer.mirror.note(key))

    async def keep(self, key: str, value: object) -> None:
        await self.store.files.write(lambda writer: writer.mirror.set_note(key, value))


Begin = Callable[..., Awaitable[Reading]]
