"""Finding what was deleted, or came into sight, without a list of it: counts over ranges of ids, halved."""

from typing import TYPE_CHECKING

from backlit.store.changes import Change, Subject
from backlit.store.files import Files, Writer
from backlit.store.receiving import note_gone, receive
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.client import Client

RANGE = 500
"""Items in a range that is read rather than halved again."""
LAST = 2**62
"""Above every id."""


class Sweep:
    """Compares how many items there are here and there (FEATURES rule 20)."""

    def __init__(self, client: "Client", files: Files, size: int = RANGE) -> None:
        self._client = client
        self._files = files
        self._size = size
        self._gone_but_unsent: set[int] = set()

    async def reconcile(self, project_id: int) -> None:
        """One cheap question when nothing is amiss; else the ranges whose counts differ are read."""
        waiting = [(0, 0)]
        while waiting:
            low, high = waiting.pop()
            there = (await self._ask(project_id, low, high, 1))[0]
            if there == await self._count(project_id, low, high):
                continue
            here = await self._ids(project_id, low, high)
            if max(there, len(here)) <= self._size:
                await self._read(project_id, low, high)
                continue
            middle = here[len(here) // 2] if len(here) > 1 else await self._middle(project_id, low, high)
            waiting += [(low, middle), (middle, high)]

    async def _middle(self, project_id: int, low: int, high: int) -> int:
        """Where to halve a range of which nothing is known here."""
        found = (await self._ask(project_id, low, high, self._size))[1]
        return max(whole(each.get("id")) or 0 for each in found) if found else low

    async def _ask(self, project_id: int, low: int, high: int, top: int) -> tuple[int, list[Document]]:
        condition = f"projectId eq {project_id}"
        condition += f" and id gt {low}" if low else ""
        condition += f" and id le {high}" if high else ""
        page = await self._client.work_items.documents(filter=condition, order="id", top=top)
        return page.total, page.results

    async def _count(self, project_id: int, low: int, high: int) -> int:
        """How many items of a range there are here; those that are only here because of unsent changes do not count."""

        def act(writer: Writer) -> int:
            unsent = {entry.item_id for entry in writer.journal.undelivered(self._gone_but_unsent)}
            self._gone_but_unsent &= unsent
            found = writer.mirror.connection.execute(
                "SELECT count(*) FROM items WHERE project_id = ? AND id > ? AND id <= ?",
                (project_id, low, high or LAST),
            )
            return int(found.fetchone()[0]) - sum(low < item_id <= (high or LAST) for item_id in unsent)

        return await self._files.write(act)

    async def _ids(self, project_id: int, low: int, high: int) -> list[int]:
        def act(writer: Writer) -> list[int]:
            return [
                item_id
                for (item_id,) in writer.mirror.connection.execute(
                    "SELECT id FROM items WHERE project_id = ? AND id > ? AND id <= ? ORDER BY id",
                    (project_id, low, high or LAST),
                )
            ]

        return await self._files.write(act)

    async def _read(self, project_id: int, low: int, high: int) -> None:
        """Read a range whole: store what is there, forget what is not."""
        found: dict[int, Document] = {}
        position = low
        while True:
            total, results = await self._ask(project_id, position, high, 2 * self._size)
            found |= {item_id: each for each in results if (item_id := whole(each.get("id"))) is not None}
            if not results or len(results) >= total:
                break
            position = max(found)
        gone = set(await self._ids(project_id, low, high)) - found.keys()

        def act(writer: Writer) -> None:
            receive(writer, found.values())
            unsent = _forget(writer, gone)
            self._gone_but_unsent = (self._gone_but_unsent - found.keys()) | unsent

        await self._files.write(act)

    async def keep_only(self, item_ids: set[int]) -> None:
        """Forget all items but these and those that the service does not have yet."""

        def act(writer: Writer) -> None:
            known = {item_id for (item_id,) in writer.mirror.connection.execute("SELECT id FROM items WHERE id > 0")}
            _forget(writer, known - item_ids)

        await self._files.write(act)


def _forget(writer: Writer, item_ids: set[int]) -> set[int]:
    """Forget items that are gone; those with unsent changes stay, until the outbox is done with them."""
    unsent = {entry.item_id for entry in writer.journal.undelivered(item_ids)}
    note_gone(writer, item_ids - unsent)
    gone = writer.mirror.remove_items(item_ids - unsent)
    if gone:
        writer.signal.publish(Change(Subject.ITEMS, gone))
        writer.signal.publish(Change(Subject.COMMENTS, gone))
    return unsent
