"""A store with Features, items below them and tasks, without a service."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.store.documents import announce, item, offline_store

from backlit.store import Store
from backlit.store.files.files import WriteContext
from backlit.store.mirror.object_tables import MirroredObjects
from backlit.store.records.changes import Subject
from backlit.store.records.item import Document

DOCUMENTS = [
    item(1, kind="Feature", Name="Search"),
    item(2, Name="Synonyms", Estimate="5"),
    item(3, kind="Feature", Name="Suggestions"),
    item(4, kind="Bug", Name="Nothing is suggested"),
    item(5, Name="Payment", Estimate="3"),
    item(6, kind="Task", ParentID=2, Name="Write the list"),
    item(7, kind="Feature", Name="Archive", Status="Done"),
    item(8, Name="Old orders"),
]
PARENTS = {2: 1, 3: 1, 4: 3, 8: 7}


@contextmanager
def forest(
    folder: Path, documents: Iterable[Document] = DOCUMENTS, parents: Mapping[int, int] = PARENTS
) -> Iterator[Store]:
    with offline_store(folder, documents) as store:
        announce(store, {"extensions": ["relations", "acceptanceCriteria", "links"]})
        set_parents(store, parents)
        yield store


def set_parents(store: Store, parents: Mapping[int, int]) -> None:
    put_relations(store, ((item_id, "Parent", parent) for item_id, parent in parents.items()))


def put_relations(store: Store, relations: Iterable[tuple[int, str, int]]) -> None:
    """Store relations as sync does."""
    documents: list[Document] = [
        {"id": number, "projectId": 1, "workItemId": item_id, "type": word, "targetId": target, "targetProjectId": 1}
        for number, (item_id, word, target) in enumerate(relations, 1000)
    ]
    store.files.submit(lambda writer: _table(writer, Subject.RELATIONS).put(documents)).result()


def put_criteria(store: Store, item_id: int, *statuses: str) -> None:
    """Store criteria of an item as sync does."""
    documents: list[Document] = [
        {"id": item_id * 100 + at, "projectId": 1, "workItemId": item_id, "sequence": at, "title": f"Criterion {at}",
         "status": status}
        for at, status in enumerate(statuses, 1)
    ]  # fmt: skip
    store.files.submit(lambda writer: _table(writer, Subject.CRITERIA).put(documents)).result()


def _table(writer: WriteContext, subject: Subject) -> MirroredObjects:
    return next(each for each in writer.mirror.object_tables if each.kind.subject is subject)
