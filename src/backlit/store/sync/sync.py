"""Sync of the mirror with the service: first load, then changes, then deletions."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import BadRequest, ServiceError, ServiceRefused, Unavailable
from backlit.model.planning import EVENT_KEYS
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.schema import CLOCK
from backlit.store.mirror.mirror import tree_writes
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document, id_in, whole
from backlit.store.records.object_kinds import OBJECT_KINDS, TIME_ENTRIES
from backlit.store.records.people import ITERATION_EVENTS, TIME_ENTRY_TYPES, Person, TreeKind, signed_in_of
from backlit.store.remote.capabilities import (
    ITERATION_EVENTS_EXTENSION,
    TRAITS,
    VIEWS,
    ServiceTraits,
    announces,
    traits_of,
)
from backlit.store.remote.listing import ProjectLists, read_all, read_offered, run_together, store_items
from backlit.store.remote.probing import probe
from backlit.store.remote.views import read_views
from backlit.store.sqlite.ids import ids_json
from backlit.store.sync.changes import FEEDS, ChangeReader, feeds_of
from backlit.store.sync.deletions import DeletionScan, forget, forget_project, known_ids
from backlit.store.sync.followed import FollowedChanges
from backlit.store.sync.loading import FirstLoad, FullScan, Progress
from backlit.store.sync.objects import ObjectReader, load_key
from backlit.store.sync.order import OrderReader, without_order

if TYPE_CHECKING:
    from backlit.client.client import Client

# Two answers bring the first rows, of 100,000 items after 0.15 to 0.32 s, in place of waiting for the whole load.
FIRST_PAGE = 100
# The interface does not say when users or trees have changed, and they rarely do.
NOUNS_EVERY = 300.0
"""Seconds between two reads of users, areas and iterations."""
IDS_AT_ONCE = 100
"""Items of a request for changed ones; the service refuses filters of 200."""
SCAN_EVERY = 300.0
"""Seconds between two full scans of a service that does not filter."""


class Sync:
    """The sync of one project at a time. Runs never overlap."""

    def __init__(self, client: "Client", files: LocalDatabase, progress: Progress) -> None:
        self._client = client
        self._files = files
        self._progress = progress
        self._deletion_scan = DeletionScan(files)
        self._order = OrderReader(client, files)
        self._feeds = feeds_of(client, files)
        self._objects = ObjectReader(client, files)
        self._nouns_at: dict[int, float] = {}
        self._beginning = asyncio.Lock()
        self._scanned_at = -SCAN_EVERY
        self._loading: FirstLoad | FullScan | None = None
        self._is_stopped = False
        self.user: Person | None = None
        self.sentence = ""
        """A message about the mirror's state although nothing failed."""

    def cancel(self) -> None:
        if self._loading is not None:
            self._is_stopped = True
            self._loading.stop()

    async def reset(self, project_id: int) -> None:
        """Make the next run probe the service and load the whole project again.

        The run after it finds deleted items.
        """

        def act(writer: WriteContext) -> None:
            everywhere = [f"{subject.value} all" for subject in FEEDS]
            for key in (TRAITS, "filled", *everywhere, *_project_keys(project_id)):
                writer.mirror.set_note(key, None)

        await self._files.write(act)

    async def load_user_and_projects(
        self,
        known: int | None,
        choose: Callable[[list[int]], int | None],
        confirm: Callable[[Document], Awaitable[None]],
    ) -> int | None:
        """Read the signed-in user, whom `confirm` checks, and the projects, and return the chosen project.

        Its first rows are requested as soon as it is known: from `known`, the last start's project, or from
        `choose`.
        """
        chosen = known

        async def find_project() -> None:
            nonlocal chosen
            project_ids = await self._projects()
            chosen = choose(project_ids)
            if chosen is not None:
                await self._first_rows(chosen, is_only=len(project_ids) == 1)

        acts: list[Callable[[], Awaitable[object]]] = [find_project, partial(self._people, confirm)]
        await run_together(acts if known is None else [*acts, partial(self._first_rows, known)])
        return chosen

    async def _projects(self) -> list[int]:
        projects = await read_all(self._client.projects)

        def act(writer: WriteContext) -> None:
            if writer.mirror.put_resources("project", 0, projects):
                writer.signal.publish(StoreChange(Subject.PEOPLE))

        await self._files.write(act)
        return [project_id for each in projects if (project_id := whole(each.get("id"))) is not None]

    async def _people(self, confirm: Callable[[Document], Awaitable[None]]) -> None:
        async def confirmed() -> Document:
            document = await self._client.users.me()
            await confirm(document)
            return document

        me, users, told = await asyncio.gather(
            confirmed(), read_offered(self._client.users), self._client.capabilities()
        )
        self.user = signed_in_of(me, self._client.server)

        def act(writer: WriteContext) -> None:
            writer.mirror.set_note("me", me)
            is_news = writer.mirror.configure(CAPABILITIES, without_order(told))
            if writer.mirror.put_resources("user", 0, users or [me]) or is_news:
                writer.signal.publish(StoreChange(Subject.PEOPLE))
            if is_news:
                writer.signal.publish(StoreChange(Subject.ITEMS))

        await self._files.write(act)

    async def _first_rows(self, project_id: int, *, is_only: bool = False) -> None:
        """Load the top of the backlog by one request, if the mirror has nothing of the project."""
        async with self._beginning:
            if await self._files.write(lambda writer: _has_items_of(writer, project_id)):
                return
            try:
                condition = None if is_only else f"projectId eq {project_id}"
                page = await self._client.work_items.page(filter=condition, top=FIRST_PAGE)
            except Unavailable:
                raise
            except (ServiceRefused, ServiceError):
                page = await self._client.work_items.page(top=FIRST_PAGE)
            await store_items(self._files, page.results)

    async def run(self, project_id: int, *, is_asked: bool) -> None:
        """Sync a project. A requested run also reads rarely changing data."""
        self._is_stopped = self._is_stopped and not is_asked
        if is_asked or time.monotonic() - self._nouns_at.get(project_id, -NOUNS_EVERY) >= NOUNS_EVERY:
            acts = [partial(act, project_id) for act in (self._first_rows, self._trees, self._views)]
            await run_together(acts)
            self._nouns_at[project_id] = time.monotonic()
        traits = traits_of(await self._note(TRAITS))
        try:
            await self._items(project_id, traits, is_asked=is_asked)
        except BadRequest:
            if traits is None:
                raise
            await self._set_note(TRAITS, None)  # the service has changed: probe it again
            await self._items(project_id, None, is_asked=is_asked)
        await self._keep_clock()
        await self._files.write(lambda writer: writer.mirror.full_text.look())

    async def cursor(self, project_id: int) -> str | None:
        """Return the cursor up to which the mirror has the changes of a project."""
        found = await self._note(_cursor_key(project_id))
        return found if isinstance(found, str) else None

    async def follow(self, project_id: int, changes: FollowedChanges, cursor: str | None = None) -> bool:
        """Read what was changed by id, and store the cursor with it; return False where a run has to read it."""
        generation = self._files.generation
        lists = None if changes.is_more else await self._loaded_lists(project_id)
        found = None if lists is None else await self._changed_items(changes.changed)
        if lists is None or found is None:
            return False
        if changes.has_trees:
            await self._trees(project_id)
        if changes.has_views:
            await self._views(project_id)
        gone = changes.gone | changes.changed - {id_in(each) for each in found}
        await store_items(self._files, found)
        # A rank leaves the stamp as it is, by which the mirror knows that a document is newer.
        await self._order.store([each for each in found if id_in(each) in changes.ranked])
        for item_ids in _batches(changes.ranked - changes.changed):
            await self._order.read(item_ids)
        for feed, is_added in zip(self._feeds, (changes.has_comments, changes.has_files), strict=True):
            if is_added:
                await feed.run(lists)
        await self._files.write(partial(_note_objects, changes=changes))
        await self._objects.run(lists)

        def act(writer: WriteContext) -> None:
            if gone:
                forget(writer, _ids_in_project(writer, gone, project_id))
            if self._files.generation == generation and cursor is not None:
                writer.mirror.set_note(_cursor_key(project_id), cursor)

        await self._files.write(act)
        return self._files.generation == generation

    async def _loaded_lists(self, project_id: int) -> ProjectLists | None:
        """Return the lists of a project that was loaded completely."""
        traits = traits_of(await self._note(TRAITS))
        lists = None if traits is None else ProjectLists(self._client, traits, project_id)
        return lists if lists is not None and await self._note(_filled_key(lists)) else None

    async def read_times(self, project_id: int, first: date, last: date) -> None:
        """Read the time entries of some days, which the mirror has in part."""
        lists = await self._loaded_lists(project_id)
        if lists is not None:
            await self._objects.read_times(lists, first, last)

    async def read_times_of(self, project_id: int, task_ids: Sequence[int]) -> None:
        """Read the time entries of tasks, of which the mirror has those of late."""
        lists = await self._loaded_lists(project_id)
        if lists is not None and announces(await self._note(CAPABILITIES), TIME_ENTRIES.extension):
            await self._objects.read_times_of(lists, task_ids)

    async def _changed_items(self, item_ids: Iterable[int]) -> list[Document] | None:
        """Read items by id; None where a page of the service is too small for them."""
        found: list[Document] = []
        for batch in _batches(item_ids):
            wanted = ",".join(map(str, batch))
            page = await self._client.work_items.page(filter=f"id in ({wanted})", top=len(batch))
            if len(page.results) < page.total:
                return None
            found += page.results
        return found

    async def names_of(self, item_ids: Collection[int]) -> dict[int, str]:
        """Return the names of the items that the mirror has."""
        if not item_ids:
            return {}
        sql = "SELECT id, name FROM items WHERE id IN (SELECT value FROM json_each(?))"
        values = (ids_json(item_ids),)
        return dict(await self._files.write(lambda writer: writer.mirror.connection.execute(sql, values).fetchall()))

    async def take_away_projects(self, kept: frozenset[int]) -> bool:
        """Delete the local copy of all other projects, without unsent changes; return whether there was one."""

        def act(writer: WriteContext) -> bool:
            found = writer.mirror.connection.execute("SELECT DISTINCT project_id FROM items WHERE id > 0")
            lost = [project_id for (project_id,) in found.fetchall() if project_id not in kept]
            for project_id in lost:
                forget_project(writer, project_id)
                for key in _project_keys(project_id):
                    writer.mirror.set_note(key, None)
            return bool(lost)

        return await self._files.write(act)

    async def _items(self, project_id: int, traits: ServiceTraits | None, *, is_asked: bool) -> None:
        if traits is None:
            traits = await self._try_out()
        lists = ProjectLists(self._client, traits, project_id)
        if not await self._note(_filled_key(lists)):
            await self._load(lists)
        else:
            await self._catch_up(lists, is_asked=is_asked)
            await self._order.run(lists)
        if not self._is_stopped:
            for feed in self._feeds:
                await feed.run(lists)
            await self._objects.run(lists)

    async def _try_out(self) -> ServiceTraits:
        traits = await probe(self._client, await self._note("capabilities"))
        if traits.is_sure:
            await self._set_note(TRAITS, traits.document())
        return traits

    async def _load(self, lists: ProjectLists) -> None:
        """Load everything, or resume it. The next run reads changes made during the load."""
        if self._is_stopped:
            return
        loader = FirstLoad if lists.traits.is_ranged else FullScan
        self._loading = loader(lists, self._files, self._progress)
        try:
            if not await self._note(f"watermark {lists.project_id}"):
                await ChangeReader(lists, self._files).begin()
                await self._order.begin(lists.project_id)
            # Words are indexed after the load: 1.6 s for 72,000 items, in which somebody would wait for rows.
            with self._files.indexing.held():
                is_complete = await self._loading.run()
            if is_complete:
                self._scanned_at = time.monotonic()
                await self._set_note(_filled_key(lists), value=True)
                self.sentence = ""
            else:
                self.sentence = "Loading stopped. Refresh to resume."
        finally:
            self._loading = None

    async def _catch_up(self, lists: ProjectLists, *, is_asked: bool) -> None:
        changes = ChangeReader(lists, self._files)
        if lists.traits.is_ranged:
            await changes.run()
            await self._deletion_scan.reconcile(lists)
            return
        is_complete = False
        if lists.traits.by_change:
            total = await changes.run()
            is_complete = total == len(await self._files.write(known_ids))
        if not is_complete and (is_asked or time.monotonic() - self._scanned_at >= SCAN_EVERY):
            await self._load(lists)

    async def _keep_clock(self) -> None:
        """Store the service's clock offset in the journal, because the mirror may be rebuilt."""
        offset = self._client.clock.offset
        if offset is None:
            return
        seconds = str(int(offset.total_seconds()))

        def act(writer: WriteContext) -> None:
            if writer.journal.settings.value(CLOCK) != seconds:
                writer.journal.settings.keep(CLOCK, seconds)
                writer.signal.publish(StoreChange(Subject.PEOPLE))

        await self._files.write(act)

    async def _note(self, key: str) -> object:
        return await self._files.write(lambda writer: writer.mirror.note(key))

    async def _set_note(self, key: str, value: object) -> None:
        await self._files.write(lambda writer: writer.mirror.set_note(key, value))

    async def _trees(self, project_id: int) -> None:
        while True:  # a read during a write may lack the written node
            writes = await self._note(tree_writes(project_id))
            if await self._read_trees(project_id, writes):
                return

    async def _read_trees(self, project_id: int, writes: object) -> bool:
        areas, iterations, types, events = await asyncio.gather(
            read_all(self._client.areas.of_project(project_id)),
            read_all(self._client.iterations.of_project(project_id)),
            read_offered(self._client.projects.time_entry_types(project_id)),
            self._iteration_events(project_id),
        )

        def act(writer: WriteContext) -> bool:
            if writer.mirror.note(tree_writes(project_id)) != writes:
                return False
            read = {
                TreeKind.AREAS.value: areas,
                TreeKind.ITERATIONS.value: iterations,
                TIME_ENTRY_TYPES: types or [],
                ITERATION_EVENTS: events,
            }
            changed = {kind for kind, found in read.items() if writer.mirror.put_resources(kind, project_id, found)}
            if changed:
                writer.signal.publish(StoreChange(Subject.TREES))
            return True

        return await self._files.write(act)

    async def _views(self, project_id: int) -> None:
        if announces(await self._note(CAPABILITIES), VIEWS):
            await read_views(self._client, self._files, project_id)

    async def _iteration_events(self, project_id: int) -> list[Document]:
        """Read the starts and closes of iterations, which a document of an iteration has only where it is asked."""
        if not announces(await self._note(CAPABILITIES), ITERATION_EVENTS_EXTENSION):
            return []
        select = ",".join(("id", *EVENT_KEYS.values()))
        return await read_all(self._client.iterations.of_project(project_id), select=select)


def _batches(item_ids: Iterable[int]) -> Iterator[list[int]]:
    ordered = sorted(item_ids)
    for first in range(0, len(ordered), IDS_AT_ONCE):
        yield ordered[first : first + IDS_AT_ONCE]


def _project_keys(project_id: int) -> list[str]:
    """Return the keys of what is known of the load of a project."""
    nouns = [f"{subject.value} {project_id}" for subject in FEEDS]
    nouns += [load_key(kind, project_id) for kind in OBJECT_KINDS]
    return [f"filled {project_id}", f"left {project_id}", f"watermark {project_id}", _cursor_key(project_id), *nouns]


def _cursor_key(project_id: int) -> str:
    return f"cursor {project_id}"


def _filled_key(lists: ProjectLists) -> str:
    """Return the key of the completed load. Services that do not filter load all projects at once."""
    return f"filled {lists.project_id}" if lists.traits.is_ranged else "filled"


def _note_objects(writer: WriteContext, changes: FollowedChanges) -> None:
    """Have the objects below changed items read: of one that the user may only read, the stamp stays as it is.

    A new item has none: after an import they would be most of what is asked for.
    """
    writer.mirror.read_objects_of(changes.changed - changes.created)
    writer.mirror.objects_were_read(changes.created)


def _ids_in_project(writer: WriteContext, item_ids: Iterable[int], project_id: int) -> set[int]:
    """Return those of some items that the mirror has in a project, and not in another one that they moved to."""
    sql = (
        "SELECT id FROM items WHERE project_id <> ?1 AND id IN (SELECT value FROM json_each(?2))"
        " UNION SELECT id FROM hidden WHERE project_id <> ?1 AND id IN (SELECT value FROM json_each(?2))"
    )
    elsewhere = writer.mirror.connection.execute(sql, (project_id, ids_json(item_ids)))
    return set(item_ids) - {item_id for (item_id,) in elsewhere}


def _has_items_of(writer: WriteContext, project_id: int) -> bool:
    sql = "SELECT 1 FROM items WHERE project_id = ? AND id > 0 LIMIT 1"
    return writer.mirror.connection.execute(sql, (project_id,)).fetchone() is not None
