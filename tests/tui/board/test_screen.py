"""The board by its keys: what is seen, its columns, lanes and limits."""

from collections.abc import Sequence
from itertools import chain

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, line_with, lines_of, text_of
from tests.tui.board_steps import DOING, active_issue, board, column, current, go_to, is_story, on_board, pick
from tests.tui.list_steps import fields_of, press
from textual.pilot import Pilot

from backlit.model.query import NameKind
from backlit.model.settings.user_settings import BoardSettings, ColumnSettings
from backlit.model.statuses import status_word
from backlit.store import Store
from backlit.store.views.preferences import KeptBoardLayout
from backlit.tui.items.preview import ItemPreview


def by_sprint(store: Store, ids: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the items of the current sprint and the others, both in the order of the backlog."""
    current_ids = store.names.ids(NameKind.ITERATION, "current", with_subtree=False)
    items = store.batch.items(list(ids))
    first = [each.id for each in items if each.fields.get("IterationID") in current_ids]
    return first, [each.id for each in items if each.id not in first]


def in_column(pilot: Pilot[None]) -> list[int]:
    return list(board(pilot).ids_between(0, 99))


# What is seen


@pytest.mark.slow
async def test_each_status_has_a_column_with_its_items_and_points(store: Store) -> None:
    async with on_board(store) as pilot:
        names = [each.name for each in board(pilot).position.grid.columns]
        heads = lines_of(pilot.app)[2]

        assert names[:5] == ["Not Done", "In Progress", "Ready For Test", "Done", "Deferred"]
        for number in range(4):
            assert status_word(names[number]) in heads
            assert f"{board(pilot).position.grid.totals[number].count}" in heads


async def test_equivalent_statuses_share_a_column_and_tasks_are_no_cards(store: Store) -> None:
    async with on_board(store) as pilot:
        ids = {each.first: each.values for each in board(pilot).position.grid.columns}
        items = store.batch.items(list(board(pilot).ids_between(0, None)))

        assert ids["In Progress"] == DOING
        assert ids["Done"] == ("Done", "Closed")
        assert {each.type for each in items} >= {"Story", "Bug"}
        assert "Task" not in {each.type for each in items}


async def test_only_the_cards_in_sight_are_read(store: Store) -> None:
    async with on_board(store, size=(120, 16)) as pilot:
        grid, page = board(pilot).position.grid, board(pilot).page

        assert grid.totals[0].count > page
        assert len(board(pilot).cards.read()) <= page * 4


@pytest.mark.slow
async def test_below_80_columns_there_is_one_column_at_a_time(store: Store) -> None:
    async with on_board(store, size=(60, 20)) as pilot:
        first = lines_of(pilot.app)
        await press(pilot, "l")
        item = current(pilot, store)

        assert "Not done" in first[2]
        assert "In progress" in first[2]
        assert item.fields["Status"] in DOING
        assert str(item.fields["Name"])[:20] in text_of(pilot.app)


@pytest.mark.long
async def test_every_size_shows_the_title_and_the_cursor(store: Store) -> None:
    for size in ((120, 40), (80, 24), (60, 20), (40, 12), (200, 50)):
        async with on_board(store, size=size) as pilot:
            lines = lines_of(pilot.app)

            assert "Board" in lines[0]
            assert any("▌" in line for line in lines)
            assert all(len(line) <= size[0] for line in lines)


async def done(pilot: Pilot[None], store: Store) -> list[int]:
    """Set eleven cards of the first column to Done, the first of them alone; return their ids."""
    board(pilot).go_to_column(0)
    cards = store.batch.items(list(board(pilot).ids_between(0, board(pilot).row_count())))
    ids = [each.id for each in cards if each.type in {"Story", "Bug", "Feature"}][:11]
    for some in (ids[:1], ids[1:]):
        before = board(pilot).position.grid.totals[3].count
        await store.items.edit(some, {"Status": "Done"})
        await until(lambda before=before, some=some: board(pilot).position.grid.totals[3].count == before + len(some))  # type: ignore[misc] # bound now
        await sent(store)
    return ids


@pytest.mark.slow
async def test_the_done_column_shows_the_ten_cards_that_changed_last(store: Store) -> None:
    async with on_board(store) as pilot:
        ids = await done(pilot, store)
        board(pilot).go_to_column(3)
        await press(pilot, "G")
        last, count = board(pilot).cursor, board(pilot).position.grid.totals[3].count
        shown = list(board(pilot).ids_between(0, count))
        head, foot = lines_of(pilot.app)[2], line_with(pilot.app, " zo ")
        await press(pilot, "z", "o")
        rows = [board(pilot).row_count()]
        await press(pilot, "z", "o")
        rows.append(board(pilot).row_count())

        assert set(shown) == set(ids[1:])
        assert (last, rows) == (9, [count, 10])
        assert f"10 of {count} " in head
        assert f" zo  all {count}" in foot
        assert board(pilot).go_to(ids[0])
        assert board(pilot).row_count() == count


@pytest.mark.slow
async def test_a_filter_shows_all_done_cards(store: Store) -> None:
    async with on_board(store) as pilot:
        await done(pilot, store)
        await press(pilot, *"/status:done", "enter")
        await until(lambda: sum(each.count for each in board(pilot).position.grid.totals[:3]) == 0)
        totals = board(pilot).position.grid.totals[3]

        assert totals.shown == totals.count > 10
        assert column(pilot).name == "Done"  # the column before has no match
        assert board(pilot).current_id is not None


# Moving


@pytest.mark.slow
async def test_h_and_l_go_from_column_to_column_and_each_keeps_its_place(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "3", "j")
        there = board(pilot).current_id
        await press(pilot, "l")
        beside = column(pilot).name
        await press(pilot, "h")

        assert beside == "In Progress"
        assert board(pilot).current_id == there
        assert board(pilot).cursor == 3


async def test_the_commands_of_lists_move_in_the_column(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "G")
        last, top, below = board(pilot).cursor, board(pilot).top, text_of(pilot.app)
        await press(pilot, "g", "g")

        assert last == board(pilot).position.grid.totals[0].count - 1
        assert board(pilot).cursor == 0
        assert f" {top} more ↑ " in below
        assert "more ↑" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_column_collapses_to_a_word_of_the_rule_and_opens_again(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "j", "j")
        here = board(pilot).current_id
        await press(pilot, "z", "c")
        count = board(pilot).position.grid.totals[0].count
        heads = lines_of(pilot.app)[2]
        nothing, hints, rule = board(pilot).current_id, lines_of(pilot.app)[-1], lines_of(pilot.app)[3]
        await press(pilot, "z", "c")

        assert "Not done" not in heads
        assert f"▸ Not done {count} folded, zc opens it" in rule
        assert rule.rstrip().endswith("▸ Deferred 1")
        assert nothing is None
        assert "card right" in hints
        assert board(pilot).current_id == here is not None


@pytest.mark.slow
async def test_the_current_column_is_marked_beside_words_for_columns_out_of_sight(store: Store) -> None:
    names = {"Not Done": "To be done", "Ready For Test": "To be tested by somebody else"}
    columns = tuple(ColumnSettings("Status", (status,), name, limit=9) for status, name in names.items())
    async with on_board(store, BoardSettings(column=columns), size=(80, 24)) as pilot:
        await press(pilot, "/", *f"#{board(pilot).current_id}", "enter")
        for key in "LLlhhhlll":
            await press(pilot, key)

            assert "━━━━" in lines_of(pilot.app)[3], key


@pytest.mark.slow
async def test_columns_lanes_and_what_is_collapsed_are_there_again_after_a_restart(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        await pick(pilot, *"tcowner")
        await pick(pilot, *"tgarea")
        board(pilot).go_to_column(0)
        await press(pilot, "z", "c")
        grid = board(pilot).position.grid
        chosen = [each.name for each in grid.columns], grid.collapsed
        await until(lambda: store.boards.found(KeptBoardLayout("Status", "")).collapsed == {None: True})
    await world.close(store)
    again = world.store()

    async with on_board(again) as pilot:
        assert (
            [each.name for each in board(pilot).position.grid.columns],
            board(pilot).position.grid.collapsed,
        ) == chosen
        assert "by owner · lanes by area" in heading_of(pilot.app)
    async with on_board(again, BoardSettings("IterationID")) as pilot:
        assert "by iteration" in heading_of(pilot.app)


# Limits


def with_limit(limit: int) -> BoardSettings:
    return BoardSettings(column=(ColumnSettings("Status", DOING, "Doing", limit),))


@pytest.mark.slow
async def test_a_limit_is_shown_beside_the_count_and_warns_without_blocking(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        count = board(pilot).position.grid.totals[1].count
    async with on_board(store, with_limit(count)) as pilot:
        before = lines_of(pilot.app)[2]
        item = await go_to(pilot, store, is_story)
        await press(pilot, "L")
        said = text_of(pilot.app)
        await until(lambda: column(pilot).name == "Doing")

        assert f"{count} / {count}" in before
        assert "over" not in before
        assert f"Doing is over its limit: {count + 1} of {count}." in said
        assert f"{count + 1} / {count} over" in lines_of(pilot.app)[2]
        assert (await fields_of(world, store, item.id))["Status"] == "In Progress"


async def test_the_settings_combine_and_collapse_columns(store: Store) -> None:
    settings = BoardSettings(
        column=(
            ColumnSettings("Status", ("Not Done",), "", None, is_collapsed=True),
            ColumnSettings("Status", ("In Progress", "Ready For Test"), "Under way"),
        )
    )
    async with on_board(store, settings) as pilot:
        names = {each.name: each.values for each in board(pilot).position.grid.columns}

        assert names["Under way"] == ("In Progress", "Ready For Test")
        assert names["Active"] == ("Active",)
        assert 0 in board(pilot).position.grid.collapsed


@pytest.mark.slow
async def test_in_a_combined_column_the_cards_are_in_the_order_of_the_backlog(store: Store) -> None:
    async with on_board(store) as pilot:
        await active_issue(pilot, store)
        ids = in_column(pilot)
        first, others = by_sprint(store, ids)

        assert ids == [*first, *others]
        assert {each.fields["Status"] for each in store.batch.items(ids)} == set(DOING)


@pytest.mark.slow
async def test_the_cards_of_the_current_sprint_come_first_and_the_heading_says_so(store: Store) -> None:
    async with on_board(store) as pilot:
        named = next(iter(store.names.ids(NameKind.ITERATION, "current", with_subtree=False)))
        outside = next(each for each in by_sprint(store, in_column(pilot))[1])
        await store.items.edit([outside], {"IterationID": named})
        await until(lambda: in_column(pilot) == list(chain(*by_sprint(store, in_column(pilot)))))
        first, others = by_sprint(store, in_column(pilot))
        heading = heading_of(pilot.app)
        await pick(pilot, "t", "c", *"iteration")

        assert outside in first
        assert others
        assert f"{store.lookups.iterations()[named].name} first" in heading
        assert " first" not in heading_of(pilot.app)


@pytest.mark.slow
async def test_the_preview_stands_beside_the_board_from_200_columns_and_on_request(store: Store) -> None:
    async with on_board(store, size=(199, 50)) as pilot:
        narrow = pilot.app.screen.query_one(ItemPreview).region.width
        await pilot.resize_terminal(200, 50)
        await until(lambda: pilot.app.screen.query_one(ItemPreview).region.width)
        beside = pilot.app.screen.query_one(ItemPreview).region.x, board(pilot).region.right
        await press(pilot, "p")

        assert narrow == 0
        assert beside[0] > beside[1]
        assert pilot.app.screen.query_one(ItemPreview).region.width == 0


@pytest.mark.slow
async def test_the_preview_follows_a_column_that_is_folded_and_opened(store: Store) -> None:
    async with on_board(store, size=(200, 50)) as pilot:
        head = f"╭─ #{current(pilot, store).id} "
        await until(lambda: head in text_of(pilot.app))
        await press(pilot, "z", "c")
        await until(lambda: head not in text_of(pilot.app))
        await press(pilot, "z", "c")

        await until(lambda: head in text_of(pilot.app))


@pytest.mark.slow
async def test_in_60_columns_a_card_has_its_name_and_its_facts_below(store: Store) -> None:
    async with on_board(store, size=(60, 20)) as pilot:
        item = current(pilot, store)
        lines = lines_of(pilot.app)
        name = next(number for number, line in enumerate(lines) if str(item.fields["Name"])[:40] in line)

        assert f"#{item.id}" in lines[name + 1]
        assert board(pilot).page >= 6


# Other columns, lanes


@pytest.mark.slow
@pytest.mark.parametrize(("words", "key"), [("iteration", "IterationID"), ("owner", "AssignedToID")])
async def test_columns_can_be_iterations_or_people_and_a_move_writes_them(
    world: World, store: Store, words: str, key: str
) -> None:
    async with on_board(store) as pilot:
        await pick(pilot, "t", "c", *words)
        item = await go_to(pilot, store, lambda each: each.type == "Story" and each.fields.get(key) is not None)
        await press(pilot, "L")
        await until(lambda: current(pilot, store).fields[key] != item.fields[key])
        fields = await fields_of(world, store, item.id)

        assert fields[key] in column(pilot).values
        assert fields[key] != item.fields[key]


@pytest.mark.slow
async def test_a_release_has_the_cards_of_all_its_iterations(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        await pick(pilot, "t", "c", *"release")
        releases = {each.id for each in store.lookups.iterations().values() if each.is_release}
        item = await go_to(pilot, store, lambda each: each.type == "Story")
        await press(pilot, "9", "H")
        await press(pilot, "L")
        fields = await fields_of(world, store, item.id)

        assert board(pilot).position.grid.columns[0].name == "No release"
        assert fields["IterationID"] in releases
        assert fields["IterationID"] == board(pilot).position.grid.columns[1].first


@pytest.mark.slow
async def test_columns_by_a_choice_field_refuse_types_without_it(store: Store) -> None:
    async with on_board(store) as pilot:
        await pick(pilot, "t", "c", *"severity")
        names = [each.name for each in board(pilot).position.grid.columns]
        await go_to(pilot, store, lambda each: each.type == "Story")
        await press(pilot, "H")

        assert names[0] == "1 - Critical"
        assert names[-1] == "no severity"
        assert "A story has no severity." in text_of(pilot.app)


@pytest.mark.slow
async def test_commands_on_the_columns_and_the_tree_of_a_list_are_no_keys_of_the_board(store: Store) -> None:
    async with on_board(store, size=(200, 160)) as pilot:
        await press(pilot, "z", "l")
        refusal = text_of(pilot.app)
        await press(pilot, "?")
        shown = text_of(pilot.app)

        assert "“more columns” works in the backlog. Press gb to go there." in refusal
        assert "Choose the field of the columns" in shown
        for words in ("Show the backlog as a tree", "Scroll to columns at either", "Put the item below the Feature"):
            assert words not in shown


# What it shares


@pytest.mark.slow
async def test_board_and_backlog_share_their_filter(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "f", "m")
        await until(lambda: "mine" in heading_of(pilot.app))
        mine = {each.fields["AssignedToID"] for each in store.batch.items(list(board(pilot).ids_between(0, None)))}
        await press(pilot, "g", "b")
        listed = heading_of(pilot.app)
        await press(pilot, "f", "0", "g", "k")
        await until(lambda: "mine" not in heading_of(pilot.app))

        assert len(mine) == 1
        assert "mine" in listed


@pytest.mark.slow
async def test_selection_the_preview_and_opening_work_as_in_the_list(store: Store) -> None:
    async with on_board(store) as pilot:
        await press(pilot, "space", "j", "space", "p")
        await until(lambda: "2 selected" in text_of(pilot.app))
        preview = text_of(pilot.app)
        await press(pilot, "escape", "enter")

        assert " edited " in preview
        assert type(pilot.app.screen).__name__ == "ItemEditorScreen"


@pytest.mark.slow
async def test_a_change_by_somebody_else_moves_the_card(world: World, store: Store) -> None:
    async with on_board(store) as pilot:
        item = await go_to(pilot, store, is_story)
        await world.rival.work_items.update(item.id, {"Status": "Ready For Test"})
        await store.refresh()
        await until(lambda: column(pilot).name == "Ready For Test")

        assert board(pilot).current_id == item.id
