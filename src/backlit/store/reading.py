"""From the service into the mirror: lists read whole, and items stored in batches."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backlit.store.arrivals import Arrivals
from backlit.store.database import transaction
from backlit.store.files import Files, Writer
from backlit.store.receiving import receive
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.resource import Listing

PAGE = 1000
"""Resources asked for at once; services that give fewer are taken as they are (FEATURES rule 18)."""
BATCH = 250
"""Items stored in one transaction, so that an edit made meanwhile does not wait long for its turn."""


async def read_all(listing: "Listing[Any]", condition: str | None = None) -> list[Document]:
    """Read a list from end to end, each resource once; those without an id are taken as they come.

    With a condition, in OData, only what meets it; services may give more.
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
    """Store items a few hundred at a time, telling the screens after each."""

    def storing(batch: list[Document]) -> Callable[[Writer], None]:
        def act(writer: Writer) -> None:
            receive(writer, batch)

        return act

    for start in range(0, len(documents), BATCH):
        await files.write(storing(documents[start : start + BATCH]))


async def store_arrivals(files: Files, documents: list[Document], stored: Callable[[Writer], None]) -> None:
    """Store a page of items that are new for the most part; what can be worked out before its turn to write, is.

    `stored` is called in the same transaction.
    """
    arrivals = Arrivals.of({item_id: each for each in documents if (item_id := whole(each.get("id"))) is not None})

    def act(writer: Writer) -> None:
        with transaction(writer.mirror.connection):
            receive(writer, documents, arrivals=arrivals)
            stored(writer)

    await files.write(act)
