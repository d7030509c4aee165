"""The form of an item: its fields without the texts beside them, and the tabs above."""

from pathlib import Path

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
async def test_a_long_change_has_two_lines_and_goes_on_below_its_verb(
    tmp_path: Path, world: World, store: Store, edit: Edit
) -> None:
    item_id = await item_of(world, "Story")
    for number in range(5):
        path = tmp_path / f"a-table-of-timings-{number}.csv"
        path.write_text("a,b\n")
        attachment_id = await store.transfers.upload(item_id, path, lambda *_: None)
        await store.transfers.describe(attachment_id, "Measured on staging")

    async with edit(item_id, size=(120, 44)) as pilot:
        await until(lambda: "5 files:" in text_of(pilot.app), lambda: text_of(pilot.app))
        lines = [line[70:-1].rstrip() for line in lines_of(pilot.app)]
        at = next(number for number, line in enumerate(lines) if "5 files:" in line)

        assert lines[at + 1].index("a-table") == lines[at].index("attached")
        assert lines[at + 1].endswith("…")
        assert "a-table" not in lines[at + 2]
        assert "Measured" not in text_of(pilot.app)
