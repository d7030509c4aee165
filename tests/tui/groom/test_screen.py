"""The groom queue by keys: answers, skipping, going back, pausing over a restart."""

import re
from pathlib import Path

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import BareApp, line_with, lines_of, missing, text_of, title_of
from tests.tui.groom_steps import answer, current, item_fields, queue_of, unestimated, unplanned
from tests.tui.list_steps import fields_of, items, press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import ConnectionState, Store
from backlit.store.grooming import NextGroomItem
from backlit.tui.app.app import BacklitApp
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.groom.screen import GroomScreen, coming_lines
from backlit.tui.groom.summary_screen import GroomSummaryScreen


async def groom_five(pilot: Pilot[None], ids: list[int]) -> None:
    """Estimate three items, skip one, estimate the next and pause there."""
    await queue_of(pilot, ids)
    assert "1 of 10" in text_of(pilot.app)
    for digit in "358":
        await answer(pilot, "Estimate", digit)
        await press(pilot, "enter")
    await press(pilot, "n")
    await answer(pilot, "Estimate", "1")
    assert current(pilot) == ids[4]
    await press(pilot, "q")
    assert isinstance(pilot.app.screen, BacklogScreen)
    assert "Grooming paused (5 of 10)" in text_of(pilot.app)


async def resume(pilot: Pilot[None], ids: list[int]) -> None:
    """Go on at the fifth, go two back and forward again, and estimate the others."""
    await press(pilot, "g", "q")
    assert "(item 5 of 10)" in text_of(pilot.app)
    await press(pilot, "r")
    await until(lambda: isinstance(pilot.app.screen, GroomScreen))
    await pilot.pause()
    assert current(pilot) == ids[4]
    assert re.search(r"✓ Estimate 1", text_of(pilot.app))
    await press(pilot, "backspace", "backspace")
    assert current(pilot) == ids[2]
    await press(pilot, "enter", "n", "enter")
    for _ in ids[5:]:
        await answer(pilot, "Estimate", "2")
        await press(pilot, "enter")
    await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))
    await pilot.pause()


@pytest.mark.slow
async def test_a_paused_grooming_is_offered_with_its_day_and_resumed_by_enter(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        await queue_of(pilot, await unestimated(world, store, 3))
        await press(pilot, "n", "q", "g", "q")

        assert missing(pilot.app, ["You paused grooming today (item 2 of 3).", "r enter resume"]) == []
        await press(pilot, "enter")
        await until(lambda: isinstance(pilot.app.screen, GroomScreen))


@pytest.mark.slow
async def test_ten_items_are_groomed_by_keys_with_a_pause_and_a_restart(
    world: World, store: Store, opened: Open, tmp_path: Path
) -> None:
    ids = await unestimated(world, store, 10)
    async with opened(store) as pilot:
        await groom_five(pilot, ids)
    await sent(store)
    await world.close(store)

    again = await world.online()
    async with opened(again) as pilot:
        await resume(pilot, ids)
        summary = text_of(pilot.app)
        await press(pilot, "y", "y")
        copied, target = pilot.app.clipboard, tmp_path / "groomed.md"
        await press(pilot, "s", "ctrl+u", *str(target), "enter")
        saved = target.read_text()
        await press(pilot, "q")

        assert "Summary" not in text_of(pilot.app)
        assert again.grooming.progress() is None
        estimates = [(await fields_of(world, again, each))["Estimate"] for each in ids]
        assert estimates == ["3", "5", "8", None, "1", *["2"] * 5]
    assert copied == saved
    assert "9 changed" in summary
    assert "10 items, 9 changed, 1 skipped." in saved
    assert saved.count("  - Estimate: ") == 9
    assert f"## Skipped\n\n- #{ids[3]} " in saved
    assert "open: " in saved


@pytest.mark.slow
async def test_an_answer_is_taken_back_with_u_and_asked_again(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await answer(pilot, "Estimate", "5")
        given = (await fields_of(world, store, item_id))["Estimate"]
        await press(pilot, "u")
        await until(lambda: "▌How many points?" in text_of(pilot.app))

        assert given == "5"
        assert (await fields_of(world, store, item_id))["Estimate"] is None


@pytest.mark.slow
async def test_offline_it_goes_on_and_is_sent_later(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1)
    async with opened(store) as pilot:
        world.faults.is_down = True
        await queue_of(pilot, [item_id])
        await answer(pilot, "Estimate", "2")
        await until(lambda: store.connection.state is ConnectionState.OFFLINE)
        await until(lambda: re.search(r"✓ Estimate 2", text_of(pilot.app)))
        world.faults.is_down = False
        await press(pilot, "R")

        assert (await fields_of(world, store, item_id))["Estimate"] == "2"


@pytest.mark.slow
async def test_without_a_selection_the_queue_is_what_the_list_shows(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"bug", "enter")
        ids = [item_id for item_id in items(pilot).ids_between(0, None) if store.ready_check.faults([item_id])]
        await press(pilot, "g", "q")
        await until(lambda: isinstance(pilot.app.screen, GroomScreen))
        await pilot.pause()

        assert f"1 of {len(ids)}" in text_of(pilot.app)
        assert current(pilot) == ids[0]


@pytest.mark.slow
async def test_where_nothing_is_lacking_there_is_no_queue(store: Store, opened: Open) -> None:
    rows = [row.id for row in await shown(store)]
    (item_id, *_) = [each for each in rows if not store.ready_check.faults([each])]
    async with opened(store) as pilot:
        await press(pilot, "/", "#", *str(item_id), "enter", "g", "q")
        await until(lambda: "Nothing to groom in 1 item" in text_of(pilot.app))

        assert store.grooming.progress() is None


@pytest.mark.slow
async def test_a_verb_answers_too_and_the_next_question_comes(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "+")
        await until(lambda: re.search(r"✓ Estimate 1", text_of(pilot.app)))

        assert (await fields_of(world, store, item_id))["Estimate"] == "1"
        assert current(pilot) == item_id
        assert ": Estimate → 1. u undo" in " ".join(lines_of(pilot.app)[-1].split())


@pytest.mark.slow
async def test_zero_asks_for_another_answer(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await answer(pilot, "Estimate", "0")
        await press(pilot, *"40", "enter")

        assert (await fields_of(world, store, item_id))["Estimate"] == "40"


@pytest.mark.slow
async def test_a_word_for_points_is_an_answer_that_leaves_the_item_not_ready(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "0")
        warned = missing(pilot.app, ["Scale:", " has no points."])
        await press(pilot, *"XL", "enter", "y")

        assert warned == []
        assert missing(pilot.app, ["¬ Estimate XL", "¬ No estimate in points", "Question 2 of 3"]) == []


@pytest.mark.slow
async def test_two_answers_typed_in_a_row_go_to_two_questions(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1, "Story")
    await world.rival.work_items.update(item_id, {"PriorityClass": None, "Maturity": "5 - Mature"})
    await store.refresh()
    store.grooming.fields = ("PriorityClass",)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await pilot.press("3", "2")
        fields = await fields_of(world, store, item_id)

        assert (fields["Estimate"], fields["PriorityClass"]) == ("3", "2 - Should Have")
        assert "All answered" in text_of(pilot.app)


async def typed(pilot: Pilot[None], *keys: str, text: str = "") -> int:
    """Press some keys, with a text before the last one; return the number of keys without the text."""
    await press(pilot, *keys[:-1], *text, keys[-1])
    return len(keys)


def is_groomed(store: Store, item_id: int) -> bool:
    """Whether the item has its status, its points, the current iteration and a comment."""
    fields = item_fields(store, item_id)
    iteration = store.lookups.iterations()[int(str(fields["IterationID"]))]
    comments = [each.text for each in store.comments.of_item(item_id)]
    return (fields["Status"], fields["Estimate"], iteration.name, comments[-1]) == (
        "In Progress",
        "5",
        store.names.iteration("current").name,
        "Split it.",
    )


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["cq512C", "s2c5miC"])
async def test_an_item_is_groomed_from_the_list_by_at_most_eight_keys(
    world: World, store: Store, opened: Open, keys: str
) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        row = items(pilot).find_row(item_id)
        assert row is not None
        await press(pilot, *str(row + 1), "G")
        count = await typed(pilot, *keys, "ctrl+s", text="Split it.")
        await until(lambda: is_groomed(store, item_id))
        await until(lambda: isinstance(pilot.app.screen, BacklogScreen))

        assert count <= 8
        assert store.grooming.progress() is None


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "owner"), [("512C", 1), ("5112C", None)])
async def test_an_item_is_groomed_in_the_queue_by_at_most_six_keys(
    world: World, store: Store, opened: Open, keys: str, owner: int | None
) -> None:
    item_id = await unplanned(world, store)
    await world.rival.work_items.update(item_id, {"AssignedToID": owner})
    await store.refresh()
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        count = await typed(pilot, *keys, "ctrl+s", text="Split it.")
        await until(lambda: is_groomed(store, item_id))
        await until(lambda: isinstance(pilot.app.screen, GroomSummaryScreen))

        assert count <= 6


@pytest.mark.slow
async def test_a_digit_that_is_not_on_the_scale_changes_nothing(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "4")
        await until(lambda: "4 is not an option. o to enter another value." in text_of(pilot.app))

        assert item_fields(store, item_id)["Estimate"] is None


@pytest.mark.slow
async def test_digits_number_the_steps_of_a_scale_of_large_numbers(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        app = pilot.app
        assert isinstance(app, BacklitApp)
        app.session.estimate_scale = (5, 10, 20, 40)
        await queue_of(pilot, [item_id])
        await press(pilot, "3")
        await until(lambda: item_fields(store, item_id)["Estimate"] == "20")


@pytest.mark.slow
async def test_the_backlog_is_an_answer_to_the_question_for_the_iteration(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await unplanned(world, store)
    before = item_fields(store, item_id)["IterationID"]
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "5")
        offered = line_with(pilot.app, "Which iteration?")
        digit = re.search(r"(\d)  backlog", offered)
        assert digit is not None
        await press(pilot, digit[1])

        assert "All answered" in text_of(pilot.app)
        assert item_fields(store, item_id)["IterationID"] == before


@pytest.mark.slow
async def test_similar_items_are_shown_with_their_points(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    other = (await unestimated(world, store, 2, "Story"))[1]
    await world.rival.work_items.update(item_id, {"Name": "Retry the declined payment"})
    await world.rival.work_items.update(other, {"Name": "Payment declined without a reason", "Estimate": "8"})
    await store.refresh()
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await until(lambda: f"#{other} Payment declined" in text_of(pilot.app))

        assert "8 pts" in line_with(pilot.app, f"#{other} Payment declined")


@pytest.mark.slow
async def test_checks_are_shown_passed_and_open(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])

        assert missing(pilot.app, ["✓ Mature", "¬ No estimate in points", "Question 1 of 3"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_questions_are_docked_above_the_footer_and_begin_in_one_column(
    world: World, store: Store, opened: Open, size: tuple[int, int]
) -> None:
    item_id = await unplanned(world, store)
    async with opened(store, size) as pilot:
        await queue_of(pilot, [item_id])

        last, (*_, rule, footer) = line_with(pilot.app, "Readiness"), lines_of(pilot.app)
        assert last.startswith("│ Readiness" if size == (120, 40) else " Readiness")
        assert set(rule) <= set("╰─╯")
        words = " ".join(footer.split())
        assert "C comment n skip " in words
        assert " q pause ? keys" in words
        ground_of_cap = 1 if size == (120, 40) else 0  # narrower strips have no room for it
        assert last.index("¬") == line_with(pilot.app, "How many points?").index("1") - ground_of_cap


@pytest.mark.slow
async def test_the_question_stands_below_the_name_of_the_item_and_has_the_only_bar(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        lines = lines_of(pilot.app)
        question = next(number for number, line in enumerate(lines) if "How many points?" in line)

        assert [number for number, line in enumerate(lines) if "▌" in line] == [question]
        assert lines[question - 2].strip("│ ") == item_fields(store, item_id)["Name"]


@pytest.mark.slow
async def test_a_narrow_title_names_grooming_alone(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store, (60, 20)) as pilot:
        await queue_of(pilot, [item_id])

        assert title_of(pilot.app).split()[:2] == ["Grooming", "Aurora"]


@pytest.mark.slow
async def test_a_clicked_answer_is_given(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        strip = pilot.app.screen.query_one("#questions")
        line = line_with(pilot.app, "How many points?")
        y = next(y for y in range(strip.size.height) if "How many" in strip.render_line(y).text)
        await pilot.click("#questions", offset=(line.index(" 5 ") + 1, y))
        await until(lambda: item_fields(store, item_id)["Estimate"] == "5")


@pytest.mark.slow
async def test_the_item_stands_beside_the_questions_with_its_comments(world: World, store: Store, opened: Open) -> None:
    (item_id,) = await unestimated(world, store, 1)
    await store.items.comment(item_id, "Three days at most, says Jon." + "\n\nAnd on." * 30 + "\n\nThe end.")
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        said = [f"#{item_id}", str(item_fields(store, item_id)["Name"])[:20], "Three days at most", "comment"]
        unseen = missing(pilot.app, [*said, "ctrl+e", "more lines", "The end."])
        await press(pilot, *("ctrl+e",) * 9)

        assert unseen == ["The end."]
        assert "The end." in text_of(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_on_a_small_screen_questions_and_answers_are_in_sight(
    world: World, store: Store, opened: Open, size: tuple[int, int]
) -> None:
    (item_id,) = await unestimated(world, store, 1)
    async with opened(store, size) as pilot:
        await queue_of(pilot, [item_id])
        await answer(pilot, "Estimate", "5")
        await press(pilot, *"kkkkkk")

        on = "enter next  "
        assert missing(pilot.app, ["✓ Estimate 5", "o another (13, 21…)", f"#{item_id}", on]) == []


@pytest.mark.slow
async def test_similar_titles_keep_their_ends_in_a_narrow_terminal(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    other = (await unestimated(world, store, 2, "Story"))[1]
    await world.rival.work_items.update(item_id, {"Name": "Session is lost when the network changes on tablets"})
    name = "Session is lost when the network changes on Android"
    await world.rival.work_items.update(other, {"Name": name, "Estimate": "8"})
    await store.refresh()
    async with opened(store, (60, 20)) as pilot:
        await queue_of(pilot, [item_id])
        await until(lambda: f"#{other} Session" in text_of(pilot.app))

        assert line_with(pilot.app, f"#{other} Session").rstrip().endswith("on Android")


@pytest.mark.slow
async def test_the_footer_leaves_the_answers_to_the_questions(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])

        assert missing(pilot.app, ["enter next item", "n skip", " tab "]) == []
        assert "answer" not in lines_of(pilot.app)[-1]


@pytest.mark.slow
async def test_a_low_terminal_counts_the_passed_checks(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store, (80, 24)) as pilot:
        await queue_of(pilot, [item_id])

        assert re.search(r"¬ No estimate in points +✓ \d others?", line_with(pilot.app, "Readiness"))


@pytest.mark.slow
async def test_an_item_that_goes_while_it_is_asked_about_is_passed_over(
    world: World, store: Store, opened: Open
) -> None:
    ids = await unestimated(world, store, 2)
    async with opened(store) as pilot:
        await queue_of(pilot, ids)
        store.files.submit(lambda writer: writer.mirror.remove_items([ids[0]])).result()
        await go_on(pilot)

        assert current(pilot) == ids[1]


async def go_on(pilot: Pilot[None]) -> None:
    await press(pilot, "enter")


@pytest.mark.slow
@pytest.mark.parametrize(("key", "mode"), [("i", "iterations"), ("k", "board")])
async def test_the_queue_is_there_from_other_places_too(store: Store, opened: Open, key: str, mode: str) -> None:
    async with opened(store) as pilot:
        await press(pilot, "g", key, "g", "q")
        await until(lambda: isinstance(pilot.app.screen, GroomScreen))
        await press(pilot, "q")

        assert pilot.app.current_mode == mode


@pytest.mark.slow
async def test_the_next_items_of_the_queue_are_named_below_its_questions(
    world: World, store: Store, opened: Open
) -> None:
    ids = await unestimated(world, store, 3)
    ids = [row.id for row in await shown(store) if row.id in ids]
    async with opened(store, (120, 40)) as pilot:
        await queue_of(pilot, ids)
        first = text_of(pilot.app)
        await press(pilot, "enter")
        await until(lambda: current(pilot) == ids[1])
        await pilot.pause()
        names = [str(item_fields(store, each)["Name"]) for each in ids]

        assert re.search(rf"Next .*\n.* {ids[1]} . {re.escape(names[1][:20])}.*\n.* {ids[2]} ", first)
        assert re.search(rf"How many points(.*\n)+.* Next .*\n.* {ids[2]} ", text_of(pilot.app))
        assert not re.search(rf" {ids[1]} . {re.escape(names[1][:20])}", text_of(pilot.app).split(" Next ")[1])


async def test_a_next_item_without_a_number_is_called_new() -> None:
    items, stage = [NextGroomItem(12, "Story", "Known"), NextGroomItem(-999_999_998, "Bug", "Unsent")], BareApp()
    async with stage.run_test():
        rows = coming_lines(items, {}, 30, 9, ThemeStyles.of(stage.screen.app))

    assert ["".join(part.text for part in row).rstrip() for row in rows[-2:]] == [" 12 ◆ Known", "new × Unsent"]
