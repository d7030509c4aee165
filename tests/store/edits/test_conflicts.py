"""Settling what the service did not take."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.conflicts import case_of, contested
from tests.store.documents import item, offline_store, put
from tests.store.service_items import fields, of_type
from tests.store.world import World, raised, sent, until

from backlit.model.errors import BadRequest
from backlit.store import EntryState, RowSign
from backlit.store.edits.conflicts import KeptSide
from backlit.store.files.files import WriteContext
from backlit.store.records.entry import EntryKind, new_entry

TEXT = "As a guest\nI want\nto pay"


async def test_changes_of_different_lines_of_a_text_both_arrive(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    await store.items.edit([item_id], {"Description": TEXT})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Description": TEXT.replace("guest", "GUEST")})

    await store.items.edit([item_id], {"Description": TEXT + "\nby card"})
    await sent(store)

    assert (await fields(world, item_id))["Description"] == "As a GUEST\nI want\nto pay\nby card"
    assert store.outbox_entries() == ()


async def test_a_tag_that_arrives_after_the_seen_ones_is_kept(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    await store.items.edit([item_id], {"Tags": ["old"]})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Tags": ["old", "jon"]})
    await store.refresh()

    await store.items.edit([item_id], {"Tags": ["old", "maya"]}, {"Tags": ["old"]})
    await sent(store)

    assert (await fields(world, item_id))["Tags"] == ["old", "jon", "maya"]


async def test_a_merged_text_whose_answer_was_lost_is_merged_once(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    await store.items.edit([item_id], {"Description": TEXT})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Description": "Hello\n" + TEXT})
    world.faults.lost_answers["PUT"] = 1

    await store.items.edit([item_id], {"Description": TEXT + "\nby card"})
    await sent(store)

    assert (await fields(world, item_id))["Description"] == f"Hello\n{TEXT}\nby card"


async def test_a_case_says_what_clashes_who_did_it_and_what_was_before(world: World) -> None:
    store, item_id = await contested(
        world, {"Name": "Maya's", "Estimate": "777", "Tags": ["maya"]}, {"Name": "Jon's", "Tags": ["jon"]}
    )

    case = case_of(store)

    (field,) = case.fields
    assert (field.key, field.mine, field.theirs) == ("Name", "Maya's", "Jon's")
    assert field.base not in {"Maya's", "Jon's"}
    assert (case.changed_by, case.item_type) == ("jon", "Story")
    assert case.changed_at is not None
    assert store.outbox_entries()[0].reason == "jon changed Name in the meantime."
    found = store.conflicts.of_item(item_id)
    assert found is not None
    assert found.id == case.entry.id


async def test_nothing_of_an_edit_is_sent_while_one_of_its_fields_waits(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's"})

    assert (await fields(world, item_id))["Estimate"] != "777"
    assert store.outbox.conflicts == 1


@pytest.mark.parametrize(
    ("decision", "name"),
    [(KeptSide.MINE, "Maya's"), (KeptSide.THEIRS, "Jon's"), ("Maya's and Jon's", "Maya's and Jon's")],
)
async def test_the_decision_of_each_field_is_what_the_service_gets(world: World, decision: object, name: str) -> None:
    store, item_id = await contested(
        world, {"Name": "Maya's", "Estimate": "777", "Tags": ["maya"]}, {"Name": "Jon's", "Tags": ["jon"]}
    )

    await store.conflicts.resolve(case_of(store), {"Name": decision})
    await sent(store)

    found = await fields(world, item_id)
    assert (found["Name"], found["Estimate"]) == (name, "777")
    assert {"maya", "jon"} <= set(found["Tags"])  # type: ignore[call-overload] # a list of text
    assert store.outbox_entries() == ()
    item = store.item(item_id)
    assert item is not None
    assert (item.fields["Name"], item.sign) == (name, RowSign.NONE)


async def test_theirs_throughout_sends_nothing(world: World) -> None:
    store, _ = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})

    await store.conflicts.resolve(case_of(store), {"Name": KeptSide.THEIRS})

    assert store.outbox_entries() == ()
    assert world.faults.count("PUT") == 0


async def test_a_change_made_meanwhile_is_a_conflict_again(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    case = case_of(store)
    await world.rival.work_items.update(item_id, {"Name": "Jon's third"})

    await store.conflicts.resolve(case, {"Name": KeptSide.MINE})
    await until(lambda: store.outbox.conflicts == 1 and store.outbox_entries()[0].theirs["Name"] == "Jon's third")

    assert (await fields(world, item_id))["Name"] == "Jon's third"
    assert case_of(store).fields[0].theirs == "Jon's third"


async def test_a_case_shows_what_the_service_has_by_now(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's"})
    await world.rival.work_items.update(item_id, {"Name": "Jon's third", "Estimate": "99"})
    await store.refresh()

    assert {field.key: field.theirs for field in case_of(store).fields} == {"Name": "Jon's third", "Estimate": "99"}


async def test_later_edits_of_the_same_field_are_settled_with_it(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    await store.items.edit([item_id], {"Name": "Maya's second", "Estimate": "21"})
    await store.items.edit([item_id], {"Name": "Maya's third"})

    case = case_of(store)
    await store.conflicts.resolve(case, {"Name": KeptSide.THEIRS})
    await sent(store)

    assert case.fields[0].mine == "Maya's third"
    found = await fields(world, item_id)
    assert (found["Name"], found["Estimate"]) == ("Jon's", "21")
    assert store.outbox_entries() == ()


async def test_an_edit_made_after_the_case_was_read_is_not_settled_with_it(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    case = case_of(store)
    await store.items.edit([item_id], {"Name": "Maya's second"})

    await store.conflicts.resolve(case, {"Name": KeptSide.THEIRS})
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)

    assert (await fields(world, item_id))["Name"] == "Jon's"
    assert case_of(store).fields[0].mine == "Maya's second"


async def test_bad_values_and_open_fields_are_not_settled(world: World) -> None:
    store, _ = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's", "Estimate": "8"})
    case = case_of(store)

    empty = await raised(store.conflicts.resolve(case, {"Name": " ", "Estimate": KeptSide.MINE}))
    half = await raised(store.conflicts.resolve(case, {"Name": KeptSide.MINE}))

    assert isinstance(empty, BadRequest)
    assert (set(empty.errors), set(half.errors)) == ({"Name"}, {"Estimate"})
    assert store.outbox.conflicts == 1


async def test_what_is_settled_is_not_settled_again(world: World) -> None:
    store, _ = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    case = case_of(store)
    await store.conflicts.resolve(case, {"Name": KeptSide.THEIRS})

    error = await raised(store.conflicts.resolve(case, {"Name": KeptSide.MINE}))

    assert "already resolved" in str(error)
    assert store.conflicts.case(case.entry.id) is None


async def test_a_conflict_and_its_decision_outlive_the_process(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    await world.close(store)
    offline = world.store()
    await offline.conflicts.resolve(case_of(offline), {"Name": "Both"})
    assert offline.outbox_entries()[0].state is EntryState.WAITING

    offline.start()
    await sent(offline)

    assert (await fields(world, item_id))["Name"] == "Both"


async def test_a_refused_new_item_is_sent_again_with_other_values(world: World) -> None:
    store = await world.online()
    parent = await of_type(world)
    world.faults.is_down = True
    task = await store.items.add("Task", {"Name": "Under it", "ParentID": parent, "WorkRemaining": 3.0})
    await store.items.edit([task], {"Name": "Under it, renamed"})
    await world.rival.work_items.delete(parent)
    world.faults.is_down = False
    other = await of_type(world)
    await store.refresh()
    await until(lambda: store.outbox.refused == 1, store.outbox_entries)

    case = case_of(store)
    wanted = {field.key: KeptSide.MINE for field in case.fields} | {"ParentID": other, "WorkRemaining": KeptSide.THEIRS}
    needed = await raised(store.conflicts.resolve(case, wanted | {"Name": KeptSide.THEIRS}))
    await store.conflicts.resolve(case, wanted)
    await sent(store)

    assert needed.errors.keys() == {"Name"}
    made = store.item(task)
    assert made is not None
    found = await fields(world, made.id)
    assert (found["Name"], found["ParentID"], found["WorkRemaining"]) == ("Under it, renamed", other, None)
    assert store.outbox_entries() == ()


async def test_a_refused_comment_is_sent_again_with_other_words(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    world.faults.is_down = True
    await store.items.comment(item_id, "Hello")
    (entry,) = store.outbox_entries()
    early = await raised(store.conflicts.rewrite(entry.id, "Other words"))
    await world.rival.work_items.delete(item_id)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.refused == 1, store.outbox_entries)

    empty = await raised(store.conflicts.rewrite(entry.id, " "))
    world.faults.is_down = True
    await store.conflicts.rewrite(entry.id, "Other words")

    (again,) = store.outbox_entries()
    assert (again.payload, again.reason, store.outbox.refused) == ({"text": "Other words"}, "", 0)
    assert set(empty.errors) == {"description"}
    assert "already resolved" in str(early)
    assert store.conflicts.case(entry.id) is None


async def test_only_an_open_entry_is_retried(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        (entry,) = store.outbox_entries()
        await store.conflicts.discard(entry.id)

        await store.conflicts.retry(entry.id)
        await store.conflicts.retry(entry.id + 1)
        await store.conflicts.discard(entry.id + 1)

        assert store.outbox_entries() == ()


async def test_a_rejected_edit_of_an_item_that_is_gone_has_a_case(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        entry = replace(store.outbox_entries()[0], state=EntryState.REFUSED)

        def lose(writer: WriteContext) -> None:
            writer.journal.update(entry)
            writer.mirror.delete_items([1])

        await store.files.write(lose)

        (field,) = case_of(store).fields
        assert (field.key, field.base, field.mine, field.theirs) == ("Name", "Item 1", "Mine", None)


async def test_a_decision_about_one_field_keeps_the_others_of_the_edit(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine", "Estimate": "3"})
        entry = replace(store.outbox_entries()[0], state=EntryState.CONFLICT, theirs={"Name": "Theirs"})
        store.files.submit(lambda writer: writer.journal.update(entry)).result()
        put(store, [{**item(1, Name="Theirs"), "lastModifiedAt": "2026-03-02T10:00:00.000"}])

        await store.conflicts.resolve(case_of(store), {"Name": KeptSide.THEIRS})

        waiting = [(each.payload, each.base, each.state) for each in store.outbox_entries()]
        assert waiting == [({"Estimate": "3"}, {"Estimate": None}, EntryState.WAITING)]
        await store.history.undo()
        found = store.item(1)
        assert found is not None
        assert (found.fields["Name"], found.fields.get("Estimate")) == ("Mine", "3")


async def test_a_conflict_of_an_item_is_resolved_before_a_rejection(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        for name in ("Rejected", "Contested"):
            await store.items.edit([1], {"Name": name})
        rejected, contested = store.outbox_entries()

        def fail(writer: WriteContext) -> None:
            writer.journal.update(replace(rejected, state=EntryState.REFUSED))
            writer.journal.update(replace(contested, state=EntryState.CONFLICT))

        await store.files.write(fail)

        found = store.conflicts.of_item(1)
        assert found is not None
        assert found.id == contested.id


@pytest.mark.parametrize(
    ("decision", "sent_as"),
    [(KeptSide.MINE, {"Name": "Mine"}), ("Both", {"Name": "Both"}), (KeptSide.THEIRS, None), (None, {"Name": "Mine"})],
)
async def test_a_settled_conflict_is_sent_like_a_new_change(
    tmp_path: Path, decision: object, sent_as: dict[str, object] | None
) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        refused = {"state": EntryState.CONFLICT, "theirs": {"Name": "Theirs"}, "reason": "No.", "attempts": 3}
        entry = replace(store.outbox_entries()[0], **refused)
        store.files.submit(lambda writer: writer.journal.update(entry)).result()
        put(store, [{**item(1, Name="Theirs"), "lastModifiedAt": "2026-03-02T10:00:00.000"}])

        if decision is None:
            await store.conflicts.retry(entry.id)
        else:
            await store.conflicts.resolve(case_of(store), {"Name": decision})

        waiting = [
            (each.payload, each.base, each.theirs, each.attempts, each.reason) for each in store.outbox_entries()
        ]
        assert waiting == ([(sent_as, {"Name": "Theirs"}, {}, 0, "")] if sent_as else [])


@pytest.mark.parametrize(
    ("kind", "state", "has_case"),
    [
        (EntryKind.EDIT, EntryState.CONFLICT, True),
        (EntryKind.EDIT, EntryState.REFUSED, True),
        (EntryKind.EDIT, EntryState.WAITING, False),
        (EntryKind.COMMENT, EntryState.REFUSED, False),
        (EntryKind.DELETE, EntryState.CONFLICT, False),
    ],
)
async def test_only_an_unresolved_change_of_values_has_a_case(
    tmp_path: Path, kind: EntryKind, state: EntryState, *, has_case: bool
) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        entry = replace(new_entry(kind, 1, {"text": "Look", "Name": "Mine"}, 1, {"Name": "Item 1"}), state=state)
        (added,) = await store.files.write(lambda writer: writer.journal.add([entry]))

        assert (store.conflicts.case(added.id) is not None, store.conflicts.case(99)) == (has_case, None)


@pytest.mark.parametrize("state", [EntryState.SENT, EntryState.DISCARDED])
async def test_what_is_sent_or_discarded_is_not_discarded_by_another_act(tmp_path: Path, state: EntryState) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        done = replace(store.outbox_entries()[0], state=state)
        store.files.submit(lambda writer: writer.journal.update(done)).result()
        before = await store.history.to_undo()

        await store.conflicts.discard(done.id)

        assert await store.history.to_undo() == before
        found = await store.files.write(lambda writer: writer.journal.entries.find(done.id))
        assert found == done


async def test_a_case_shows_the_latest_own_value_of_its_fields_only(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        contested = replace(store.outbox_entries()[0], state=EntryState.CONFLICT, theirs={"Name": "Theirs"})
        store.files.submit(lambda writer: writer.journal.update(contested)).result()
        await store.items.edit([1], {"Name": "Later", "Estimate": "5"})

        case = store.conflicts.case(contested.id)

        assert case is not None
        assert [(each.key, each.mine, each.theirs) for each in case.fields] == [("Name", "Later", "Item 1")]
