"""The first inbox of the sample."""

from tests.store.world import World, until

from backlit.store import ConnectionState, Store


async def looking_around(world: World) -> Store:
    store = world.store()
    store.is_sample = True
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
    return store


async def test_the_inbox_of_the_sample_begins_with_what_two_others_did(world: World) -> None:
    store = await looking_around(world)

    news = [item for item_id in store.inbox.ids() if (item := store.inbox.news(item_id)) is not None]
    assert [item.authors for item in news] == [("lena",), ("jon",), ("lena",), ("jon",)]
    assert [[field.key for field in item.fields] for item in news] == [
        ["AssignedToID", "PriorityClass"],
        [],
        [],
        ["Description", "Estimate"],
    ]
    assert [len(item.comments) for item in news] == [0, 1, 1, 0]


async def test_seen_news_of_the_sample_do_not_come_back(world: World) -> None:
    store = await looking_around(world)
    await store.inbox.all_seen()

    await store.engine.refresh()
    assert store.inbox.unread() == 0


async def test_no_other_workspace_begins_with_news(world: World) -> None:
    store = await world.online()

    assert store.inbox.unread() == 0
