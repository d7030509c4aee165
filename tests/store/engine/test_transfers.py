"""Files to the service and back through the store."""

import asyncio
import threading
from pathlib import Path

import pytest
from tests.store.store_items import mirrored
from tests.store.world import PATIENCE, World, raised, sent, until

from backlit.model.errors import BadRequest, NotFound, Offline, StorageError
from backlit.store import Store, StoreChange, Subject
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.store.views.items import AttachmentEntry

CONTENT = bytes(range(256)) * 4096


def quietly(_done: int, _total: int) -> None:
    return


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.bin"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
async def store(world: World) -> Store:
    return await world.online()


@pytest.fixture
def item_id(store: Store) -> int:
    return min(mirrored(store))


def entry_of(store: Store, item_id: int, attachment_id: int) -> AttachmentEntry:
    return next(each for each in store.attachments.of_item(item_id) if each.id == attachment_id)


async def test_an_upload_is_known_at_once_and_told(store: Store, item_id: int, file: Path) -> None:
    heard: list[StoreChange] = []
    store.subscribe(heard.append)
    seen: list[tuple[int, int]] = []

    attachment_id = await store.transfers.upload(item_id, file, lambda *each: seen.append(each))

    entry = entry_of(store, item_id, attachment_id)
    assert (entry.name, entry.size, entry.is_internal) == ("plan.bin", len(CONTENT), True)
    assert StoreChange(Subject.ATTACHMENTS, frozenset({item_id})) in heard
    assert seen[-1] == (len(CONTENT), len(CONTENT))


async def test_what_customers_may_see_is_uploaded_as_such(store: Store, item_id: int, file: Path) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly, kind=FOR_CUSTOMERS)

    assert not entry_of(store, item_id, attachment_id).is_internal


async def test_a_comment_gets_a_file_where_the_service_can(
    world: World, store: Store, item_id: int, file: Path
) -> None:
    body = {"projectId": 1, "workItemId": item_id, "description": "See"}
    comment_id = int((await world.rival.comments.create(body))["id"])

    attachment_id = await store.transfers.upload(item_id, file, quietly, comment_id)
    world.faults.lacks = frozenset({f"/comments/{comment_id}/attachments"})
    error = await raised(store.transfers.upload(item_id, file, quietly, comment_id))

    assert entry_of(store, item_id, attachment_id).comment_id == comment_id
    assert str(error) == "This server accepts files on items only, not on comments."


async def test_a_download_and_a_look_give_what_was_uploaded(
    store: Store, item_id: int, file: Path, tmp_path: Path
) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly)

    saved = await store.transfers.download(attachment_id, tmp_path, quietly, "other.bin")

    assert (saved, saved.read_bytes()) == (tmp_path / "other.bin", CONTENT)
    assert await store.transfers.look(attachment_id, 300) == CONTENT[:300]


async def test_cancelling_ends_the_transfer(store: Store, item_id: int, file: Path, tmp_path: Path) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly)
    begun, is_cancelled = threading.Event(), threading.Event()

    def progress(_done: int, _total: int) -> None:
        begun.set()
        is_cancelled.wait(PATIENCE)

    task = asyncio.create_task(store.transfers.download(attachment_id, tmp_path, progress, "other.bin"))
    await until(begun.is_set)
    task.cancel()
    await asyncio.wait([task])  # the engine's thread goes on only when it has been told
    is_cancelled.set()

    assert task.cancelled()
    assert await store.transfers.download(attachment_id, tmp_path, quietly, "again.bin") == tmp_path / "again.bin"
    assert (tmp_path / "again.bin").read_bytes() == CONTENT
    assert not (tmp_path / "other.bin").exists()


async def test_a_description_is_written_and_shown(world: World, store: Store, item_id: int, file: Path) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly)

    await store.transfers.describe(attachment_id, "The plan of March")

    assert entry_of(store, item_id, attachment_id).description == "The plan of March"
    assert (await world.rival.attachments.get(attachment_id))["description"] == "The plan of March"


async def test_a_deleted_attachment_is_gone_here_and_there(
    world: World, store: Store, item_id: int, file: Path
) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly)

    await store.transfers.delete(attachment_id)

    assert store.attachments.of_item(item_id) == ()
    assert isinstance(await raised(world.rival.attachments.get(attachment_id)), NotFound)


async def test_what_somebody_else_deleted_is_forgotten_when_it_is_asked_for(
    world: World, store: Store, item_id: int, file: Path
) -> None:
    first, second = [await store.transfers.upload(item_id, file, quietly) for _ in range(2)]
    for each in (first, second):
        await world.rival.attachments.delete(each)

    error = await raised(store.transfers.look(first, 10))
    await store.transfers.delete(second)

    assert str(error) == "The attachment was deleted."
    assert store.attachments.of_item(item_id) == ()


async def test_a_service_with_the_other_spelling_deletes_too(
    world: World, store: Store, item_id: int, file: Path
) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly)
    world.faults.lacks = frozenset({f"/attachments/{attachment_id}"})

    await store.transfers.delete(attachment_id)

    assert ("DELETE", f"/api/v1/attachment/{attachment_id}") in world.faults.requests


async def test_offline_it_is_said_that_files_do_not_wait(world: World, store: Store, item_id: int, file: Path) -> None:
    attachment_id = await store.transfers.upload(item_id, file, quietly)
    store.close()
    store = world.store()

    upload = await raised(store.transfers.upload(item_id, file, quietly))
    look = await raised(store.transfers.look(attachment_id, 10))

    assert isinstance(upload, Offline)
    assert "not queued" in str(upload)
    assert "only on the server" in str(look)
    assert store.outbox.pending == 0


async def test_an_item_that_was_not_sent_yet_takes_no_files(world: World, store: Store, file: Path) -> None:
    world.faults.is_down = True
    item_id = await store.items.add("Story", {"Name": "New"})

    error = await raised(store.transfers.upload(item_id, file, quietly))
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert isinstance(error, BadRequest)
    assert await store.transfers.upload(item_id, file, quietly) > 0


async def test_a_file_that_is_not_there_is_said(store: Store, item_id: int, tmp_path: Path) -> None:
    error = await raised(store.transfers.upload(item_id, tmp_path / "nothing", quietly))

    assert isinstance(error, StorageError)
    assert store.attachments.of_item(item_id) == ()


async def test_an_upload_without_an_answer_is_looked_for(world: World, store: Store, item_id: int, file: Path) -> None:
    world.faults.lost_answers["POST"] = 1

    await raised(store.transfers.upload(item_id, file, quietly))

    await until(lambda: len(store.attachments.of_item(item_id)) == 1)
