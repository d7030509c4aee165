"""Since you looked: what others did is told once, what the user did never is, and a rebuild is no news."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store
from tests.store.world import World, sent, until

from backlit.store import Store, StoreChange, Subject, ViewSpec
from backlit.store.inbox import ItemNews
from backlit.store.journal.inbox import InboxRecord, NewsKind
from backlit.store.records.item import Document, FieldNews
from backlit.store.sqlite.database import drop_database


async def story(store: Store, place: int = 0) -> int:
    view = store.view(ViewSpec())
    await view.load()
    return [row.id for row in view.rows(0, 60) if row.type == "Story"][place]


def news_of(store: Store, item_id: int) -> ItemNews:
    found = store.inbox.news(item_id)
    assert found is not None, store.inbox.ids()
    return found


async def commented(world: World, item_id: int, text: str) -> None:
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": text})


@pytest.mark.slow
async def test_a_first_load_is_no_news(world: World) -> None:
    store = await world.online()

    assert (store.inbox.unread(), store.inbox.ids()) == (0, [])


async def test_a_change_by_somebody_else_is_told_field_by_field(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    before = store.item(item_id)
    assert before is not None
    await world.rival.work_items.update(item_id, {"Status": "Ready For Test", "Estimate": "44"})
    await store.refresh()

    news = news_of(store, item_id)
    assert news.fields == (
        FieldNews("Status", before.fields["Status"], "Ready For Test"),
        FieldNews("Estimate", before.fields["Estimate"], "44"),
    )
    assert (news.kind, news.authors, news.comments) == (NewsKind.CHANGED, ("jon",), ())
    assert store.inbox.unread() == 1


async def test_several_changes_count_from_what_was_seen_and_a_change_taken_back_is_none(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    name = str((await world.rival.work_items.get(item_id))["fields"]["Name"])
    await world.rival.work_items.update(item_id, {"Name": "One"})
    await store.refresh()
    await world.rival.work_items.update(item_id, {"Name": "Two"})
    await store.refresh()
    assert news_of(store, item_id).fields == (FieldNews("Name", name, "Two"),)

    await world.rival.work_items.update(item_id, {"Name": name})
    await store.refresh()

    assert store.inbox.unread() == 0


async def test_what_the_service_ranks_and_computes_is_no_news(world: World) -> None:
    store = await world.online()
    first, second = await story(store), await story(store, 1)
    await world.rival.work_items.act(second, "rank", {"before": first})
    await store.refresh()

    assert store.inbox.unread() == 0


async def test_an_item_made_by_somebody_else_is_new_until_it_is_seen(world: World) -> None:
    store = await world.online()
    made = await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh"}})
    await store.refresh()
    news = news_of(store, made["id"])
    await store.inbox.seen([made["id"]])

    assert (news.kind, news.name, news.type, news.authors) == (NewsKind.NEW, "Fresh", "Bug", ("jon",))
    assert store.inbox.unread() == 0


async def test_what_the_user_does_is_no_news(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await store.items.edit([item_id], {"Name": "Mine", "Tags": ["a", "b"]})
    await store.items.add("Bug", {"Name": "Mine too"})
    await store.items.comment(item_id, "My words")
    await sent(store)
    await store.refresh()

    assert store.inbox.ids() == []


async def test_what_the_user_does_elsewhere_is_no_news(world: World) -> None:
    here, there = await world.online(), await world.online("elsewhere")
    item_id = await story(there)
    await there.items.edit([item_id], {"Name": "Mine"})
    await there.items.comment(item_id, "My words")
    await sent(there)
    await here.refresh()

    assert [found.fields["Name"] for found in [here.item(item_id)] if found] == ["Mine"]
    assert here.inbox.ids() == []


async def test_what_somebody_else_changed_before_arrives_with_the_echo_of_ones_own_edit(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await world.rival.work_items.update(item_id, {"Estimate": "77"})
    await store.items.edit([item_id], {"Name": "Mine"})
    await sent(store)
    await store.refresh()

    assert [(field.key, field.after) for field in news_of(store, item_id).fields] == [("Estimate", "77")]


async def test_tags_merged_with_somebody_elses_tell_of_theirs_only(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await store.items.edit([item_id], {"Tags": ["seen"]})
    await sent(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Tags": ["seen", "mine"]})
    await world.rival.work_items.update(item_id, {"Tags": ["seen", "theirs"]})
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    (field,) = news_of(store, item_id).fields
    assert field == FieldNews("Tags", ["seen"], ["seen", "theirs"])


async def test_overruling_somebody_in_a_conflict_settles_the_news_of_that_field(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Name": "Mine"})
    await world.rival.work_items.update(item_id, {"Name": "Theirs", "Estimate": "55"})
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    told = [field.key for field in news_of(store, item_id).fields]
    await store.conflicts.retry(store.outbox_entries()[0].id)
    await sent(store)
    await store.refresh()

    assert told == ["Name", "Estimate"]
    assert [field.key for field in news_of(store, item_id).fields] == ["Estimate"]


async def test_new_comments_are_told_with_their_item(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await commented(world, item_id, "First")
    await commented(world, item_id, "Second")
    await store.refresh()

    news = news_of(store, item_id)
    assert [(each.text, each.author) for each in news.comments] == [("First", "jon"), ("Second", "jon")]
    assert (news.kind, news.fields, store.inbox.unread()) == (NewsKind.CHANGED, (), 1)


async def test_a_comment_that_was_read_in_the_thread_is_not_told_again(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await commented(world, item_id, "First")
    await store.look_at(item_id)
    await until(lambda: store.inbox.unread() == 1)
    await store.inbox.seen([item_id])
    await store.refresh()

    assert store.inbox.unread() == 0


async def test_a_comment_deleted_before_it_was_read_is_told_no_more(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await commented(world, item_id, "First")
    await store.refresh()
    (comment,) = news_of(store, item_id).comments
    await world.rival.comments.delete(comment.id)
    await store.look_at(item_id)

    await until(lambda: store.inbox.unread() == 0)


async def test_what_somebody_deleted_is_told_by_its_name(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    item = store.item(item_id)
    assert item is not None
    await world.rival.work_items.delete(item_id)
    await store.refresh()

    news = news_of(store, item_id)
    assert (news.kind, news.name, news.type) == (NewsKind.GONE, item.fields["Name"], "Story")
    assert news.authors == ("jon",)
    assert store.inbox.ids() == [item_id], "its tasks are not told one by one"


async def test_what_was_never_seen_is_not_missed(world: World) -> None:
    store = await world.online()
    made = await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh"}})
    await store.refresh()
    await world.rival.work_items.delete(made["id"])
    await store.refresh()

    assert store.inbox.unread() == 0


async def test_all_is_seen_at_once(world: World) -> None:
    store = await world.online()
    for place in range(3):
        await world.rival.work_items.update(await story(store, place), {"Estimate": "66"})
    await store.refresh()
    before = store.inbox.unread()
    await store.inbox.all_seen()

    assert (before, store.inbox.unread()) == (3, 0)


async def test_the_latest_news_comes_first(world: World) -> None:
    store = await world.online()
    ids = [await story(store, place) for place in range(3)]
    await world.rival.work_items.update(ids[1], {"Estimate": "66"})
    await commented(world, ids[0], "Words")
    await world.rival.work_items.update(ids[2], {"Estimate": "66"})
    await store.refresh()

    assert store.inbox.ids() == [ids[2], ids[0], ids[1]]


@pytest.mark.parametrize("is_seen", [False, True])
async def test_news_outlives_the_process_and_a_rebuilt_mirror_is_none(world: World, *, is_seen: bool) -> None:
    store = await world.online()
    item_id = await story(store)
    await world.rival.work_items.update(item_id, {"Estimate": "88"})
    await commented(world, item_id, "Words")
    made = await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh"}})
    await store.refresh()
    if is_seen:
        await store.inbox.seen([item_id, made["id"]])
    before = [store.inbox.news(each) for each in (item_id, made["id"])]
    await world.close(store)
    drop_database(world.places().mirror)

    again = await world.online()

    assert [again.inbox.news(each) for each in (item_id, made["id"])] == before
    assert again.inbox.unread() == (0 if is_seen else 2)


async def test_what_others_did_while_the_program_was_closed_is_news(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await world.close(store)
    await world.rival.work_items.update(item_id, {"Estimate": "88"})
    await commented(world, item_id, "Words")

    store = await world.online()
    await until(lambda: store.inbox.unread() == 1)

    news = news_of(store, item_id)
    assert ([field.key for field in news.fields], [each.text for each in news.comments]) == (["Estimate"], ["Words"])


async def test_the_feed_has_the_latest_comments_of_the_project_first(world: World) -> None:
    store = await world.online()
    item_id = await story(store)
    await commented(world, item_id, "Latest")
    await store.refresh()

    feed = store.inbox.feed()
    assert (feed[0].text, feed[0].item_id, feed[0].author) == ("Latest", item_id, "jon")
    assert [each.created_at for each in feed] == sorted(
        (each.created_at for each in feed if each.created_at), reverse=True
    )


async def test_the_journal_grows_with_the_news_only(world: World, tmp_path: Path) -> None:
    store = await world.online()
    await world.rival.work_items.update(await story(store), {"Estimate": "88"})
    await store.refresh()

    with closing(sqlite3.connect(world.places().journal)) as connection:
        assert connection.execute("SELECT count(*) FROM news").fetchone() == (1,)


def noted(store: Store, *records: InboxRecord) -> None:
    """Record news as a sync does."""
    store.files.submit(lambda writer: writer.journal.inbox.put(records)).result()


def changed(item_id: int, project: int = 1, at: str | None = "2026-03-02T10:00:00", **base: object) -> InboxRecord:
    return InboxRecord(item_id, project, NewsKind.CHANGED, "Story", f"Was {item_id}", base, noted_at=at)


async def test_news_tells_what_the_service_has_below_an_unsent_edit(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Estimate="5", Zone_cf="b")]) as store:
        noted(store, changed(1, Zone_cf="a", Estimate=None, Status="Done"))
        await store.items.edit([1], {"Name": "Mine", "Estimate": "8"})

        news = news_of(store, 1)

        assert news.fields == (
            FieldNews("Status", "Done", "Not Done"),
            FieldNews("Estimate", None, "5"),
            FieldNews("Zone_cf", "a", "b"),
        )
        assert (news.name, news.at) == ("Item 1", datetime(2026, 3, 2, 10))
        assert store.inbox.news(2) is None


async def test_news_of_a_deleted_item_has_the_name_that_is_left(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        noted(store, InboxRecord(1, 1, NewsKind.GONE, "Bug", "Gone", authors=["jon"]))

        news = news_of(store, 1)

        assert (news.kind, news.type, news.name, news.fields, news.authors) == (
            NewsKind.GONE,
            "Bug",
            "Gone",
            (),
            ("jon",),
        )
        assert (news.comments, news.at) == ((), None)


async def test_the_news_of_each_project_is_by_itself_and_the_latest_first(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        noted(
            store,
            *(changed(each, Name="x") for each in (1, 2)),
            changed(3, at="2026-03-03T10:00:00", Name="x"),
            changed(4, at="2026-03-01T10:00:00", Name="x"),
            changed(5, project=2, Name="x"),
            changed(6),
        )
        before = store.inbox.ids(), store.inbox.unread()
        noted(store, changed(4), changed(2, at="2026-03-04T10:00:00", Name="x"))
        after = store.inbox.ids()
        store.choose_project(2)
        there = store.inbox.ids(), store.inbox.unread()
        await store.inbox.all_seen()
        store.choose_project(1)
        here = store.inbox.unread()
        noted(store, changed(5, project=2, Name="x"))
        await store.inbox.all_seen(everywhere=True)

        assert (before, after) == (([3, 2, 1, 4], 4), [2, 3, 1])
        assert (there, here) == (([5], 1), 3)
        assert store.files.journal.inbox.count(1) == store.files.journal.inbox.count(2) == 0


async def test_what_is_seen_is_announced_once(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        noted(store, changed(1, Name="x"), changed(2, Name="x"), changed(3, Name="x"))
        heard: list[StoreChange] = []
        store.subscribe(lambda change: heard.append(change) if change.kind is Subject.INBOX else None)

        await store.inbox.seen([1, 2, 9])
        await store.inbox.seen([1, 2, 9])
        await store.inbox.all_seen()
        await store.inbox.all_seen()

        assert [each.ids for each in heard] == [frozenset({1, 2}), frozenset()]


async def test_a_new_item_is_seen_under_either_number(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        new = await store.items.add("Story", {"Name": "New"})
        (entry,) = store.outbox_entries()
        store.files.submit(lambda writer: writer.journal.deliver(entry, 7)).result()
        noted(store, changed(7, Name="x"))

        await store.inbox.seen([new])

        assert store.inbox.unread() == 0


async def test_the_feed_has_sent_comments_of_the_project_and_knows_the_unseen_ones(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, project=2)]) as store:

        def comment(number: int, day: int, item_id: int = 1) -> Document:
            at = f"2026-03-0{day}T10:00:00"
            return {
                "id": number,
                "workItemId": item_id,
                "projectId": item_id,
                "createdAt": at,
                "description": str(number),
            }

        comments = [comment(5, 1), comment(3, 2), comment(4, 2), comment(9, 3, 2)]
        store.files.submit(lambda writer: writer.mirror.comments.put(comments)).result()
        await store.items.comment(1, "Mine")
        noted(store, replace(changed(1), comments=[3, 5]), replace(changed(2, project=2), comments=[9]))

        assert [each.id for each in store.inbox.feed()] == [4, 3, 5]
        assert [each.id for each in news_of(store, 1).comments] == [3, 5]
        assert store.inbox.unread_comments() == {3, 5}
