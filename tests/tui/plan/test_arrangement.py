"""Where the panes of the plan stand, by the size of the terminal, and what they say of other sprints."""

import re

import pytest
from tests.store.world import until
from tests.tui.bare_app import lines_of, text_of
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import go_to, keys, panes, plan_of, screen, settled, two_sprints
from textual.pilot import Pilot

from backlit.model.planning import PlannedLoad
from backlit.store import IterationEntry, Store, TreeKind
from backlit.store.edits.nodes import NewNode
from backlit.tui.fields.dates import span


@pytest.mark.slow
async def test_owners_have_a_column_where_names_leave_room(store: Store, opened: Open) -> None:
    async with plan_of(opened, store, (120, 40)) as pilot:
        backlog, target = panes(pilot)

        def has_owners() -> bool:
            people = [f" {each.username} " for each in store.lookups.people().values()]
            rows = [line[: backlog.region.right] for line in lines_of(pilot.app)[1 : backlog.region.bottom]]
            return any(name in row for name in people for row in rows)

        assert has_owners()
        await pilot.resize_terminal(160, 40)
        await until(lambda: backlog.size.width > target.size.width, lambda: text_of(pilot.app))
        assert has_owners()
        await pilot.resize_terminal(100, 40)
        await until(lambda: not has_owners(), lambda: text_of(pilot.app))
        assert backlog.size.width == target.size.width


@pytest.mark.slow
async def test_an_item_that_comes_in_above_the_first_one_is_in_sight(store: Store, opened: Open) -> None:
    (first, _), (row, *others) = await two_sprints(store, 12)
    await store.plan.stage({each.id: {"IterationID": first.id} for each in others})
    async with plan_of(opened, store, (100, 26)) as pilot:
        target = panes(pilot)[1]
        await go_to(pilot, row.id)
        await keys(pilot, ">")

        assert target.row_count() > target.page
        assert row.id in target.ids_between(0, 1)
        assert target.top == 0


def after_target(pilot: Pilot[None], store: Store) -> IterationEntry:
    """The iteration that follows the target of the plan."""
    every = store.plan.iterations.targets()
    return every[every.index(screen(pilot).lists.targets()[0]) + 1]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "is_beside"), [((200, 50), True), ((160, 40), False)])
async def test_the_other_sprints_have_a_frame_below_the_target_or_beside_it(
    store: Store, opened: Open, size: tuple[int, int], *, is_beside: bool
) -> None:
    async with plan_of(opened, store, size) as pilot:
        target, found = screen(pilot).lists.targets()[0], screen(pilot).lists.others()
        release = store.plan.iterations.release_of(target.id)
        lines = lines_of(pilot.app)
        at = next(number for number, line in enumerate(lines) if "╭─ Other sprints ─" in line)

        assert (at == 1) is is_beside
        assert target not in found
        assert release is not None
        for each in (*found, release.entry):
            load = store.plan_preview.loads_now([each.id]).get(each.id, PlannedLoad()) if each in found else None
            shown = next(line for line in lines[at:] if f"│ {each.name} " in line).rpartition(f"│ {each.name} ")[2]
            days = span(each.start, each.end, each.start or store.today()).removesuffix(f" {each.end:%Y}")
            assert load is None or is_beside or days in shown
            assert load is None or f" {load.points:g} of " in shown


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (100, 28)])
async def test_lists_stand_below_each_other_beside_all_capacities_where_names_need_the_width(
    store: Store, opened: Open, size: tuple[int, int]
) -> None:
    async with plan_of(opened, store, size) as pilot:
        backlog, target = (each.region for each in panes(pilot))
        found, lines = screen(pilot).lists.others(), [line[backlog.right :] for line in lines_of(pilot.app)]
        at = next(number for number, line in enumerate(lines) if " Other sprints ──" in line)

        assert (backlog.x, backlog.right) == (target.x, target.right)
        assert backlog.bottom < target.y
        assert f" Capacity of {screen(pilot).lists.targets()[0].name} ─" in lines[1]
        assert " target" in "".join(lines[2:at])
        for each in found:
            (load,) = store.plan_preview.loads_now([each.id]).values()
            shown = next(number for number, line in enumerate(lines) if f"│ {each.name} " in line)
            assert shown > at
            assert f" {load.points:g} of " in "".join(lines[shown : shown + 3])


@pytest.mark.slow
@pytest.mark.parametrize("pressed", ["p", "g"])
@pytest.mark.long_but("p")
async def test_lists_stay_below_each_other_above_what_is_asked_for(store: Store, opened: Open, pressed: str) -> None:
    async with plan_of(opened, store, (120, 30)) as pilot:
        before = panes(pilot)[0].size.height
        await pilot.press(pressed)
        await until(lambda: panes(pilot)[0].size.height < before, lambda: text_of(pilot.app))

        backlog, target = (each.region for each in panes(pilot))
        assert (backlog.x, backlog.right) == (target.x, target.right)
        assert backlog.bottom < target.y


@pytest.mark.slow
async def test_a_short_or_narrow_terminal_has_a_line_for_each_next_sprint_below_the_items(
    store: Store, opened: Open
) -> None:
    async with plan_of(opened, store, (120, 24)) as pilot:
        following = after_target(pilot, store)
        load = store.plan_preview.loads_now([following.id]).get(following.id, PlannedLoad())
        lines = lines_of(pilot.app)
        at = next(number for number, line in enumerate(lines) if re.search(r"} +next │", line))

        assert f"│ {following.name} " in lines[at]
        assert f" {load.points:g} of " in lines[at]


@pytest.mark.slow
async def test_a_target_that_gets_children_goes_on_without_the_next_sprints(store: Store, opened: Open) -> None:
    async with plan_of(opened, store, (120, 40)) as pilot:
        target = screen(pilot).lists.targets()[0]

        await store.nodes.add(TreeKind.ITERATIONS, target.id, NewNode("Week 1"))

        await until(lambda: target not in store.plan.iterations.targets())
        await settled(pilot)
        assert "Plan" in text_of(pilot.app)
