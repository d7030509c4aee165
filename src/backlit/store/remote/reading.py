"""Reads from the service into the mirror: whole lists, and items in batches."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backlit.store.files.files import Files, Writer
from backlit.store.mirror.bulk_insert import NewRows
from backlit.store.records.item import Document, whole
from backlit.store.remote.receiving import receive
from backlit.store.sqlite.database import transaction

if TYPE_CHECKING:
    from backlit.client.resources import Listing

PAGE = 1000
"""The page size to request. Smaller pages are accepted."""
BATCH = 250
"""Items stored in one transaction. A small number keeps waiting edits fast."""


async def read_all(listing: "Listing[Any]", condition: str | None = None) -> list[Document]:
    """Read a list from end to end, each resource once. Resources without an id are all kept.

    The OData condition may be ignored by the service.
    """
    found: dict[object, Document] = {}
    seen = 0
    async for page in listing.pages(top=PAGE, filter=condition):
        before = len(found)
        found |= {each.get("id", f"at {seen + at}"): each for at, each in enumerate(page.results)}
        seen += len(page.results)
        if len(found) == before:
            break
    return list(found.values())


async def store_items(files: Files, documents: list[Document]) -> None:
    """Store items in batches and announce each batch."""

    def storing(batch: list[Document]) -> Callable[[Writer], None]:
        def act(writer: Writer) -> None:
            receive(writer, batch)

        return act

    for start in range(0, len(documents), BATCH):
        await files.write(storing(documents[start : start + BATCH]))


async def store_new_items(files: Files, documents: list[Document], stored: Callable[[Writer], None]) -> None:
    """Store a page of mostly new items. Their rows are computed before the write.

    Calls `stored` in the same transaction.
    """
    new_rows = NewRows.of({item_id: each for each in documents if (item_id := whole(each.get("id"))) is not None})

    def act(writer: Writer) -> None:
        with transaction(writer.mirror.connection):
            receive(writer, documents, new_rows=new_rows)
            stored(writer)

    await files.write(act)
