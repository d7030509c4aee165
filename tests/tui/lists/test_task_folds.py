"""Tasks that fold under their item in the backlog."""

from pathlib import Path

import pytest
from tests.store.world import until
from tests.tui.bare_app import line_with, lines_of, text_of
from tests.tui.list_steps import group_by, items, press, shown, status_line
from tests.tui.lists.saved_views import viewed
from tests.tui.opened import Open

from backlit.store import Store
from backlit.store.records.item import ItemRow

SIZE = (160, 60)


async def family(store: Store) -> tuple[ItemRow, list[ItemRow]]:
    """Return the first item with tasks, and its tasks."""
    rows = await shown(store)
    parent_id = next(row.parent_id for row in rows if row.type == "Task")
    return next(row for row in rows if row.id == parent_id), [row for row in rows if row.parent_id == parent_id]


@pytest.mark.slow
async def test_za_folds_the_tasks_of_an_item_and_shows_their_number(store: Store, opened: Open) -> None:
    item, tasks = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(item.id), "enter")
        whole, title = items(pilot).row_count(), lines_of(pilot.app)[0]
        await press(pilot, "z", "a")
        folded, line = items(pilot).row_count(), line_with(pilot.app, "▌")
        same_title = lines_of(pilot.app)[0]
        await press(pilot, "j")
        below = items(pilot).current_id
        await press(pilot, "k", "z", "a")

        assert folded == whole - len(tasks)
        assert f"▸{len(tasks)}" in line
        assert same_title == title
        assert below not in {task.id for task in tasks}
        assert items(pilot).row_count() == whole
        assert items(pilot).current_id == item.id


@pytest.mark.slow
@pytest.mark.parametrize(("fold", "unfold"), [("h", "l"), ("left", "right")])
async def test_h_on_a_task_folds_it_under_its_item_and_l_unfolds_it(
    store: Store, opened: Open, fold: str, unfold: str
) -> None:
    item, tasks = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(tasks[-1].id), "enter", fold)
        at, folded = items(pilot).current_id, items(pilot).row_count()
        await press(pilot, unfold)

        assert at == item.id
        assert items(pilot).row_count() == folded + len(tasks)


@pytest.mark.slow
async def test_all_tasks_fold_and_the_folds_stay_when_an_item_changes(store: Store, opened: Open) -> None:
    rows = await shown(store)
    below = [row for row in rows if row.type == "Task"]
    async with opened(store, SIZE) as pilot:
        await press(pilot, "z", "M")
        folded = items(pilot).row_count()
        await press(pilot, "g", "g", "+", ".")
        after = items(pilot).row_count()
        await press(pilot, "z", "R")

        assert folded == after == len(rows) - len(below)
        assert items(pilot).row_count() == len(rows)


@pytest.mark.slow
async def test_each_view_begins_with_folded_tasks_and_keeps_its_folds_through_a_restart(
    store: Store, tmp_path: Path
) -> None:
    rows = await shown(store)
    whole, folded = len(rows), sum(row.type != "Task" for row in rows)
    async with viewed(store, tmp_path / "first", '[[view]]\nname = "Same"\n') as pilot:
        await until(lambda: items(pilot).row_count() == folded)
        await press(pilot, "z", "R")
        await until(lambda: items(pilot).row_count() == whole)
        await press(pilot, "g", "2")
        await until(lambda: items(pilot).row_count() == folded)
        await press(pilot, "g", "1")
        await until(lambda: items(pilot).row_count() == whole)
    async with viewed(store, tmp_path / "second", '[[view]]\nname = "Same"\n') as pilot:
        await until(lambda: items(pilot).row_count() == whole)
        await press(pilot, "g", "2")
        await until(lambda: items(pilot).row_count() == folded)


async def test_folded_tasks_are_left_out_when_all_are_selected(store: Store, opened: Open) -> None:
    rows = await shown(store)
    count = sum(row.type != "Task" for row in rows)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "z", "M", "*")

        assert len(items(pilot).selection.ids()) == count
        await until(lambda: f"✓ {count} selected" in text_of(pilot.app), lambda: status_line(pilot))


async def test_a_folded_item_is_selected_without_its_tasks(store: Store, opened: Open) -> None:
    item, _ = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(item.id), "enter", "z", "a", "v", "j", "v")
        chosen = [row.id for row in store.batch.items(items(pilot).selection.ids())]

        assert len(chosen) == 2
        assert chosen[0] == item.id


@pytest.mark.slow
async def test_a_filter_for_tasks_shows_folded_ones(store: Store, opened: Open) -> None:
    item, tasks = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(item.id), "enter", "z", "a", "/", *"type:task", "enter")

        assert {task.id for task in tasks} <= set(items(pilot).ids_between(0, items(pilot).row_count()))


async def test_going_to_a_folded_task_unfolds_it(store: Store, opened: Open) -> None:
    _, tasks = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "z", "M", "#", *str(tasks[0].id), "enter")

        assert items(pilot).current_id == tasks[0].id
        assert items(pilot).find_row(tasks[-1].id) is not None


@pytest.mark.slow
async def test_a_new_task_unfolds_its_item(store: Store, opened: Open) -> None:
    item, _ = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(item.id), "enter", "z", "a", "A", *"Sew", "enter")

        await until(lambda: "□ Sew" in line_with(pilot.app, "▌"))


@pytest.mark.slow
async def test_tasks_fold_within_a_group_and_then_the_group_folds(store: Store, opened: Open) -> None:
    item, tasks = await family(store)
    async with opened(store, SIZE) as pilot:
        await group_by(pilot, "area")
        await press(pilot, "#", *str(item.id), "enter")
        whole = items(pilot).row_count()
        await press(pilot, "h")
        folded, line = items(pilot).row_count(), line_with(pilot.app, "▌")
        await press(pilot, "h")

        assert folded == whole - len(tasks)
        assert f"▸{len(tasks)}" in line
        assert line_with(pilot.app, "▌").startswith("│▌▸")


async def test_an_item_without_tasks_is_named(store: Store, opened: Open) -> None:
    rows = await shown(store)
    parents = {row.parent_id for row in rows}
    alone = next(row for row in rows if row.type != "Task" and row.id not in parents)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(alone.id), "enter", "z", "a")

        assert f"#{alone.id} has no folded tasks." in text_of(pilot.app)


async def test_a_filter_lists_the_tasks_that_match_and_says_that_none_are_folded(store: Store, opened: Open) -> None:
    item, tasks = await family(store)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "#", *str(item.id), "enter", "z", "a")
        folded = line_with(pilot.app, "▌")
        await press(pilot, *f"/id:{item.id},{tasks[0].id}", "enter")
        await press(pilot, "g", "g", "z", "a")

        assert f"▸{len(tasks)}" in folded
        assert items(pilot).row_count() == 2
        assert "▸" not in line_with(pilot.app, "│▌")
        assert "all tasks that match" in text_of(pilot.app)
