"""Sync: the first load, what changed, what is gone."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.foreign_server import ForeignServer, Quirks
from tests.store.service_items import on_service
from tests.store.store_items import mirrored
from tests.store.world import PATIENCE, Said, World, raised, until, until_true

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import ConnectionState, Store, TreeKind, ViewSpec
from backlit.store.engine.engine import Report
from backlit.store.files.files import WriteContext
from backlit.store.records.changes import StoreChange
from backlit.store.records.item import Document
from backlit.store.remote.capabilities import TRAITS, ServiceTraits
from backlit.store.remote.listing import ProjectLists
from backlit.store.sync.changes import OVERLAP, ChangeReader
from backlit.store.sync.loading import FirstLoad


async def test_the_first_load_mirrors_the_project_as_it_is(world: World) -> None:
    store = await world.online()

    assert store.project_id == 1
    assert mirrored(store) == await on_service(world)
    assert next(project.name for project in store.lookups.projects()) == "Aurora"
    assert {person.username for person in store.lookups.people().values()} >= {"maya", "jon"}
    assert store.connection.user is not None
    assert store.connection.user.username == "maya"
    assert len(store.lookups.tree(TreeKind.AREAS)) > 1
    assert len(store.lookups.iterations()) == len(store.lookups.tree(TreeKind.ITERATIONS))
    assert "Done" in store.lookups.statuses("Story")
    assert "Channel_cf" in {field.key for field in store.lookups.custom_fields()}


async def test_the_view_has_the_services_own_order(world: World) -> None:
    store = await world.online()
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'", top=1000)

    rows = store.view(ViewSpec(with_done=True)).rows(0, 1000)

    assert [row.id for row in rows if row.type != "Task"] == [each["id"] for each in page.results]


async def test_what_others_change_add_and_delete_arrives(world: World) -> None:
    store = await world.online()
    changed, deleted = sorted(await on_service(world))[:2]
    await world.rival.work_items.update(changed, {"Name": "Changed by Jon"})
    await world.rival.work_items.delete(deleted)
    await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Found by Jon"}})
    await world.rival.comments.create({"projectId": 1, "workItemId": changed, "description": "Look"})

    await store.refresh()

    assert mirrored(store) == await on_service(world)
    assert store.comments.of_item(changed)[-1].text == "Look"


async def test_an_order_that_another_client_made_arrives_with_all_renumbered_neighbours(world: World) -> None:
    """A rank leaves every stamp as it is: no read of changes tells of it."""
    store = await world.online()
    before = await documents_on_service(world)
    first, *_, last, other = sorted(each for each in before if before[each]["type"] != "Task")
    for moved in [last, other] * 30:  # until the numbers between two items run out
        await world.rival.work_items.act(moved, "rank", {"after": first})

    await store.refresh()

    after = await documents_on_service(world)
    mirror = await store.files.write(lambda writer: writer.mirror.received(after))
    assert mirror == after
    assert sum(after[each] != before[each] for each in after) > 20
    assert [each["lastModifiedAt"] for each in after.values()] == [each["lastModifiedAt"] for each in before.values()]


async def documents_on_service(world: World) -> dict[int, Document]:
    page = await world.rival.work_items.page(filter="projectId eq 1", order="id", top=1000)
    return {int(each["id"]): each for each in page.results}


async def test_an_order_is_read_again_only_when_it_has_changed(world: World) -> None:
    store = await world.online()
    await store.refresh()
    world.faults.requests.clear()

    await store.refresh()
    lists = [path for _, path in world.faults.requests].count("/api/v1/workitems")
    await world.rival.work_items.act(max(await on_service(world)), "rank", {"top": True})
    world.faults.requests.clear()
    await store.refresh()

    assert [path for _, path in world.faults.requests].count("/api/v1/workitems") == lists + 1


async def test_a_restart_shows_the_mirror_at_once_and_then_only_asks_for_what_is_new(world: World) -> None:
    store = await world.online()
    expected = mirrored(store)
    await world.close(store)
    world.faults.requests.clear()

    store = world.store()
    assert mirrored(store) == expected
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE)

    lists = [path for method, path in world.faults.requests if path.endswith("/workitems")]
    assert len(lists) <= 2


async def test_an_interrupted_first_load_goes_on_where_it_stopped(world: World) -> None:
    store = await world.online()
    ids = sorted(mirrored(store))
    middle = ids[len(ids) // 2]

    def forget(writer: WriteContext) -> None:
        writer.mirror.remove_items([each for each in ids if each > middle])
        writer.mirror.set_note("filled 1", None)
        writer.mirror.set_note("left 1", {"left": [[middle, 0]], "done": 0, "total": 0})

    store.files.submit(forget).result()
    await store.refresh()

    assert mirrored(store) == await on_service(world)


async def test_an_interrupted_load_reads_the_range_that_was_in_transit(world: World) -> None:
    store = world.store("empty")
    asked = 0

    async def hold_the_fourth(_method: str, path: str) -> None:
        nonlocal asked
        asked += path.endswith("/workitems")
        if asked == 4:
            await asyncio.Event().wait()

    async def is_at_the_last() -> bool:
        note = await store.files.write(lambda writer: writer.mirror.note("left 1"))
        return isinstance(note, dict) and len(note["left"]) < 2

    async with Client.inside(world.faults, TokenCache(world.folder / "reader.json", "reader")) as client:
        await client.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))
        lists = ProjectLists(client, ServiceTraits(page=10), 1)
        world.faults.before = hold_the_fourth
        load = asyncio.create_task(FirstLoad(lists, store.files, lambda *_: None).run())
        await until_true(is_at_the_last)
        load.cancel()
        await asyncio.wait([load])

        assert await FirstLoad(lists, store.files, lambda *_: None).run()

    assert mirrored(store) == await on_service(world)


async def test_a_service_that_goes_away_is_said_and_the_next_try_brings_it_back(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True

    error = await raised(store.refresh())
    failed = store.connection
    world.faults.is_down = False
    await store.refresh()

    assert (failed.state, failed.sentence) == (ConnectionState.OFFLINE, error.message)
    assert store.connection.state is ConnectionState.ONLINE


async def test_a_store_knows_its_user_and_project_without_the_service(world: World) -> None:
    await world.close(await world.online())

    store = world.store()

    assert store.connection.user is not None
    assert store.connection.user.username == "maya"
    assert store.project_id == 1


async def test_a_store_may_be_closed_the_moment_it_was_started(world: World) -> None:
    store = world.store()
    store.start()
    await world.close(store)

    assert store.connection.state in {ConnectionState.IDLE, ConnectionState.PREPARING}


@pytest.mark.slow
async def test_signing_in_and_out(world: World) -> None:
    store = world.store(signed_in=False)
    store.start()
    await until(lambda: store.connection.state is ConnectionState.SIGNED_OUT)

    await raised(store.engine.sign_in("maya", "wrong"))
    assert store.connection.state is ConnectionState.SIGNED_OUT

    await store.engine.sign_in("maya", "lantern")
    await until(lambda: store.connection.state is ConnectionState.ONLINE)
    await store.engine.sign_out()
    assert store.connection.state is ConnectionState.SIGNED_OUT
    assert mirrored(store) == await on_service(world)


async def test_looking_at_an_item_reads_it_and_its_comments(world: World) -> None:
    store = await world.online()
    item_id = min(mirrored(store))
    await world.rival.work_items.update(item_id, {"Description": "Newer"})
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "And this"})

    await store.look_at(item_id)

    await until(lambda: (found := store.item(item_id)) and found.fields["Description"] == "Newer")
    await until(lambda: [comment.text for comment in store.comments.of_item(item_id)][-1:] == ["And this"])


@pytest.mark.parametrize("failing", ["comments", "attachments"])
async def test_an_item_looked_at_is_stored_where_its_comments_or_files_fail(world: World, failing: str) -> None:
    store = await world.online()
    item_id = min(mirrored(store))
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Before"})
    await store.refresh()
    world.faults.says = lambda _method, path: Said(500) if path.lower().endswith(failing) else None
    world.faults.is_answered = lambda path: f"/workitems/{item_id}" in path.lower()  # no sync ends
    await world.rival.work_items.update(item_id, {"Name": "Newer"})
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "And this"})

    await store.look_at(item_id)

    def stored() -> tuple[str, list[str]]:
        texts = [comment.text for comment in store.comments.of_item(item_id)]
        return mirrored(store)[item_id], texts[texts.index("Before") :] if "Before" in texts else []

    known = ["Before", *(["And this"] if failing == "attachments" else [])]
    await until(lambda: stored() == ("Newer", known), lambda: (stored(), world.faults.requests[-9:]))


async def test_only_one_of_two_processes_talks_to_the_service_and_the_other_sees_what_it_does(world: World) -> None:
    first = await world.online()
    second = world.store()
    second.start()
    await until(lambda: second.connection.state is ConnectionState.ONLINE)
    item_id = min(mirrored(second))

    await second.items.edit([item_id], {"Name": "By the second"})
    await first.refresh()
    await until(lambda: first.outbox.pending == 0 and not second.outbox_entries())

    assert (await on_service(world))[item_id] == "By the second"
    seen = second.item(item_id)
    assert seen is not None
    assert seen.sign == 0


async def test_a_change_stamped_just_before_the_watermark_is_read(world: World) -> None:
    store = await world.online()
    changed = await world.rival.work_items.update(7, {"Name": "Committed late"})
    mark = (datetime.fromisoformat(changed["lastModifiedAt"]) + timedelta(seconds=1)).isoformat()
    await store.files.write(lambda writer: writer.mirror.set_note("watermark 1", mark))

    await store.refresh()

    assert mirrored(store)[7] == "Committed late"


async def test_changes_of_one_second_are_read_over_the_end_of_a_page(tmp_path: Path) -> None:
    server = ForeignServer(Quirks(), items=0)
    server.items = {item_id: item(item_id, project=7) for item_id in range(1, 151)}
    mark = datetime.fromisoformat(str(server.items[1]["lastModifiedAt"])) + OVERLAP
    with offline_store(tmp_path) as store:
        await store.files.write(lambda writer: writer.mirror.set_note("watermark 7", mark.isoformat()))
        async with Client.inside(server, TokenCache(tmp_path / "pat.json", "here")) as client:
            await client.auth.sign_in("pat", "secret")
            await ChangeReader(ProjectLists(client, ServiceTraits(dates=None), 7), store.files).run()

        assert store.files.mirror.execute("SELECT count(*) FROM items").fetchone() == (150,)


async def test_comments_of_several_pages_are_all_read(world: World) -> None:
    store = await world.online()
    for number in range(5):
        await world.rival.comments.create({"projectId": 1, "workItemId": 1, "description": f"Comment {number}"})

    await store.files.write(
        lambda writer: writer.mirror.set_note(TRAITS, ServiceTraits(page=2, is_sure=True).document())
    )
    await asyncio.wait_for(store.refresh(), PATIENCE)

    texts = [text for (text,) in store.files.mirror.execute("SELECT doc ->> 'description' FROM comments")]
    assert {f"Comment {number}" for number in range(5)} <= set(texts)


async def test_every_announced_item_can_be_read(world: World) -> None:
    """A list that reads items before they are stored would not show them until the next change."""
    server = ForeignServer(Quirks(cap=20), items=60)

    async def connect(_report: Report) -> Client:
        client = Client.inside(server, TokenCache(world.folder / "pat.json", server.base), server.base)
        await client.auth.sign_in("pat", "secret")
        return client

    store = Store(places_in(world.folder / "read"), connect)
    store.open()
    missing: list[int] = []
    announced: set[int] = set()

    def read(change: StoreChange) -> None:
        with closing(sqlite3.connect(store.files.places.mirror)) as mirror:
            stored = {item_id for (item_id,) in mirror.execute("SELECT id FROM items")}
        missing.extend(change.ids - stored)
        announced.update(change.ids)

    store.subscribe(read)
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
    await asyncio.to_thread(store.close)

    assert len(announced) == 60
    assert missing == []
