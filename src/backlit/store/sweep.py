"""Finding what was deleted, or came into sight, without a list of it: counts over ranges of ids, halved."""

from functools import partial

from backlit.store.asking import Asking, in_turns
from backlit.store.changes import Change, Subject
from backlit.store.deletions import keep_last_copy
from backlit.store.files import Files, Writer
from backlit.store.reading import PAGE
from backlit.store.receiving import note_gone, receive
from backlit.store.rows import Document, whole

LAST = 2**62
"""Above every id."""
_Counted = tuple[int, int, int]
"""A range of ids, above the first up to the second, where 0 is no end, and how many items the service has in it."""
_IDS = (
    "SELECT id FROM items WHERE project_id = ?1 AND id > ?2 AND id <= ?3"
    " UNION ALL SELECT id FROM hidden WHERE project_id = ?1 AND id > ?2 AND id <= ?3"
)
"""All that is mirrored in a range of ids, out of sight or not."""


class Sweep:
    """Compares how many items there are here and there (FEATURES rule 20); `size` is that of a range to be read."""

    def __init__(self, files: Files, size: int = PAGE) -> None:
        self._files = files
        self._size = size
        self._gone_but_unsent: set[int] = set()

    async def reconcile(self, asking: Asking) -> None:
        """One cheap question when nothing is amiss; else one for each halving, until what is left is read."""
        waiting: list[_Counted] = [(0, 0, (await _ask(asking, 0, 0, 1))[0])]
        while waiting:
            found: list[_Counted] = []
            await in_turns([partial(self._compare, asking, each, found) for each in waiting])
            waiting = found

    async def _compare(self, asking: Asking, counted: _Counted, found: list[_Counted]) -> None:
        """Read a range whose counts differ where it is small, else count one half: the other has the rest."""
        low, high, there = counted
        if there == await self._count(asking.project_id, low, high):
            return
        here = await self._ids(asking.project_id, low, high)
        if max(there, len(here)) <= min(self._size, asking.traits.page):
            await self._read(asking, low, high)
            return
        middle = here[len(here) // 2] if len(here) > 1 else await self._middle(asking, low, high)
        if not low < middle < (high or LAST):
            await self._read(asking, low, high)
            return
        below = (await _ask(asking, low, middle, 1))[0]
        found += [(low, middle, below), (middle, high, max(0, there - below))]

    async def _middle(self, asking: Asking, low: int, high: int) -> int:
        """Where to halve a range of which nothing is known here."""
        ids = sorted(whole(each.get("id")) or 0 for each in (await _ask(asking, low, high, self._size))[1])
        return ids[-1 if asking.traits.orders else len(ids) // 2] if ids else low

    async def _count(self, project_id: int, low: int, high: int) -> int:
        """How many items of a range there are here; those that are only here because of unsent changes do not count."""

        def act(writer: Writer) -> int:
            unsent = {entry.item_id for entry in writer.journal.undelivered(self._gone_but_unsent)}
            self._gone_but_unsent &= unsent
            found = writer.mirror.connection.execute(f"SELECT count(*) FROM ({_IDS})", (project_id, low, high or LAST))  # noqa: S608 # a constant
            return int(found.fetchone()[0]) - sum(low < item_id <= (high or LAST) for item_id in unsent)

        return await self._files.write(act)

    async def _ids(self, project_id: int, low: int, high: int) -> list[int]:
        def act(writer: Writer) -> list[int]:
            return [
                item_id
                for (item_id,) in writer.mirror.connection.execute(
                    f"{_IDS} ORDER BY id", (project_id, low, high or LAST)
                )
            ]

        return await self._files.write(act)

    async def _read(self, asking: Asking, low: int, high: int) -> None:
        """Read a range whole: store what is there, forget what is not."""
        found: dict[int, Document] = {}
        position = low
        while True:
            total, results = await _ask(asking, position, high, 2 * self._size)
            found |= {item_id: each for each in results if (item_id := whole(each.get("id"))) is not None}
            if not results or len(results) >= total:
                break
            position = max(found)
        gone = set(await self._ids(asking.project_id, low, high)) - found.keys()

        def act(writer: Writer) -> None:
            receive(writer, found.values())
            unsent = forget(writer, gone)
            self._gone_but_unsent = (self._gone_but_unsent - found.keys()) | unsent

        await self._files.write(act)


async def _ask(asking: Asking, low: int, high: int, top: int) -> tuple[int, list[Document]]:
    bounds = (f"id gt {low}" if low else "", f"id le {high}" if high else "")
    page = await asking.items(" and ".join(filter(None, bounds)), order="id", top=top)
    return page.total, page.results


def known_ids(writer: Writer) -> set[int]:
    """The ids of all items that the service had."""
    shown = {item_id for (item_id,) in writer.mirror.connection.execute("SELECT id FROM items WHERE id > 0")}
    return shown | writer.mirror.hidden.every()


def keep_only(writer: Writer, item_ids: set[int]) -> None:
    """Forget all items but these and those that the service does not have yet."""
    forget(writer, known_ids(writer) - item_ids)


def forget(writer: Writer, item_ids: set[int]) -> set[int]:
    """Forget items that are gone; those with unsent changes stay, until the outbox is done with them: says which."""
    unsent = {entry.item_id for entry in writer.journal.undelivered(item_ids)}
    for item_id in unsent:
        keep_last_copy(writer, item_id)
    note_gone(writer, item_ids - unsent)
    gone = writer.mirror.remove_items(item_ids - unsent)
    if gone:
        writer.signal.publish(Change(Subject.ITEMS, gone))
        writer.signal.publish(Change(Subject.COMMENTS, gone))
    return unsent
