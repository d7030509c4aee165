"""The head over the tabs of an item: which tabs it shows, and what they count."""

import re

from tests.store.world import World, until
from tests.tui.bare_app import text_of
from tests.tui.editor_steps import Edit, item_of

from backlit.store import Store
from backlit.tui.items.item_head import ItemHeader
from backlit.tui.shell.target import ItemDestination


async def test_a_tab_without_files_is_left_out_before_names_are_shortened(world: World, store: Store) -> None:
    item_id = await item_of(world, "Story")
    item = store.item(item_id)
    assert item is not None
    header = ItemHeader(store, ItemDestination.EDITOR)
    header.read(item_id)
    header.say(item, "Story", item.name)
    words = ["".join(text for text, *_ in header.tab_words(room)) for room in range(80, 20, -1)]
    without_files = next(each for each in words if "Fil" not in each)

    assert "Files" in words[0]
    assert "Details" in without_files
    assert "Comments" in without_files


async def test_the_details_count_a_task_that_is_added(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    tasks = len(store.relations.children(item_id))

    async with edit(item_id) as pilot:
        await store.items.add("Task", {"Name": "One more", "ParentID": item_id})

        words = f"T(asks|sk) {tasks + 1} "
        await until(lambda: re.search(words, text_of(pilot.app)), lambda: text_of(pilot.app))
