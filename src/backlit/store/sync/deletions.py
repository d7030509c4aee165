"""Detection of deleted and newly visible items: the counts of ranges of ids are compared and halved."""

from functools import partial

from backlit.model.errors import ServiceError
from backlit.store.edits.deletions import keep_last_copy
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import LAST_ID, Document, id_in, whole
from backlit.store.remote.capabilities import PAGE
from backlit.store.remote.listing import PageLimit, ProjectLists, run_pooled
from backlit.store.remote.receiving import note_gone, receive

MOST_COUNTS = 10_000
"""The most ranges to count: enough for differences in an eighth of the largest backlog."""
_Counted = tuple[int, int, int]
"""A range of ids, exclusive start and inclusive end (0: no end), and the service's number of items in it."""
_IDS = (
    "SELECT id FROM items WHERE project_id = ?1 AND id > ?2 AND id <= ?3"
    " UNION ALL SELECT id FROM hidden WHERE project_id = ?1 AND id > ?2 AND id <= ?3"
)
"""The mirrored items in a range of ids, hidden ones included."""


# The interface has no list of what was deleted. A count of each half finds one deleted item of 100,000 in some ten
# requests, where a walk over all ids takes 500.
class DeletionScan:
    """A comparison of the item counts here and on the service. `size` is the size of a range to read."""

    def __init__(self, files: LocalDatabase, size: int = PAGE) -> None:
        self._files = files
        self._size = size
        self._gone_but_unsent: set[int] = set()

    async def reconcile(self, lists: ProjectLists) -> None:
        """Find differences: one cheap request without any, else a request for each halving until ranges are small."""
        waiting: list[_Counted] = [(0, 0, (await _ask(lists, 0, 0, 1))[0])]
        counted = 0
        while waiting:
            counted += len(waiting)
            if counted > MOST_COUNTS:
                raise ServiceError(
                    f"The item counts of {lists.client.server} contradict each other. Deleted items may still be shown."
                )
            found: list[_Counted] = []
            await run_pooled([partial(self._compare, lists, each, found) for each in waiting])
            waiting = found

    async def _compare(self, lists: ProjectLists, counted: _Counted, found: list[_Counted]) -> None:
        """Read a small range with different counts, else count one half. The other half has the rest."""
        low, high, there = counted
        if there == await self._count(lists.project_id, low, high):
            return
        here = await self._ids(lists.project_id, low, high)
        if max(there, len(here)) <= min(self._size, lists.traits.page):
            await self._read(lists, low, high)
            return
        middle = here[len(here) // 2] if len(here) > 1 else await self._middle(lists, low, high)
        if not low < middle < (high or LAST_ID):
            await self._read(lists, low, high)
            return
        below = (await _ask(lists, low, middle, 1))[0]
        found += [(low, middle, below), (middle, high, max(0, there - below))]

    async def _middle(self, lists: ProjectLists, low: int, high: int) -> int:
        """Return the id that halves a range without known items."""
        ids = sorted(id_in(each) for each in (await _ask(lists, low, high, self._size))[1])
        return ids[-1 if lists.traits.orders else len(ids) // 2] if ids else low

    async def _count(self, project_id: int, low: int, high: int) -> int:
        """Count the mirrored items of a range, without those kept only for unsent changes."""

        def act(writer: WriteContext) -> int:
            unsent = {entry.item_id for entry in writer.journal.entries.undelivered(self._gone_but_unsent)}
            self._gone_but_unsent &= unsent
            if not low and not high:
                return writer.mirror.extent(project_id)[1] - len(unsent)
            sql = f"SELECT count(*) FROM ({_IDS})"  # noqa: S608 # a constant
            found = writer.mirror.connection.execute(sql, (project_id, low, high or LAST_ID))
            return int(found.fetchone()[0]) - sum(low < item_id <= (high or LAST_ID) for item_id in unsent)

        return await self._files.write(act)

    async def _ids(self, project_id: int, low: int, high: int) -> list[int]:
        def act(writer: WriteContext) -> list[int]:
            return [
                item_id
                for (item_id,) in writer.mirror.connection.execute(
                    f"{_IDS} ORDER BY id", (project_id, low, high or LAST_ID)
                )
            ]

        return await self._files.write(act)

    async def _read(self, lists: ProjectLists, low: int, high: int) -> None:
        found: dict[int, Document] = {}
        position = low
        walked = PageLimit("items", lists.client.server)
        while True:
            total, results = await _ask(lists, position, high, 2 * self._size)
            came = {item_id: each for each in results if (item_id := whole(each.get("id"))) is not None}
            walked.note(came)
            found |= came
            if not came or len(results) >= total:
                break
            position = max(found)
        gone = set(await self._ids(lists.project_id, low, high)) - found.keys()

        def act(writer: WriteContext) -> None:
            receive(writer, found.values())
            unsent = forget(writer, gone)
            self._gone_but_unsent = (self._gone_but_unsent - found.keys()) | unsent

        await self._files.write(act)


async def _ask(lists: ProjectLists, low: int, high: int, top: int) -> tuple[int, list[Document]]:
    bounds = (f"id gt {low}" if low else "", f"id le {high}" if high else "")
    page = await lists.items(" and ".join(filter(None, bounds)), order="id", top=top)
    return page.total, page.results


def known_ids(writer: WriteContext) -> set[int]:
    shown = {item_id for (item_id,) in writer.mirror.connection.execute("SELECT id FROM items WHERE id > 0")}
    return shown | writer.mirror.hidden.every()


def keep_only(writer: WriteContext, item_ids: set[int]) -> None:
    """Delete all other items, except unsent ones."""
    forget(writer, known_ids(writer) - item_ids)


def forget(writer: WriteContext, item_ids: set[int]) -> set[int]:
    """Delete items that are gone. Items with unsent changes stay for the outbox. Returns the deleted ones."""
    unsent = {entry.item_id for entry in writer.journal.entries.undelivered(item_ids)}
    for item_id in unsent:
        keep_last_copy(writer, item_id)
    note_gone(writer, item_ids - unsent)
    gone = writer.mirror.remove_items(item_ids - unsent)
    if gone:
        writer.signal.publish(StoreChange(Subject.ITEMS, gone))
        writer.signal.publish(StoreChange(Subject.COMMENTS, gone))
    return unsent


def forget_project(writer: WriteContext, project_id: int) -> None:
    """Delete the items of a project that the user may not see any more. Those with unsent changes stay for the outbox.

    It is no deletion by others, of which the inbox would tell.
    """
    sql = "SELECT id FROM items WHERE project_id = ?1 AND id > 0 UNION SELECT id FROM hidden WHERE project_id = ?1"
    item_ids = {item_id for (item_id,) in writer.mirror.connection.execute(sql, (project_id,))}
    unsent = {entry.item_id for entry in writer.journal.entries.undelivered(item_ids)}
    for item_id in unsent:
        keep_last_copy(writer, item_id)
    gone = writer.mirror.remove_items(item_ids - unsent)
    writer.signal.publish(StoreChange(Subject.ITEMS, gone))
    writer.signal.publish(StoreChange(Subject.COMMENTS, gone))
    writer.signal.publish(StoreChange(Subject.ATTACHMENTS, gone))
