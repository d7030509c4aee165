"""An outbox over a filled service, what is journalled for it, and what it wrote."""

from collections.abc import Iterable

from tests.store.documents import item, put
from tests.store.reading import Reading

from backlit.store import Store
from backlit.store.outbox.queue import Outbox
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.item import Document
from backlit.store.remote.capabilities import TRAITS, ServiceTraits
from backlit.store.remote.reachability import RetryPauses

AT_ONCE = RetryPauses(first_pause=60.0, longest_pause=60.0, in_transit=0.0)


async def outbox_of(reading: Reading, documents: Iterable[Document], waits: RetryPauses = AT_ONCE) -> Outbox:
    """Fill the store and the service with the same items."""
    known = [*documents]
    reading.have(*known)
    put(reading.store, known)
    await reading.keep(TRAITS, ServiceTraits(is_sure=True).document())
    return Outbox(reading.client, reading.store.files, waits)


def items(*ids: int) -> list[Document]:
    return [item(each, project=7) for each in ids]


def states(store: Store) -> list[tuple[str, int, str]]:
    return [(each.state.value, each.attempts, each.reason) for each in store.outbox_entries()]


def writes(reading: Reading) -> list[str]:
    """Return the writes since the last call."""
    found = [f"{method} {path.rpartition('/')[2]}" for method, path in reading.faults.requests if method != "GET"]
    reading.faults.requests.clear()
    return found


async def journalled(store: Store, *entries: OutboxEntry, step: int | None = None) -> list[OutboxEntry]:
    return await store.files.write(lambda writer: writer.journal.add(entries, step))
