"""Keeping the mirror and the service together: first load, then what changed, then what is gone."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from backlit.model.dates import write_datetime
from backlit.model.errors import BadRequest, NotFound, ServiceRefused
from backlit.store.changes import Change, Subject
from backlit.store.feeds import feeds_of, obeys
from backlit.store.files import Files, Writer
from backlit.store.people import TIME_ENTRY_TYPES, Person, TreeKind, person_of
from backlit.store.reading import PAGE, read_all, store_items
from backlit.store.rows import Document, moment, whole
from backlit.store.sweep import Sweep

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing

FIRST_PAGE = 100
OVERLAP = timedelta(seconds=2)
NOUNS_EVERY = 300.0
"""Seconds between two looks at users, areas and iterations."""
WALK_EVERY = 300.0
"""Seconds between two walks over everything, where the service does not filter."""

Progress = Callable[[int, int], None]


class Sync:
    """One turn after another brings the mirror of one project up to date; turns never overlap."""

    def __init__(self, client: "Client", files: Files, progress: Progress) -> None:
        self._client = client
        self._files = files
        self._progress = progress
        self._sweep = Sweep(client, files)
        self._feeds = feeds_of(client, files)
        self._nouns_at: dict[int, float] = {}
        self._walked_at: dict[int, float] = {}
        self.user: Person | None = None

    async def people(self) -> list[int]:
        """Read the projects, the users and what the service says of itself; returns the projects' ids."""
        me, projects, users, told = await asyncio.gather(
            self._client.users.my_document(),
            read_all(self._client.projects),
            self._where_offered(self._client.users),
            self._client.capabilities(),
        )
        self.user = person_of(me)

        def act(writer: Writer) -> None:
            writer.mirror.set_note("me", me)
            is_news = writer.mirror.note("capabilities") != told
            writer.mirror.set_note("capabilities", told)
            is_news = writer.mirror.put_nouns("project", 0, projects) or is_news
            if writer.mirror.put_nouns("user", 0, users or [me]) or is_news:
                writer.signal.publish(Change(Subject.PEOPLE))

        await self._files.write(act)
        return [project_id for each in projects if (project_id := whole(each.get("id"))) is not None]

    async def _where_offered(self, listing: "Listing[Any]") -> list[Document]:
        """A whole list; empty where the service does not give it."""
        try:
            return await read_all(listing)
        except ServiceRefused:
            return []

    async def turn(self, project_id: int, *, is_asked: bool) -> None:
        """Bring a project up to date; what seldom changes is read again when it was asked for."""
        if is_asked or time.monotonic() - self._nouns_at.get(project_id, -NOUNS_EVERY) >= NOUNS_EVERY:
            await self._trees(project_id)
            self._nouns_at[project_id] = time.monotonic()
        if not await self._note(f"filled {project_id}"):
            await self._fill(project_id)
        elif await self._note("does not filter"):
            if is_asked or time.monotonic() - self._walked_at.get(project_id, -WALK_EVERY) >= WALK_EVERY:
                await self._walk(project_id)
        else:
            await self._delta(project_id)
            await self._sweep.reconcile(project_id)
        for feed in self._feeds:
            await feed.turn(project_id)

    async def _note(self, key: str) -> object:
        return await self._files.write(lambda writer: writer.mirror.note(key))

    async def _set_note(self, key: str, value: object) -> None:
        await self._files.write(lambda writer: writer.mirror.set_note(key, value))

    async def _trees(self, project_id: int) -> None:
        areas, iterations, types = await asyncio.gather(
            read_all(self._client.areas.in_project(project_id)),
            read_all(self._client.iterations.in_project(project_id)),
            self._where_offered(self._client.projects.time_entry_types_of(project_id)),
        )

        def act(writer: Writer) -> None:
            read = {TreeKind.AREAS.value: areas, TreeKind.ITERATIONS.value: iterations, TIME_ENTRY_TYPES: types}
            changed = {kind for kind, found in read.items() if writer.mirror.put_nouns(kind, project_id, found)}
            if changed:
                writer.signal.publish(Change(Subject.TREES))

        await self._files.write(act)

    # The first load

    async def _fill(self, project_id: int) -> None:
        """Paint the top of the backlog, then read everything by id; goes on where the last process stopped."""
        position = whole(await self._note(f"position {project_id}")) or 0
        if position == 0:
            page = await self._items(f"projectId eq {project_id}", None, FIRST_PAGE)
            if page is None:
                await self._walk(project_id)
                return
            await self._store(page.results)
            await self._set_note(f"watermark {project_id}", await self._newest(project_id))
        if await self._fill_from(project_id, position):
            await self._set_note(f"filled {project_id}", value=True)
        else:
            await self._walk(project_id)

    async def _fill_from(self, project_id: int, position: int) -> bool:
        """Read by id, a page being stored while the next travels; False when the service does not filter."""
        storing: asyncio.Task[None] | None = None
        done = 0
        while True:
            page = await self._items(f"projectId eq {project_id} and id gt {position}", "id", PAGE)
            if page is None or not obeys(page.results, project_id, position):
                return False
            if storing is not None:
                await storing
            if page.results:
                position = max(whole(each.get("id")) or 0 for each in page.results)
                storing = asyncio.create_task(self._store(page.results, f"position {project_id}", position))
            done += len(page.results)
            self._progress(done, done + max(0, page.total - len(page.results)))
            if not page.results or len(page.results) >= page.total:
                if storing is not None:
                    await storing
                return True

    async def _newest(self, project_id: int) -> str | None:
        """The largest lastModifiedAt before the first load begins: the delta starts from there."""
        page = await self._items(f"projectId eq {project_id}", "lastModifiedAt desc", 1)
        found = page.results[0].get("lastModifiedAt") if page and page.results else None
        return found if isinstance(found, str) else None

    async def _items(self, condition: str, order: str | None, top: int, skip: int | None = None) -> "_Page | None":
        """A page of items; None where the service refuses to filter or to order."""
        try:
            page = await self._client.work_items.documents(filter=condition, order=order, top=top, skip=skip)
        except (BadRequest, NotFound):
            return None
        return _Page(page.total, page.results)

    async def _store(self, documents: list[Document], key: str | None = None, value: object = None) -> None:
        """Store in small batches, so that edits made meanwhile are journalled at once; then note how far it went."""
        await store_items(self._files, documents)
        if key is not None:
            await self._set_note(key, value)

    # What changed

    async def _delta(self, project_id: int) -> None:
        """Read what was modified since the watermark, which is the service's own time (FEATURES rule 21)."""
        key = f"watermark {project_id}"
        mark = moment(await self._note(key))
        since = mark - OVERLAP if mark else None
        skip = 0
        while True:
            condition = f"projectId eq {project_id}"
            if since is not None:
                condition += f" and lastModifiedAt ge datetime'{write_datetime(since)}'"
            page = await self._items(condition, "lastModifiedAt", PAGE, skip or None)
            if page is None:
                await self._set_note("does not filter", value=True)
                return
            await self._store(page.results)
            latest = max(
                (found for each in page.results if (found := moment(each.get("lastModifiedAt")))), default=None
            )
            if latest is not None and (mark is None or latest > mark):
                mark = latest
                await self._set_note(key, write_exactly(latest))
            if not page.results or len(page.results) >= page.total - skip:
                return
            if latest is None or latest == since:
                skip += len(page.results)
            else:
                since, skip = latest, 0

    # Services that do not filter

    async def _walk(self, project_id: int) -> None:
        """Read everything with $skip, each item once, and forget what did not come (FEATURES rule 19)."""
        seen: set[int] = set()
        async for page in self._client.work_items.pages(order="id", top=PAGE):
            fresh = [each for each in page.results if (whole(each.get("id")) or 0) not in seen]
            if not fresh:
                break
            seen |= {whole(each.get("id")) or 0 for each in fresh}
            await self._store(fresh)
            self._progress(len(seen), max(page.total, len(seen)))
        await self._sweep.keep_only(seen)
        await self._set_note("does not filter", value=True)
        await self._set_note(f"filled {project_id}", value=True)
        self._walked_at[project_id] = time.monotonic()


class _Page:
    __slots__ = ("results", "total")

    def __init__(self, total: int, results: list[Document]) -> None:
        self.total = total
        self.results = results


def write_exactly(value: datetime) -> str:
    """Write a server time with all its digits."""
    return value.isoformat()
