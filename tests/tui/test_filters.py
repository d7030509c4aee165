"""Filtering the backlog by the values of one field, driven by keys over a real store and service."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from tests.store.papers import offline_store
from tests.store.world import World, until
from tests.tui.conftest import Open
from tests.tui.listing import items, press, shown
from tests.tui.stage import heading_of, line_with, missing, text_of
from textual.pilot import Pilot

from backlit.model.query import NameKind
from backlit.store import Store
from backlit.store.records.item import Row
from backlit.store.records.people import TreeKind
from backlit.tui.dialogs.pick import PickValuesDialog
from backlit.tui.lists.filtering import SharedFilter


def title(pilot: Pilot[None]) -> str:
    return heading_of(pilot.app)


def ids_in(pilot: Pilot[None]) -> Sequence[int]:
    return list(items(pilot).ids_between(0, None))


def expected(rows: Sequence[Row], **wanted: Sequence[object]) -> list[int]:
    return [row.id for row in rows if all(getattr(row, key) in values for key, values in wanted.items())]


async def test_a_picked_status_filters_the_list_and_is_shown_in_the_title(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "s", *"prog", "enter")

        assert ids_in(pilot) == expected(rows, status=["In Progress"])
        assert "› status In progress" in title(pilot)


async def test_tab_picks_several_and_they_are_selected_the_next_time(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"bug", "tab", *"risk", "tab", "enter")
        assert ids_in(pilot) == expected(rows, type=["Bug", "Risk"])
        assert "type Bug or Risk" in title(pilot)

        await press(pilot, "f", "t")
        assert "✓" in line_with(pilot.app, "× Bug  ")
        assert "✓" in line_with(pilot.app, "◇ Risk  ")


async def test_the_picker_counts_the_items_that_match_the_other_filters(store: Store, opened: Open) -> None:
    rows = await shown(store)
    count = len(expected(rows, type=["Bug"], status=["Not Done"]))
    async with opened(store) as pilot:
        await press(pilot, "f", "s", *"not", "enter", "f", "t", *"bug")

        assert f"{count} items" in line_with(pilot.app, "▌   × Bug")


async def test_done_is_a_status_that_can_be_asked_for(store: Store, opened: Open) -> None:
    rows = await shown(store, with_done=True)
    async with opened(store) as pilot:
        await press(pilot, "f", "s", *"done", "enter")

        assert ids_in(pilot) == expected(rows, status=["Done"])


async def test_a_filter_by_area_includes_the_areas_below(store: Store, opened: Open) -> None:
    tree = store.lookups.tree(TreeKind.AREAS)
    node = next(each for each in tree.walk() if tree.depth(each.id) == 1 and tree.children(each.id))
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "r", *node.name.lower(), "enter")

        assert ids_in(pilot) == expected(rows, area_id=tree.subtree_ids(node.id))
        assert f"area {node.name}" in title(pilot)


async def test_an_iteration_is_picked_by_name_or_by_its_relation_to_today(store: Store, opened: Open) -> None:
    rows = await shown(store)
    ids = store.names.ids(NameKind.ITERATION, "current", with_subtree=True)
    async with opened(store) as pilot:
        await press(pilot, "f", "i", *"the current", "enter")

        assert ids_in(pilot) == expected(rows, iteration_id=[*ids]) != []
        assert "iteration current" in title(pilot)


async def test_a_filter_by_nobody_finds_unassigned_items(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "a", *"nobody", "enter")

        assert ids_in(pilot) == expected(rows, owner_id=[None])
        assert "› nobody" in title(pilot)


async def test_mine_is_mine_and_again_everybodys(store: Store, opened: Open) -> None:
    me = store.lookups.me()
    assert me is not None
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "m")
        assert ids_in(pilot) == expected(rows, owner_id=[me.id])
        assert "› mine" in title(pilot)

        await press(pilot, "f", "a")
        assert "✓" in line_with(pilot.app, f"{me.display_name}  ")

        await press(pilot, "escape", "f", "m")
        assert ids_in(pilot) == [row.id for row in rows]


async def test_filters_hold_together_with_the_typed_text_and_escape_takes_them_off_one_by_one(
    store: Store, opened: Open
) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "/", *"a", "enter")
        assert ids_in(pilot) == [row.id for row in rows if row.type == "Story" and "a" in row.name.casefold()]

        await press(pilot, "escape")
        assert ids_in(pilot) == expected(rows, type=["Story"])

        await press(pilot, "escape")
        assert ids_in(pilot) == [row.id for row in rows]


async def test_f0_clears_every_filter(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "f", "m", "/", *"a", "enter", "f", "0")

        assert ids_in(pilot) == [row.id for row in rows]
        assert missing(pilot.app, ["Open items"]) == []


async def test_escape_in_the_picker_changes_nothing(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter")
        before = ids_in(pilot)
        await press(pilot, "f", "t", *"bug", "tab", "escape")

        assert ids_in(pilot) == before


async def test_the_first_row_takes_a_filter_off(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "f", "t", *"any type", "enter")

        assert ids_in(pilot) == [row.id for row in rows]


async def test_a_picker_takes_keys_before_its_counts_are_there(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("f", "t")
        assert isinstance(pilot.app.screen, PickValuesDialog)
        await press(pilot, *"bug", "enter")

        assert "type Bug" in title(pilot)


async def test_a_renamed_iteration_clears_the_filter_with_a_message(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    used = {row.iteration_id for row in rows}
    node = next(each for each in store.lookups.iterations().values() if each.id in used and "\\" in each.path)
    async with opened(store) as pilot:
        await press(pilot, "f", "i", *node.name.lower(), "enter")
        assert f"iteration {node.name}" in title(pilot)

        await world.rival.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))
        await world.rival.iterations.update(node.id, {"name": "Another name"})
        await store.refresh()
        await until(lambda: "cleared" in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: ids_in(pilot) == [row.id for row in rows])


def test_each_project_has_its_own_query(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        shared = SharedFilter(store)
        queries = []
        for project_id, query in ((1, "status:open"), (2, "type:bug"), (1, ""), (2, "")):
            store.choose_project(project_id)
            shared.follow_project()
            queries.append(shared.now.query)
            shared.now = replace(shared.now, query=query or shared.now.query)

    assert queries == ["", "", "status:open", "type:bug"]
