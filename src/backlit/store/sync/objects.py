"""Relations, criteria, links and time entries: read whole once, then with the items that were changed."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.mirror import OBJECTS_READ
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document, id_in
from backlit.store.records.object_kinds import OBJECT_KINDS, TIME_ENTRIES, ObjectKind
from backlit.store.remote.capabilities import DateForm, announces
from backlit.store.remote.listing import PageLimit, ProjectLists
from backlit.store.sqlite.database import transaction

if TYPE_CHECKING:
    from backlit.client.client import Client

BLOCK = 50
"""Changed items of a request; its condition names each twice, and the service refuses filters of 200 ids."""
OWN_TIME = timedelta(days=14)
"""How far back the user's own time entries are read at first; those of other tasks are read with the task."""


class ObjectReader:
    """Reader of the objects below items, as far as the service announces them."""

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files

    async def run(self, lists: ProjectLists) -> None:
        """Read what was not read yet, and what is below items that were changed since."""
        told = await self._files.write(lambda writer: writer.mirror.note(CAPABILITIES))
        kinds = [kind for kind in OBJECT_KINDS if announces(told, kind.extension)]
        if not kinds or not lists.traits.is_ranged:
            return
        for kind in kinds:
            if not await self._files.write(partial(_is_loaded, kind=kind, project_id=lists.project_id)):
                await self._load(kind, lists)
        while item_ids := await self._files.write(lambda writer: writer.mirror.objects_due(BLOCK)):
            await self._read_of_items(kinds, lists, item_ids, is_all=True)

    async def read_times(self, lists: ProjectLists, first: date, last: date) -> None:
        """Replace the time entries of some days by those of the service."""
        known = await self._files.write(
            lambda writer: writer.mirror.table_of(TIME_ENTRIES).ids_between(lists.project_id, "day", first, last)
        )
        form = lists.traits.dates or DateForm.V3
        days = [form.write(datetime.combine(day, time())) for day in (first, last)]
        condition = f"projectId eq {lists.project_id} and date ge {days[0]} and date le {days[1]}"
        received = await self._read(TIME_ENTRIES, lists, condition)
        await self._files.write(partial(_take, kind=TIME_ENTRIES, known=known, received=received))

    async def read_times_of(self, lists: ProjectLists, task_ids: Sequence[int]) -> None:
        """Replace the time entries of tasks by those of the service."""
        for start in range(0, len(task_ids), BLOCK):
            await self._read_of_items([TIME_ENTRIES], lists, task_ids[start : start + BLOCK], is_all=False)

    async def _read_of_items(
        self, kinds: Sequence[ObjectKind], lists: ProjectLists, item_ids: Collection[int], *, is_all: bool
    ) -> None:
        """Replace the objects of items by those of the service; `is_all` where these are all kinds."""
        # What is sent while the lists are read is not in them, and stays.
        known = await self._files.write(
            lambda writer: [
                {id_in(each) for each in writer.mirror.table_of(kind).documents(item_ids)} for kind in kinds
            ]
        )
        found = await asyncio.gather(*(self._read(kind, lists, _of_items(kind, item_ids)) for kind in kinds))

        def act(writer: WriteContext) -> None:
            with transaction(writer.mirror.connection):
                for kind, ids, documents in zip(kinds, known, found, strict=True):
                    _replace(writer, kind, item_ids, ids, documents)
                if is_all:
                    writer.mirror.objects_were_read(item_ids)

        await self._files.write(act)

    async def _load(self, kind: ObjectKind, lists: ProjectLists) -> None:
        """Read all objects of a project once. What changes in the meantime is read with its items after it."""
        project_id = lists.project_id

        def begin(writer: WriteContext) -> tuple[set[int], object]:
            writer.mirror.set_note(OBJECTS_READ, value=True)
            return writer.mirror.table_of(kind).ids_of_project(project_id), writer.mirror.note("me")

        known, me = await self._files.write(begin)
        received = await self._read(kind, lists, _of_project(kind, lists, me))

        def act(writer: WriteContext) -> None:
            _take(writer, kind, known, received)
            writer.mirror.set_note(load_key(kind, project_id), value=True)

        if known or received:
            await self._files.write(act)
        else:
            await self._files.write(lambda writer: writer.mirror.set_note(load_key(kind, project_id), value=True))

    async def _read(self, kind: ObjectKind, lists: ProjectLists, condition: str) -> list[Document]:
        listing, found = self._client.resource(kind.resource), dict[int, Document]()
        limit = PageLimit(kind.subject.value, self._client.server)
        while True:
            position = max(found, default=0)
            page = await lists.whole_page(listing, f"({condition}) and id gt {position}", order="id")
            limit.note([id_in(each) for each in page.results])
            found |= {id_in(each): each for each in page.results}
            if not page.results or len(page.results) >= page.total:
                return list(found.values())


def _take(writer: WriteContext, kind: ObjectKind, known: Collection[int], received: Collection[Document]) -> None:
    """Store the objects that were received, in place of those that were known before."""
    table = writer.mirror.table_of(kind)
    items = table.items_of(received)
    with transaction(writer.mirror.connection):
        table.remove(set(known) - {id_in(each) for each in received})
        table.put(received)
        table.lay_over(items, writer.journal.entries.undelivered(items))
    writer.signal.publish(StoreChange(kind.subject))
    if kind.other_end:
        writer.signal.publish(StoreChange(Subject.ITEMS))


def _is_loaded(writer: WriteContext, kind: ObjectKind, project_id: int) -> bool:
    return bool(writer.mirror.note(load_key(kind, project_id)))


def load_key(kind: ObjectKind, project_id: int) -> str:
    """Return the key of the note that the objects of a project were read."""
    return f"{kind.table} read {project_id}"


def _replace(
    writer: WriteContext, kind: ObjectKind, item_ids: Collection[int], known: Collection[int], documents: list[Document]
) -> None:
    table = writer.mirror.table_of(kind)
    concerned = table.items_of([*table.documents(item_ids), *documents]).union(item_ids)
    changed = table.replace_of_items(item_ids, known, documents, writer.journal.entries.undelivered(concerned))
    if changed:
        announce_read(writer, kind, changed)


def announce_read(writer: WriteContext, kind: ObjectKind, item_ids: frozenset[int]) -> None:
    writer.signal.publish(StoreChange(kind.subject, item_ids))
    if kind.other_end:
        writer.signal.publish(StoreChange(Subject.ITEMS, item_ids, frozenset({"ParentID"})))


def _of_project(kind: ObjectKind, lists: ProjectLists, me: object) -> str:
    mine = f"projectId eq {lists.project_id}"
    if kind.other_end:
        return f"{mine} or targetProjectId eq {lists.project_id}"
    if kind is TIME_ENTRIES:
        # Own ones alone, for what was logged of late: all entries of a project may be more than its items.
        since = (datetime.now(UTC) - OWN_TIME).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        user_id = id_in(me) if isinstance(me, dict) else 0
        form = lists.traits.dates or DateForm.V3
        return f"{mine} and userId eq {user_id} and date ge {form.write(since)}"
    return mine


def _of_items(kind: ObjectKind, item_ids: Collection[int]) -> str:
    wanted = ",".join(map(str, item_ids))
    keys = [kind.item_key, *([kind.other_end] if kind.other_end else [])]
    return " or ".join(f"{key} in ({wanted})" for key in keys)
