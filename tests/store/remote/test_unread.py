"""What is unread, as the service keeps it: the inboxes of two machines agree, also after one was offline."""

from collections.abc import AsyncIterator

import pytest
from tests.store.following import connected, following
from tests.store.world import World, until, until_true

from backlit.client.client import Client
from backlit.store import Store, ViewSpec
from backlit.store.inbox import NewsReason
from backlit.store.journal.inbox import NewsKind
from backlit.store.records.item import Document


@pytest.fixture
async def follower(world: World) -> AsyncIterator[Store]:
    async with following(world) as store:
        yield store


def item_ids(store: Store) -> list[int]:
    return [row.id for row in store.view(ViewSpec()).rows(0, 9)]


async def comment(client: Client, item_id: int, text: str) -> Document:
    return await client.comments.create({"projectId": 1, "workItemId": item_id, "description": text})


@pytest.mark.slow
async def test_what_was_read_on_one_machine_is_read_on_the_other(world: World, follower: Store) -> None:
    first, second, *_ = item_ids(follower)
    async with following(world, "other") as other:
        await world.rival.work_items.update(first, {"Name": "Renamed by jon"})
        await comment(world.rival, second, "Said by jon")
        await until(lambda: {first, second} == set(follower.inbox.ids()) == set(other.inbox.ids()))

        await follower.inbox.seen([first])

        await until(lambda: other.inbox.ids() == [second], other.inbox.ids)
        await other.inbox.all_seen()
        await until(lambda: follower.inbox.ids() == [], follower.inbox.ids)


@pytest.mark.slow
async def test_what_came_before_this_machine_was_there_is_in_its_inbox(world: World, follower: Store) -> None:
    first, second, third, *_ = item_ids(follower)
    await world.rival.work_items.update(first, {"Name": "Renamed by jon"})
    await comment(world.rival, second, "Said by jon")
    await world.rival.work_items.delete(third)
    new = await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Made by jon"}})

    async with following(world, "other") as other:
        await until(lambda: len(other.inbox.ids()) == 4, other.inbox.ids)

        news = {item_id: other.inbox.news(item_id) for item_id in other.inbox.ids()}
        kinds = {item_id: each and each.kind for item_id, each in news.items()}
        assert kinds == {
            first: NewsKind.CHANGED,
            second: NewsKind.CHANGED,
            third: NewsKind.GONE,
            new["id"]: NewsKind.NEW,
        }
        renamed, commented, gone = news[first], news[second], news[third]
        assert renamed
        assert [(each.key, each.after) for each in renamed.fields] == [("Name", "Renamed by jon")]
        assert commented
        assert [each.text for each in commented.comments] == ["Said by jon"]
        assert gone
        assert gone.name
        assert gone.authors == ("jon",)


async def test_what_was_read_without_a_connection_is_told_afterwards(world: World, follower: Store) -> None:
    first, *_ = item_ids(follower)
    maya = await world.client("maya")
    await world.rival.work_items.update(first, {"Name": "Renamed by jon"})
    await until(lambda: follower.inbox.ids() == [first])

    world.faults.is_down = True
    await follower.inbox.seen([first])
    assert len((await maya.unread_activities(1, 9))["results"]) == 1
    world.faults.is_down = False

    await until_true(lambda: nothing_unread(maya))
    await follower.refresh()
    assert follower.inbox.ids() == []
    await maya.aclose()


async def nothing_unread(client: Client) -> bool:
    return not (await client.unread_activities(1, 9))["results"]


async def test_a_mention_and_an_assignment_are_told_as_such(world: World, follower: Store) -> None:
    first, second, *_ = item_ids(follower)
    me = follower.lookups.me()
    assert me is not None
    await comment(world.rival, first, "@Maya, look at `this`")
    await comment(world.rival, second, "`@maya` in code")
    fields = {"Name": "For maya", "AssignedToID": me.id}
    new = await world.rival.work_items.create({"type": "Story", "projectId": 1, "fields": fields})

    def reasons() -> list[object]:
        news = [follower.inbox.news(item_id) for item_id in (first, second, new["id"])]
        return [each and (each.kind, each.reason) for each in news]

    expected = [
        (NewsKind.CHANGED, NewsReason.MENTION),
        (NewsKind.CHANGED, None),
        (NewsKind.NEW, NewsReason.ASSIGNMENT),
    ]
    await until(lambda: reasons() == expected, reasons)


async def test_a_service_that_keeps_nothing_is_not_asked(world: World) -> None:
    world.without_history()
    async with connected(world) as store:
        await until(lambda: store.connection.synced_at)
        first, *_ = item_ids(store)
        await world.rival.work_items.update(first, {"Name": "Renamed by jon"})
        await store.refresh()
        assert store.inbox.ids() == [first]

        await store.inbox.seen([first])
        await store.refresh()

    assert not any("/activities" in path for _, path in world.faults.requests)


@pytest.mark.slow
async def test_change_below_an_item_is_told_by_its_sentence(world: World, follower: Store) -> None:
    first, second, third, *_ = item_ids(follower)
    await world.rival.resource("relations").create({"workItemId": first, "type": "Blocks", "targetId": second})
    await world.rival.resource("acceptancecriteria").create({"workItemId": third, "title": "It works"})

    async with following(world, "other") as other:
        await until(lambda: len(other.inbox.ids()) == 2, other.inbox.ids)

        for item_id, words in ((first, f"relation #{first} Blocks #{second}"), (third, "criterion It works")):
            told = other.inbox.news(item_id)
            assert told
            assert [sentence.partition(" the ")[2] for sentence in told.sentences] == [words]
            assert told.fields == ()
