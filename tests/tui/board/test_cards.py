"""Cards moved, added and ranked on the board: what is seen, and what the service holds afterwards."""

import re

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import heading_of, line_with, lines_of, messages_of, said, text_of
from tests.tui.board_steps import active_issue, board, column, current, go_to, is_story, on_board, pick
from tests.tui.list_steps import fields_of, press, shown
from textual.pilot import Pilot

from backlit.model.fields import ItemType
from backlit.store import Store
from backlit.tui.board.screen import BoardScreen


def in_column(pilot: Pilot[None]) -> list[int]:
    return list(board(pilot).ids_between(0, 99))


def iteration_of(store: Store, item_id: int) -> object:
    item = store.item(item_id)
    assert item is not None
    return item.fields.get("IterationID")


# Moving cards


@pytest.mark.slow
async def test_a_card_moves_to_the_next_column_and_back_and_the_cursor_goes_with_it(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        item = await go_to(pilot, store, is_story)
        await press(pilot, "L")
        await until(lambda: column(pilot).name == "In Progress")
        moved = (await fields_of(world, store, item.id))["Status"]
        here = board(pilot).current_id
        await press(pilot, "H")
        await until(lambda: column(pilot).name == "Not Done")

        assert moved == "In Progress"
        assert here == item.id == board(pilot).current_id
        assert (await fields_of(world, store, item.id))["Status"] == "Not Done"


@pytest.mark.slow
async def test_a_count_moves_past_columns_and_undo_reverts_it(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        item = await go_to(pilot, store, is_story)
        await press(pilot, "3", "L", "o")
        await until(lambda: column(pilot).name == "Done")
        done = (await fields_of(world, store, item.id))["Status"]
        await press(pilot, "u")

        assert done == "Done"
        assert (await fields_of(world, store, item.id))["Status"] == "Not Done"


@pytest.mark.slow
async def test_a_card_gets_the_first_status_of_the_column_that_its_type_has(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        issue = await active_issue(pilot, store)
        await press(pilot, "L")
        said = text_of(pilot.app)
        await press(pilot, "2", "L")

        assert "An issue has no status “Testing”. 2L skips the column." in " ".join(said.split())
        assert (await fields_of(world, store, issue.id))["Status"] == "Closed"


@pytest.mark.slow
async def test_a_move_past_the_first_column_is_refused(store: Store) -> None:
    async with on_board(store) as pilot:
        await go_to(pilot, store, is_story)
        await press(pilot, "H")

        assert "Already in the first column." in text_of(pilot.app)


@pytest.mark.slow
async def test_selected_cards_move_together_after_a_yes(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        ids = list(board(pilot).ids_between(0, 40))
        stories = [each.id for each in store.batch.items(ids) if is_story(each)][:2]
        for item_id in stories:
            assert board(pilot).go_to(item_id)
            await press(pilot, "space")
        await press(pilot, "L")
        await press(pilot, "y")
        statuses = [(await fields_of(world, store, each))["Status"] for each in stories]

        assert statuses == ["In Progress", "In Progress"]


@pytest.mark.slow
async def test_moving_a_card_moves_no_column(store: Store) -> None:
    async with on_board(store) as pilot:
        before = board(pilot).laid_out.slots
        counts = [each.count for each in board(pilot).position.grid.totals]
        await go_to(pilot, store, is_story)
        await press(pilot, "2", "L", "o")
        await until(lambda: [each.count for each in board(pilot).position.grid.totals] != counts)

        assert board(pilot).laid_out.slots == before


# Adding and ranking


@pytest.mark.slow
async def test_a_new_card_gets_the_values_of_its_column_and_lane(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        await pick(pilot, "t", "g", *"area")
        item = await go_to(pilot, store, lambda each: each.fields["Status"] == "In Progress")
        await press(pilot, "a", *"story", "enter", *"New card", "enter")
        await until(lambda: current(pilot, store).fields["Name"] == "New card")
        fields = await fields_of(world, store, store.item(board(pilot).current_id or 0).id)  # type: ignore[union-attr] # it is there

        assert fields["Status"] == "In Progress"
        assert fields["AreaID"] == item.fields["AreaID"]


@pytest.mark.slow
async def test_j_and_k_rank_among_the_cards_of_the_column(store: Store) -> None:
    async with on_board(store) as pilot:
        view = board(pilot).view
        sprint = view.spec.leading if view is not None else ()
        before = [each for each in in_column(pilot) if iteration_of(store, each) not in sprint]
        first = len(in_column(pilot)) - len(before)
        assert board(pilot).go_to(before[0])
        await press(pilot, "K")
        await said(pilot, "already at the top")
        await press(pilot, "j", "J")
        await until(lambda: in_column(pilot)[first + 1] != before[1])

        assert in_column(pilot)[first : first + 4] == [before[0], before[2], before[1], before[3]]
        assert board(pilot).current_id == before[1]


# Facts


@pytest.mark.slow
async def test_a_card_counts_its_tasks_and_those_that_are_done(store: Store) -> None:
    async with on_board(store) as pilot:
        item = await go_to(pilot, store, lambda row: is_story(row) and not store.relations.open_blockers([row.id]))

        def counts() -> tuple[int, ...]:
            found = re.search(r"(\d+)/(\d+) tasks", line_with(pilot.app, f"#{item.id} "))
            return tuple(map(int, found.groups())) if found else (0, 0)

        done, count = counts()
        tasks = [await store.items.add("Task", {"Name": name, "ParentID": item.id}) for name in ("One", "Two")]
        await until(lambda: counts() == (done, count + 2))
        await store.items.edit([tasks[0]], {"Status": "Done"})
        await until(lambda: counts() == (done + 1, count + 2))


@pytest.mark.slow
async def test_a_started_card_without_an_estimate_is_marked_as_not_ready(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        item = await go_to(pilot, store, lambda row: is_story(row) and not store.relations.open_blockers([row.id]))
        await world.rival.work_items.update(item.id, {"Estimate": None})
        await store.refresh()
        await until(lambda: "–" in line_with(pilot.app, f"#{item.id} "))
        quiet = line_with(pilot.app, f"#{item.id} ")
        await press(pilot, "L")

        await until(lambda: "¬" in line_with(pilot.app, f"#{item.id} "))
        assert "¬" not in quiet


@pytest.mark.slow
async def test_cards_in_lanes_by_owner_take_one_line_where_so_all_lanes_fit(store: Store) -> None:
    async with on_board(store, size=(120, 34)) as pilot:
        item = await go_to(pilot, store, lambda each: each.fields["AssignedToID"] is not None)
        owner = store.lookups.people()[int(str(item.fields["AssignedToID"]))]
        before = line_with(pilot.app, f"#{item.id} ")
        await press(pilot, "t", "g", *"owner", "enter")
        after = line_with(pilot.app, f"#{item.id} ")
        lanes = board(pilot).position.grid.lanes

        assert owner.username in before
        assert owner.username not in after
        assert f"#{item.id} {item.name[:8]}" in after
        assert sum(" item" in each for each in lines_of(pilot.app)[4:-3]) == len(lanes)


async def test_a_refused_move_leaves_the_heads_of_the_columns_and_their_rule_free(store: Store) -> None:
    async with on_board(store, size=(80, 24)) as pilot:
        heads = lines_of(pilot.app)[2:4]
        await press(pilot, "G", "H")

        assert "Already in the first column." in text_of(pilot.app)
        assert lines_of(pilot.app)[2:4] == heads


@pytest.mark.slow
async def test_names_of_low_cards_go_on_in_place_of_owners_before_facts_below_each_other(store: Store) -> None:
    async with on_board(store, size=(120, 38)) as pilot:
        owner = next(iter(store.lookups.people().values()))
        item = await go_to(pilot, store, lambda row: is_story(row) and not store.relations.open_blockers([row.id]))
        name = "Words that need a whole line and more"
        await store.items.edit([item.id], {"Name": name, "AssignedToID": owner.id})
        await press(pilot, "t", "g", *"priorit", "enter")
        await until(lambda: "Words that" in text_of(pilot.app))
        lines = lines_of(pilot.app)
        at = next(at for at, line in enumerate(lines) if "Words that" in line)
        facts = [line for line in lines if "#" in line and "▌" in line]
        starts = {line.index("#") for line in facts if "#" in line[: lines[at + 1].index(f"#{item.id}") + 1]}

        assert name in " ".join(f"{lines[at][:32]} {lines[at + 1][3:32]}".split())
        assert owner.username not in lines[at + 1][:32]
        assert len(facts) > 5
        assert len(starts) == 1


async def test_nothing_follows_the_facts_of_a_card_on_a_low_board(store: Store) -> None:
    async with on_board(store, size=(80, 24)) as pilot:
        item = await go_to(pilot, store, is_story)
        facts = line_with(pilot.app, f"#{item.id} ")

        assert "─" not in facts


@pytest.mark.slow
async def test_the_board_names_hidden_items_and_gives_new_ones_the_values_of_its_column_and_lane(store: Store) -> None:
    task = next(row for row in await shown(store) if row.type == "Task")
    async with on_board(store) as pilot:
        await active_issue(pilot, store)
        screen = pilot.app.screen
        assert isinstance(screen, BoardScreen)
        assert screen.expected_type() is not ItemType.TASK
        assert screen.preset(ItemType.STORY)["Status"] == "In Progress"
        assert "Status" not in screen.preset(ItemType.TASK)
        assert "▸ Deferred 1" in lines_of(pilot.app)[3]
        screen.item_added(task.id)
        assert "Task changed. The board hides tasks; press ft to show them." in messages_of(pilot.app)

        await press(pilot, ":", *"group parent", "enter")
        await until(lambda: screen.arrangement.has_tasks and board(pilot).position.grid.has_lanes)
        lane = next(each for each in board(pilot).position.grid.lanes if each.header and each.header.group[0])
        assert lane.header is not None
        parent = store.item(int(str(lane.header.group[0])))
        assert parent is not None
        card = next(each for each in store.batch.tasks_of(parent.id))
        assert board(pilot).go_to(card if isinstance(card, int) else card.id)
        given = screen.preset(ItemType.TASK)

        assert screen.expected_type() is ItemType.TASK
        assert "lanes by" in heading_of(pilot.app)
        assert {key: given[key] for key in ("ParentID", "AreaID", "IterationID")} == {
            "ParentID": parent.id, "AreaID": parent.fields["AreaID"], "IterationID": parent.fields["IterationID"],
        }  # fmt: skip
