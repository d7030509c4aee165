"""Reads of the views that the service keeps, an extension, into the mirror."""

from typing import TYPE_CHECKING

from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document
from backlit.store.records.people import KEPT_VIEWS
from backlit.store.remote.listing import read_all

if TYPE_CHECKING:
    from backlit.client.client import Client


async def read_views(client: "Client", files: LocalDatabase, project_id: int) -> list[Document]:
    """Read the views that the members of a project share and those of the user, and return them."""
    documents = await read_all(client.views.of_project(project_id))

    def act(writer: WriteContext) -> None:
        if writer.mirror.put_resources(KEPT_VIEWS, project_id, documents):
            writer.signal.publish(StoreChange(Subject.VIEWS))

    await files.write(act)
    return documents
