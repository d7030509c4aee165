"""Undo and redo: what was done is taken back, across restarts, and nobody's change is overwritten by it."""

from pathlib import Path

from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.service_items import of_type
from tests.store.store_items import field
from tests.store.undo.undo_steps import redone, undone
from tests.store.world import World, sent, until

from backlit.store import EntryState, TreeKind, ViewSpec
from backlit.store.files.files import WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.undo.operations import FieldChange


async def on_service(world: World, item_id: int, key: str = "Name") -> object:
    return (await world.rival.work_items.get(item_id))["fields"][key]


async def test_an_edit_that_was_never_sent_is_given_up_and_taken_up_again(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})

        offered = await store.history.to_undo()
        done = await undone(store)
        assert offered == done
        (change,) = done.changes
        assert (change.item_id, change.key, change.before, change.after) == (1, "Name", "Mine", "Item 1")
        assert field(store, 1) == "Item 1"
        assert store.outbox_entries() == ()

        await redone(store)
        assert field(store, 1) == "Mine"
        assert [dict(entry.base) for entry in store.outbox_entries()] == [{"Name": "Item 1"}]


async def test_an_undo_of_many_items_reads_each_once(tmp_path: Path) -> None:
    counts = []
    with offline_store(tmp_path, [item(each) for each in range(1, 61)]) as store:
        for last in (30, 60):
            await store.items.edit(range(1, last + 1), {"Name": f"Mine {last}"})
            statements: list[str] = []
            connections = await store.files.write(lambda writer: (writer.mirror.connection, writer.journal.file))
            for each in connections:
                each.set_trace_callback(statements.append)
            await undone(store)
            for each in connections:
                each.set_trace_callback(None)
            counts.append(len(statements))

    assert counts[1] < 2.5 * counts[0]


async def test_acts_are_undone_one_after_the_other_across_restarts(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        for name in ("One", "Two", "Three"):
            await store.items.edit([1], {"Name": name})
        await store.history.undo()

    with offline_store(tmp_path) as store:
        names = []
        for _ in range(2):
            await undone(store)
            names.append(field(store, 1))
        assert await store.history.undo() is None
        for _ in range(3):
            await redone(store)
            names.append(field(store, 1))
        assert await store.history.to_redo() is None

    assert names == ["One", "Item 1", "One", "Two", "Three"]


async def test_a_new_act_after_an_undo_cannot_be_lost_to_a_redo(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "One"})
        await store.history.undo()
        await store.items.edit([1], {"Estimate": "3"})

        assert await store.history.redo() is None
        await store.history.undo()
        assert (field(store, 1), field(store, 1, "Estimate")) == ("Item 1", None)


async def test_a_bulk_act_is_one_step(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.items.edit_each({1: {"Name": "One"}, 2: {"Name": "Two", "Estimate": "5"}})

        offered = await store.history.to_undo()
        assert offered is not None
        assert offered.is_grave
        assert {(change.item_id, change.key) for change in offered.changes} == {
            (1, "Name"),
            (2, "Name"),
            (2, "Estimate"),
        }
        await store.history.undo()
        assert (field(store, 1), field(store, 2)) == ("Item 1", "Item 2")
        await store.history.redo()
        assert (field(store, 1), field(store, 2), field(store, 2, "Estimate")) == ("One", "Two", "5")


async def test_a_sent_edit_is_taken_back_on_the_service(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    before = field(store, item_id)
    await store.items.edit([item_id], {"Name": "Mine", "Tags": ["mine"]})
    await sent(store)

    await store.history.undo()
    await sent(store)
    assert await on_service(world, item_id) == before
    await store.history.redo()
    await sent(store)
    assert await on_service(world, item_id) == "Mine"
    assert store.outbox_entries() == ()


async def test_undoing_over_somebodys_change_is_a_conflict(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    await store.items.edit([item_id], {"Name": "Mine"})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Name": "Jon's"})

    await store.history.undo()
    await sent(store)

    (entry,) = store.outbox_entries()
    assert (entry.state, entry.theirs) == (EntryState.CONFLICT, {"Name": "Jon's"})
    assert await on_service(world, item_id) == "Jon's"


async def test_a_change_that_somebody_is_known_to_have_made_since_is_named_before(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    await store.items.edit([item_id], {"Name": "Mine"})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Name": "Jon's"})
    await store.refresh()

    offered = await store.history.to_undo()

    assert offered is not None
    assert [change.is_contested for change in offered.changes] == [True]
    assert offered.is_grave


async def test_tags_that_others_put_on_since_stay(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    await store.items.edit([item_id], {"Tags": ["mine"]})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Tags": ["mine", "jon's"]})
    await store.refresh()

    await store.history.undo()
    await sent(store)

    tags = await on_service(world, item_id, "Tags")
    assert isinstance(tags, list)
    assert "jon's" in tags
    assert "mine" not in tags


async def test_an_edit_in_conflict_is_given_up(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Name": "Mine"})
    await world.rival.work_items.update(item_id, {"Name": "Jon's"})
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)

    await store.history.undo()

    assert store.outbox_entries() == ()
    assert field(store, item_id) == "Jon's"


async def test_an_unsent_item_with_what_was_done_to_it_is_taken_back_and_comes_again(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        new_id = await store.items.add("Story", {"Name": "New"})
        await store.items.comment(new_id, "A word")
        await store.items.edit([new_id], {"Name": "Newer"})
        for _ in range(3):
            await undone(store)
        assert store.item(new_id) is None
        assert store.outbox_entries() == ()

        for _ in range(3):
            await redone(store)

        assert field(store, new_id) == "Newer"
        assert [comment.text for comment in store.comments.of_item(new_id)] == ["A word"]
        assert [row.name for row in store.view(ViewSpec()).rows(0, 9)] == ["Item 1", "Newer"]


async def test_a_sent_item_becomes_deleted_by_its_status(world: World) -> None:
    store = await world.online()
    new_id = await store.items.add("Story", {"Name": "New"})
    await sent(store)

    done = await undone(store)
    await sent(store)
    real_id = store.files.journal.real_id(new_id)
    assert await on_service(world, real_id, "Status") == "Deleted"
    assert [(change.key, change.after) for change in done.changes] == [("Status", "Deleted")]

    await store.history.redo()
    await sent(store)
    assert await on_service(world, real_id, "Status") == "Not Done"


async def test_a_sent_item_of_a_type_without_that_status_is_deleted_for_good_and_made_again(world: World) -> None:
    store = await world.online()
    await store.items.add("Risk", {"Name": "A new risk"})
    await sent(store)

    offered = await store.history.to_undo()
    assert offered is not None
    assert offered.is_grave
    assert [each.name for each in offered.deleted] == ["A new risk"]
    await store.history.undo()
    await sent(store)
    assert "A new risk" not in await world.names()

    again = await redone(store)
    await sent(store)
    assert [each.name for each in again.made_again] == ["A new risk"]
    assert (await world.names()).count("A new risk") == 1


async def test_a_comment_is_deleted_and_written_again(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    before = len(store.comments.of_item(item_id))
    await store.items.comment(item_id, "A word")
    await sent(store)

    done = await undone(store)
    assert [each.text for each in done.objects_deleted] == ["A word"]
    assert len(store.comments.of_item(item_id)) == before
    await sent(store)
    comments = await world.rival.work_items.comments(item_id).page(top=1000)
    assert "A word" not in [each["description"] for each in comments.results]

    await store.history.redo()
    await sent(store)
    comments = await world.rival.work_items.comments(item_id).page(top=1000)
    assert [each["description"] for each in comments.results].count("A word") == 1


async def test_where_the_item_is_gone_that_is_said_and_the_act_is_passed_over(world: World) -> None:
    store = await world.online()
    item_id, other_id = await of_type(world), await of_type(world, "Bug")
    await store.items.edit([other_id], {"Name": "Mine"})
    await store.items.edit([item_id], {"Name": "Mine"})
    await sent(store)
    await world.rival.work_items.delete(item_id)
    await store.refresh()

    done = await undone(store)

    assert (done.is_impossible, done.missing) == (True, (item_id,))
    assert [change.item_id for change in (await undone(store)).changes] == [other_id]


async def test_undo_and_redo_while_the_service_is_down_end_where_they_should(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    before = field(store, item_id)
    await store.items.edit([item_id], {"Name": "Mine"})
    await sent(store)
    world.faults.is_down = True

    await undone(store)
    await redone(store)
    await undone(store)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert await on_service(world, item_id) == before
    assert store.outbox_entries() == ()


async def test_a_value_that_is_back_already_is_not_written_again(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        (entry,) = store.outbox_entries()
        store.files.submit(lambda writer: writer.journal.deliver(entry)).result()
        put(store, [{**item(1), "lastModifiedAt": "2026-03-02T10:00:00.000"}])

        done = await undone(store)

        assert (done.changes, done.is_impossible) == ((), False)
        assert store.outbox_entries() == ()


async def test_a_text_that_the_service_trimmed_is_undone_without_a_conflict(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "  Mine   and\tyours "})
        (entry,) = store.outbox_entries()
        store.files.submit(lambda writer: writer.journal.deliver(entry)).result()
        put(store, [{**item(1, Name="Mine and yours"), "lastModifiedAt": "2026-03-02T10:00:00.000"}])

        done = await undone(store)

        assert done.changes == (FieldChange(1, "Name", "Mine and yours", "Item 1"),)
        assert store.outbox_entries()[-1].base == {"Name": "Mine and yours"}


async def test_a_comment_that_the_copy_lost_sight_of_is_deleted_all_the_same(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    await store.items.comment(item_id, "Only for a moment")
    await sent(store)
    (comment,) = [each for each in store.comments.of_item(item_id) if each.text == "Only for a moment"]
    store.files.submit(lambda writer: writer.mirror.comments.remove([comment.id])).result()

    await undone(store)
    await sent(store)

    left = (await world.rival.work_items.comments(item_id).page()).results
    assert comment.id not in [each["id"] for each in left]


async def test_a_task_is_not_made_again_below_an_item_that_is_gone(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, kind="Task", ParentID=1)]) as store:
        await store.deletions.delete_items([2])
        (entry,) = store.outbox_entries()

        def done(writer: WriteContext) -> None:
            writer.journal.deliver(entry)
            writer.mirror.delete_items([2])
            writer.mirror.remove_items([1])

        await store.files.write(done)

        reversal = await undone(store)

        assert (reversal.made_again, store.outbox_entries()) == ((), ())


async def test_a_comment_that_is_undone_or_redone_is_told(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.comment(1, "Look")
        heard: list[StoreChange] = []
        store.subscribe(heard.append)

        told = []
        for act in (store.history.undo, store.history.redo):
            heard.clear()
            await act()
            told.append([each.ids for each in heard if each.kind is Subject.COMMENTS])

    assert told == [[frozenset({1})]] * 2


async def test_a_node_that_is_undone_or_redone_is_told(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, AreaID=2)]) as store:
        put_nouns(store, areas=[node(1, "Root"), node(2, "A", 1)])
        await store.nodes.edit(TreeKind.AREAS, 2, {"name": "B"})
        heard: list[StoreChange] = []
        store.subscribe(heard.append)

        names = []
        for act in (store.history.undo, store.history.redo):
            heard.clear()
            await act()
            assert Subject.TREES in {each.kind for each in heard}
            names.append([each.name for each in store.lookups.tree(TreeKind.AREAS).walk()])

    assert names == [["Root", "A"], ["Root", "B"]]
