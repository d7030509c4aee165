"""What is mirrored beside the items: attachments, time entry types, and documents as they came."""

from datetime import datetime

import orjson
import pytest
from sqlalchemy import insert
from tests.store.store_items import mirrored
from tests.store.world import World, until

from backlit.service.storage.schema import time_entry_types
from backlit.store import Store


async def attach(world: World, item_id: int) -> int:
    """Attach a file as somebody else does."""
    path = world.folder / "plan.txt"
    path.write_text("The plan.")
    made = await world.rival.transfers.upload(f"workitems/{item_id}", path, "text/plain", lambda _done, _of: None)
    return int(made["id"])


def received(store: Store, table: str, noun_id: int) -> object:
    found = store.files.mirror.execute(f"SELECT doc FROM {table} WHERE id = ?", (noun_id,)).fetchone()
    return orjson.loads(found[0])


@pytest.mark.slow
async def test_an_attachment_of_somebody_else_arrives_with_the_next_refresh(world: World) -> None:
    store = await world.online()
    item_id = min(mirrored(store))

    attachment_id = await attach(world, item_id)
    await store.refresh()

    (entry,) = [each for each in store.attachments.of_item(item_id) if each.id == attachment_id]
    assert (entry.name, entry.size, entry.author, entry.comment_id) == ("plan.txt", 9, "jon", None)
    assert received(store, "attachments", attachment_id) == await world.rival.attachments.get(attachment_id)


@pytest.mark.slow
async def test_a_deleted_attachment_goes_when_its_item_is_looked_at(world: World) -> None:
    store = await world.online()
    item_id = min(mirrored(store))
    attachment_id = await attach(world, item_id)
    await store.refresh()
    await world.rival.attachments.delete(attachment_id)

    await store.look_at(item_id)

    await until(lambda: attachment_id not in {each.id for each in store.attachments.of_item(item_id)})


async def test_attachments_go_with_their_item(world: World) -> None:
    store = await world.online()
    item_id = min(mirrored(store))
    await attach(world, item_id)
    await store.refresh()
    await world.rival.work_items.delete(item_id)

    await store.refresh()

    assert store.attachments.of_item(item_id) == ()


async def test_comments_and_items_are_kept_exactly_as_they_came(world: World) -> None:
    store = await world.online()
    item_id = min(mirrored(store))
    made = await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Look"})

    await store.refresh()

    assert received(store, "comments", int(made["id"])) == await world.rival.comments.get(int(made["id"]))
    assert received(store, "documents", item_id) == await world.rival.work_items.get(item_id)


async def test_the_projects_time_entry_types_are_known(world: World) -> None:
    store = await world.online()
    before = store.lookups.time_entry_types()
    now = datetime(2026, 3, 1)
    audit = {"created_by": "maya", "created_at": now, "last_modified_by": "maya", "last_modified_at": now}
    rows = [{"project_id": 1, "name": name, **audit} for name in ("Soldering", "Analysis")]
    writing = world.service.shared.database.write
    writing.submit(lambda connection: connection.execute(insert(time_entry_types), rows)).result()

    await store.refresh()

    assert store.lookups.time_entry_types() == (*before, "Soldering", "Analysis")
