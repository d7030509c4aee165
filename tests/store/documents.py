"""Documents as a service sends them, and stores that hold them without any service."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from backlit.client.client import Client
from backlit.model.errors import Offline
from backlit.store import ProfileFiles, Store
from backlit.store.engine.engine import Report
from backlit.store.files.files import WriteContext
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document
from backlit.store.views.clock import local_time


def places_in(folder: Path) -> ProfileFiles:
    return ProfileFiles(folder / "mirror.sqlite", folder / "journal.sqlite")


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
def offline_store(
    folder: Path, documents: Iterable[Document] = (), clock: Callable[[], datetime] = local_time
) -> Iterator[Store]:
    """A store of project 1 that was filled by hand and is never started."""
    store = Store(places_in(folder), no_service, clock)
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


def node(node_id: int, name: str, parent_id: int = -1, **values: object) -> Document:
    return {"id": node_id, "projectId": 1, "parentId": parent_id, "name": name, "sequence": node_id, **values}


def put_nouns(store: Store, **nouns: list[Document]) -> None:
    """Store areas, iterations and users as sync does; the first user is the signed-in one."""

    def act(writer: WriteContext) -> None:
        for noun, documents in nouns.items():
            writer.mirror.put_resources(noun, 0 if "user" in noun or noun == "project" else 1, documents)
        if "user" in nouns:
            writer.mirror.set_note("me", nouns["user"][0])
        writer.signal.publish(StoreChange(Subject.TREES))
        writer.signal.publish(StoreChange(Subject.PEOPLE))

    store.files.submit(act).result()


def announce(store: Store, capabilities: dict[str, object]) -> None:
    """Have the service announce something."""
    store.files.submit(lambda writer: writer.mirror.set_note("capabilities", capabilities)).result()
    store.files.submit(lambda writer: writer.signal.publish(StoreChange(Subject.PEOPLE))).result()


def state_project(store: Store, **project: object) -> None:
    """State capabilities of project 1."""
    told = {"projects": [{"id": 2, "role": "Manager"}, {"id": 1, **project}]}
    store.files.submit(lambda writer: writer.mirror.configure(CAPABILITIES, told)).result()
    publish(store, Subject.PEOPLE)
    publish(store, Subject.ITEMS)


def publish(store: Store, kind: Subject) -> None:
    store.files.submit(lambda writer: writer.signal.publish(StoreChange(kind))).result()
