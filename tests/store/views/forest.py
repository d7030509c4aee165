"""A store with Features, items below them and tasks, without a service."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.store.documents import announce, item, offline_store

from backlit.store import Store
from backlit.store.files.files import WriteContext
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
        announce(store, {"extensions": ["relations"]})
        set_parents(store, parents)
        yield store


def set_parents(store: Store, parents: Mapping[int, int]) -> None:
    def act(writer: WriteContext) -> None:
        sql = "UPDATE items SET parent_id = ? WHERE id = ?"
        writer.mirror.connection.executemany(sql, [(parent, item_id) for item_id, parent in parents.items()])

    store.files.submit(act).result()
