"""The inbox by the service's history: who changed what between two polls, and what the user did elsewhere."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.store.world import World

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import Store, ViewSpec
from backlit.store.inbox import AuthorNews, ItemNews
from backlit.store.records.item import FieldNews


@pytest.fixture
async def ada(world: World) -> AsyncIterator[Client]:
    """A third person, at work on the service itself."""
    client = Client.inside(world.asgi, TokenCache(world.folder / "ada.json", "ada"))
    await client.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "ada"))
    yield client
    await client.aclose()


async def story(store: Store) -> int:
    view = store.view(ViewSpec())
    await view.load()
    return next(row.id for row in view.rows(0, 60) if row.type == "Story" and row.estimate)


def news_of(store: Store, item_id: int) -> ItemNews:
    found = store.inbox.news(item_id)
    assert found is not None, store.inbox.ids()
    return found


def value(store: Store, item_id: int, key: str) -> object:
    item = store.item(item_id)
    assert item is not None
    return item.fields.get(key)


async def test_changes_of_two_people_between_two_polls_are_told_by_author(
    world: World, store: Store, ada: Client
) -> None:
    item_id = await story(store)
    estimate, name = value(store, item_id, "Estimate"), value(store, item_id, "Name")
    await world.rival.work_items.update(item_id, {"Estimate": "99"})
    await ada.work_items.update(item_id, {"Name": "Hers"})
    await world.rival.work_items.update(item_id, {"Estimate": "98"})

    await store.refresh()

    news = news_of(store, item_id)
    assert news.changes == (
        AuthorNews("jon", (FieldNews("Estimate", estimate, "98"),)),
        AuthorNews("ada", (FieldNews("Name", name, "Hers"),)),
    )
    assert news.authors == ("jon", "ada")
    assert {(each.key, each.before, each.after) for each in news.fields} == {
        ("Estimate", estimate, "98"),
        ("Name", name, "Hers"),
    }


async def test_what_others_changed_before_the_user_did_elsewhere_is_news(
    world: World, store: Store, boss: Client
) -> None:
    item_id = await story(store)
    estimate = value(store, item_id, "Estimate")
    await world.rival.work_items.update(item_id, {"Estimate": "99"})
    await boss.work_items.update(item_id, {"Name": "Mine, from elsewhere"})

    await store.refresh()

    news = news_of(store, item_id)
    assert (news.authors, news.fields) == (("jon",), (FieldNews("Estimate", estimate, "99"),))
    assert store.inbox.unread() == 1


async def test_what_the_user_did_elsewhere_alone_is_none(world: World, store: Store, boss: Client) -> None:
    item_id = await story(store)
    await boss.work_items.update(item_id, {"Name": "Mine, from elsewhere"})

    await store.refresh()

    assert (store.inbox.unread(), store.inbox.ids(), store.inbox.news(item_id)) == (0, [], None)


async def test_later_changes_join_what_was_told_until_it_is_seen(world: World, store: Store, ada: Client) -> None:
    item_id = await story(store)
    estimate, name = value(store, item_id, "Estimate"), value(store, item_id, "Name")
    await world.rival.work_items.update(item_id, {"Estimate": "99"})
    await store.refresh()
    await ada.work_items.update(item_id, {"Name": "Hers"})
    await store.refresh()

    assert news_of(store, item_id).changes == (
        AuthorNews("ada", (FieldNews("Name", name, "Hers"),)),
        AuthorNews("jon", (FieldNews("Estimate", estimate, "99"),)),
    )

    await store.inbox.seen([item_id])
    await ada.work_items.update(item_id, {"Estimate": "1"})
    await store.refresh()

    assert news_of(store, item_id).changes == (AuthorNews("ada", (FieldNews("Estimate", "99", "1"),)),)


async def test_without_a_history_the_inbox_tells_what_this_machine_saw(world: World, store: Store, ada: Client) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    await store.refresh()
    item_id = await story(store)
    estimate, name = value(store, item_id, "Estimate"), value(store, item_id, "Name")
    await world.rival.work_items.update(item_id, {"Estimate": "99"})
    await ada.work_items.update(item_id, {"Name": "Hers"})

    await store.refresh()

    news = news_of(store, item_id)
    assert (news.authors, news.changes) == (("ada",), ())
    assert set(news.fields) == {FieldNews("Estimate", estimate, "99"), FieldNews("Name", name, "Hers")}
    assert not any(path.endswith("/history") for _, path in world.faults.requests)


async def test_a_history_that_cannot_be_read_leaves_what_this_machine_saw(world: World, store: Store) -> None:
    world.faults.lacks = frozenset({"/history"})
    item_id = await story(store)
    await world.rival.work_items.update(item_id, {"Estimate": "99"})

    await store.refresh()
    await store.refresh()

    assert [(each.key, each.after) for each in news_of(store, item_id).fields] == [("Estimate", "99")]
    assert sum(path.endswith("/history") for _, path in world.faults.requests) == 1
