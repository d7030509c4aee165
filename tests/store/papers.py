"""Documents as a service sends them, and stores that hold them without any service."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from backlit.client.client import Client
from backlit.model.errors import Offline
from backlit.store import Places, Store
from backlit.store.engine.engine import Report
from backlit.store.records.item import Document


def places_in(folder: Path) -> Places:
    return Places(folder / "mirror.sqlite", folder / "journal.sqlite")


def item(
    item_id: int, *, kind: str = "Story", project: int = 1, priority: float | None = None, **fields: object
) -> Document:
    return {
        "id": item_id,
        "type": kind,
        "projectId": project,
        "fields": {
            "Name": f"Item {item_id}",
            "Status": "Not Done",
            "AreaID": 1,
            "IterationID": 1,
            "BacklogPriority": float(item_id) if priority is None else priority,
            **fields,
        },
        "createdBy": "maya",
        "createdAt": "2026-03-01T10:00:00.000",
        "lastModifiedBy": "maya",
        "lastModifiedAt": "2026-03-01T10:00:00.000",
    }


async def no_service(report: Report) -> Client:
    raise Offline("There is no service in this test.")


@contextmanager
def offline_store(folder: Path, documents: Iterable[Document] = ()) -> Iterator[Store]:
    """A store of project 1 that was filled by hand and is never started."""
    store = Store(places_in(folder), no_service)
    store.open()
    put(store, documents)
    store.choose_project(1)
    try:
        yield store
    finally:
        store.close()


def put(store: Store, documents: Iterable[Document]) -> None:
    """Store documents as sync does."""
    received = list(documents)
    store.files.submit(
        lambda writer: writer.announce(writer.mirror.put_items(received, writer.journal.entries.undelivered()))
    ).result()
