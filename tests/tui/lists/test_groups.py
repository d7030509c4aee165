"""The backlog grouped and sorted: headers, folding, and what the title says of it."""

import re

import pytest
from rich.segment import Segment
from tests.quiet import strips_of
from tests.store.world import until
from tests.tui.bare_app import heading_of, lines_of, messages_of, pane_lines, position_of, text_of
from tests.tui.list_steps import group_by, items, press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot
from textual.strip import Strip

from backlit.model.statuses import status_word
from backlit.store import Store, ViewSpec
from backlit.store.views.groups import GroupLine


def rows_of(pilot: Pilot[None]) -> list[str]:
    return [line.rstrip(" █") for line in pane_lines(pilot.app)[3:-2]]


def is_bold(segment: Segment) -> bool:
    return segment.style is not None and segment.style.bold is True


def headers_of(pilot: Pilot[None]) -> list[str]:
    """The folds and names of the headers in sight."""
    lines = [line.removeprefix("▌").strip() for line in rows_of(pilot)]
    return [line.split("  ")[0] for line in lines if line.startswith(("▸ ", "▾ "))]


async def groups_of(store: Store, *keys: str) -> list[GroupLine]:
    view = store.view(ViewSpec(group=keys))
    await view.load()
    return view.outline.headers


async def test_a_group_has_a_header_with_its_name_and_totals(store: Store, opened: Open) -> None:
    first = (await groups_of(store, "Status"))[0]
    async with opened(store) as pilot:
        await group_by(pilot, "status")
        await press(pilot, "g", "g")
        line = rows_of(pilot)[0]

        assert line.startswith("▌▾ Not done  ")
        end = pane_lines(pilot.app)[2].index("Pts") + len("Pts")
        assert line[:end].endswith(f" {first.points:g}")
        assert (
            line[:end]
            .removesuffix(f"{first.points:g}")
            .rstrip()
            .endswith(f"  {first.count} items + {first.rows - first.count} tasks")
        )
        assert f"{first.points:g}" in [each.text.strip() for each in strips_of(pilot.app)[3] if is_bold(each)]
        assert first.value == "Not Done"
        assert "by status" in heading_of(pilot.app)


async def test_the_cursor_stays_on_its_item_when_the_list_is_grouped(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "7", "j")
        before = items(pilot).current_id
        await group_by(pilot, "owner")

        assert items(pilot).current_id == before


@pytest.mark.slow
async def test_two_levels_stand_under_each_other(store: Store, opened: Open) -> None:
    first, second = (await groups_of(store, "Status", "type"))[:2]
    async with opened(store) as pilot:
        await group_by(pilot, "status", "type")
        await press(pilot, "g", "g")
        lines = rows_of(pilot)

        assert lines[0].startswith(f"▌▾ {status_word(str(first.value))}  ")
        assert lines[1].startswith(f"   ▾ {second.value}  ")
        assert "by status, then type" in heading_of(pilot.app)


@pytest.mark.slow
async def test_no_groups_takes_the_headers_away(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await group_by(pilot, "status")
        await press(pilot, "}", "j")
        first = items(pilot).current_id
        await press(pilot, "k")
        head = items(pilot).current_id
        await group_by(pilot, "no groups")

        assert headers_of(pilot) == []
        assert items(pilot).row_count() == len(await shown(store))
        assert head is None
        assert items(pilot).current_id == first


async def test_h_folds_the_group_and_l_unfolds_it(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await group_by(pilot, "status")
        await press(pilot, "g", "g", "j", "j")
        whole = items(pilot).row_count()
        await press(pilot, "h")
        folded, line = items(pilot).row_count(), rows_of(pilot)[items(pilot).cursor]
        await press(pilot, "l")

        assert folded < whole == items(pilot).row_count()
        assert line.startswith("▌▸")


@pytest.mark.slow
async def test_all_groups_fold_and_unfold(store: Store, opened: Open) -> None:
    groups = await groups_of(store, "type")
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "z", "M")
        folded = headers_of(pilot)
        await press(pilot, "z", "R")

        assert len(folded) == len(groups)
        assert items(pilot).row_count() == len(await shown(store)) + len(groups)


async def test_folded_groups_stay_folded_when_done_items_are_shown(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "z", "M")
        folded = headers_of(pilot)
        await press(pilot, "t", "d")

        assert set(folded) <= set(headers_of(pilot))


@pytest.mark.slow
async def test_braces_go_from_group_to_group(store: Store, opened: Open) -> None:
    groups = await groups_of(store, "type")
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "g", "g", "}")
        second = items(pilot).cursor
        await press(pilot, "j", "{", "{")
        await press(pilot, "{")

        assert "This is the first group." in messages_of(pilot.app)
        assert second == groups[0].rows + 1
        assert items(pilot).cursor == 0


async def test_the_selection_survives_grouping_and_folding(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "space", "space")
        selected = set(items(pilot).selection.ids())
        await group_by(pilot, "type")
        await press(pilot, "z", "M")

        assert set(items(pilot).selection.ids()) == selected
        assert "✓ 2 selected" in position_of(pilot.app)


@pytest.mark.slow
async def test_space_on_a_header_selects_its_group(store: Store, opened: Open) -> None:
    group = (await groups_of(store, "type"))[0]
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "g", "g", "space")

        assert len(items(pilot).selection.ids()) == group.rows


async def test_an_item_command_on_a_header_is_refused(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "g", "g", "s")

        assert "There is no item under the cursor." in text_of(pilot.app)


async def test_stepping_without_groups_says_how_to_group(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "}")

        assert "The list is not grouped" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_sort_is_picked_and_turned(store: Store, opened: Open) -> None:
    names = sorted(row.name.casefold() for row in await shown(store))
    async with opened(store) as pilot:
        await press(pilot, "t", "s", *"name", "enter")
        upward = rows_of(pilot)[0]
        await press(pilot, "t", "s", "enter")
        await press(pilot, "g", "g")

        assert names[0][:20] in upward.casefold()
        assert names[-1][:20] in rows_of(pilot)[0].casefold()
        assert "name ↓" in heading_of(pilot.app)


@pytest.mark.slow
async def test_several_sort_keys_are_picked_with_their_directions(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "t", "s", *"status", "tab", *"points", "tab", *"points", "tab")
        dialog = text_of(pilot.app)
        await press(pilot, "enter")

        assert "2nd ↓" in dialog
        assert "status ↑, points ↓" in heading_of(pilot.app)


@pytest.mark.slow
async def test_a_computed_column_is_picked_as_the_order_and_turned_and_cells_come_in_it(
    store: Store, opened: Open
) -> None:
    async with opened(store, (160, 40)) as pilot:
        await press(pilot, "t", "s", *"not ready", "enter")
        upward = list(items(pilot).ids_between(0, None))
        title = heading_of(pilot.app)
        await press(pilot, "t", "s", "enter")
        downward = list(items(pilot).ids_between(0, None))
        shown = {each: row["lint"] for each, row in store.cells.values(upward, ["lint"]).items()}
        findings = [str(shown[each]) for each in upward if shown[each]]

        assert "not ready ↑" in title
        assert "not ready ↓" in heading_of(pilot.app)
        assert 1 < len(set(findings)) < len(findings) < len(upward)
        assert findings == sorted(findings)
        assert [shown[each] for each in downward] == [*reversed(findings), *([None] * (len(upward) - len(findings)))]


@pytest.mark.parametrize(
    ("typed", "order", "title"),
    [
        ("lint desc", ("lint", True), "not ready ↓"),
        ("-Lint", ("lint", True), "not ready ↓"),
        ("channel", ("Channel_cf", False), "channel ↑"),
        ("businessvalue desc", ("BusinessValue_cf", True), "business value ↓"),
    ],
)
@pytest.mark.long_but("order0", "order2")
async def test_a_typed_order_takes_computed_columns_and_own_fields_without_their_suffix(
    store: Store, opened: Open, typed: str, order: tuple[str, bool], title: str
) -> None:
    async with opened(store) as pilot:
        await press(pilot, ":", *("space" if sign == " " else sign for sign in f"sort {typed}"), "enter")

        assert items(pilot).view is not None
        assert [(key.name, key.descending) for key in items(pilot).view.spec.sort] == [order]  # type: ignore[union-attr] # it is not None
        assert title in heading_of(pilot.app).lower()


@pytest.mark.slow
@pytest.mark.usefixtures("every_frame")
async def test_moving_over_a_header_draws_two_rows(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "g", "g")
        drawn: list[int] = []
        draw = items(pilot).render_line

        def noted(y: int) -> Strip:
            drawn.append(y)
            return draw(y)

        items(pilot).render_line = noted  # type: ignore[method-assign] # a spy on one instance
        await pilot.press("j")
        await pilot.pause()

        assert len(set(drawn)) == 2


async def test_a_group_of_tasks_counts_tasks_alone(store: Store, opened: Open) -> None:
    tasks = next(each for each in await groups_of(store, "type") if each.value == "Task")
    async with opened(store) as pilot:
        await group_by(pilot, "type")
        await press(pilot, "z", "M")

        assert any(f"  {tasks.rows} tasks" in line for line in rows_of(pilot)), text_of(pilot.app)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 14)])
@pytest.mark.long_but("size0", "size2")
async def test_headers_fit_small_terminals(store: Store, opened: Open, size: tuple[int, int]) -> None:
    async with opened(store, size) as pilot:
        await group_by(pilot, "area")

        assert all(re.search(r" items?\b", line) for line in rows_of(pilot) if "▾ " in line)
        assert all(len(line) <= size[0] for line in lines_of(pilot.app))


@pytest.mark.slow
async def test_the_line_below_says_the_place_in_the_group_and_on_its_header_the_groups_place(
    store: Store, opened: Open
) -> None:
    first, *others = await groups_of(store, "Status")
    async with opened(store) as pilot:
        await group_by(pilot, "status")
        await press(pilot, "g", "g")
        await until(lambda: f"group 1 of {len(others) + 1}" in position_of(pilot.app))
        await press(pilot, "3", "j")

        await until(lambda: f"Not done · row 3 of {first.rows}" in position_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.resize_terminal(80, 24)
        await until(lambda: f"Not done · row 3 of {first.rows}" in position_of(pilot.app), lambda: text_of(pilot.app))
