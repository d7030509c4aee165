"""The items of an area or an iteration, beside its tree or below it."""

import re
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, until
from tests.tui.bare_app import line_with, lines_of, text_of
from tests.tui.opened import Open

from backlit.model.amounts import counted
from backlit.model.reports.report import number_text
from backlit.store import Store, TreeKind, ViewSpec
from backlit.tui.trees.points_shares import read_area_shares
from backlit.tui.trees.screen import TreeScreen
from backlit.tui.widgets.line_list import LineList


async def node_with_items(store: Store) -> tuple[int, str]:
    """An area that has an open item directly in it, and that item's name."""
    view = store.view(ViewSpec())
    await view.load()
    row = next(row for row in view.rows(0, 50) if row.area_id and row.type != "Task")
    alone = store.view(ViewSpec(area_ids=frozenset({row.area_id or 0})))
    await alone.load()
    return row.area_id or 0, alone.rows(0, 1)[0].name


@pytest.mark.slow
async def test_the_items_of_a_node_have_the_sign_of_those_not_ready(world: World, store: Store, opened: Open) -> None:
    area = next(node for node in store.lookups.tree(TreeKind.AREAS).walk() if node.name == "Basket")
    for name, estimate in (("A bug without points", None), ("A bug of two points", "2 pts")):
        fields = {
            "Name": name,
            "AreaID": area.id,
            "IsTriaged": True,
            "Status": "In Progress",
            "AssignedToID": 1,
            "Estimate": estimate,
        }
        await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": fields})
    await store.refresh()
    async with opened(store, (120, 40)) as pilot:
        await pilot.press("g", "a")
        await until(lambda: isinstance(pilot.app.screen, TreeScreen))
        screen = pilot.app.screen
        assert isinstance(screen, TreeScreen)
        screen.go_to_node(area.id)
        await until(lambda: "A bug without" in text_of(pilot.app))

        listed = {name: line_with(pilot.app, f"× {name}").rpartition("││")[2] for name in ("A bug without", "A bug of")}
        assert {name: "¬" in line for name, line in listed.items()} == {"A bug without": True, "A bug of": False}


async def test_statuses_of_one_group_are_one_share_of_the_points(tmp_path: Path) -> None:
    statuses = ("Active", "In Progress", "Ready For Test", "Not Done", "Not Done")
    items = [item(at, Status=status, Estimate=str(at)) for at, status in enumerate(statuses, 1)]
    with offline_store(tmp_path, items) as store:
        shares = await read_area_shares(store, store.view(ViewSpec()))

    found = [(each.name, each.points) for each in shares["By status"]]
    assert found == [("○ Not done", 9), ("◐ In progress", 3), ("◑ Testing", 3)]


async def test_the_items_of_the_node_are_beside_it_where_there_is_room(store: Store, opened: Open) -> None:
    node, name = await node_with_items(store)
    async with opened(store, (120, 40)) as pilot:
        await pilot.press("g", "a")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, TreeScreen)
        screen.go_to_node(node)

        await until(lambda: name[:15] in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: "By sprint " in text_of(pilot.app), lambda: text_of(pilot.app))
        assert "─ Points of " in text_of(pilot.app)
        assert not re.search(r" \d+ of \d+ ─╯", text_of(pilot.app))

        assert re.search(r"By owner .*\n.* unassigned +\d+  ━", text_of(pilot.app))
        assert re.search(r"By status .*\n.* ○ Not done +\d+  ━", text_of(pilot.app))
        assert "Iteration  " not in lines_of(pilot.app)[2]
        assert "─ enter show in the backlog ─╮" in re.sub(" +", " ", lines_of(pilot.app)[1])
        assert "⊣ blocked  ◐ started  ¬ not ready ─" in text_of(pilot.app)
        assert "─ in the order of the backlog ─╯" in text_of(pilot.app)
        assert not lines_of(pilot.app)[-1].startswith(" enter")
        await pilot.press("z", "R")
        await until(lambda: "┃" not in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.resize_terminal(120, 20)
        await until(lambda: "By sprint" not in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_an_item_that_leaves_the_node_leaves_the_list_beside_it(store: Store, opened: Open) -> None:
    node, name = await node_with_items(store)
    view = store.view(ViewSpec(area_ids=frozenset({node})))
    await view.load()
    areas = store.lookups.tree(TreeKind.AREAS)
    async with opened(store, (120, 40)) as pilot:
        await pilot.press("g", "a")
        await pilot.pause()
        tree = pilot.app.screen.query_one("#tree", LineList)
        tree.move_to([each.id for each in areas.walk()].index(node))
        await until(lambda: name[:15] in text_of(pilot.app), lambda: text_of(pilot.app))
        await store.items.edit([view.rows(0, 1)[0].id], {"AreaID": areas.roots[0].id})

        await until(lambda: name[:15] not in text_of(pilot.app), lambda: text_of(pilot.app))


async def test_the_items_below_an_area_without_its_own_are_shown_too(store: Store, opened: Open) -> None:
    view = store.view(ViewSpec())
    await view.load()
    async with opened(store, (120, 40)) as pilot:
        await pilot.press("g", "a")

        await until(lambda: view.rows(0, 1)[0].name[:15] in text_of(pilot.app), lambda: text_of(pilot.app))


async def test_the_items_of_an_iteration_are_below_the_tree_of_a_high_terminal(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await pilot.press("g", "i")
        await until(lambda: "open item" in text_of(pilot.app), lambda: text_of(pilot.app))
        lines = lines_of(pilot.app)
        tree = [line for line in lines if "Sprint" in line and "open items" not in line]

        head = next(at for at, line in enumerate(lines) if "   #   Name " in line)
        assert lines.index(tree[-1]) < head
        assert re.match(r" Sprint 14 · [\w ]+–\d+ \w+ · \d+ open items? · \d+ pts? ─", lines[head - 1])
        assert "open item" not in lines[1]

        await pilot.resize_terminal(80, 19)
        await until(lambda: "   #   Name " not in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_the_head_of_an_iterations_items_has_its_done_points_until_they_stand_beside_them(
    store: Store, opened: Open
) -> None:
    async with opened(store, (110, 40)) as pilot:
        await pilot.press("g", "i")
        await until(lambda: isinstance(pilot.app.screen, TreeScreen))
        screen = pilot.app.screen
        assert isinstance(screen, TreeScreen)
        node = screen.node
        assert node is not None
        load = store.plan_preview.loads_now([node.id])[node.id]

        words = f"{number_text(load.done)} of {counted(load.points, 'pt')} done"
        await until(lambda: words in text_of(pilot.app), lambda: text_of(pilot.app))
        assert f"{'━' * 12}{'─' * 6} {words}" in line_with(pilot.app, words)
        await pilot.resize_terminal(120, 40)
        await until(lambda: "By status" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert f"─ Progress · {words} ─" in text_of(pilot.app)
        assert re.search(rf" ● Done +{number_text(load.done)} +━", text_of(pilot.app))
        await until(lambda: re.search(r"│ +Done \d+ ─+ ?│", text_of(pilot.app)), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_the_row_of_the_project_is_none_of_its_areas(store: Store, opened: Open) -> None:
    count = len(store.lookups.tree(TreeKind.AREAS)) - 1
    async with opened(store, (120, 20)) as pilot:
        await pilot.press("g", "a", "z", "R")
        await until(lambda: f"{count} areas" in text_of(pilot.app), lambda: text_of(pilot.app))
        tree = pilot.app.screen.query_one("#tree", LineList)
        tree.move_to(0)
        await until(lambda: f" of {count} ─╯" not in text_of(pilot.app))
        tree.move_to(1)

        await until(lambda: f" 1 of {count} ─╯" in text_of(pilot.app), lambda: text_of(pilot.app))
