"""Undo and redo: what was done is taken back, across restarts, and nobody's change is overwritten by it."""

from pathlib import Path

from msgspec.structs import replace
from tests.store.papers import item, node, offline_store, put, put_nouns
from tests.store.world import World, sent, until

from backlit.store import EntryState, Store, TreeKind, ViewSpec
from backlit.store.files.files import Writer
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import CREATES, EntryKind
from backlit.store.records.item import Document, fields_in
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import FieldChange


def field(store: Store, item_id: int, key: str = "Name") -> object:
    found = store.item(item_id)
    return found.fields.get(key) if found else None


async def undone(store: Store) -> Reversal:
    found = await store.history.undo()
    assert found is not None
    return found


async def redone(store: Store) -> Reversal:
    found = await store.history.redo()
    assert found is not None
    return found


async def on_service(world: World, item_id: int, key: str = "Name") -> object:
    return (await world.rival.work_items.get(item_id))["fields"][key]


async def of_type(world: World, item_type: str = "Story") -> int:
    page = await world.rival.work_items.page(
        filter=f"projectId eq 1 and type eq '{item_type}' and Status ne 'Done'", order="id", top=1
    )
    return int(page.results[0]["id"])


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
    assert done.comments_deleted == ("A word",)
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

        def done(writer: Writer) -> None:
            writer.journal.deliver(entry)
            writer.mirror.delete_items([2])
            writer.mirror.remove_items([1])

        await store.files.write(done)

        reversal = await undone(store)

        assert (reversal.made_again, store.outbox_entries()) == ((), ())


async def test_a_comment_that_is_undone_or_redone_is_told(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.comment(1, "Look")
        heard: list[Change] = []
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
        heard: list[Change] = []
        store.subscribe(heard.append)

        names = []
        for act in (store.history.undo, store.history.redo):
            heard.clear()
            await act()
            assert Subject.TREES in {each.kind for each in heard}
            names.append([each.name for each in store.lookups.tree(TreeKind.AREAS).walk()])

    assert names == [["Root", "A"], ["Root", "B"]]


def settle(store: Store, *made: int) -> None:
    """Have the service take all unsent entries; new items and comments get the given ids."""
    ids = iter(made)

    def act(writer: Writer) -> None:
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

        assert ([each.id for each in told.deleted], told.changes, told.comments_deleted) == ([11], (), ())
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
            found.append((len(store.comments.of_item(1)), told.comments_deleted, told.comments_written))

        assert found == [(0, ("Said",), ()), (1, (), ("Said",)), (0, ("Said",), ()), (1, (), ("Said",))]


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
        assert [text.splitlines()[-1] for text in told.comments_deleted] == ["Said"]
        assert [(each.project_id, each.payload.get("id")) for each in store.outbox_entries()] == [(1, 12), (1, None)]


async def test_a_sent_comment_that_is_taken_back_keeps_its_author(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.comment(1, "Mine")
        settle(store, 12)
        mine = {"id": 12, "workItemId": 1, "projectId": 1, "description": "Mine", "createdBy": "maya"}
        store.files.submit(lambda writer: writer.mirror.comments.put([mine])).result()

        await undone(store)

        assert [each.payload for each in store.outbox_entries()] == [{"id": 12, "text": "Mine", "by": "maya"}]
