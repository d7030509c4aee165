"""The summary of a grooming session: its table, its Markdown, and the ways out of it."""

import re
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, line_with, lines_of, missing, text_of
from tests.tui.groom_steps import current, queue_of, unestimated, unplanned
from tests.tui.list_steps import press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot
from textual.screen import Screen

from backlit.model.ready_check import RULES
from backlit.store import Store
from backlit.store.grooming import FieldAnswer, GroomedItem
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.groom.screen import GroomScreen
from backlit.tui.groom.summary_screen import GroomSummaryScreen, SessionHeadline, session_sentence, summary_of
from backlit.tui.groom.summary_table import SummaryTable, changes_of

READY = GroomedItem(1, "Story", "One", False, (FieldAnswer("Estimate", None, "8"),), (), ())
UNCHANGED = GroomedItem(2, "Story", "Two", False, (), (), ())
OPEN = GroomedItem(3, "Bug", "Three", True, (), (), (RULES[0],))
GONE = GroomedItem(4, "", "", False, (), (), ())


def test_a_change_of_the_iteration_names_the_backlog_and_the_sprint_alone(tmp_path: Path) -> None:
    planned = GroomedItem(1, "Story", "One", False, (FieldAnswer("IterationID", 20, 22),), (), ())
    with offline_store(tmp_path, [item(1, IterationID=22)]) as store:
        put_nouns(store, iterations=[node(20, "Aurora"), node(21, "Release 3", 20), node(22, "Sprint 14", 21)])

        assert list(changes_of(store, planned, " ")) == ["Iteration backlog → Sprint 14"]


@pytest.mark.slow
async def test_a_file_that_is_there_is_not_replaced_unasked(
    world: World, store: Store, opened: Open, tmp_path: Path
) -> None:
    (item_id,) = await unestimated(world, store, 1)
    target = tmp_path / "there.md"
    target.write_text("mine")
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "n")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await press(pilot, "s", "ctrl+u", *str(target), "enter")
        asked = text_of(pilot.app)
        await press(pilot, "enter")
        kept = target.read_text()
        await press(pilot, "s", "ctrl+u", *str(target), "enter", "o")

        assert "There is a file" in asked
        assert kept == "mine"
        assert target.read_text().startswith("# Groomed: Aurora")


@pytest.mark.slow
async def test_from_the_summary_one_goes_back_to_the_last_item(world: World, store: Store, opened: Open) -> None:
    ids = await unestimated(world, store, 2)
    async with opened(store) as pilot:
        await queue_of(pilot, ids)
        await press(pilot, "enter", "enter")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await press(pilot, "backspace")
        await until(lambda: isinstance(pilot.app.screen, GroomScreen))
        await pilot.pause()

        assert current(pilot) == ids[1]


async def test_the_summary_counts_tasks_apart(store: Store) -> None:
    first = {row.type: row.id for row in await shown(store)}

    summary = summary_of(store, (), [first["Story"], first["Bug"], first["Task"]])

    assert "2 items, 1 task, 0 changed, 0 skipped, 3 not shown." in summary


async def groom_two(pilot: Pilot[None], item_id: int, other_id: int) -> None:
    """Estimate one item at 5 points and leave the other as it is, up to the summary."""
    await queue_of(pilot, [item_id, other_id])
    for _ in range(2):
        screen = pilot.app.screen
        assert isinstance(screen, GroomScreen)
        await press(pilot, *("5" if screen.current().id == item_id else ""), "enter")
    await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))


@pytest.mark.slow
async def test_the_summary_has_what_is_not_ready_with_its_checks_and_what_is_with_its_changes(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await unplanned(world, store)
    (bug,) = await unestimated(world, store, 1, "Bug")
    async with opened(store) as pilot:
        await groom_two(pilot, item_id, bug)

        assert (
            missing(pilot.app, ["Summary · 1 changed · 0 skipped · 1 unchanged", "Still not ready 1", "Ready 1"]) == []
        )
        assert "  → 5 pts" in line_with(pilot.app, f" {item_id} ◆")
        assert "  no estimate" in line_with(pilot.app, f" {bug} ×")


@pytest.mark.slow
async def test_the_item_under_the_cursor_of_the_summary_is_shown_and_opened(
    world: World, store: Store, opened: Open
) -> None:
    ids = await unestimated(world, store, 2, "Story")
    async with opened(store) as pilot:
        await queue_of(pilot, ids)
        await press(pilot, "enter", "enter")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await press(pilot, "j")
        below = text_of(pilot.app)
        await press(pilot, "enter")

        assert f"#{ids[1]} ◆ Story" in below
        assert "2 of 2" in below
        assert isinstance(pilot.app.screen, ItemEditorScreen)


async def test_what_remains_comes_first_and_the_cursor_steps_over_headings(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.app.push_screen(GroomSummaryScreen(store, (READY, OPEN, UNCHANGED), lambda _place: Screen()))
        await pilot.pause()
        table = pilot.app.screen.query_one(SummaryTable)
        groups = [each for each in lines_of(pilot.app) if re.match("│ +(¬ Still not ready 1|✓ Ready 2) ", each)]
        seen = [table.current]
        for key in (*"jjkkG", "pageup", "2", "G"):
            await pilot.press(key)
            seen.append(table.current)

        assert len(groups) == 2
        assert seen == [OPEN, READY, UNCHANGED, READY, OPEN, UNCHANGED, OPEN, OPEN, READY]


async def test_a_summary_without_items_takes_the_keys_that_move(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.app.push_screen(GroomSummaryScreen(store, (), lambda _place: Screen()))
        await pilot.press("g", "g", "G", "j", "pageup", "enter")

        assert "of 0 ready" in text_of(pilot.app)


async def test_a_row_is_one_line_with_the_change_in_short_words(store: Store, opened: Open) -> None:
    long = "Session is lost when the network changes on tablets, phones and watches in the Netherlands"
    answers = (
        FieldAnswer("Estimate", None, "3"),
        FieldAnswer("IsTriaged", False, True),
        FieldAnswer("Severity", "", "High"),
    )
    results = (
        GroomedItem(3, "Bug", long, True, (), (), (RULES[0],)),
        GroomedItem(4, "Bug", "Short", False, answers, (), ()),
    )
    async with opened(store) as pilot:
        await pilot.app.push_screen(GroomSummaryScreen(store, results, lambda _place: Screen()))
        await pilot.pause()

        assert "  no estimate" in line_with(pilot.app, "× Session is lost when the network")
        assert "  → 3 pts, triaged +1" in line_with(pilot.app, "× Short")
        assert "Netherlands" not in line_with(pilot.app, "× Session is lost when the network")


@pytest.mark.slow
async def test_the_summary_tells_what_is_ready_and_the_next_steps(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    (bug,) = await unestimated(world, store, 1, "Bug")
    async with opened(store) as pilot:
        await groom_two(pilot, item_id, bug)
        await pilot.pause()

        assert missing(pilot.app, ["of 2 ready", "1 more than before · 1 estimate added, 5 pts"]) == []
        assert text_of(pilot.app).count("no estimate") == 1
        assert re.search(r" a  groom 1 again +gp  plan Sprint \d+ +ym  copy", text_of(pilot.app))
        assert "groom again" not in lines_of(pilot.app)[-1]


@pytest.mark.slow
async def test_a_narrow_summary_shows_the_item_under_the_cursor_whole(world: World, store: Store, opened: Open) -> None:
    (bug,) = await unestimated(world, store, 1, "Bug")
    name = "Session is lost when the network changes on tablets, phones and watches in the south of Poland"
    await world.rival.work_items.update(bug, {"Name": name})
    await store.refresh()
    async with opened(store, (60, 12)) as pilot:
        await queue_of(pilot, [bug])
        await press(pilot, "n")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await pilot.pause()

        assert "the south of Poland" in text_of(pilot.app)


async def test_a_changed_estimate_is_not_an_added_one() -> None:
    added, changed = (
        GroomedItem(at, "Story", "A name", False, (FieldAnswer("Estimate", before, "8"),), (), ())
        for at, before in ((1, None), (2, "5"))
    )
    stage = BareApp()
    async with stage.run_test():
        headline = SessionHeadline()
        headline.show([added, changed], is_large=True)
        said = headline.lines_for(80, ThemeStyles.of(stage.screen.app))

    assert "".join(part.text for part in said[1]).endswith(" · 1 estimate added, 8 pts")


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ((READY, OPEN, GONE), "Groomed 2: 1 ready (+1), 8 pts estimated, 1 open."),
        ((UNCHANGED,), "Groomed 1: 1 ready."),
        ((OPEN, OPEN), "Groomed 2: 0 ready, 2 open."),
    ],
)
def test_a_session_comes_to_one_sentence(results: tuple[GroomedItem, ...], said: str) -> None:
    assert session_sentence(results) == said


async def test_the_summary_names_the_sprint_that_the_plan_opens_on(store: Store, opened: Open) -> None:
    last = store.plan.iterations.targets()[-1]
    await store.plan.aim(last.id)
    async with opened(store) as pilot:
        await pilot.app.push_screen(GroomSummaryScreen(store, (), lambda _place: Screen()))
        await pilot.pause()

        assert f" gp  plan {last.name} " in text_of(pilot.app)


@pytest.mark.slow
async def test_the_summary_offers_to_groom_again_only_where_an_item_is_not_ready(
    world: World, store: Store, opened: Open
) -> None:
    ready = await unplanned(world, store)
    async with opened(store, (120, 40)) as pilot:
        await queue_of(pilot, [ready])
        await press(pilot, "5", "enter")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await pilot.pause()
        footer = " ".join(lines_of(pilot.app)[-1].split())
        await pilot.resize_terminal(40, 24)
        await pilot.pause()

        assert ("groom again" in footer, "q close" in footer) == (False, True)
        assert "q close" in lines_of(pilot.app)[-1]


@pytest.mark.slow
async def test_items_that_are_not_ready_are_groomed_again(world: World, store: Store, opened: Open) -> None:
    ready = await unplanned(world, store)
    (bug,) = await unestimated(world, store, 1, "Bug")
    async with opened(store) as pilot:
        await queue_of(pilot, sorted([ready, bug], key=lambda each: each == bug))
        for _ in range(2):
            screen = pilot.app.screen
            assert isinstance(screen, GroomScreen)
            await press(pilot, *("5" if screen.current().id == ready else ""), "enter")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await press(pilot, "a")
        await until(lambda: isinstance(pilot.app.screen, GroomScreen))
        await pilot.pause()

        assert current(pilot) == bug
        assert "Item 1 of 1" in text_of(pilot.app)


@pytest.mark.slow
async def test_what_the_service_says_is_drawn_as_it_is(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1)
    await world.rival.work_items.update(item_id, {"Name": "[red]\x1b[2J*bold*"})
    await store.refresh()
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "enter")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await press(pilot, "y", "y")

        assert "\x1b" not in text_of(pilot.app) + pilot.app.clipboard
        assert "[red]" in line_with(pilot.app, f"▌    {item_id:>2} ")
        assert "\\[red\\]\N{REPLACEMENT CHARACTER}\\[2J\\*bold\\*" in pilot.app.clipboard


@pytest.mark.slow
async def test_the_summary_keeps_rows_counts_and_keys_whole_in_a_small_terminal(
    world: World, store: Store, opened: Open
) -> None:
    ids = await unestimated(world, store, 2)
    async with opened(store) as pilot:
        await queue_of(pilot, ids)
        await press(pilot, "n", "n")
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        await pilot.pause()
        _, heading, ready, *rows, keys = lines_of(pilot.app)

        assert heading.startswith(" Summary · 0 changed")
        assert ready == " 0 of 2 ready"
        assert [int(row.removeprefix("▌").split()[0]) for row in rows[2:] if row] == sorted(ids)
        assert keys.startswith(" q close  ? keys")
