"""Areas and iterations: folding, totals, phases, and the way to the backlog."""

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, heading_of, line_with, lines_of, place_of, text_of
from tests.tui.opened import Open
from textual.app import ComposeResult
from textual.pilot import Pilot

from backlit.model.planning import PlannedLoad
from backlit.model.trees import Node, NodeTotals, Tree
from backlit.store import IterationEntry, Store, TreeKind, ViewSpec
from backlit.tui.fields.dates import Phase, column_span, phases, span
from backlit.tui.lists.filtering import NodeFilter, NodeFilterRequested
from backlit.tui.trees.tree_columns import TreeContents
from backlit.tui.trees.tree_list import TreeList

TODAY = date(2026, 3, 10)


def iteration(
    number: int, start: date | None = None, end: date | None = None, most: float | None = None, *, release: bool = False
) -> IterationEntry:
    return IterationEntry(number, str(number), str(number), start, end, None, most, release)


NODES = (
    Node(1, -1, "Aurora"),
    Node(2, 1, "Release 1", 1),
    Node(3, 2, "Sprint 1", 1),
    Node(4, 2, "Sprint 2", 2),
    Node(5, 2, "Sprint 3", 3),
    Node(6, 1, "Release 2", 2),
    Node(7, 6, "Sprint 4", 1),
)
ITERATIONS = {
    1: iteration(1),
    2: iteration(2, date(2026, 2, 17), date(2026, 3, 31), release=True),
    3: iteration(3, date(2026, 2, 17), date(2026, 3, 2)),
    4: iteration(4, date(2026, 3, 3), date(2026, 3, 17), 40),
    5: iteration(5, date(2026, 3, 18), date(2026, 3, 31)),
    6: iteration(6, date(2026, 3, 18), date(2027, 1, 5), release=True),
    7: iteration(7, date(2026, 4, 1), date(2026, 4, 14)),
}
OWN = {3: NodeTotals(2, 5), 4: NodeTotals(12, 61.5), 5: NodeTotals(1, 0), 7: NodeTotals(1000, 20)}


class TreeStage(BareApp):
    """A tree by itself; keeps what it asks for and counts the lines it draws."""

    def __init__(self, kind: TreeKind = TreeKind.ITERATIONS) -> None:
        super().__init__()
        self.nodes = CountingTree(kind)
        self.asked: list[NodeFilter | None] = []
        self.loads_read: set[int] = set()

    def compose(self) -> ComposeResult:
        yield self.nodes

    def on_node_filter_requested(self, message: NodeFilterRequested) -> None:
        self.asked.append(message.node)

    async def show(
        self,
        pilot: Pilot[None],
        node_filter: NodeFilter | None = None,
        today: date = TODAY,
        loads: Mapping[int, PlannedLoad] = MappingProxyType({}),
    ) -> None:
        def load_of(node_id: int) -> PlannedLoad:
            self.loads_read.add(node_id)
            return loads.get(node_id, PlannedLoad())

        self.nodes.show(TreeContents(Tree(NODES), OWN, today, ITERATIONS, load_of=load_of), node_filter)
        self.nodes.focus()
        await pilot.pause()


class CountingTree(TreeList):
    lines_drawn = 0

    def render_line(self, y: int):  # type: ignore[no-untyped-def] # as the base has it
        self.lines_drawn += 1
        return super().render_line(y)


def names(stage: TreeStage) -> list[str]:
    return [line[8:].split("  ")[0].strip() for line in lines_of(stage)[1:] if line.strip()]


def test_spans_are_as_short_as_they_can_be() -> None:
    assert span(date(2026, 3, 3), date(2026, 3, 17), TODAY) == "3–17 Mar"
    assert span(date(2026, 2, 24), date(2026, 3, 10), TODAY) == "24 Feb–10 Mar"
    assert span(date(2026, 12, 28), date(2027, 1, 10), TODAY) == "28 Dec–10 Jan 2027"
    assert span(date(2025, 3, 3), date(2025, 3, 17), TODAY) == "3–17 Mar 2025"
    assert span(date(2026, 3, 3), None, TODAY) == "from 3 Mar"
    assert span(None, date(2026, 3, 3), TODAY) == "to 3 Mar"
    assert span(None, None, TODAY) == ""


def test_the_next_iteration_is_the_first_to_start_that_is_no_release() -> None:
    found = phases(ITERATIONS.values(), TODAY)

    assert [found[number] for number in range(1, 8)] == [
        Phase.UNDATED,
        Phase.CURRENT,
        Phase.PAST,
        Phase.CURRENT,
        Phase.NEXT,
        Phase.LATER,
        Phase.LATER,
    ]


def test_the_last_day_of_an_iteration_belongs_to_it() -> None:
    assert phases([ITERATIONS[4]], date(2026, 3, 17))[4] is Phase.CURRENT
    assert phases([ITERATIONS[4]], date(2026, 3, 18))[4] is Phase.PAST


async def test_a_row_says_when_how_much_and_how_much_with_what_is_below() -> None:
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)

        assert line_with(app, "Aurora").split() == ["▾", "Aurora", "1,015", "86.5"]
        assert line_with(app, "Release 1").split()[:5] == ["▾", "◖", "⚑", "Release", "1"]
        assert line_with(app, "Sprint 1").split() == ["●", "Sprint", "1", "17", "Feb", "–", "2", "Mar", "2", "5"]
        assert line_with(app, "Sprint 3").split()[:9] == ["○", "Sprint", "3", "18", "Mar", "–", "31", "Mar", "next"]
        assert re.search(r"3 Mar – 17 Mar  now ", line_with(app, "Sprint 2"))
        assert text_of(app).count(" now ") == 1


async def test_capacity_is_a_bar_with_its_numbers_and_unit_and_an_excess_is_named() -> None:
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot, loads={4: PlannedLoad(points=27, done=13.5)})
        assert line_with(app, "Sprint 2").endswith(" ━━━━╍╍╍╍╍───┼    27 / 40 pts")
        await app.show(pilot, loads={4: PlannedLoad(points=53)})
        assert line_with(app, "Sprint 2").endswith(" ╍╍╍╍╍╍╍╍╍╍┼╍╍    53 / 40 over")
        await app.show(pilot, loads={4: PlannedLoad(points=1234.25)})
        assert line_with(app, "Sprint 2").endswith(" 1,234.2/40 over")


@pytest.mark.parametrize(
    ("points", "minimum", "words"),
    [(15, 30, "15, min 30 pts"), (112, 120, "112 min 120 pts"), (12.5, 320, "12.5 min 320")],
)
async def test_a_minimum_alone_is_named_as_one(points: float, minimum: float, words: str) -> None:
    least = {**ITERATIONS, 4: replace(ITERATIONS[4], min_capacity=minimum, max_capacity=None)}
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        app.nodes.show(TreeContents(Tree(NODES), OWN, TODAY, least, load_of=lambda _: PlannedLoad(points=points)), None)
        await pilot.pause()

        assert line_with(app, "Sprint 2").endswith(f"┼── {words}")


@pytest.mark.usefixtures("every_frame")
async def test_iterations_in_sight_that_have_a_capacity_are_asked_for_their_loads() -> None:
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)
        assert app.loads_read == {4}


async def test_ended_releases_are_folded_at_first_sight_and_stay_as_they_are_left() -> None:
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        later = date(2026, 4, 5)
        await app.show(pilot, today=later)
        assert "▸ ● ⚑ Release 1" in text_of(app)
        assert "Sprint 2" not in text_of(app)
        assert "Sprint 4" in line_with(app, "▌")
        await pilot.press("g", "g", "j", "l")
        await app.show(pilot, today=later)

        assert "▾ ● ⚑ Release 1" in text_of(app)
        assert "Sprint 2" in text_of(app)


async def test_an_ended_release_is_unfolded_for_the_node_that_the_backlog_shows() -> None:
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot, NodeFilter(TreeKind.ITERATIONS, 4, has_subtree=False), date(2026, 4, 5))

        assert "Sprint 2" in line_with(app, "▌")


async def test_dates_have_the_dash_in_one_column() -> None:
    async with TreeStage().run_test(size=(100, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)

        assert len({line.index("–") for line in lines_of(app) if "–" in line}) == 1


def test_column_spans_have_a_dash_in_one_place_and_fit_their_column() -> None:
    assert column_span(date(2026, 3, 3), date(2026, 3, 17), TODAY) == " 3 Mar – 17 Mar"
    assert column_span(date(2025, 12, 28), date(2026, 1, 5), TODAY) == "28 Dec –  5 Jan"
    assert column_span(date(2025, 9, 1), date(2025, 12, 28), TODAY) == " 1 Sep – 28 Dec 2025"
    assert column_span(date(2024, 9, 1), date(2026, 5, 10), TODAY) == "Sep 2024–May 2026"
    assert column_span(date(2026, 3, 3), None, TODAY) == "from 3 Mar"


async def test_areas_have_one_pair_of_totals_and_a_bar_for_their_share_of_the_points() -> None:
    nodes = [Node(1, -1, "Aurora"), Node(2, 1, "Checkout"), Node(3, 2, "Basket"), Node(4, 1, "Search")]
    own = {1: NodeTotals(1, 20), 2: NodeTotals(2, 20), 3: NodeTotals(1, 20), 4: NodeTotals(3, 0)}
    async with TreeStage(TreeKind.AREAS).run_test(size=(80, 6)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        app.nodes.show(TreeContents(Tree(nodes), own, TODAY), None)
        await pilot.pause()

        assert line_with(app, "Aurora").split() == ["▌", "▾", "Aurora", "7", "60"]
        assert line_with(app, "Checkout").split() == ["▾", "Checkout", "3", "40", "━" * 35]
        assert line_with(app, "Basket").split() == ["Basket", "1", "20", "━" * 17 + "╸"]
        assert line_with(app, "Search").split() == ["Search", "3"]
        assert "".join(app.nodes.about(nodes[1])) == "Checkout · 3 open items · 40 pts (67%)"


async def test_a_narrower_terminal_lays_the_columns_out_anew(store: Store, opened: Open) -> None:
    async with opened(store, (120, 24)) as pilot:
        await pilot.press("g", "i")
        await pilot.pause()
        await pilot.resize_terminal(80, 24)

        await until(lambda: "Open  Capacity  ━ done" in lines_of(pilot.app)[2], lambda: text_of(pilot.app))


async def test_a_capacity_counts_done_points_as_the_plan_does(store: Store, opened: Open) -> None:
    async with opened(store, (120, 24)) as pilot:
        await pilot.press("g", "i")
        await pilot.pause()
        node = next(each for each in store.lookups.tree(TreeKind.ITERATIONS).walk() if each.name == "Sprint 14")
        points = store.plan_preview.loads_now([node.id])[node.id].points

        assert f"{points:g} / " in line_with(pilot.app, "▌")


@pytest.mark.slow
async def test_the_tree_counts_the_items_that_are_not_ready(world: World, store: Store, opened: Open) -> None:
    area = next(node for node in store.lookups.tree(TreeKind.AREAS).walk() if node.name == "Basket")
    before = (await store.ready_check.count_by(TreeKind.AREAS, [area.id])).get(area.id, NodeTotals()).count
    fields = {"Name": "A bug without an estimate", "AreaID": area.id}
    await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": fields})
    await store.refresh()
    async with opened(store, (100, 40)) as pilot:
        await pilot.press("g", "a")
        await until(lambda: "not ready" in lines_of(pilot.app)[1])
        await pilot.press("z", "R")
        await pilot.pause()

        assert re.search(rf"Basket +\d+ +{before + 1} ", line_with(pilot.app, "Basket"))


async def test_the_cursor_starts_on_the_current_iteration() -> None:
    async with TreeStage().run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)

        assert "Sprint 2" in line_with(app, "▌")


async def test_the_tree_of_another_project_starts_on_its_own_current_iteration() -> None:
    others = (Node(11, -1, "Beacon"), Node(12, 11, "Past"), Node(13, 11, "Now", 1), Node(14, 11, "Then", 2))
    dates = {12: ITERATIONS[3], 13: ITERATIONS[4], 14: ITERATIONS[5]}
    entries = {number: replace(entry, id=number) for number, entry in dates.items()}
    async with TreeStage().run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)
        await pilot.press("G")
        app.nodes.show(TreeContents(Tree(others), OWN, TODAY, entries), None)
        await pilot.pause()

        assert "Now" in line_with(app, "▌")


async def test_folding_hides_what_is_below_and_is_kept_when_the_tree_changes() -> None:
    async with TreeStage().run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)
        await pilot.press("h", "h")
        await app.show(pilot)

        assert [line.split()[0] for line in lines_of(app)[1:5]] == ["▾", "▌", "▾", "○"]
        assert "▸" in line_with(app, "Release 1")
        assert "Sprint 2" not in text_of(app)


async def test_folding_all_leaves_the_cursor_on_what_hides_its_node() -> None:
    async with TreeStage().run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)
        await pilot.press("z", "M")

        assert "Aurora" in line_with(app, "▌")
        await pilot.press("z", "R")
        assert len([line for line in lines_of(app)[1:] if line]) == len(NODES)


async def test_the_cursor_stays_on_its_node_when_others_come_before_it() -> None:
    async with TreeStage().run_test(size=(80, 14)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)
        more = (*NODES, Node(8, 2, "Sprint 0", 0))
        app.nodes.show(TreeContents(Tree(more), OWN, TODAY, ITERATIONS), None)
        await pilot.pause()

        assert "Sprint 2" in line_with(app, "▌")


async def test_enter_asks_for_the_node_and_again_for_all_below() -> None:
    async with TreeStage().run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        alone, below = (NodeFilter(TreeKind.ITERATIONS, 2, has_subtree=each) for each in (False, True))
        await app.show(pilot)
        await pilot.press("h", "enter")
        await app.show(pilot, alone)
        await pilot.press("enter")
        await app.show(pilot, below)
        await pilot.press("enter")

        assert app.asked == [alone, below, alone]
        assert [line[1] for line in lines_of(app)[1:8]] == [" ", "✓", "✓", "✓", "✓", " ", " "]


@pytest.mark.usefixtures("every_frame")
async def test_moving_the_cursor_draws_two_lines() -> None:
    async with TreeStage().run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        await app.show(pilot)
        app.nodes.lines_drawn = 0
        await pilot.press("k")

        assert app.nodes.lines_drawn == 2


@pytest.mark.slow
async def test_ten_thousand_areas_draw_what_is_in_sight() -> None:
    nodes = [Node(1, -1, "Aurora"), *(Node(each, 1, f"Area {each}") for each in range(2, 10_000))]
    async with TreeStage(TreeKind.AREAS).run_test(size=(80, 12)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        app.nodes.show(TreeContents(Tree(nodes), {}, TODAY), None)
        app.nodes.focus()
        await pilot.pause()
        app.nodes.lines_drawn = 0
        await pilot.press("G")

        assert "Area 9999" in line_with(app, "▌")
        assert app.nodes.lines_drawn <= 2 * 12


async def test_hostile_names_stay_in_their_column() -> None:
    nodes = [Node(1, -1, "[bold]x[/oops] \x1b[31m\u202eabc\n日本語"), Node(2, 1, "y" * 500)]
    async with TreeStage(TreeKind.AREAS).run_test(size=(80, 6)) as pilot:
        app = pilot.app
        assert isinstance(app, TreeStage)
        app.nodes.show(TreeContents(Tree(nodes), {1: NodeTotals(1, 2), 2: NodeTotals(3, 4)}, TODAY), None)
        await pilot.pause()

        assert "[bold]x[/oops] ␛[31m�abc␊" in text_of(app)
        assert lines_of(app)[2].rstrip().endswith("…     3                 4  ━━━━━━")


@pytest.mark.slow
async def test_areas_lead_to_the_backlog_of_one(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "a")
        await pilot.pause()
        await pilot.press("j", "enter")
        await pilot.pause()

        assert heading_of(pilot.app).startswith("Checkout")
        await pilot.press("g", "a")
        await pilot.pause()
        assert "✓" in line_with(pilot.app, "▸ Checkout")
        await pilot.press("enter")
        await pilot.pause()
        assert "Checkout and below" in heading_of(pilot.app)


@pytest.mark.slow
async def test_totals_follow_an_edit(store: Store, opened: Open) -> None:
    item_id = await open_item(store)
    async with opened(store) as pilot:
        await pilot.press("g", "a")
        await pilot.pause()
        await store.items.edit([item_id], {"Estimate": "1000"})

        points = [store.lookups.totals(TreeKind.AREAS)[each].points for each in store.lookups.totals(TreeKind.AREAS)]
        await until(lambda: f"{sum(points):,g}" in line_with(pilot.app, "▾ Aurora"), lambda: text_of(pilot.app))


async def open_item(store: Store) -> int:
    view = store.view(ViewSpec())
    await view.load()
    return next(row.id for row in view.rows(0, 50) if row.type == "Story")


async def test_a_small_terminal_shows_title_cursor_and_numbers(store: Store, opened: Open) -> None:
    async with opened(store, (60, 20)) as pilot:
        await pilot.press("g", "i")
        await pilot.pause()

        assert place_of(pilot.app) == "Iterations"
        assert "Sprint 14" in line_with(pilot.app, "▌")
        assert lines_of(pilot.app)[2].rstrip().endswith("  Capacity  ━ done ╍ open")
        assert "Sprint 14 now " in line_with(pilot.app, "▌")
        assert re.match(r" \d+ iterations · ¬ \d+ not ready ─", lines_of(pilot.app)[1])


@pytest.mark.parametrize(
    ("width", "heading"),
    [
        (60, " 21 iterations · ¬ 6 not ready ─+ Sprint 14 · DAYS"),
        (40, " (21 iterations ─+ Sprint 14 · DAYS|Sprint 14 · DAYS ─+)"),  # the days may lie in two months
        (30, " Sprint 14 · DAYS ─+"),
    ],
)
async def test_a_low_terminal_names_the_iteration_before_its_days_and_the_counts(
    store: Store, opened: Open, width: int, heading: str
) -> None:
    async with opened(store, (width, 12)) as pilot:
        await pilot.press("g", "i")
        await pilot.pause()

        assert re.fullmatch(heading.replace("DAYS", r"\d+( \w+)?–\d+ \w+"), lines_of(pilot.app)[1])
        assert pilot.app.screen.query_one("#tree").size.height == 8


async def test_without_areas_or_items_it_says_why_in_full(world: World, opened: Open) -> None:
    world.faults.is_down = True
    async with opened(world.store(), (60, 20)) as pilot:
        await until(lambda: "try again now" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("g", "a")

        await until(lambda: place_of(pilot.app) == "Areas", lambda: text_of(pilot.app))
        await until(lambda: "try again now" in text_of(pilot.app), lambda: text_of(pilot.app))
