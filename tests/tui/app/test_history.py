"""Undo, redo and deleting on the screen: what is grave is asked first, what was done is said."""

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import missing, said, text_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.statuses import status_word
from backlit.store import Store, ViewSpec
from backlit.tui.app.app import BacklitApp
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.dialogs.dialog import ConfirmDialog
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.trees.screen import TreeScreen


async def at(pilot: Pilot[None], store: Store, item_type: str = "Story") -> int:
    """Put the cursor on the first item of a type; returns its id."""
    view = store.view(ViewSpec())
    await view.load()
    index, row = next((n, row) for n, row in enumerate(view.rows(0, 200)) if row.type == item_type)
    await pilot.press(*str(index + 1), "G")
    await pilot.pause()
    return row.id


def status(store: Store, item_id: int) -> object:
    found = store.item(item_id)
    return found.fields["Status"] if found else None


@pytest.mark.slow
async def test_undo_and_redo_say_what_they_did(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store)
        before = status(store, item_id)
        await pilot.press("x")
        await until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("o")
        await until(lambda: status(store, item_id) == "Done")

        await pilot.press("u")
        await said(pilot, f"Undone: Status of #{item_id} back to {status_word(str(before))}")
        assert status(store, item_id) == before

        await pilot.press("ctrl+r")
        await said(pilot, f"Redone: Status of #{item_id} to Done.")
        assert status(store, item_id) == "Done"


@pytest.mark.slow
async def test_the_cursor_goes_to_the_item_that_undo_and_redo_changed(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store)
        await pilot.press("c", "n", *"Renamed", "enter", "g", "g")
        await until(lambda: current(pilot) != item_id)

        await pilot.press("u")
        await until(lambda: current(pilot) == item_id)
        await pilot.press("G", "ctrl+r")
        await until(lambda: current(pilot) == item_id)


@pytest.mark.slow
async def test_an_undone_item_that_the_filter_hides_is_named(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store)
        await pilot.press("c", "n", *"Renamed", "enter", "/", *"type:bug", "enter", "u")

        await said(pilot, f"#{item_id} “")
        await said(pilot, "hidden.")


@pytest.mark.slow
async def test_on_the_board_and_in_the_plan_the_cursor_goes_to_what_undo_changed(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store)
        await pilot.press("m", "b", "g", "k")
        await pilot.press("u")
        await until(lambda: current(pilot) == item_id)
        await pilot.press("g", "p", "ctrl+r")
        await until(lambda: current(pilot) == item_id)


@pytest.mark.slow
async def test_an_item_whose_addition_is_undone_is_not_named_as_hidden(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await at(pilot, store)
        await pilot.press("a", "enter", *"A new one", "enter")
        await until(lambda: "A new one" in text_of(pilot.app))

        await pilot.press("u")
        await said(pilot, "Undone: ")
        assert missing(pilot.app, ["hidden."]) == ["hidden."]


def current(pilot: Pilot[None]) -> int | None:
    screen = pilot.app.screen
    return screen.items.current_id if isinstance(screen, ListScreen) else None


@pytest.mark.slow
async def test_an_item_that_undo_creates_again_is_gone_to_and_its_new_number_is_named(
    store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store, "Bug")
        item = store.item(item_id)
        assert item is not None
        name = item.fields["Name"]
        await pilot.press("d", "h", "y")
        await until(lambda: store.item(item_id) is None)
        await sent(store)
        await pilot.press("u", "y")

        await said(pilot, f"Created again: #{item_id} is now #")
        made = store.item(current(pilot) or 0)
        assert made is not None
        assert made.id > item_id
        assert made.fields["Name"] == name


@pytest.mark.slow
async def test_the_new_number_is_named_also_when_the_service_was_faster_than_the_screen(
    store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store, "Bug")
        await store.deletions.delete_items([item_id])
        await sent(store)
        done = await store.history.undo()
        assert done is not None
        await sent(store)
        await pilot.pause()

        assert isinstance(pilot.app, BacklitApp)
        pilot.app.navigator.show_reversal(done)
        await said(pilot, f"Created again: #{item_id} is now #")


@pytest.mark.slow
async def test_the_cursor_goes_to_the_area_that_undo_changed(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "a", "j")
        screen = pilot.app.screen
        assert isinstance(screen, TreeScreen)
        node = screen.node
        assert node is not None
        await pilot.press("c", "n", *"Renamed", "enter", "g", "g")
        await until(lambda: screen.node is not None and screen.node.id != node.id)

        await pilot.press("u")
        await until(lambda: screen.node is not None and screen.node.id == node.id)


async def test_where_there_is_nothing_to_undo_or_redo_that_is_said(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("u")
        await said(pilot, "Nothing to undo.")
        await pilot.press("ctrl+r")
        await said(pilot, "Nothing to redo.")


@pytest.mark.slow
async def test_several_undos_typed_fast_are_all_done_in_order(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store)
        before = store.item(item_id)
        for estimate in ("1", "2", "3"):
            await store.items.edit([item_id], {"Estimate": estimate})

        await pilot.press("u", "u", "u")
        await until(lambda: before is not None and _estimate(store, item_id) == before.fields.get("Estimate"))


def _estimate(store: Store, item_id: int) -> object:
    found = store.item(item_id)
    return found.fields.get("Estimate") if found else None


@pytest.mark.slow
async def test_a_bulk_act_is_undone_only_after_its_difference_was_shown(store: Store, opened: Open) -> None:
    ids = [row.id for row in store.view(ViewSpec()).rows(0, 50) if row.type == "Story"][:2]
    async with opened(store) as pilot:
        await store.items.edit(ids, {"Name": "Both [b]"})
        await pilot.press("u")
        await said(pilot, "2 items are affected.")
        assert missing(pilot.app, ["Both [b] → ", f"#{ids[0]}", f"#{ids[1]}", "y undo"]) == []

        await pilot.press("enter")
        await pilot.pause()
        assert [_name(store, each) for each in ids] == ["Both [b]"] * 2

        await pilot.press("u")
        await said(pilot, "2 items are affected.")
        await pilot.press("y")
        await said(pilot, "Undone: 2 items changed back.")
        assert "Both [b]" not in [_name(store, each) for each in ids]


@pytest.mark.slow
async def test_undo_counts_tasks_apart(store: Store, opened: Open) -> None:
    rows = store.view(ViewSpec()).rows(0, 50)
    ids = [next(row.id for row in rows if (row.type == "Task") is is_task) for is_task in (False, True)]
    async with opened(store) as pilot:
        await store.items.edit(ids, {"Name": "Both"})
        await pilot.press("u")
        await said(pilot, "1 item, 1 task are affected.")
        await pilot.press("y")
        await said(pilot, "Undone: 1 item, 1 task changed back.")


def _name(store: Store, item_id: int) -> object:
    found = store.item(item_id)
    return found.fields["Name"] if found else None


@pytest.mark.slow
async def test_d_s_deletes_by_the_status(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await at(pilot, store)

        await pilot.press("d")
        await said(pilot, "set the status to Deleted")
        await pilot.press("s")
        await until(lambda: status(store, item_id) == "Deleted")


@pytest.mark.slow
async def test_d_h_y_deletes_for_good_and_says_what_goes_with_it(world: World, store: Store, opened: Open) -> None:
    task = (await world.rival.work_items.page(filter="type eq 'Task' and projectId eq 1", top=1)).results[0]
    item_id = task["fields"]["ParentID"]
    going = store.deletions.extent([item_id])
    async with opened(store, (60, 20)) as pilot:
        await pilot.press("t", "d", "/", *f"#{item_id}", "enter")
        await said(pilot, f"{item_id}")

        await pilot.press("d", "h")
        await said(pilot, f"{going.tasks} task")
        await said(pilot, "You can undo (u)")
        await pilot.press("h", "d", "enter")
        await pilot.pause()
        assert store.item(item_id) is not None

        await pilot.press("d")
        await said(pilot, "delete permanently…")
        await pilot.press("h")
        await said(pilot, "You can undo (u)")
        await pilot.press("y")
        await said(pilot, f"Deleted #{item_id}")
        await sent(store)
        assert store.item(item_id) is None

        await pilot.press("u")
        await said(pilot, "Deleted items are created again")
        await pilot.press("y")
        await said(pilot, f"Created again: #{item_id} is now #")
        assert "Deleted #" not in text_of(pilot.app)


@pytest.mark.slow
async def test_more_items_are_deleted_by_typing_how_many(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        view = store.view(ViewSpec())
        await view.load()
        ids = [row.id for row in view.rows(0, 3)]
        await pilot.press("g", "g", "space", "space", "space", "d")
        await said(pilot, "3 items")
        await pilot.press("h")
        await said(pilot, "items permanently: type 3")
        await pilot.press("y", "enter")
        await said(pilot, "Type 3 to delete")
        assert store.outbox.pending == 0

        await pilot.press("ctrl+u", "3", "enter")
        await said(pilot, "Deleted 3 items")
        assert [store.item(each) for each in ids] == [None] * 3


@pytest.mark.slow
async def test_a_type_without_that_status_offers_only_deleting_for_good(store: Store, opened: Open) -> None:
    await store.items.add("Risk", {"Name": "A risk"})
    await sent(store)
    async with opened(store) as pilot:
        item_id = await at(pilot, store, "Risk")

        await pilot.press("d")
        await said(pilot, "permanently")
        assert "set the status" not in text_of(pilot.app)
        await pilot.press("s", "escape")
        await pilot.pause()
        assert status(store, item_id) == "Active"


@pytest.mark.slow
async def test_an_own_comment_is_deleted_after_a_question_and_others_are_not(
    world: World, store: Store, opened: Open
) -> None:
    item_id = next(row.id for row in store.view(ViewSpec()).rows(0, 50) if not store.comments.of_item(row.id))
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "By jon"})
    await store.items.comment(item_id, "By maya")
    await sent(store)
    await store.refresh()
    async with opened(store) as pilot:
        pilot.app.push_screen(CommentsScreen(store, item_id))
        await said(pilot, "By maya")

        await pilot.press("G", "d")
        await said(pilot, "only your own comments")
        await pilot.press("g", "g", "d")
        await said(pilot, "is deleted for everybody")
        await pilot.press("y")
        await until(lambda: [comment.text for comment in store.comments.of_item(item_id)] == ["By jon"])

        await pilot.press("u")
        await said(pilot, "posted again")
