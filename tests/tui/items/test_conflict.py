"""Settling conflicts and refusals in the terminal."""

import asyncio

import pytest
from tests.quiet import workers_done
from tests.store.service_items import of_type
from tests.store.world import Said, World, sent, until
from tests.tui.bare_app import line_with, lines_of, missing, text_of
from tests.tui.editor_steps import Edit, has_changes, save, screen_of
from tests.tui.items.conflicts import TEXT, contest, contest_names, settling
from tests.tui.opened import Open
from textual.pilot import Pilot
from textual.widgets import Input

from backlit.model.fields import NAME_LIMIT
from backlit.store import Store
from backlit.tui.dialogs.compose import ComposeDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.items.conflict_dialog import ConflictDialog
from backlit.tui.shell.input_queue import PAUSE


async def fields_on(world: World, item_id: int) -> dict[str, object]:
    return dict((await world.rival.work_items.get(item_id))["fields"])


@pytest.mark.slow
async def test_both_versions_stand_beside_each_other(world: World, store: Store, opened: Open) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        assert " t  theirs (jon)" in line_with(pilot.app, " m  mine")
        assert "Theirs" in line_with(pilot.app, "▌ Name")
        assert (
            missing(pilot.app, ["jon changed this item on 20", "777", "888", "2 fields left to resolve", "▌ Name"])
            == []
        )
        asked = text_of(pilot.app).partition("Conflict  #")[2].partition("esc  later")[0]
        assert "Status" not in asked
        assert missing(pilot.app, ["Field", "Was", "mine", "enter apply", "m or t for each"]) == []


@pytest.mark.slow
async def test_a_small_terminal_has_them_below_each_other(world: World, store: Store, opened: Open) -> None:
    await contest_names(world, store)
    async with settling(opened, store, (60, 20)) as pilot:
        assert line_with(pilot.app, "m mine      Mine [b]")
        assert line_with(pilot.app, "t theirs    Theirs")
        assert text_of(pilot.app).count("was         ") == 2
        assert missing(pilot.app, ["e edit", "2 fields left to resolve"]) == []
        assert "enter apply" not in text_of(pilot.app)


@pytest.mark.slow
async def test_each_field_is_decided_and_enter_applies(world: World, store: Store, opened: Open) -> None:
    item_id = await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("m", "t")
        await pilot.pause()
        assert missing(pilot.app, ["✓  Mine [b]", "✓  888", "enter apply"]) == []
        await pilot.press("enter")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        found = await fields_on(world, item_id)
        assert (found["Name"], found["Estimate"], found["Status"]) == ("Mine [b]", "888", "Ready For Test")


@pytest.mark.slow
async def test_all_fields_are_decided_for_one_side(world: World, store: Store, opened: Open) -> None:
    item_id = await contest_names(world, store)
    async with settling(opened, store) as pilot:
        named = missing(pilot.app, ["M all mine", "T all theirs"])
        await pilot.press("M", "T")
        await pilot.pause()
        chosen = missing(pilot.app, ["✓  Theirs", "✓  888", " Mine [b]", "All fields are resolved."])
        await pilot.press("enter")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        assert (named, chosen) == ([], [])
        assert (await fields_on(world, item_id))["Name"] == "Theirs"


@pytest.mark.slow
async def test_one_side_for_all_fields_leaves_edited_values(world: World, store: Store, opened: Open) -> None:
    item_id = await contest_names(world, store)
    async with settling(opened, store, (60, 20)) as pilot:
        assert missing(pilot.app, ["M T all", "esc later"]) == []
        await pilot.press("e", "ctrl+u", *"Ours", "enter")
        await until(lambda: "edited" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("M", "enter")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        found = await fields_on(world, item_id)
        assert (found["Name"], found["Estimate"]) == ("Ours", "777")


async def click(pilot: Pilot[None], words: str, *, beside: str) -> None:
    """Click on words in the first line that has others."""
    row = next(at for at, line in enumerate(lines_of(pilot.app)) if beside in line)
    await pilot.click(offset=(lines_of(pilot.app)[row].index(words), row))
    await pilot.pause()


@pytest.mark.slow
async def test_a_click_on_a_side_chooses_it(world: World, store: Store, opened: Open) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await click(pilot, "Theirs", beside="▌ Name")

        assert missing(pilot.app, ["✓  Theirs", "1 field left to resolve"]) == []


@pytest.mark.slow
async def test_a_click_beside_both_sides_decides_nothing(world: World, store: Store, opened: Open) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await click(pilot, "Estimate", beside="│   Estimate")

        assert missing(pilot.app, ["▌ Estimate", "2 fields left to resolve"]) == []


@pytest.mark.slow
async def test_j_and_k_go_from_field_to_field_and_a_decision_can_be_changed(
    world: World, store: Store, opened: Open
) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("j")
        await pilot.pause()
        assert "▌ Estimate" in text_of(pilot.app)
        await pilot.press("m", "k", "down", "up", "t", "k", "m")
        await pilot.pause()

        assert missing(pilot.app, ["✓  Mine [b]"]) == []
        assert "All fields are resolved." in text_of(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["enter", "w"])
async def test_nothing_is_applied_while_a_field_is_open(world: World, store: Store, opened: Open, key: str) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("m", key)
        await pilot.pause()

        assert "Not all fields are resolved" in text_of(pilot.app)
        assert store.outbox.conflicts == 1


@pytest.mark.slow
@pytest.mark.parametrize("key", ["escape", "q"])
async def test_leaving_it_lets_it_wait(world: World, store: Store, opened: Open, key: str) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("m", "t", key)
        await pilot.pause()

        assert not isinstance(pilot.app.screen, ConflictDialog)
        assert store.outbox.conflicts == 1


@pytest.mark.slow
async def test_another_value_is_typed(world: World, store: Store, opened: Open) -> None:
    item_id = await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("e", "ctrl+u", "enter")
        await pilot.pause()
        assert "Name is required." in text_of(pilot.app)
        await asyncio.sleep(PAUSE)
        await pilot.press(*"Both", "enter")
        await pilot.pause()
        assert missing(pilot.app, ["edited      Both", "1 field left to resolve"]) == []
        await pilot.press("t", "w")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        assert (await fields_on(world, item_id))["Name"] == "Both"


@pytest.mark.slow
async def test_a_value_that_is_not_valid_is_asked_for_again(world: World, store: Store, opened: Open) -> None:
    item_id = await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("t", "t", "k", "e")
        await pilot.pause()
        pilot.app.screen.query_one(Input).value = "x" * (NAME_LIMIT + 1)
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("w")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ConflictDialog)
        assert (
            missing(pilot.app, [f"! Name may have {NAME_LIMIT} characters; this has {NAME_LIMIT + 1}.", "▌ Name"]) == []
        )
        assert store.outbox.conflicts == 1
        await pilot.press("m", "w")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        found = await fields_on(world, item_id)
        assert (found["Name"], found["Estimate"]) == ("Mine [b]", "888")


@pytest.mark.slow
async def test_places_are_shown_by_name_and_picked(world: World, store: Store, opened: Open) -> None:
    first, second, third = [each for each in store.lookups.iterations().values() if "\\" in each.path][:3]
    item_id = await contest(world, store, {"IterationID": first.id}, {"IterationID": second.id})
    async with settling(opened, store) as pilot:
        assert missing(pilot.app, [first.name, f" › {second.name.split()[0]}"]) == []  # the rest is on the next line
        await pilot.press("e", *third.name, "enter")
        await pilot.pause()
        await pilot.press("y", "w")  # it has ended, which is asked about
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        assert (await fields_on(world, item_id))["IterationID"] == third.id


@pytest.mark.slow
async def test_a_long_text_shows_its_differences_and_is_merged_by_hand(
    world: World, store: Store, opened: Open
) -> None:
    mine, theirs = TEXT.replace("to pay", "to buy"), TEXT.replace("to pay", "to leave").replace("by card", "by car")
    item_id = await contest(world, store, {"Description": mine}, {"Description": theirs})
    async with settling(opened, store) as pilot:
        assert missing(pilot.app, ["▎ to buy", "▎ to leave", "  I want"]) == []
        await pilot.press("e")
        await pilot.pause()
        dialog = pilot.app.screen
        assert isinstance(dialog, ComposeDialog)
        assert missing(pilot.app, ["<<<<<<< mine", "=======", ">>>>>>> theirs", "ctrl+s apply"]) == []
        await pilot.press("ctrl+s", "w")
        await pilot.pause()
        assert "The text still holds both versions" in text_of(pilot.app)
        assert store.outbox.conflicts == 1
        await pilot.press("e")
        await pilot.pause()
        again = pilot.app.screen
        assert isinstance(again, ComposeDialog)
        again.area.text = "As a guest\nI want both"
        await pilot.press("ctrl+s")
        await pilot.pause()
        await pilot.press("w")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        assert (await fields_on(world, item_id))["Description"] == "As a guest\nI want both"


@pytest.mark.slow
async def test_a_text_longer_than_the_screen_scrolls(world: World, store: Store, opened: Open) -> None:
    mine = "\n".join(f"mine {number}" for number in range(60))
    await contest(world, store, {"Description": mine}, {"Description": "theirs"})
    async with settling(opened, store, (80, 24)) as pilot:
        await pilot.press(*["ctrl+d"] * 8)
        await until(lambda: "mine 59" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press(*["pageup"] * 8)

        await until(lambda: missing(pilot.app, ["mine 0", "1 field left to resolve"]) == [], lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_change_made_while_it_is_open_is_a_conflict_again(world: World, store: Store, opened: Open) -> None:
    item_id = await contest(world, store, {"Name": "Mine"}, {"Name": "Theirs"})
    async with settling(opened, store) as pilot:
        await world.rival.work_items.update(item_id, {"Name": "Third"})
        await pilot.press("m", "w")
        await until(lambda: [entry.theirs for entry in store.outbox_entries()] == [{"Name": "Third"}])

        assert (await fields_on(world, item_id))["Name"] == "Third"


@pytest.mark.slow
async def test_it_opens_where_the_item_is_shown(world: World, store: Store, opened: Open) -> None:
    item_id = await contest(world, store, {"Name": "Mine"}, {"Name": "Theirs"})
    async with opened(store) as pilot:
        await pilot.press("/", *f"#{item_id}", "enter")
        await until(lambda: "conflict (g=)" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("g", "=")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ConflictDialog)
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ItemEditorScreen)
        assert "g= to resolve" in text_of(pilot.app)
        await pilot.press("g", "=")
        await pilot.pause()

        assert isinstance(pilot.app.screen, ConflictDialog)


@pytest.mark.slow
async def test_an_item_without_a_conflict_says_so(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "=")
        await pilot.pause()

        assert "This item has no conflicts or rejected changes." in text_of(pilot.app)


async def refuse(world: World, store: Store) -> int:
    """A new task under an item that went meanwhile, and a comment on it."""
    item_id = await of_type(world)
    world.faults.is_down = True
    await store.items.add("Task", {"Name": "Under it", "ParentID": item_id})
    await store.items.comment(item_id, "Some words\nmore [b]")
    await world.rival.work_items.delete(item_id)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.refused == 2, store.outbox_entries)
    return await of_type(world)


@pytest.mark.slow
async def test_a_refused_item_is_changed_and_sent_again(world: World, store: Store, opened: Open) -> None:
    parent = await refuse(world, store)
    async with opened(store) as pilot:
        await pilot.press("g", "o", "e")
        await pilot.pause()
        assert missing(pilot.app, ["Rejected", "Under it", "All fields are resolved."]) == []
        await pilot.press(*"j" * 5, "e", "ctrl+u", *str(parent), "enter")
        await pilot.pause()
        await pilot.press("w")
        await until(lambda: store.outbox.refused == 1, store.outbox_entries)
        await sent(store)

        page = await world.rival.work_items.page(filter=f"ParentID eq {parent} and Name eq 'Under it'")
        assert len(page.results) == 1


@pytest.mark.slow
async def test_a_refused_comment_opens_its_words(world: World, store: Store, opened: Open) -> None:
    refusal = Said(400, (), b'{"message": "Not today.", "errors": {}}')
    world.faults.says = lambda method, _: refusal if method == "POST" else None
    await store.items.comment(await of_type(world), "Some words\nmore [b]")
    await until(lambda: store.outbox.refused == 1, store.outbox_entries)
    async with opened(store) as pilot:
        await pilot.press("g", "o", "G", "e")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ComposeDialog)
        world.faults.is_down, world.faults.says = True, lambda _method, _path: None
        await pilot.press(*" too", "ctrl+s")
        await until(lambda: store.outbox.refused == 0, store.outbox_entries)

        entry = store.outbox_entries()[-1]
        assert entry.payload == {"text": "Some words\nmore [b] too"}
        await until(lambda: store.drafts.find(f"outbox:{entry.id}") is None)


@pytest.mark.slow
async def test_enter_shows_all_of_an_entry_and_yy_copies_it(world: World, store: Store, opened: Open) -> None:
    await refuse(world, store)
    async with opened(store) as pilot:
        await pilot.press("g", "o", "G", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ReadingDialog)
        assert missing(pilot.app, ["Some words", "more [b]"]) == []
        await pilot.press("q", "y", "y")
        await pilot.pause()
        assert pilot.app.clipboard == "Some words\nmore [b]"
        await pilot.press("k", "y", "y")
        await pilot.pause()

        assert "Name: Under it" in pilot.app.clipboard.splitlines()


@pytest.mark.slow
async def test_what_only_waits_is_not_settled_and_its_item_opens(world: World, store: Store, opened: Open) -> None:
    item_id = await of_type(world)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Estimate": "777"})
    async with opened(store) as pilot:
        await pilot.press("g", "o", "e")
        await pilot.pause()
        assert "Already queued" in text_of(pilot.app)
        await pilot.press("o")
        await pilot.pause()

        assert isinstance(pilot.app.screen, ItemEditorScreen)


@pytest.mark.slow
async def test_a_change_of_an_item_that_others_deleted_is_saved_as_a_new_item(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await of_type(world)
    await store.items.edit([item_id], {"Description": TEXT})
    await sent(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Name": "My words"})
    await store.items.comment(item_id, "My comment")
    await world.rival.work_items.delete(item_id)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.refused == 2, store.outbox_entries)
    async with opened(store) as pilot:
        await pilot.press("g", "o", "e")
        await pilot.pause()
        asked = missing(pilot.app, [f"Someone deleted #{item_id}. Your change of Name was not saved.", "discard the"])
        await pilot.press("n")
        await until(lambda: not store.outbox_entries(), lambda: text_of(pilot.app))

    made = (await world.rival.work_items.page(filter="Name eq 'My words'")).results[0]
    comments = await world.rival.work_items.comments(int(str(made["id"]))).page(top=100)
    assert asked == []
    assert made["id"] != item_id
    assert made["fields"]["Description"] == TEXT
    assert comments.results[-1]["description"] == "My comment"
    assert store.item(item_id) is None


@pytest.mark.slow
async def test_the_editor_shows_the_item_that_was_created_again(world: World, store: Store, edit: Edit) -> None:
    item_id = await of_type(world)
    async with edit(item_id) as pilot:
        world.faults.is_down = True
        await pilot.press("e", *"!", "escape")
        await save(pilot)
        await world.rival.work_items.delete(item_id)
        world.faults.is_down = False
        await store.refresh()
        await until(lambda: store.outbox.refused == 1, store.outbox_entries)
        await pilot.press("g", "=")
        await until(lambda: f"Someone deleted #{item_id}." in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("n")
        await until(lambda: "Saved and sent." in text_of(pilot.app), lambda: text_of(pilot.app))
        shown = screen_of(pilot).current()

        made = (await world.rival.work_items.page(filter="endswith(Name, '!')")).results[0]
        assert (shown.id, shown.fields["Name"]) == (made["id"], made["fields"]["Name"])
        assert missing(pilot.app, [f"#{shown.id} ", "[Det", "His"]) == []
        assert not has_changes(pilot)
        assert "↓" not in text_of(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "names"), [("n", ["Old mine"]), ("k", []), ("d", []), ("escape", [])])
async def test_a_draft_of_an_item_that_others_deleted_is_created_kept_or_discarded(
    world: World, store: Store, edit: Edit, key: str, names: list[str]
) -> None:
    made = await world.rival.work_items.create({"type": "Story", "projectId": 1, "fields": {"Name": "Old"}})
    item_id = int(str(made["id"]))
    await store.refresh()
    async with edit(item_id) as pilot:
        await pilot.press("e", *" mine", "escape")
        await world.rival.work_items.delete(item_id)
        await store.refresh()
        await until(lambda: store.item(item_id) is None)
        await pilot.press("ctrl+s")
        await until(lambda: f"Someone deleted #{item_id}." in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press(key)
        await workers_done(pilot.app)
        await sent(store)
        held = [dict(entry.fields) for entry in store.outbox_entries()]
        is_open = isinstance(pilot.app.screen, ItemEditorScreen)

    page = await world.rival.work_items.page(filter="contains(Name, 'Old mine')")
    assert [each["fields"]["Name"] for each in page.results] == names
    assert [fields["Name"] for fields in held] == (["Old mine"] if key == "k" else [])
    assert is_open is (key != "d")
