"""What others save while a field or a text is being asked for is not overwritten unseen."""

import stat
from pathlib import Path

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import text_of
from tests.tui.list_steps import fields_of, go_to, shown
from tests.tui.opened import Open
from textual.drivers.headless_driver import HeadlessDriver

from backlit.store import EntryState, Store


@pytest.mark.slow
async def test_a_name_that_somebody_else_changed_meanwhile_becomes_a_conflict(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Bug")
        await pilot.press("c", "n")
        await world.rival.work_items.update(item_id, {"Name": "Theirs"})
        await store.refresh()
        await pilot.press("ctrl+u", *"Mine", "enter")
        await until(lambda: store.outbox.conflicts == 1, lambda: text_of(pilot.app))
        entry = store.outbox_entries()[0]

    assert (entry.state, entry.payload, entry.theirs) == (EntryState.CONFLICT, {"Name": "Mine"}, {"Name": "Theirs"})
    assert (await fields_of(world, store, item_id))["Name"] == "Theirs"


async def test_keys_faster_than_the_screen_are_no_conflict_with_oneself(world: World, store: Store) -> None:
    item_id = next(row.id for row in await shown(store) if row.type == "Story")
    item = store.item(item_id)
    assert item
    await store.items.edit([item_id], {"Estimate": "5"}, {"Estimate": item.fields["Estimate"]})
    await sent(store)

    await store.items.edit([item_id], {"Estimate": "8"}, {"Estimate": item.fields["Estimate"]})

    assert (await fields_of(world, store, item_id))["Estimate"] == "8"


@pytest.mark.slow
async def test_a_kept_text_of_an_item_takes_back_nothing_that_came_since(
    world: World, store: Store, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor.sh"
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(HeadlessDriver, "can_suspend", True)

    def does(command: str) -> None:
        editor.write_text(f'#!/bin/sh\n{command} "$1"\n')
        editor.chmod(editor.stat().st_mode | stat.S_IXUSR)

    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Bug")
        await world.rival.work_items.update(item_id, {"Name": "Old", "Estimate": "1", "Description": "one\ntwo\n"})
        await store.refresh()
        does("sed -i 's/^Name: .*/Nmae: New/; s/^two/deux/'")
        await pilot.press("E")
        await until(lambda: "Not written" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("escape")
        await world.rival.work_items.update(item_id, {"Estimate": "8", "Description": "zero\none\ntwo\n"})
        await store.refresh()
        does("sed -i 's/^Nmae:/Name:/'")
        await pilot.press("E", "k")
        await until(lambda: store.outbox.pending == 0 and "New" in text_of(pilot.app), lambda: text_of(pilot.app))
        found = await fields_of(world, store, item_id)

    assert (found["Name"], found["Estimate"], found["Description"]) == ("New", "8", "zero\none\ndeux\n")


@pytest.mark.slow
async def test_a_description_that_was_kept_merges_with_what_came_since_and_keeps_its_line_endings(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await world.rival.work_items.update(item_id, {"Description": "one\r\ntwo\u2028three\nfour\r\n \r\n"})
        await store.refresh()
        await pilot.press("c", "d", *["up"] * 5, "home", "x", "escape")
        await until(lambda: store.drafts.find(f"field:Description:{item_id}"))
        await world.rival.work_items.update(item_id, {"Description": "one\r\ntwo\u2028three\n4\r\n \r\n"})
        await store.refresh()
        await pilot.press("c", "d", "ctrl+s")
        await until(lambda: store.drafts.find(f"field:Description:{item_id}") is None)
        found = await fields_of(world, store, item_id)

    assert found["Description"] == "xone\r\ntwo\u2028three\n4\r\n \r\n"
