"""Two people on one item: nothing of either is overwritten unseen, whatever they change and whenever it arrives."""

from collections.abc import Mapping

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import line_with, missing, text_of
from tests.tui.editor_steps import Edit, fields_on, go_to, has_changes, screen_of
from textual.pilot import Pilot

from backlit.store import Store
from backlit.store.records.entry import EntryState
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.items.conflict_dialog import ConflictDialog

BEFORE: Mapping[str, object] = {
    "Name": "Before",
    "Estimate": "1",
    "Status": "Not Done",
    "Tags": ["old"],
    "Description": "first\nsecond\nthird\n",
}
MINE: Mapping[str, object] = {
    "Name": "Mine",
    "Estimate": "2",
    "Status": "In Progress",
    "Tags": ["old", "mine"],
    "Description": "first\nmy second\nthird\n",
}
THEIRS: Mapping[str, object] = {
    "Name": "Theirs",
    "Estimate": "3",
    "Status": "Done",
    "Tags": ["old", "theirs"],
    "Description": "first\ntheir second\nthird\n",
}
MERGED = {"Tags": ["old", "theirs", "mine"]}
"""What comes of changes of one field that do not clash."""
FIELDS = list(BEFORE)
SAME = [(key, key) for key in FIELDS]
BESIDE = list(zip(FIELDS, [*FIELDS[1:], FIELDS[0]], strict=True))
PAIRS = [
    *(pytest.param(*pair, marks=pytest.mark.slow) for pair in (*SAME, BESIDE[0])),
    *(pytest.param(*pair, marks=pytest.mark.long) for pair in BESIDE[1:]),
]
"""Every field on both sides, and every field beside another one."""


async def story(world: World, store: Store, fields: Mapping[str, object] = BEFORE) -> int:
    made = await world.rival.work_items.create({"type": "Story", "projectId": 1, "fields": dict(fields)})
    await store.refresh()
    return int(str(made["id"]))


async def change_here(pilot: Pilot[None], key: str, value: object) -> None:
    screen_of(pilot).draft.set(key, value)
    screen_of(pilot).form.changed()
    await pilot.pause()


async def change_there(world: World, item_id: int, key: str, value: object) -> None:
    await world.rival.work_items.update(item_id, {key: value})


async def on_service(world: World, item_id: int) -> Mapping[str, object]:
    document = await world.rival.work_items.get(item_id)
    fields = document["fields"]
    assert isinstance(fields, dict)
    return fields


@pytest.mark.parametrize(("mine", "theirs"), PAIRS, ids=lambda key: key)
@pytest.mark.long_but("Name-Name", "Description-Description", "Name-Estimate")
async def test_what_a_rival_changed_while_the_editor_was_open_is_kept_or_asked_about(
    world: World, store: Store, edit: Edit, mine: str, theirs: str
) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await change_here(pilot, mine, MINE[mine])
        await change_there(world, item_id, theirs, THEIRS[theirs])
        await store.refresh()
        await until(lambda: screen_of(pilot).draft.base[theirs] == THEIRS[theirs])
        await pilot.press("ctrl+s")
        is_asked = mine == theirs and mine not in MERGED
        await until(lambda: isinstance(pilot.app.screen, ConflictDialog) is is_asked)
        if is_asked:
            assert (await on_service(world, item_id))[theirs] == THEIRS[theirs]
            await pilot.press("m", "enter")
        await until(lambda: "Saved" in text_of(pilot.app), lambda: text_of(pilot.app))
        fields = await fields_on(world, store, item_id)

        expected = {theirs: THEIRS[theirs], mine: MERGED.get(mine, MINE[mine]) if mine == theirs else MINE[mine]}
        assert {key: fields[key] for key in expected} == expected


@pytest.mark.parametrize(("mine", "theirs"), PAIRS, ids=lambda key: key)
@pytest.mark.long_but("Status-Status", "Tags-Tags", "Name-Estimate")
async def test_what_a_rival_changed_unseen_is_kept_or_waits_to_be_settled(
    world: World, store: Store, edit: Edit, mine: str, theirs: str
) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await change_here(pilot, mine, MINE[mine])
        await change_there(world, item_id, theirs, THEIRS[theirs])
        await pilot.press("ctrl+s")
        if mine == theirs and mine not in MERGED:
            expected = {theirs: THEIRS[theirs]}
            await until(lambda: [each.state for each in store.outbox_entries()] == [EntryState.CONFLICT])
        else:
            expected = {theirs: THEIRS[theirs], mine: MERGED[mine] if mine == theirs else MINE[mine]}
            await sent(store)
        fields = await on_service(world, item_id)

        assert {key: fields[key] for key in expected} == expected


async def test_an_edit_says_what_was_seen_even_if_the_mirror_has_something_newer(world: World, store: Store) -> None:
    item_id = await story(world, store)
    await change_there(world, item_id, "Name", "Theirs")
    await store.refresh()

    await store.items.edit([item_id], {"Name": "Mine"}, {"Name": "Before"})
    await until(lambda: [each.state for each in store.outbox_entries()] == [EntryState.CONFLICT])

    assert (await on_service(world, item_id))["Name"] == "Theirs"


@pytest.mark.slow
async def test_a_field_that_others_changed_has_a_sign_and_says_what_it_was(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await change_there(world, item_id, "Estimate", "13")
        await store.refresh()
        await until(lambda: "↓Estimate" in text_of(pilot.app), lambda: text_of(pilot.app))
        await go_to(pilot, "Estimate")

        assert line_with(pilot.app, "↓Estimate").rstrip(" │").endswith(" 13")
        assert missing(pilot.app, ["Changed by others; it was: 1"]) == []
        assert not has_changes(pilot)


@pytest.mark.slow
async def test_an_own_save_is_no_news(world: World, store: Store, edit: Edit) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await change_here(pilot, "Estimate", "5")
        await pilot.press("ctrl+s")
        await sent(store)
        await store.refresh()
        await pilot.pause(0.1)

        assert "↓" not in text_of(pilot.app)


@pytest.mark.slow
async def test_what_the_service_presets_for_a_new_item_is_no_news(store: Store, edit: Edit) -> None:
    async with edit(item_type="Story") as pilot:
        await pilot.press("enter", *"New", "enter", "ctrl+s")
        await sent(store)
        await store.refresh()
        await until(lambda: "#" in text_of(pilot.app).splitlines()[0])

        assert "↓" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_value_that_arrives_under_an_open_input_is_not_taken_back(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await pilot.press("e")
        await change_there(world, item_id, "Name", "Theirs")
        await store.refresh()
        await until(lambda: "server now has: Theirs" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("escape")
        await pilot.pause()

        assert not has_changes(pilot)
        assert line_with(pilot.app, "↓Name").rstrip(" │").endswith("Theirs")


@pytest.mark.slow
async def test_what_is_typed_over_a_value_that_arrives_is_asked_about(world: World, store: Store, edit: Edit) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await pilot.press("e")
        await change_there(world, item_id, "Name", "Theirs")
        await store.refresh()
        await until(lambda: "server now has: Theirs" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("!", "ctrl+s")
        await until(lambda: isinstance(pilot.app.screen, ConflictDialog))
        asked = missing(pilot.app, ["jon", "while you were editing", "Before!", "Theirs", "Was"])
        await pilot.press("t", "enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        await pilot.pause()

        assert asked == []
        assert not has_changes(pilot)
        assert (await on_service(world, item_id))["Name"] == "Theirs"


@pytest.mark.slow
async def test_what_is_picked_over_a_value_that_arrives_is_asked_about(world: World, store: Store, edit: Edit) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await go_to(pilot, "Status")
        editor = screen_of(pilot)
        await pilot.press("enter")
        await change_there(world, item_id, "Status", "Done")
        await store.refresh()
        await until(lambda: editor.draft.base["Status"] == "Done")
        await pilot.press(*"prog", "enter", "g", "=")
        await until(lambda: isinstance(pilot.app.screen, ConflictDialog))

        assert missing(pilot.app, ["In progress", "Done", "Not done"]) == []


@pytest.mark.slow
async def test_texts_changed_at_different_lines_are_put_together(world: World, store: Store, edit: Edit) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await change_here(pilot, "Description", "my first\nsecond\nthird\n")
        await change_there(world, item_id, "Description", "first\nsecond\ntheir third\n")
        await store.refresh()
        await until(lambda: screen_of(pilot).draft.arrived)
        await pilot.press("ctrl+s")
        await until(lambda: "Saved" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert (await fields_on(world, store, item_id))["Description"] == "my first\nsecond\ntheir third\n"


@pytest.mark.slow
async def test_a_kept_draft_does_not_overwrite_what_came_while_it_was_closed(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await story(world, store)

    async with edit(item_id) as pilot:
        await change_here(pilot, "Name", "Mine")
        await pilot.press("q", "k")
        await until(lambda: not isinstance(pilot.app.screen, ItemEditorScreen))
        await until(lambda: store.drafts.find(f"edit:{item_id}"))
        await change_there(world, item_id, "Name", "Theirs")
        await store.refresh()
        pilot.app.push_screen(ItemEditorScreen(store, item_id))
        await pilot.pause()
        await pilot.press("ctrl+s")
        await until(lambda: isinstance(pilot.app.screen, ConflictDialog))

        assert (await on_service(world, item_id))["Name"] == "Theirs"
