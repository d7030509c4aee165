"""Read-only mode: no edit is taken, nothing is sent, and what others change still comes."""

from tests.store.world import World, raised, until

from backlit.model.errors import Forbidden
from backlit.store import ConnectionState, ViewSpec

WHY = "Nothing is changed: read-only."


async def test_nothing_is_taken_or_sent_and_the_changes_of_others_come(world: World) -> None:
    world.take_loaded()
    store = world.store()
    view = store.view(ViewSpec())
    await view.load()
    first, second = [row.id for row in view.rows(0, 9) if row.type == "Story"][:2]
    await store.items.edit([first], {"Name": "Waits"})
    store.files.only_read(WHY)

    refused = await raised(store.items.edit([second], {"Name": "Never"}))
    await world.rival.work_items.update(second, {"Name": "By jon"})
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
    await store.refresh()

    assert isinstance(refused, Forbidden)
    assert refused.message == WHY
    arrived = store.item(second)
    assert arrived is not None
    assert arrived.name == "By jon"
    assert store.outbox.pending == 1
    assert "Waits" not in await world.names()
    assert store.lookups.is_read_only


async def test_a_client_that_only_reads_refuses_each_request_that_changes(world: World) -> None:
    client = await world.client("maya")
    client.only_read(WHY)

    async with client:
        refusals = [
            await raised(client.work_items.delete(1)),
            await raised(client.work_items.act(1, "rank", {"top": True})),
            await raised(client.transfers.upload("workitems/1", world.folder / "x", "text/plain", lambda *_: None)),
        ]
        read = await client.work_items.get(1)

    assert {type(each) for each in refusals} == {Forbidden}
    assert read["id"] == 1
