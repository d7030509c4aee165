"""The panes of the plan: the focus in terminals of any width, and what an empty pane says."""

import random
from datetime import date, timedelta

import pytest
from tests.store.plan_steps import add_sprints, stories
from tests.store.world import sent, until
from tests.tui.bare_app import messages_of, text_of
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import go_to, keys, panes, plan_of, screen, two_sprints

from backlit.store import Store, TreeKind
from backlit.tui.plan.pane import PlanList
from backlit.tui.plan.panes import PlanPanes

SIZES = [(200, 50), (120, 40), (80, 24), (60, 20)]
STEPS = [
    ">",
    "2 >",
    "3 >",
    "<",
    "j",
    "tab",
    "shift+tab",
    "}",
    "{",
    "u",
    "u",
    "ctrl+r",
    "ctrl+r",
    ": d i s c a r d enter",
]


@pytest.mark.parametrize(
    ("size", "seed"),
    [
        *(pytest.param(size, 0, marks=pytest.mark.slow) for size in (SIZES[0], SIZES[-1])),
        *(pytest.param(size, 0, marks=pytest.mark.long) for size in SIZES[1:-1]),
        *(pytest.param(size, seed, marks=pytest.mark.long) for seed in (1, 2) for size in SIZES),
    ],
)
@pytest.mark.long_but("size1-0")
async def test_the_focus_is_in_a_pane_on_the_screen_after_any_steps(
    store: Store, opened: Open, size: tuple[int, int], seed: int
) -> None:
    sprints = await add_sprints(store, 4)
    await store.plan.aim(sprints[0].id)
    steps = ["2 >", "u", "ctrl+r", "3 >", ": d i s c a r d enter", "u", *random.Random(seed).choices(STEPS, k=25)]
    async with plan_of(opened, store, size) as pilot:
        for number, step in enumerate(steps):
            await keys(pilot, *step.split())
            panes = screen(pilot).query_one(PlanPanes)

            assert panes.focused.display, steps[: number + 1]
            assert panes.focused.items.has_focus, steps[: number + 1]


@pytest.mark.slow
@pytest.mark.parametrize(("count", "keys_to_it"), [(2, "}"), (3, "2}")])
@pytest.mark.long_but("3")
async def test_redo_names_the_iteration_that_is_not_on_the_screen(
    store: Store, opened: Open, count: int, keys_to_it: str
) -> None:
    sprints = await add_sprints(store, 3)
    await store.plan.aim(sprints[0].id)
    root = store.plan.iterations.backlog_id
    row = next(row for row in await stories(store, 99) if row.iteration_id == root)
    async with plan_of(opened, store, (120, 40)) as pilot:
        await go_to(pilot, row.id)
        for step in (f"{count} >", "u", "ctrl+r"):
            await keys(pilot, *step.split())

        words = f"is in {sprints[count - 1].name}. Press {keys_to_it} to show it."
        assert any(each.endswith(words) for each in messages_of(pilot.app)), messages_of(pilot.app)
        assert screen(pilot).lists.here() is None

        await keys(pilot, *keys_to_it, "tab")

        assert screen(pilot).lists.here() == sprints[count - 1]
        assert row.id in screen(pilot).items.ids_between(0, None)


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.long_but("2")
async def test_an_empty_pane_of_an_ended_iteration_agrees_with_its_head(store: Store, opened: Open, count: int) -> None:
    (first, _), rows = await two_sprints(store, count)
    end = date.today() - timedelta(days=13)
    await store.nodes.edit(TreeKind.ITERATIONS, first.id, {"startDate": str(end - timedelta(9)), "endDate": str(end)})
    for row in rows:
        await store.items.edit([row.id], {"IterationID": first.id, "Estimate": "12", "Status": "Done"})
    await sent(store)
    async with plan_of(opened, store, (160, 40)) as pilot:
        assert f" {12 * count} pts  " in text_of(pilot.app)
        assert (
            screen(pilot).query("#target PlanList").only_one(PlanList).empty_text
            == (
                f"{first.name} has ended with nothing in it.",
                "The only item here is done: 12 pts. td shows it.",
                "All 2 items here are done: 24 pts. td shows them.",
            )[count]
        )


@pytest.mark.slow
async def test_a_filter_that_is_left_leaves_the_focus_though_its_first_row_was_planned(
    store: Store, opened: Open
) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "/", *f"#{row.id}", "enter", ">", "escape")
        await until(lambda: panes(pilot)[0].row_count() > 1, lambda: text_of(pilot.app))

        assert row.id in panes(pilot)[1].view.ids()  # type: ignore[union-attr] # it is loaded
        assert panes(pilot)[0].has_focus
