"""Keeping the mirror and the service together: first load, then what changed, then what is gone."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from backlit.model.errors import BadRequest, ServiceError, ServiceRefused, Unavailable
from backlit.store.asking import Asking, together
from backlit.store.changes import Change, Subject
from backlit.store.delta import Delta
from backlit.store.feeds import FEEDS, feeds_of
from backlit.store.files import Files, Writer
from backlit.store.fill import Fill, Progress
from backlit.store.node_sending import tree_writes
from backlit.store.people import TIME_ENTRY_TYPES, Person, TreeKind, signed_in_of
from backlit.store.probes import TRAITS, Traits, probe, traits_of
from backlit.store.reading import read_all, store_items
from backlit.store.rows import Document, whole
from backlit.store.server import CLOCK
from backlit.store.sweep import Sweep, known_ids
from backlit.store.walk import Walk

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing

FIRST_PAGE = 100
NOUNS_EVERY = 300.0
"""Seconds between two looks at users, areas and iterations."""
WALK_EVERY = 300.0
"""Seconds between two walks over everything, where the service does not filter."""


class Sync:
    """One turn after another brings the mirror of one project up to date; turns never overlap."""

    def __init__(self, client: "Client", files: Files, progress: Progress) -> None:
        self._client = client
        self._files = files
        self._progress = progress
        self._sweep = Sweep(files)
        self._feeds = feeds_of(client, files)
        self._nouns_at: dict[int, float] = {}
        self._beginning = asyncio.Lock()
        self._walked_at = -WALK_EVERY
        self._loading: Fill | Walk | None = None
        self._is_stopped = False
        self.user: Person | None = None
        self.sentence = ""
        """What is to be said of the mirror although nothing failed."""

    def cancel(self) -> None:
        """Stop loading; it goes on when a refresh is asked for, or at the next start."""
        if self._loading is not None:
            self._is_stopped = True
            self._loading.stop()

    async def begin_anew(self, project_id: int) -> None:
        """Have the next turn try the service out and read all of a project, as the first one did.

        The one after it finds what is gone.
        """

        def act(writer: Writer) -> None:
            nouns = [f"{subject.value} {whose}" for subject in FEEDS for whose in (project_id, "all")]
            filled = ("filled", f"filled {project_id}", f"left {project_id}", f"watermark {project_id}")
            for key in (TRAITS, *filled, *nouns):
                writer.mirror.set_note(key, None)

        await self._files.write(act)

    async def meet(self, known: int | None, choose: Callable[[list[int]], int | None]) -> int | None:
        """Read who asks and which projects there are, and return the one that is chosen.

        Its first rows come as soon as it is known, by `known` from the last start or by `choose` from all.
        """
        chosen = known

        async def find_project() -> None:
            nonlocal chosen
            project_ids = await self._projects()
            chosen = choose(project_ids)
            if chosen is not None:
                await self._first_rows(chosen, is_only=len(project_ids) == 1)

        acts = [find_project, self._people]
        await together(acts if known is None else [*acts, partial(self._first_rows, known)])
        return chosen

    async def _projects(self) -> list[int]:
        """Read the projects; returns their ids."""
        projects = await read_all(self._client.projects)

        def act(writer: Writer) -> None:
            if writer.mirror.put_nouns("project", 0, projects):
                writer.signal.publish(Change(Subject.PEOPLE))

        await self._files.write(act)
        return [project_id for each in projects if (project_id := whole(each.get("id"))) is not None]

    async def _people(self) -> None:
        """Read the users and what the service says of itself."""
        me, users, told = await asyncio.gather(
            self._client.users.my_document(), self._where_offered(self._client.users), self._client.capabilities()
        )
        self.user = signed_in_of(me)

        def act(writer: Writer) -> None:
            writer.mirror.set_note("me", me)
            is_news = writer.mirror.note("capabilities") != told
            writer.mirror.set_note("capabilities", told)
            if writer.mirror.put_nouns("user", 0, users or [me]) or is_news:
                writer.signal.publish(Change(Subject.PEOPLE))

        await self._files.write(act)

    async def _first_rows(self, project_id: int, *, is_only: bool = False) -> None:
        """Have the top of the backlog on the screen by one request, where the mirror has nothing of the project."""
        async with self._beginning:
            if await self._files.write(lambda writer: _has_items_of(writer, project_id)):
                return
            try:
                condition = None if is_only else f"projectId eq {project_id}"
                page = await self._client.work_items.documents(filter=condition, top=FIRST_PAGE)
            except Unavailable:
                raise
            except (ServiceRefused, ServiceError):
                page = await self._client.work_items.documents(top=FIRST_PAGE)
            await store_items(self._files, page.results)

    async def _where_offered(self, listing: "Listing[Any]") -> list[Document]:
        """A whole list; empty where the service does not give it."""
        try:
            return await read_all(listing)
        except ServiceRefused:
            return []

    async def turn(self, project_id: int, *, is_asked: bool) -> None:
        """Bring a project up to date; what seldom changes is read again when it was asked for."""
        self._is_stopped = self._is_stopped and not is_asked
        if is_asked or time.monotonic() - self._nouns_at.get(project_id, -NOUNS_EVERY) >= NOUNS_EVERY:
            await together([partial(self._first_rows, project_id), partial(self._trees, project_id)])
            self._nouns_at[project_id] = time.monotonic()
        traits = traits_of(await self._note(TRAITS))
        try:
            await self._items(project_id, traits, is_asked=is_asked)
        except BadRequest:
            if traits is None:
                raise
            await self._set_note(TRAITS, None)  # the service is another than it was: try it again
            await self._items(project_id, None, is_asked=is_asked)
        await self._keep_clock()
        await self._files.write(lambda writer: writer.mirror.full_text.look())

    async def _items(self, project_id: int, traits: Traits | None, *, is_asked: bool) -> None:
        if traits is None:
            traits = await self._try_out()
        asking = Asking(self._client, traits, project_id)
        if not await self._note(_filled_key(asking)):
            await self._load(asking)
        else:
            await self._catch_up(asking, is_asked=is_asked)
        if not self._is_stopped:
            for feed in self._feeds:
                await feed.turn(asking)

    async def _try_out(self) -> Traits:
        """Find out what the service does."""
        traits = await probe(self._client, await self._note("capabilities"))
        if traits.is_sure:
            await self._set_note(TRAITS, traits.document())
        return traits

    async def _load(self, asking: Asking) -> None:
        """Read everything, or go on with it; what changes meanwhile is read again by the next turn."""
        if self._is_stopped:
            return
        self._loading = self._loader(asking)
        try:
            if not await self._note(f"watermark {asking.project_id}"):
                await Delta(asking, self._files).begin()
            with self._files.indexing.held():
                is_complete = await self._loading.run()
            if is_complete:
                self._walked_at = time.monotonic()
                await self._set_note(_filled_key(asking), value=True)
                self.sentence = ""
            else:
                self.sentence = "Loading was stopped; a refresh goes on with it."
        finally:
            self._loading = None

    def _loader(self, asking: Asking) -> Fill | Walk:
        return (Fill if asking.traits.is_ranged else Walk)(asking, self._files, self._progress)

    async def _catch_up(self, asking: Asking, *, is_asked: bool) -> None:
        delta = Delta(asking, self._files)
        if asking.traits.is_ranged:
            await delta.run()
            await self._sweep.reconcile(asking)
            return
        is_complete = False
        if asking.traits.by_change:
            total = await delta.run()
            is_complete = total == len(await self._files.write(known_ids))
        if not is_complete and (is_asked or time.monotonic() - self._walked_at >= WALK_EVERY):
            await self._load(asking)

    async def _keep_clock(self) -> None:
        """Remember how far the service's time is from ours, beside the mirror, as it may be rebuilt."""
        offset = self._client.clock.offset
        if offset is None:
            return
        seconds = str(int(offset.total_seconds()))

        def act(writer: Writer) -> None:
            if writer.journal.settings.value(CLOCK) != seconds:
                writer.journal.settings.keep(CLOCK, seconds)
                writer.signal.publish(Change(Subject.PEOPLE))

        await self._files.write(act)

    async def _note(self, key: str) -> object:
        return await self._files.write(lambda writer: writer.mirror.note(key))

    async def _set_note(self, key: str, value: object) -> None:
        await self._files.write(lambda writer: writer.mirror.set_note(key, value))

    async def _trees(self, project_id: int) -> None:
        while True:  # what was read while something was written may lack it
            writes = await self._note(tree_writes(project_id))
            if await self._read_trees(project_id, writes):
                return

    async def _read_trees(self, project_id: int, writes: object) -> bool:
        areas, iterations, types = await asyncio.gather(
            read_all(self._client.areas.in_project(project_id)),
            read_all(self._client.iterations.in_project(project_id)),
            self._where_offered(self._client.projects.time_entry_types_of(project_id)),
        )

        def act(writer: Writer) -> bool:
            if writer.mirror.note(tree_writes(project_id)) != writes:
                return False
            read = {TreeKind.AREAS.value: areas, TreeKind.ITERATIONS.value: iterations, TIME_ENTRY_TYPES: types}
            changed = {kind for kind, found in read.items() if writer.mirror.put_nouns(kind, project_id, found)}
            if changed:
                writer.signal.publish(Change(Subject.TREES))
            return True

        return await self._files.write(act)


def _filled_key(asking: Asking) -> str:
    """A service that does not filter gives all projects at once."""
    return f"filled {asking.project_id}" if asking.traits.is_ranged else "filled"


def _has_items_of(writer: Writer, project_id: int) -> bool:
    sql = "SELECT 1 FROM items WHERE project_id = ? AND id > 0 LIMIT 1"
    return writer.mirror.connection.execute(sql, (project_id,)).fetchone() is not None
