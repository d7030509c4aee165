"""Areas and iterations changed from the keyboard: every key, what it shows, and what the service then has."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import date, timedelta

import pytest
from tests.store.world import World, raised, sent, until
from tests.tui.bare_app import lines_of, text_of
from tests.tui.list_steps import press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.dates import typed_day, typed_end
from backlit.model.errors import BadRequest
from backlit.model.trees import Node
from backlit.store import ConnectionState, IterationEntry, Store, TreeKind
from backlit.store.edits.iteration_series import proposed_series, series_of
from backlit.store.edits.nodes import NewNode
from backlit.tui.fields.dates import typed_number
from backlit.tui.trees.node_commands import series_lines
from backlit.tui.trees.screen import TreeScreen
from backlit.tui.trees.tree_list import TreeList

AREAS, ITERATIONS = TreeKind.AREAS, TreeKind.ITERATIONS
TODAY = date(2026, 3, 10)


@asynccontextmanager
async def tree_of(opened: Open, store: Store, kind: TreeKind = AREAS) -> AsyncIterator[Pilot[None]]:
    async with opened(store) as pilot:
        await pilot.press("g", "a" if kind is AREAS else "i")
        await until(lambda: isinstance(pilot.app.screen, TreeScreen))
        await pilot.pause()
        yield pilot


def nodes_of(pilot: Pilot[None]) -> TreeList:
    return pilot.app.screen_stack[0].query_one(TreeList)


async def put_on(pilot: Pilot[None], store: Store, node: Node, kind: TreeKind = AREAS) -> None:
    """Put the cursor on a node, unfolding all as an ended release may hide it."""
    await pilot.press("z", "R")
    nodes = nodes_of(pilot)
    nodes.move_to([each.id for each in store.lookups.tree(kind).walk()].index(node.id))
    await pilot.pause()


async def typed(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*(("space" if letter == " " else letter) for letter in text))


def children(store: Store, node_id: int | None = None, kind: TreeKind = AREAS) -> Sequence[Node]:
    return store.lookups.tree(kind).children(store.lookups.tree(kind).roots[0].id if node_id is None else node_id)


def names(store: Store, node_id: int | None = None, kind: TreeKind = AREAS) -> list[str]:
    return [node.name for node in children(store, node_id, kind)]


def sprint(store: Store) -> Node:
    """An iteration that items lie in and nothing is below."""
    tree, totals = store.lookups.tree(ITERATIONS), store.lookups.totals(ITERATIONS)
    return next(node for node in tree.walk() if tree.depth(node.id) > 1 and node.id in totals)


@pytest.mark.slow
async def test_a_adds_a_node_below_and_the_cursor_goes_to_it(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        node = children(store)[0]
        await put_on(pilot, store, node)

        await pilot.press("a")
        await typed(pilot, "Parsing")
        await pilot.press("enter")
        await until(lambda: names(store, node.id)[-1:] == ["Parsing"])
        await sent(store)
        await pilot.pause(0.1)

        current = nodes_of(pilot).node
        assert current is not None
        assert (current.name, current.id > 0) == ("Parsing", True)


@pytest.mark.slow
async def test_shift_a_adds_a_node_after_this_one(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        before = names(store)
        await put_on(pilot, store, children(store)[0])

        await pilot.press("A")
        await typed(pilot, "Beside")
        await pilot.press("enter")
        await until(lambda: len(children(store)) > len(before))

        assert names(store) == [before[0], "Beside", *before[1:]]


@pytest.mark.slow
async def test_cn_renames_and_u_takes_it_back(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        before = names(store)
        await put_on(pilot, store, children(store)[0])

        await pilot.press("c", "n")
        await typed(pilot, "Renamed")
        await pilot.press("enter")
        await until(lambda: names(store)[0] == "Renamed")
        await sent(store)
        await pilot.press("u")

        await until(lambda: names(store) == before)


@pytest.mark.slow
async def test_cd_takes_both_dates_and_a_step_counts_from_the_start(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        node = sprint(store)
        await put_on(pilot, store, node, ITERATIONS)

        await pilot.press("c", "d")
        await pilot.pause()
        await typed(pilot, "2026-03-01")
        await pilot.press("tab")
        await typed(pilot, "+2w")
        await pilot.press("enter")
        await until(lambda: store.lookups.iterations()[node.id].start == date(2026, 3, 1))

        assert store.lookups.iterations()[node.id].end == date(2026, 3, 14)


@pytest.mark.slow
async def test_an_end_before_the_start_is_said_in_the_dialog(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        await put_on(pilot, store, sprint(store), ITERATIONS)

        await pilot.press("c", "d", "tab")
        await typed(pilot, "-3d")
        await pilot.press("enter")
        await pilot.pause()

        assert "Ends: it cannot end before it starts." in text_of(pilot.app)
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_cm_sets_the_capacity(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        node = sprint(store)
        await put_on(pilot, store, node, ITERATIONS)

        await pilot.press("c", "m")
        await pilot.pause()
        await typed(pilot, "12")
        await pilot.press("tab")
        await typed(pilot, "34,5")
        await pilot.press("enter")

        await until(lambda: store.lookups.iterations()[node.id].max_capacity == 34.5)
        assert store.lookups.iterations()[node.id].min_capacity == 12


@pytest.mark.slow
async def test_cm_and_enter_leave_a_capacity_with_two_decimals_as_it_is(opened: Open, store: Store) -> None:
    node = sprint(store)
    await store.nodes.edit(ITERATIONS, node.id, {"minCapacity": None, "maxCapacity": 34.55})
    async with tree_of(opened, store, ITERATIONS) as pilot:
        await put_on(pilot, store, node, ITERATIONS)

        await pilot.press("c", "m")
        await pilot.pause()
        shown = text_of(pilot.app)
        await pilot.press("enter")
        await sent(store)

        assert "34.55" in shown
        assert store.lookups.iterations()[node.id].max_capacity == 34.55


@pytest.mark.slow
async def test_c_shift_r_makes_a_release_of_it(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        node = sprint(store)
        await put_on(pilot, store, node, ITERATIONS)

        await pilot.press("c", "R")

        await until(lambda: store.lookups.iterations()[node.id].is_release)


@pytest.mark.slow
async def test_j_and_k_reorder_with_counts(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        before = names(store)
        await put_on(pilot, store, children(store)[0])

        await pilot.press("2", "J")
        await until(lambda: names(store) == [before[1], before[2], before[0], *before[3:]])
        await pilot.pause()
        await pilot.press("K")

        await until(lambda: names(store) == [before[1], before[0], *before[2:]])


@pytest.mark.slow
async def test_indent_and_outdent_change_the_parent(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        before = names(store)
        first, second = children(store)[:2]
        await put_on(pilot, store, second)

        await pilot.press("greater_than_sign")
        await until(lambda: second.name in names(store, first.id))
        await pilot.pause()
        await pilot.press("less_than_sign")

        await until(lambda: names(store) == before)


@pytest.mark.slow
async def test_m_slash_picks_another_parent(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        first, second = children(store)[:2]
        await put_on(pilot, store, first)

        await pilot.press("m", "slash")
        await typed(pilot, second.name)
        await pilot.press("enter")

        await until(lambda: first.name in names(store, second.id))


@pytest.mark.slow
async def test_d_asks_where_the_items_go_then_for_a_yes_that_enter_is_not(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        node = sprint(store)
        items = store.nodes.extent(ITERATIONS, node.id).moved.count
        await put_on(pilot, store, node, ITERATIONS)

        await pilot.press("d", "enter")
        await pilot.pause()
        assert f"{items:,} item" in text_of(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert node.id in store.lookups.tree(ITERATIONS)
        await pilot.press("d", "enter", "y")

        await until(lambda: node.id not in store.lookups.tree(ITERATIONS))
        await sent(store)
        await pilot.press("u")
        await until(lambda: "created again with its" in text_of(pilot.app))


@pytest.mark.slow
async def test_deleting_an_iteration_and_its_undo_count_tasks_apart(opened: Open, store: Store) -> None:
    task = next(row.id for row in await shown(store) if row.type == "Task")
    async with tree_of(opened, store, ITERATIONS) as pilot:
        node = sprint(store)
        await store.items.edit([task], {"IterationID": node.id})
        words = store.nodes.extent(ITERATIONS, node.id).moved.words
        await put_on(pilot, store, node, ITERATIONS)

        await press(pilot, "d")
        receiver = text_of(pilot.app)
        await press(pilot, "enter")
        question = " ".join(text_of(pilot.app).replace("│", " ").split())
        await press(pilot, "y")
        await sent(store)
        await press(pilot, "u")

        assert re.fullmatch(r"\d+ items, \d+ tasks?", words)
        assert f"Move {words} of {node.name} to" in receiver
        assert f"{words} (" in question
        await until(lambda: f"with its {words}" in " ".join(text_of(pilot.app).split()), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_cs_shows_a_series_before_it_is_made_in_one_step(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        root = store.lookups.tree(ITERATIONS).roots[0]
        before = names(store, kind=ITERATIONS)
        await put_on(pilot, store, root, ITERATIONS)

        await pilot.press("c", "s")
        await pilot.pause()
        await typed(pilot, "Lap {n}")
        await pilot.press("tab")
        await typed(pilot, "1")
        await pilot.press("tab")
        await typed(pilot, "3")
        await pilot.press("tab", "tab")
        await typed(pilot, "2026-03-02")
        await pilot.pause()
        assert "Lap 2  16 Mar – 29 Mar" in text_of(pilot.app)
        await pilot.press("enter")
        await until(lambda: names(store, kind=ITERATIONS) == [*before, "Lap 1", "Lap 2", "Lap 3"])

        assert len({entry.step for entry in store.outbox_entries()}) <= 1
        assert store.lookups.iterations()[children(store, kind=ITERATIONS)[-1].id].end == date(2026, 4, 12)


async def test_what_cannot_be_done_to_the_root_is_said(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        await put_on(pilot, store, store.lookups.tree(AREAS).roots[0])

        await pilot.press("d")
        await pilot.pause()

        assert "it cannot be deleted" in text_of(pilot.app)


async def test_areas_say_that_they_have_no_dates(opened: Open, store: Store) -> None:
    async with tree_of(opened, store) as pilot:
        await pilot.press("c", "d")
        await pilot.pause()

        assert "Areas have no dates." in text_of(pilot.app)


@pytest.mark.slow
async def test_a_contributor_is_told_that_only_managers_change_trees(opened: Open, store: Store, world: World) -> None:
    def contribute() -> None:
        with closing(sqlite3.connect(world.folder / "service.sqlite")) as database, database:
            database.execute("UPDATE grants SET role = 'contributor' WHERE role = 'manager'")

    await asyncio.to_thread(contribute)
    await store.refresh()
    async with tree_of(opened, store) as pilot:
        await pilot.press("a")
        await pilot.pause()

        assert "Only managers" in text_of(pilot.app)


async def test_what_waits_to_be_sent_has_its_sign(opened: Open, store: Store, world: World) -> None:
    world.faults.is_down = True
    await raised(store.refresh())
    await until(lambda: store.connection.state is ConnectionState.OFFLINE)
    async with tree_of(opened, store) as pilot:
        await store.nodes.add(AREAS, store.lookups.tree(AREAS).roots[0].id, NewNode("Waits here"))
        await pilot.pause(0.1)

        assert any("Waits here" in line and "↑" in line for line in lines_of(pilot.app))


@pytest.mark.long
async def test_a_series_of_a_thousand_nodes_is_one_step_that_is_shown_at_once(store: Store, world: World) -> None:
    world.faults.is_down = True
    root = store.lookups.tree(AREAS).roots[0].id

    await store.nodes.add_all(AREAS, root, [NewNode(f"Node {at}") for at in range(1000)])

    assert names(store)[-1] == "Node 999"
    assert len({entry.step for entry in store.outbox_entries()}) == 1


def test_days_are_read_as_dates_and_as_steps() -> None:
    assert typed_day("2026-03-01", TODAY) == date(2026, 3, 1)
    assert typed_day("+2w", TODAY) == TODAY + timedelta(days=14)
    assert [typed_end(text, TODAY) - TODAY for text in ("+2w", "10d", "+1d", "-1d")] == [
        timedelta(days=days) for days in (13, 9, 0, -1)
    ]
    assert typed_end("2026-03-01", TODAY) == date(2026, 3, 1)
    assert typed_day(" -3d ", TODAY) == TODAY - timedelta(days=3)
    with pytest.raises(BadRequest, match="Starts: “soon” is not a day"):
        typed_day("soon", TODAY, "Starts")


def test_points_are_read_with_a_comma_and_nothing_is_none() -> None:
    assert typed_number("34,5") == 34.5
    assert typed_number(" ") is None


@pytest.mark.parametrize("wrong", ["many", "-5", "nan", "1e999"])
def test_what_is_no_number_is_said_with_the_name_of_the_field(wrong: str) -> None:
    with pytest.raises(BadRequest, match=r"Maximum points: .* is not a number"):
        typed_number(wrong, "Maximum points")


def test_a_series_follows_on_without_gaps() -> None:
    series = series_of(["Sprint {n}", "4", "3", "2", "2026-03-02"], TODAY)

    assert [each.name for each in series] == ["Sprint 4", "Sprint 5", "Sprint 6"]
    assert series[1].start == date(2026, 3, 16)
    assert series[2].end == date(2026, 4, 12)


def test_a_series_goes_on_with_the_names_numbers_and_weeks_of_the_last_iteration() -> None:
    entries = [
        IterationEntry(1, "Lap 9", "", date(2026, 3, 2), date(2026, 3, 8), None, None, is_release=False),
        IterationEntry(2, "Lap 10", "", date(2026, 3, 9), date(2026, 3, 15), None, None, is_release=False),
        IterationEntry(3, "R 4", "", date(2026, 3, 2), date(2026, 6, 30), None, None, is_release=True),
    ]

    beside = dict(proposed_series(entries[:2], entries, None, TODAY))
    in_a_release = dict(proposed_series([], entries, date(2026, 7, 1), TODAY))

    assert list(beside.values()) == ["Lap {n}", "11", "6", "1", "2026-03-16"]
    assert list(in_a_release.values()) == ["Lap {n}", "11", "6", "1", "2026-07-01"]
    assert list(dict(proposed_series([], [], None, TODAY)).values()) == ["Sprint {n}", "1", "6", "2", TODAY.isoformat()]


@pytest.mark.slow
async def test_cs_on_an_iteration_among_others_makes_the_series_beside_it(opened: Open, store: Store) -> None:
    async with tree_of(opened, store, ITERATIONS) as pilot:
        last = max(store.lookups.iterations().values(), key=lambda each: (not each.is_release, each.start or TODAY))
        node = next(each for each in store.lookups.tree(ITERATIONS).walk() if each.id == last.id)
        await put_on(pilot, store, node, ITERATIONS)

        await pilot.press("c", "s", "enter")
        await until(lambda: len(store.lookups.tree(ITERATIONS).children(node.parent_id)) > 6)

        beside = [each.name for each in store.lookups.tree(ITERATIONS).children(node.parent_id)]
        assert beside[-6:] == [f"Sprint {int(last.name.split()[1]) + at}" for at in range(1, 7)]


def test_a_long_series_is_shown_without_its_middle() -> None:
    series = series_of(["S{n}", "1", "20", "1", "2026-03-02"], TODAY)

    assert series_lines(series, (), TODAY, 4).split("\n")[3] == "…"


def test_what_a_series_overlaps_is_said_before_it_is_made() -> None:
    series = series_of(["S{n}", "1", "2", "1", "2026-03-02"], TODAY)
    beside = IterationEntry(7, "Old", "A\\Old", date(2026, 2, 1), date(2026, 3, 2), None, None, is_release=False)
    shown = series_lines(series, (beside,), TODAY).split("\n")

    assert shown == ["2 sprints from Mon 2 Mar", "S1   2 Mar –  8 Mar", "S2   9 Mar – 15 Mar", "! overlaps Old"]
    assert "overlaps" not in series_lines(series, (), TODAY)


@pytest.mark.parametrize(
    "wrong",
    [["Sprint", "1", "3", "2", "+1d"], ["S{n}", "1", "0", "2", "+1d"], ["S{n}" * 300, "1", "1", "2", "+1d"]],
)
def test_a_series_says_what_is_wrong_with_it(wrong: list[str]) -> None:
    with pytest.raises(BadRequest):
        series_of(wrong, TODAY)
