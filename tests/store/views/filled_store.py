"""A store with some people, nodes and items, without a service."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from tests.store.documents import item, offline_store

from backlit.store import Store
from backlit.store.files.files import WriteContext
from backlit.store.records.item import Document

USERS: list[Document] = [
    {"id": 5, "name": "zoe", "displayName": "Zoe Zimt"},
    {"id": 6, "name": "adam", "displayName": "Adam Zoe"},
    {"id": 7, "name": "eve", "displayName": "Eve Adams"},
]


TODAY = date.today()


def iteration(number: int, parent_id: int, name: str, start: int | None = None, end: int | None = None) -> Document:
    days = {"startDate": start, "endDate": end}
    node = {"id": number, "parentId": parent_id, "name": name, "sequence": number}
    return node | {key: str(TODAY + timedelta(day)) for key, day in days.items() if day is not None}


ITERATIONS = [
    iteration(1, -1, "Shop", -100, 100),
    iteration(11, 1, "Sprint 2", -1, 13),
    iteration(12, 1, "Sprint 1", -15, -2),
    iteration(13, 1, "Sprint 3", 14, 27),
    {**iteration(14, 1, "Spring", -99, 99), "isRelease": True},
    iteration(15, 14, "Sprint 4", 28, None),
    iteration(16, 14, "sprint 1"),
    iteration(17, 1, "Sprint 0", -15, -3),
]


AREAS: list[Document] = [
    {"id": each, "parentId": -1 if each == 1 else 1, "name": f"Area {each}", "sequence": -each} for each in (1, 2, 3)
]


DOCUMENTS = [
    item(1, Estimate="3", IterationID=11, AssignedToID=5),
    item(2, Estimate="5", IterationID=12, Status="Deferred"),
    item(3, kind="Task", ParentID=1, IterationID=11, AssignedToID=6, WorkRemaining=4, Status="In Progress"),
    item(4, kind="Task", ParentID=1, IterationID=11, WorkRemaining=8, Status="Done"),
    item(5, kind="Bug", IterationID=11, Status="Done", Estimate="2"),
    item(6, kind="Feature", IterationID=1, Estimate="8"),
    item(7, kind="Issue", IterationID=13, Severity=""),
]


@contextmanager
def filled(folder: Path) -> Iterator[Store]:
    with offline_store(folder, DOCUMENTS) as made:
        for kind, project, told in (("user", 0, USERS), ("iterations", 1, ITERATIONS), ("areas", 1, AREAS)):
            made.files.submit(partial(_put, kind=kind, project=project, told=told)).result()
        yield made


def _put(writer: WriteContext, kind: str, project: int, told: list[Document]) -> bool:
    return writer.mirror.put_resources(kind, project, told)
