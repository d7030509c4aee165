"""The form of an item: its fields without the texts beside them, and the tabs above."""

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import line_with, lines_of, text_of
from tests.tui.editor_steps import Edit, go_to, has_changes, item_of

from backlit.store import Store


@pytest.mark.slow
async def test_fields_alone_have_all_of_the_width_with_name_and_status_first_and_no_tab_goes_over_a_change(
    world: World, edit: Edit
) -> None:
    async with edit(await item_of(world, "Story"), size=(80, 24)) as pilot:
        tabs = lines_of(pilot.app)[2].split("─")[0].split()
        await pilot.press("z", "a", "j", "j", "j", "p")
        shown = lines_of(pilot.app)[3:]
        fields = [line.split()[0] for line in shown if line.strip()]

        assert fields[:3] == ["Name", "Status", "Owner"]
        assert max(len(line) for line in shown[:-3]) == 79

        await pilot.press("p")
        await go_to(pilot, "Estimate")
        await pilot.press("enter", "ctrl+u", *"8", "enter")

        assert has_changes(pilot)
        assert lines_of(pilot.app)[2].split("─")[0].split() == tabs


@pytest.mark.slow
async def test_latest_changes_have_a_criterion_that_was_added_while_the_page_was_open(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await item_of(world, "Story")
    async with edit(item_id, size=(200, 50)) as pilot:
        await store.criterion_edits.add(item_id, f"Works offline{' and underground' * 5}")

        await until(lambda: "a criterion “Works offline" in text_of(pilot.app), lambda: text_of(pilot.app))
        first = line_with(pilot.app, "a criterion “Works offline")
        below = lines_of(pilot.app)[lines_of(pilot.app).index(first) + 1]
        start = first.index("a criterion “Works offline")
        assert below[start - 8 : start].strip() == ""
        assert below[start:].startswith(("and", "underground"))


@pytest.mark.slow
async def test_a_long_change_is_whole_where_lines_are_left(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    words = [f"word-{number}-of-a-name" for number in range(2)]
    await store.items.edit([item_id], {"Name": " ".join(words)})

    async with edit(item_id, size=(120, 44)) as pilot:

        def changes() -> str:
            return text_of(pilot.app).partition("╭─ Latest changes")[2]

        await until(lambda: words[-1] in changes(), lambda: text_of(pilot.app))
        assert [word for word in words if word not in changes()] == []
