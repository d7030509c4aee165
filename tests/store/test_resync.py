"""A full resync reads everything again, whatever the mirror says of itself."""

from tests.store.world import World

from backlit.store.records.item import fields_in


async def test_what_is_wrong_in_the_mirror_without_a_sign_of_it_is_right_after_a_full_resync(world: World) -> None:
    store = await world.online()
    sql = "SELECT id FROM items WHERE project_id = 1 ORDER BY modified_at LIMIT 1"
    item_id = store._files.mirror.execute(sql).fetchone()[0]
    known = await store._files.write(lambda writer: writer.mirror.received([item_id])[item_id])
    wrong = {**known, "fields": {**fields_in(known), "Name": "Nobody wrote this"}}
    await store._files.write(lambda writer: writer.mirror.put_items([wrong], []))
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
