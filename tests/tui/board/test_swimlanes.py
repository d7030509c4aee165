"""The swimlanes of the board by their keys."""

import re

import pytest
from tests.store.world import until
from tests.tui.bare_app import heading_of, line_with, lines_of, text_of
from tests.tui.board_steps import board, current, go_to, is_story, on_board, pick
from tests.tui.list_steps import press

from backlit.model.amounts import counted
from backlit.model.settings.user_settings import BoardSettings
from backlit.store import Store


@pytest.mark.slow
async def test_swimlanes_run_across_the_columns_and_fold(store: Store) -> None:
    async with on_board(store, size=(160, 22)) as pilot:
        await pick(pilot, "t", "g", *"type")
        await press(pilot, "z", "R", "g", "g")  # lanes in which all is done begin folded
        header = line_with(pilot.app, "▾ Bug ")
        foot = line_with(pilot.app, "}  next lane")
        rows = board(pilot).row_count()
        await press(pilot, "z", "M")
        folded, place = board(pilot).row_count(), lines_of(pilot.app)[-2]
        await press(pilot, "z", "R")

        assert place.rstrip().endswith(f"lane 1 of {folded}")
        assert re.fullmatch(r"▾ Bug ─+ \d+ items · \d+ pts", header.strip())
        assert "Bug" not in foot
        assert folded == len(board(pilot).position.grid.lanes)
        assert board(pilot).row_count() == rows


@pytest.mark.slow
async def test_the_cards_of_a_swimlane_below_those_in_sight_are_counted_at_the_foot(store: Store) -> None:
    async with on_board(store, size=(120, 22)) as pilot:
        await pick(pilot, "t", "g", *"type")
        await press(pilot, "z", "M", "G", "z", "a", "g", "g")
        shown = board(pilot).page - len(board(pilot).position.grid.lanes)
        cards = [len(cell) for cell in board(pilot).position.grid.lanes[-1].cells]

        assert f" {sum(max(0, count - shown) for count in cards)} more of " in text_of(pilot.app)


@pytest.mark.slow
async def test_the_header_of_the_cursors_lane_stays_in_sight(store: Store) -> None:
    async with on_board(store, size=(120, 12)) as pilot:
        await pick(pilot, "t", "g", *"type")
        await press(pilot, "z", "R", "g", "g")
        seen = []
        for _ in range(8):
            await press(pilot, "j")
            seen.append(f"▾ {current(pilot, store).type} ─" in text_of(pilot.app))

        assert board(pilot).top > 0
        assert all(seen), seen


@pytest.mark.slow
async def test_lanes_by_parent_have_tasks_as_cards_and_what_is_added_is_a_task_of_the_lane(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "t", "g", *"parent", "enter")
        await until(lambda: len(board(pilot).position.grid.lanes) > 1)
        task = await go_to(pilot, store, lambda each: each.type == "Task")
        shown = store.batch.items(list(board(pilot).ids_between(0, None)))
        parents = [each.fields["ParentID"] for each in shown]
        name = str(store.batch.items([int(str(task.fields["ParentID"]))])[0].fields["Name"])
        header = line_with(pilot.app, f"#{task.fields['ParentID']} {name[:20]}")
        await press(pilot, "a", *"Another", "enter", "y")  # the parent's sprint has ended
        await until(lambda: current(pilot, store).fields["Name"] == "Another")
        added = current(pilot, store)

        assert {each.type for each in shown} == {"Task"}
        assert f"{counted(parents.count(task.fields['ParentID']), 'task')} " in f"{header} "
        assert f"{len(shown) + 1} tasks" in heading_of(pilot.app)
        assert [added.fields[key] for key in ("ParentID", "Status")] == [
            task.fields[key] for key in ("ParentID", "Status")
        ]


@pytest.mark.slow
async def test_lanes_by_tags_give_new_items_all_of_theirs(store: Store) -> None:
    async with on_board(store, size=(160, 40)) as pilot:
        item = await go_to(pilot, store, is_story)
        await store.items.edit([item.id], {"Tags": ["ux", "api"]})
        await pick(pilot, "t", "g", *"tags")
        assert board(pilot).go_to(item.id)
        await press(pilot, "a", "enter", *"Beside", "enter")
        await until(lambda: current(pilot, store).fields["Name"] == "Beside")

        assert sorted(current(pilot, store).fields["Tags"]) == ["api", "ux"]  # type: ignore[call-overload] # a list
        assert "pts" in line_with(pilot.app, "▾ ux, api ")


@pytest.mark.slow
async def test_braces_go_from_lane_to_lane(store: Store) -> None:
    async with on_board(store) as pilot:
        await pick(pilot, "t", "g", *"type")
        await press(pilot, "g", "g")
        first = current(pilot, store).type
        await press(pilot, "}")

        assert current(pilot, store).type != first
        await press(pilot, *"}" * 8)
        assert "This is the last lane." in text_of(pilot.app)


@pytest.mark.slow
async def test_without_lanes_their_keys_say_so(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "z", "a")

        assert "No swimlanes. Press tg to choose them." in text_of(pilot.app)


@pytest.mark.slow
async def test_each_column_that_is_shown_alone_has_cards_as_high_as_its_own_lanes_allow(store: Store) -> None:
    async with on_board(store, BoardSettings(lanes="AssignedToID"), size=(60, 24)) as pilot:
        heights = list[tuple[int, int]]()
        for key in "lllhhh":
            await press(pilot, key)
            heights.append((board(pilot).position.column, board(pilot).laid_out.card_lines))

    assert len({lines for _, lines in heights}) > 1
    assert len(set(heights)) == len({column for column, _ in heights})
