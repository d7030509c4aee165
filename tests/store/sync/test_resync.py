"""A full resync reads everything again, whatever the mirror says of itself."""

from tests.store.world import World

from backlit.store.files.files import WriteContext
from backlit.store.records.item import fields_in


async def test_what_is_wrong_in_the_mirror_without_a_sign_of_it_is_right_after_a_full_resync(world: World) -> None:
    store = await world.online()
    sql = "SELECT id FROM items WHERE project_id = 1 ORDER BY modified_at LIMIT 1"
    item_id = store.files.mirror.execute(sql).fetchone()[0]
    known = await store.files.write(lambda writer: writer.mirror.received([item_id])[item_id])
    wrong = {**known, "fields": {**fields_in(known), "Name": "Nobody wrote this"}}
    await store.files.write(lambda writer: writer.mirror.put_items([wrong], []))
    await store.refresh()
    kept = store.item(item_id)

    await store.refresh(is_full=True)

    assert kept is not None
    assert kept.fields["Name"] == "Nobody wrote this"
    item = store.item(item_id)
    assert item is not None
    assert item.fields["Name"] == fields_in(known)["Name"]


async def test_a_full_resync_keeps_what_waits_and_forgets_what_is_gone(world: World) -> None:
    store = await world.online()
    await world.rival.work_items.delete(9)
    world.faults.is_down = True
    await store.items.edit([7], {"Name": "Mine, not sent yet"})
    world.faults.is_down = False

    await store.refresh(is_full=True)

    item = store.item(7)
    assert item is not None
    assert item.fields["Name"] == "Mine, not sent yet"
    assert store.item(9) is None


async def test_a_full_resync_forgets_a_watermark_that_no_change_reaches(world: World) -> None:
    store = await world.online()
    await store.files.write(lambda writer: writer.mirror.set_note("watermark 1", "2999-01-01T00:00:00"))

    await store.refresh(is_full=True)
    await world.rival.work_items.update(7, {"Name": "Changed after it"})
    await store.refresh()

    item = store.item(7)
    assert item is not None
    assert item.fields["Name"] == "Changed after it"


async def test_a_resumed_load_reads_what_changed_since_it_began(world: World) -> None:
    store = await world.online()
    sql = "SELECT id FROM items WHERE project_id = 1 AND id < 40 ORDER BY modified_at LIMIT 1"
    item_id = store.files.mirror.execute(sql).fetchone()[0]
    known = await store.files.write(lambda writer: writer.mirror.received([item_id])[item_id])
    stale = {**known, "fields": {**fields_in(known), "Name": "Before the change"}}

    def interrupt(writer: WriteContext) -> None:
        """Leave what an interrupted load leaves: the last range is left, and an item before it changed since."""
        writer.mirror.put_items([stale], [])
        writer.mirror.set_note("filled 1", None)
        writer.mirror.set_note("left 1", {"left": [[40, 0]], "done": 40, "total": 60})
        writer.mirror.set_note("watermark 1", known["lastModifiedAt"])

    await store.files.write(interrupt)
    await store.refresh()
    await store.refresh()

    item = store.item(item_id)
    assert item is not None
    assert item.fields["Name"] == fields_in(known)["Name"]
