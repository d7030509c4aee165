"""What was done is taken back and done again one act after the other, in whatever way the acts touched each other."""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace
from tests.store.conflicts import case_of, contested
from tests.store.documents import item, offline_store, put
from tests.store.service_items import fields
from tests.store.store_items import field
from tests.store.undo.undo_steps import redone, undone
from tests.store.world import World, sent, until

from backlit.store import EntryState, Store, StoreChange, Subject
from backlit.store.edits.conflicts import KeptSide
from backlit.store.files.files import WriteContext
from backlit.store.records.entry import CREATES, EntryKind
from backlit.store.records.item import Document, fields_in
from backlit.store.undo.operations import NamedObject


async def again(world: World, store: Store) -> Store:
    """The same store after a restart."""
    await world.close(store)
    return await world.online()


async def test_a_settled_conflict_is_walked_down_and_up_again_across_restarts(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    await store.conflicts.resolve(case_of(store), {"Name": KeptSide.THEIRS})
    await sent(store)

    await undone(store)
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    store = await again(world, store)
    given_up = await undone(store)
    assert [(each.before, each.after) for each in given_up.changes] == [("Maya's", "Jon's")]
    assert (field(store, item_id), store.outbox_entries()) == ("Jon's", ())

    store = await again(world, store)
    taken_up = await redone(store)
    assert [(each.after, each.is_contested) for each in taken_up.changes] == [("Maya's", True)]
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    settled = await redone(store)
    assert [(each.before, each.after) for each in settled.changes] == [("Maya's", "Jon's")]
    assert (field(store, item_id), store.outbox_entries()) == ("Jon's", ())
    assert await store.history.redo() is None


async def test_keeping_mine_is_walked_down_to_the_edit_and_up_again(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's"})
    await store.conflicts.resolve(case_of(store), {"Name": "Both"})
    await sent(store)

    for _ in range(2):
        await undone(store)
        await undone(store)
        await sent(store)
        found = await fields(world, item_id)
        assert (found["Name"], found["Estimate"] == "777") == ("Jon's", False)

        await redone(store)
        await redone(store)
        await sent(store)
        found = await fields(world, item_id)
        assert (found["Name"], found["Estimate"]) == ("Both", "777")
    assert store.outbox_entries() == ()


async def test_an_unsent_item_goes_and_comes_as_often_as_one_likes(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        new_id = await store.items.add("Story", {"Name": "New"})
        await store.items.edit([new_id], {"Name": "Newer"})

        for _ in range(3):
            await undone(store)
            await undone(store)
            assert store.item(new_id) is None
            assert await store.history.undo() is None
            await redone(store)
            assert field(store, new_id) == "New"
            await redone(store)
            assert field(store, new_id) == "Newer"
            assert await store.history.redo() is None


async def test_what_was_discarded_in_the_outbox_is_an_act_among_the_others(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "One"})
        await store.items.edit([1], {"Estimate": "3"})
        await store.conflicts.discard(store.outbox_entries()[1].id)

        for _ in range(2):
            for _, expected in zip(range(3), (("One", "3"), ("One", None), ("Item 1", None)), strict=True):
                await undone(store)
                assert (field(store, 1), field(store, 1, "Estimate")) == expected
            for _, expected in zip(range(3), (("One", None), ("One", "3"), ("One", None)), strict=True):
                await redone(store)
                assert (field(store, 1), field(store, 1, "Estimate")) == expected


async def test_a_deletion_that_was_given_up_in_the_outbox_comes_back_to_the_act_that_deleted(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.deletions.delete_items([1])
        await store.conflicts.discard(store.outbox_entries()[0].id)

        await undone(store)
        assert store.item(1) is None
        await undone(store)
        assert store.item(1) is not None
        await redone(store)
        assert store.item(1) is None
        await redone(store)
        assert store.item(1) is not None


def settle(store: Store, *made: int) -> None:
    """Have the service take all unsent entries; new items and comments get the given ids."""
    ids = iter(made)

    def act(writer: WriteContext) -> None:
        for entry in writer.journal.entries.undelivered():
            current = writer.journal.entries.find(entry.id) or entry
            real_id = next(ids) if current.kind in CREATES else None
            if current.kind is EntryKind.ADD and real_id is not None:
                document = item(real_id, kind=str(current.payload["type"]), **dict(current.fields))  # type: ignore[arg-type] # fields
                writer.mirror.put_items([document], ())
                writer.mirror.remove_items([current.temporary_id])
            if current.kind is EntryKind.DELETE:
                writer.mirror.delete_items([current.item_id])
            if current.kind is EntryKind.EDIT:
                document = {**writer.mirror.received([current.item_id])[current.item_id]}
                document["fields"] = {**fields_in(document), **current.payload}
                writer.mirror.put_items([document], ())
            writer.journal.deliver(current, real_id)

    store.files.submit(act).result()


def unsent(store: Store) -> list[tuple[str, int, object]]:
    return [(each.kind.value, each.item_id, each.fields.get("Name")) for each in store.outbox_entries()]


def texts(objects: Iterable[NamedObject]) -> list[str]:
    return [each.text for each in objects]


async def test_an_undo_tells_the_value_of_the_act_before(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "One", "Estimate": "1"})
        await store.items.edit([1], {"Name": "Two"})

        told = await undone(store)

        assert [(each.key, each.before, each.after) for each in told.changes] == [("Name", "Two", "One")]


async def test_an_act_on_what_is_gone_is_passed_by_the_next_time(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        await store.items.edit([2], {"Name": "Mine"})
        settle(store)
        store.files.submit(lambda writer: writer.mirror.delete_items([2])).result()

        impossible = await undone(store)
        done = await undone(store)

        assert (impossible.is_impossible, impossible.missing) == (True, (2,))
        assert [(each.item_id, each.after) for each in done.changes] == [(1, "Item 1")]
        assert await store.history.undo() is None


async def test_what_was_restored_and_sent_is_deleted_for_good_by_redo(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, kind="Task", ParentID=1)]) as store:
        said: list[Document] = [{"id": each, "workItemId": each, "projectId": 1} for each in (1, 2)]
        store.files.submit(lambda writer: writer.mirror.comments.put(said)).result()
        await store.deletions.delete_items([1])
        settle(store)
        await undone(store)
        settle(store, 11, 21, 12, 22)

        told = await redone(store)

        assert ([each.id for each in told.deleted], told.changes, told.objects_deleted) == ([11], (), ())
        assert unsent(store) == [("delete", 11, None)]
        settle(store)
        again = await undone(store)
        assert [each.id for each in again.made_again] == [11]
        assert [(kind, name) for kind, _, name in unsent(store)] == [("add", "Item 1"), ("add", "Item 2")]


async def test_a_task_is_restored_below_the_item_that_was_restored_before_it(tmp_path: Path) -> None:
    with offline_store(
        tmp_path, [item(1), item(2, kind="Task", ParentID=1), item(3, kind="Task", ParentID=1)]
    ) as store:
        await store.deletions.delete_items([2])
        settle(store)
        await store.deletions.delete_items([1])
        settle(store)

        first, second = await undone(store), await undone(store)

        (again,) = first.new_ids
        assert [each.name for each in second.made_again] == ["Item 2"]
        parents = {each.fields["Name"]: each.parent_id for each in store.outbox_entries()}
        assert parents == {"Item 1": None, "Item 3": again, "Item 2": again}


async def test_a_new_item_discarded_in_the_outbox_comes_back_with_all_that_depends_on_it(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        new = await store.items.add("Story", {"Name": "New"})
        await store.items.edit([new], {"Name": "Newer"})
        await store.items.comment(new, "Look")
        await store.items.add("Task", {"Name": "Below", "ParentID": new})
        before = store.outbox_entries()
        await store.conflicts.discard(before[0].id)
        left = store.outbox_entries(), store.item(new)

        await undone(store)

        assert left == ((), None)
        assert store.outbox_entries() == before
        assert (field(store, new), len(store.comments.of_item(new))) == ("Newer", 1)


async def test_a_comment_comes_back_to_the_number_that_its_item_got_meanwhile(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        new = await store.items.add("Story", {"Name": "New"})
        await store.items.comment(new, "Look")
        await undone(store)
        settle(store, 77)

        await redone(store)

        assert unsent(store) == [("comment", 77, None)]
        assert [each.text for each in store.comments.of_item(77)] == ["Look"]


async def test_a_discarded_deletion_of_a_comment_comes_back_to_the_act_that_deleted(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        said = {"id": 5, "workItemId": 1, "projectId": 1, "description": "Said"}
        store.files.submit(lambda writer: writer.mirror.comments.put([said])).result()
        await store.deletions.delete_comment(5)
        await store.conflicts.discard(store.outbox_entries()[0].id)
        found = []

        for act in (undone, undone, redone, redone):
            told = await act(store)
            found.append((len(store.comments.of_item(1)), texts(told.objects_deleted), texts(told.objects_made_again)))

        assert found == [(0, ["Said"], []), (1, [], ["Said"]), (0, ["Said"], []), (1, [], ["Said"])]


async def test_a_settled_conflict_is_undone_to_theirs_alone_once_it_was_sent(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine", "Estimate": "3"})
        (entry,) = store.outbox_entries()
        held = replace(entry, state=EntryState.CONFLICT, theirs={"Name": "Theirs"})
        store.files.submit(lambda writer: writer.journal.update(held)).result()
        put(store, [{**item(1, Name="Theirs"), "lastModifiedAt": "2026-03-02T10:00:00.000"}])
        case = store.conflicts.case(entry.id)
        assert case is not None
        await store.conflicts.resolve(case, {"Name": "Both"})
        offered = await store.history.to_undo()
        settle(store)

        told = await undone(store)

        assert offered is not None
        assert [(each.key, each.before, each.after) for each in offered.changes] == [("Name", "Both", "Mine")]
        assert [(each.key, each.before, each.after) for each in told.changes] == [("Name", "Both", "Theirs")]
        assert [(dict(each.payload), dict(each.base)) for each in store.outbox_entries()] == [
            ({"Name": "Theirs"}, {"Name": "Both"})
        ]


async def test_a_deletion_that_was_looked_for_in_vain_is_made_anew_by_redo(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.deletions.delete_items([1])
        unclear = replace(store.outbox_entries()[0], known_id=0)
        store.files.submit(lambda writer: writer.journal.update(unclear)).result()
        await undone(store)
        settle(store)  # the look found the item
        put(store, [{**item(1, Name="Theirs"), "lastModifiedAt": "2026-03-02T10:00:00.000"}])

        await redone(store)

        assert [(each.kind, each.base["Name"]) for each in store.outbox_entries()] == [(EntryKind.DELETE, "Theirs")]


async def test_an_item_that_was_made_again_is_taken_back_with_its_comments(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        said = {"id": 5, "workItemId": 1, "projectId": 1, "description": "Said", "createdBy": "jon"}
        store.files.submit(lambda writer: writer.mirror.comments.put([said])).result()
        await store.history.create_again(1)
        settle(store, 11, 12)

        told = await undone(store)

        assert [(each.item_id, each.key, each.after) for each in told.changes] == [(11, "Status", "Deleted")]
        assert [each.text.splitlines()[-1] for each in told.objects_deleted] == ["Said"]
        assert [(each.project_id, each.payload.get("id")) for each in store.outbox_entries()] == [(1, 12), (1, None)]


async def test_a_sent_comment_that_is_taken_back_keeps_its_author(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.comment(1, "Mine")
        settle(store, 12)
        mine = {"id": 12, "workItemId": 1, "projectId": 1, "description": "Mine", "createdBy": "maya"}
        store.files.submit(lambda writer: writer.mirror.comments.put([mine])).result()

        heard: list[StoreChange] = []
        store.subscribe(heard.append)

        await undone(store)

        assert [each.payload for each in store.outbox_entries()] == [{"id": 12, "text": "Mine", "by": "maya"}]
        assert frozenset({1}) in [each.ids for each in heard if each.kind is Subject.COMMENTS]
