"""Selecting rows in the backlog, by keys over a real store and service."""

from typing import cast

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, lines_of, pane_lines, text_of, title_of
from tests.tui.list_steps import items, press, shown, status_line
from tests.tui.opened import Open
from textual.message import Message

from backlit.model.amounts import points_of
from backlit.store import Store
from backlit.store.records.item import ItemRow
from backlit.tui.widgets.item_list import ItemList, RowSelection


def points(rows: list[ItemRow]) -> str:
    return f"{sum(points_of(row.estimate) or 0 for row in rows):,.10g} pts"


async def test_space_selects_and_steps_and_the_status_line_adds_up(store: Store, opened: Open) -> None:
    rows = await shown(store)
    number = next(at for at, row in enumerate(rows, 1) if points_of(row.estimate))
    async with opened(store) as pilot:
        await press(pilot, "space", "space")
        two = status_line(pilot)
        await press(pilot, *["space"] * (number - 2))

        assert set(items(pilot).selection.ids()) == {row.id for row in rows[:number]}
        assert items(pilot).current_id == rows[number].id
        assert [points_of(row.estimate) for row in rows[:2]] == [None, None]
        assert "✓ 2 selected   " in two
        assert f"✓ {number} selected  {points(rows[:number])}" in status_line(pilot)
        assert [line[:2] for line in pane_lines(pilot.app)[3:5]] == [" ✓", " ✓"]


@pytest.mark.slow
async def test_title_selection_and_question_count_tasks_apart(store: Store, opened: Open) -> None:
    rows = await shown(store)
    tasks = sum(row.type == "Task" for row in rows)
    async with opened(store) as pilot:
        await press(pilot, "V")
        await until(lambda: f"✓ {len(rows) - tasks} items, {tasks} tasks selected" in status_line(pilot))
        titled = f" {len(rows) - tasks} items + {tasks} tasks · " in heading_of(pilot.app)
        await press(pilot, "escape", "/", *"type:task", "enter")
        await until(lambda: f" {tasks} tasks" in heading_of(pilot.app), lambda: text_of(pilot.app))

        assert tasks
        assert titled


async def test_space_deselects_a_selected_row(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "space", "k", "space")

        assert not items(pilot).selection.ids()
        assert "selected" not in status_line(pilot)


async def test_a_count_selects_so_many_rows(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "4", "space")

        assert set(items(pilot).selection.ids()) == {row.id for row in rows[:4]}


async def test_moves_extend_a_range_and_escape_ends_it_with_its_rows_selected(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "2", "j", "v", "3", "j")
        open_range, growing = set(items(pilot).selection.ids()), status_line(pilot)
        await press(pilot, "k")
        shrunk = set(items(pilot).selection.ids())
        await press(pilot, "escape", "j", "j")
        kept, ended = set(items(pilot).selection.ids()), status_line(pilot)
        await press(pilot, "escape")

        assert "v  end range" in growing
        assert "end range" not in ended
        assert open_range == {row.id for row in rows[2:6]}
        assert shrunk == kept == {row.id for row in rows[2:5]}
        assert not items(pilot).selection.ids()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("c", "3", "y"), id="an estimate by a digit", marks=pytest.mark.long),
        pytest.param(("c", "p", "2", "enter", "y"), id="a priority", marks=pytest.mark.slow),
        pytest.param(("i", "y"), id="me as owner", marks=pytest.mark.long),
        pytest.param(("d", "s", "y"), id="a deletion by status", marks=pytest.mark.slow),
        pytest.param(("y", "y"), id="a copy", marks=pytest.mark.slow),
        pytest.param(("J",), id="a rank", marks=pytest.mark.slow),
        pytest.param((":", *"rank", "space", "5", "enter"), id="a command typed out", marks=pytest.mark.slow),
    ],
)
@pytest.mark.long_but("a priority", "a copy", "a rank")
async def test_a_range_ends_with_the_command_that_acted_on_it(
    store: Store, opened: Open, command: tuple[str, ...]
) -> None:
    async with opened(store) as pilot:
        await press(pilot, "v", "j")
        ranged = set(items(pilot).selection.ids())
        await press(pilot, *command)
        await press(pilot, "j", "j")

        assert len(ranged) == 2
        assert not items(pilot).selection.ids()


@pytest.mark.slow
async def test_a_cancelled_question_leaves_the_range_open(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "v", "j", "c", "3", "escape", "j")

        assert set(items(pilot).selection.ids()) == {row.id for row in rows[:3]}


async def test_an_undo_ends_the_range_and_leaves_its_rows_selected(store: Store, opened: Open) -> None:
    rows = await shown(store)
    await store.items.edit([rows[4].id], {"Name": "Renamed"})
    async with opened(store) as pilot:
        await press(pilot, "v", "j", "u")
        await until(lambda: "Undone" in text_of(pilot.app), lambda: text_of(pilot.app))
        await press(pilot, "G")

        assert set(items(pilot).selection.ids()) == {row.id for row in rows[:2]}


async def test_a_command_ends_the_range_and_leaves_the_rows_marked_one_by_one(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "space", "j", "v", "j", "y", "y", "j")

        assert set(items(pilot).selection.ids()) == {rows[0].id}


async def test_a_range_goes_up_too(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "5", "j", "v", "2", "k", "v")

        assert set(items(pilot).selection.ids()) == {row.id for row in rows[3:6]}


@pytest.mark.slow
async def test_a_star_selects_all_that_match_and_an_inversion_the_others(store: Store, opened: Open) -> None:
    rows = await shown(store)
    word = rows[3].name.split()[0]
    matching = {row.id for row in rows if word.casefold() in row.name.casefold()}
    async with opened(store) as pilot:
        await press(pilot, "/", *word, "enter", "*")
        found = set(items(pilot).selection.ids())
        await press(pilot, "escape")
        survived = set(items(pilot).selection.ids())
        await press(pilot, "V")

        assert found == survived == matching
        assert set(items(pilot).selection.ids()) == {row.id for row in rows} - matching


async def test_the_selection_outlives_a_change_by_somebody_else(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "j", "space")
        await world.rival.work_items.update(rows[1].id, {"Name": "Changed by jon", "Estimate": "40"})
        await store.refresh()
        await until(lambda: "40 pts" in status_line(pilot), lambda: text_of(pilot.app))

        assert set(items(pilot).selection.ids()) == {rows[1].id}
        assert "✓" in next(line for line in lines_of(pilot.app) if "Changed by jon" in line)


@pytest.mark.slow
async def test_the_selection_follows_an_item_that_gets_its_real_id(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        world.faults.is_down = True
        await press(pilot, "a", "enter", *"Made offline", "enter")
        await until(lambda: (items(pilot).current_id or 0) < 0)
        await press(pilot, "space")
        world.faults.is_down = False
        await press(pilot, "R")
        await sent(store)
        await until(lambda: all(each > 0 for each in items(pilot).selection.ids()))

        assert len(items(pilot).selection.ids()) == 1


@pytest.mark.slow
async def test_another_project_has_no_selection(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "*", "g", "P", *"beacon", "enter")
        await until(lambda: "Beacon" in title_of(pilot.app))

        assert not items(pilot).selection.ids()


async def test_the_selection_is_seen_beside_the_cursor(store: Store, opened: Open) -> None:
    async with opened(store, (60, 20)) as pilot:
        await press(pilot, "space", "k")

        assert lines_of(pilot.app)[3].startswith("▌✓")


class ManyRows:
    """Enough of a list for its selection: a hundred thousand rows."""

    cursor = top = 0
    page = 40

    def ids_between(self, start: int, stop: int | None) -> range:
        return range(100_000)[start:stop]

    def repaint(self) -> None:
        """Nothing is drawn."""

    def post_message(self, _message: Message) -> None:
        """Nobody listens."""


def test_all_of_a_hundred_thousand_are_one_set() -> None:
    selection = RowSelection(cast("ItemList", ManyRows()))

    selection.add(0, None)
    selection.toggle_all(range(50_000))
    selection.rename({70_000: 200_000})

    found = selection.ids()
    assert len(found) == 50_000
    assert selection.has(200_000)
    assert not selection.has(70_000)
