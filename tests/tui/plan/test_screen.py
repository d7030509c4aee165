"""The plan from the keyboard: what is planned, what stands on the screen, and what the service then has."""

import re

import pytest
from rich.segment import Segment
from tests.store.plan_steps import held
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, line_with, lines_of, messages_of, missing, said, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import go_to, keys, panes, plan_of, screen, settled, two_sprints

from backlit.model.person_load import PersonLoad
from backlit.model.settings.user_settings import OwnCapacities
from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.plan.pane import PlanList


@pytest.mark.slow
async def test_planning_a_row_moves_it_into_the_target_and_back(world: World, store: Store, opened: Open) -> None:
    (first, _), (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, ">")
        planned = store.plan.state.changes
        title, head = text_of(pilot.app), line_with(pilot.app, f"╭─ {first.name} ")
        await keys(pilot, "tab", "<")

        assert planned == {row.id: {"IterationID": first.id}}
        assert "╰─ 1 unsaved move  w  save ─" in title
        assert "}  sprints" in head
        assert not store.plan.state
        assert await held(world, row.id, "IterationID") == [row.iteration_id]


@pytest.mark.slow
async def test_a_count_plans_into_the_second_iteration(store: Store, opened: Open) -> None:
    (_, second), (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "2", ">")

        assert store.plan.state.changes == {row.id: {"IterationID": second.id}}


@pytest.mark.slow
async def test_selected_rows_are_planned_together_and_u_takes_them_back(store: Store, opened: Open) -> None:
    _, (one, other) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        for row in (one, other):
            await go_to(pilot, row.id)
            await keys(pilot, "space")
        await keys(pilot, ">")
        planned = set(store.plan.state.changes)
        selected = screen(pilot).items.selection.ids()
        await keys(pilot, "u")

        assert planned == {one.id, other.id}
        assert not selected
        assert not store.plan.state


@pytest.mark.slow
async def test_estimate_and_owner_go_into_the_draft_and_other_verbs_do_not(
    world: World, store: Store, opened: Open
) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "c", "e", *"21", "enter")
        await keys(pilot, "i")
        await keys(pilot, "c", "n", *"Renamed", "enter")
        await sent(store)

        me = store.lookups.me()
        assert me is not None
        assert store.plan.state.changes == {row.id: {"Estimate": "21", "AssignedToID": me.id}}
        assert await held(world, row.id, "Name", "Estimate") == [f"{row.name}Renamed", row.estimate]


@pytest.mark.slow
async def test_steps_of_the_estimate_go_on_from_what_is_planned(store: Store, opened: Open) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "c", "e", *"3", "enter")
        await keys(pilot, "+")
        await keys(pilot, "+")

        assert store.plan.state.changes[row.id]["Estimate"] == "8"


@pytest.mark.slow
async def test_an_overloaded_iteration_is_shown_in_its_head_and_before_saving(store: Store, opened: Open) -> None:
    (first, _), (row, other) = await two_sprints(store)
    await store.plan.stage({other.id: {"IterationID": first.id, "Estimate": None}})
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "c", "e", *"34", "enter")
        await keys(pilot, ">")
        head = text_of(pilot.app)
        await keys(pilot, "w")

        assert "╯ 30" in head
        assert "4 over target" in head
        assert "│ 1 item has no estimate " in head
        assert f" {first.name}  0 → 34 pts  4 over · 1 unestimated" in text_of(pilot.app)
        assert "2 items" in line_with(pilot.app, f"→ {first.name}  ")


@pytest.mark.slow
async def test_the_plan_is_saved_only_after_a_yes(world: World, store: Store, opened: Open) -> None:
    (first, _), (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, ">")
        for key in ("enter", "escape", "n"):
            await keys(pilot, "w", key)
        before = store.outbox_entries()
        await keys(pilot, "w", "y")
        await sent(store)

        assert before == ()
        assert await held(world, row.id, "IterationID") == [first.id]
        assert not store.plan.state


@pytest.mark.slow
async def test_the_difference_names_fields_and_values(store: Store, opened: Open) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "c", "e", *"21", "enter")
        await keys(pilot, ">")
        await keys(pilot, "g", "D")

        assert missing(pilot.app, [f"#{row.id}", "Backlog → Plan 1", f"{row.estimate or '–'} → 21"]) == []
        assert missing(pilot.app, ["y save 1 item"]) == []

        await keys(pilot, "y")

        assert not store.plan.state


@pytest.mark.slow
async def test_discard_drops_the_draft_and_u_brings_it_back(store: Store, opened: Open) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, ">")
        await keys(pilot, ":", *"discard", "enter")
        is_empty = not store.plan.state
        await keys(pilot, "u")

        assert is_empty
        assert set(store.plan.state.changes) == {row.id}


@pytest.mark.slow
async def test_u_and_the_typed_undo_take_back_what_was_done_last(world: World, store: Store, opened: Open) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "c", "n", *"Renamed", "enter")
        await keys(pilot, ">")
        await keys(pilot, ":", *"undo", "enter")
        after_one = (dict(store.plan.state.changes), store.item(row.id))
        await keys(pilot, "u")
        after_two = store.item(row.id)
        await keys(pilot, ":", *"redo", "enter")
        renamed = store.item(row.id)
        again = dict(store.plan.state.changes)
        await keys(pilot, ":", *"redo", "enter")

        assert after_one[0] == again == {}
        names = [each and each.fields["Name"] for each in (after_one[1], after_two, renamed)]
        assert names == [f"{row.name}Renamed", row.name, f"{row.name}Renamed"]
        assert set(store.plan.state.changes) == {row.id}


@pytest.mark.slow
async def test_braces_choose_the_target_which_is_remembered(store: Store, opened: Open) -> None:
    (first, second), _ = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "}")
        after = screen(pilot).lists.targets()[0].id
        await keys(pilot, "{")

        assert after == second.id
        assert screen(pilot).lists.targets()[0].id == first.id
        assert store.plan.draft.target == first.id


@pytest.mark.slow
async def test_the_capacity_of_the_target_is_changed_at_once(world: World, store: Store, opened: Open) -> None:
    (first, _), _ = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "c", "m")
        await keys(pilot, *"12", "tab", *"44", "enter")
        await sent(store)

        assert (
            store.lookups.iterations()[first.id].min_capacity,
            store.lookups.iterations()[first.id].max_capacity,
        ) == (12, 44)


@pytest.mark.slow
async def test_changes_of_others_are_marked_and_overwritten_only_on_request(
    world: World, store: Store, opened: Open
) -> None:
    (first, second), (_, row) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, ">")
        await world.rival.work_items.update(row.id, {"IterationID": second.id})
        await store.refresh()
        await settled(pilot)
        status = lines_of(pilot.app)[-1]
        await keys(pilot, "w")
        asked = text_of(pilot.app)
        await keys(pilot, "y")
        await keys(pilot, "m")
        await sent(store)

        assert "≠ 1 changed by others" in status
        assert "≠ 1 item was changed by someone else" in asked
        assert await held(world, row.id, "IterationID") == [first.id]


@pytest.mark.slow
async def test_people_are_shown_with_what_they_can_take_on(world: World, store: Store) -> None:
    (first, _), (row, _) = await two_sprints(store)
    team_id, team = next(iter(store.lookups.teams().items()))
    await store.items.edit([row.id], {"TeamID": team_id})
    await store.plan.stage({row.id: {"IterationID": first.id, "Estimate": "13", "AssignedToID": 2}})
    name = store.lookups.people()[2].username
    boss = await world.client("maya")
    await boss.projects.capacities(1).update({"capacities": [{"userId": 2, "points": 8}]})
    # This machine's own holds only where the service keeps none.
    own = OwnCapacities({name: PersonLoad(99.0)})
    async with BacklitApp(store, capacities=own).run_test(size=(150, 40)) as pilot:
        await press(pilot, "g", "p")
        await settled(pilot)

        await said(pilot, f"{name} 13/8")
        await keys(pilot, "W")
        workload = text_of(pilot.app)
        await keys(pilot, "escape", "w")

        assert re.search(rf"{name} +13 of 8", workload)
        assert re.search(rf"{team} +13 ", workload)
        assert f"! {name} has 13 of 8 pts" in text_of(pilot.app)
    await boss.aclose()


@pytest.mark.slow
async def test_the_workload_has_the_points_of_the_release(store: Store, opened: Open) -> None:
    async with plan_of(opened, store) as pilot:
        target = screen(pilot).lists.targets()[0]
        release = store.plan.iterations.release_of(target.id)
        assert release is not None
        loads = store.plan_preview.loads_now([each.id for each in release.iterations])
        points = sum(load.points for load in loads.values())
        await keys(pilot, "W")

        words = f"{points:g} pts, capacity {release.capacity.least:g}–{release.capacity.most:g}"
        assert f"│ {release.entry.name}  {words}" in text_of(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize("width", [70, 60, 40])
@pytest.mark.long_but("40")
async def test_bars_of_the_workload_stay_beside_their_words_in_a_narrow_terminal(
    store: Store, opened: Open, width: int
) -> None:
    (first, _), (row, _) = await two_sprints(store)
    await store.plan.stage({row.id: {"IterationID": first.id, "Estimate": "13", "AssignedToID": 2}})
    name = store.lookups.people()[2].username
    async with plan_of(opened, store, (100, 30)) as pilot:
        await keys(pilot, "W")
        await pilot.resize_terminal(width, 30)
        await settled(pilot)

        assert re.search(r"│ Owner +Points +(Share +)?Hours +│", text_of(pilot.app))
        assert re.search(rf"│ {name} +13 .*━+ .*│", text_of(pilot.app))
        assert re.search(r"│ 13 pts, capacity .*\n│ █+", text_of(pilot.app))


@pytest.mark.slow
async def test_typing_filters_the_backlog_but_not_the_iterations(store: Store, opened: Open) -> None:
    (first, _), (row, other) = await two_sprints(store)
    await store.plan.move([other.id], first.id)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "/", *f"#{row.id}", "enter")
        filtered = [pane.row_count() for pane in panes(pilot)[:2]]
        title = heading_of(pilot.app)
        await keys(pilot, ">")
        planned = set(store.plan.state.changes)
        await keys(pilot, "escape")

        assert filtered == [1, 1]
        assert f"› #{row.id}" in title
        assert planned == {row.id, other.id}
        assert panes(pilot)[0].row_count() > 1


@pytest.mark.slow
async def test_a_narrow_screen_has_one_pane_at_a_time(store: Store, opened: Open) -> None:
    await two_sprints(store)
    async with plan_of(opened, store, (60, 20)) as pilot:
        before = text_of(pilot.app)
        await keys(pilot, "tab")

        assert " Backlog 1" in before
        assert " 0, capacity 10–30 " in before
        assert "Nothing is planned here yet" not in before
        assert "Nothing is planned here yet" in text_of(pilot.app)
        assert " Backlog 1" not in text_of(pilot.app)


@pytest.mark.slow
async def test_the_position_counts_items_and_no_lines_of_the_forecast(store: Store, opened: Open) -> None:
    await two_sprints(store)
    async with plan_of(opened, store, (60, 20)) as pilot:
        items = pilot.app.screen.query_one("#backlog PlanList", PlanList)
        before = items.cursor
        await keys(pilot, "j")

        count = len(items.ids_between(0, None))
        assert items.cursor == before + 1
        assert items.top == 0, "the head of the first part is in sight"
        assert count < items.row_count()
        await until(lambda: lines_of(pilot.app)[-2].endswith(f" {before + 1} of {count}"))
        for pressed in (("G", "g", "g"), ("4", "j", "ctrl+u"), ("pagedown", "pageup"), ("h",), ("G", "1", "G")):
            await keys(pilot, *pressed)
            assert (items.cursor, items.top) == (1, 0), pressed
        await keys(pilot, "j", "k", *["j"] * before)
        for size, has_signs in (((100, 24), False), ((120, 30), True)):
            await pilot.resize_terminal(*size)
            await until(lambda: f" {before + 1} of {count} ─╯" in text_of(pilot.app), lambda: text_of(pilot.app))
            assert ("▸ tasks  ⊣ blocked  ¬ not ready" in text_of(pilot.app)) is has_signs


@pytest.mark.slow
async def test_the_target_says_what_the_item_under_the_cursor_would_make_of_it(store: Store, opened: Open) -> None:
    (first, _), (row, other) = await two_sprints(store)
    await store.plan.stage({other.id: {"IterationID": first.id, "Estimate": "7"}, row.id: {"Estimate": "5"}})
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await until(lambda: f"#{row.id} makes 12 pts" in text_of(pilot.app))
        before = text_of(pilot.app)
        await keys(pilot, ">")

        assert "3 under target" in before
        assert "▒" in before
        assert "✓ on target" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_new_item_gets_the_iteration_of_its_pane(store: Store, opened: Open) -> None:
    (first, _), _ = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "tab", "a", *"story", "enter", *"Fresh", "enter")
        await sent(store)
        await settled(pilot)

        assert "Fresh" in text_of(pilot.app)
        assert [each.count for each in (await store.plan_preview.loads([first.id])).values()] == [1]


@pytest.mark.slow
async def test_esc_never_throws_the_draft_away(store: Store, opened: Open) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, ">")
        await keys(pilot, "escape", "escape", "q")

        assert set(store.plan.state.changes) == {row.id}


@pytest.mark.slow
async def test_without_a_plan_the_keys_say_so(store: Store, opened: Open) -> None:
    async with plan_of(opened, store) as pilot:
        for pressed in (("w",), ("g", "D")):
            await keys(pilot, *pressed)

            assert "The plan has no changes" in text_of(pilot.app)
            pilot.app.clear_notifications()


@pytest.mark.slow
async def test_the_scrollbar_passes_the_lines_of_the_forecast(store: Store, opened: Open) -> None:
    async with opened(store, (99, 20)) as pilot:
        await pilot.press("g", "p")
        await until(lambda: re.search("─ (fits|larger than) ", text_of(pilot.app)))
        items = screen(pilot).items
        assert isinstance(items, PlanList)
        await until(lambda: len(items.scrollbar_rows()) > 0)

        drawn = [items.render_row(index, is_cursor=False) for index in items.scrollbar_rows()]
        assert {list(line)[-1] for line in drawn} == {Segment(" ", ThemeStyles.of(items.app).style(on="rule"))}
        assert any("─ " in line.text for line in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_the_message_of_an_act_goes_when_it_is_undone(store: Store, opened: Open, size: tuple[int, int]) -> None:
    async with opened(store, size) as pilot:
        await press(pilot, "g", "p")
        await settled(pilot)
        await go_to(
            pilot,
            next(each.id for each in store.batch.items(screen(pilot).items.ids_between(0, 20)) if each.type == "Story"),
        )
        await press(pilot, ">", ":", *"discard", "enter")
        before = {each for each in messages_of(pilot.app) if "discarded" in each}
        await press(pilot, "u")

        assert len(before) == 1
        assert not {each for each in messages_of(pilot.app) if "discarded" in each}
