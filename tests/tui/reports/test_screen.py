"""The reports: one goes from one to the next, chooses what they are about, and saves them."""

import csv
import re
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, lines_of, missing, place_of, text_of
from tests.tui.opened import Open
from tests.tui.report_steps import reports_of, shown
from textual.pilot import Pilot

from backlit.model.planning import IterationEvent
from backlit.model.reports.formats import as_markdown
from backlit.model.reports.names import ReportName
from backlit.model.reports.presentation import present
from backlit.store import Store
from backlit.tui.editor.screen import ItemEditorScreen


@pytest.fixture
async def store(world: World) -> Store:
    return await world.online()


@pytest.mark.slow
async def test_the_burndown_of_the_current_iteration_is_shown_first(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        current = store.reports.coverages.usual()

        assert (place_of(pilot.app, 1), current.name in heading_of(pilot.app)) == ("Burndown", True)
        assert missing(pilot.app, ["▀ remaining  ⠒⠤ ideal  ─ scope", "today"]) == []


@pytest.mark.slow
async def test_the_numbers_of_the_days_take_the_place_of_the_figures(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        figures = [line for line in lines_of(pilot.app) if re.search(r"[█▀].* pts remaining *│$", line)]
        assert (len(figures), "Ideal" in text_of(pilot.app)) == (1, False)
        await pilot.press("t", "d")
        await shown(pilot, "Remaining", "Ideal")
        assert not any("pts remaining  " in line for line in lines_of(pilot.app))
        await pilot.press("t", "d")
        await until(lambda: "Ideal" not in text_of(pilot.app))


@pytest.mark.slow
async def test_rows_of_a_list_have_no_other_table(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("3", "l")
        await shown(pilot, "Iteration")
        await pilot.press("t", "d")

        await shown(pilot, "The numbers of this report are always shown.")


async def test_the_chosen_day_stays_in_another_report_of_the_same_days(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        chosen = re.compile("▲[0-9]+ [A-Z][a-z]+|[0-9]+ [A-Z][a-z]+▲")
        await pilot.press("k", "k")
        await until(lambda: chosen.search(text_of(pilot.app)) is not None)
        day = chosen.findall(text_of(pilot.app))

        await pilot.press("]")
        await until(lambda: place_of(pilot.app, 1) == "Burnup" and bool(chosen.findall(text_of(pilot.app))))
        await shown(pilot, "Burnup", "done")

        assert chosen.findall(text_of(pilot.app)) == day


@pytest.mark.slow
async def test_the_notes_are_behind_a_key_that_is_shown(world: World, opened: Open) -> None:
    world.without_history()
    async with opened(await world.online()) as pilot:
        await pilot.press("g", "r")
        await shown(pilot, "tn show 3 notes")
        folded = text_of(pilot.app)
        await pilot.press("t", "n")
        await shown(pilot, "The server keeps no history", "tn hide 3 notes")
        await pilot.press("t", "n")
        await shown(pilot, "tn show 3 notes")

        assert "keeps no history" not in folded + text_of(pilot.app)


async def test_unknown_statuses_are_named_while_notes_are_hidden(tmp_path: Path, opened: Open) -> None:
    with offline_store(tmp_path, [item(1, Status="Limbo"), item(2, Status="In Progress")]) as odd:
        async with opened(odd) as pilot:
            await pilot.press("g", "r", "8", "l")

            await shown(pilot, "1 item in Limbo, a status without a meaning.")


@pytest.mark.slow
async def test_figures_of_a_server_without_history_are_labelled(world: World, opened: Open) -> None:
    world.without_history()
    foreign = await world.online()
    async with opened(foreign) as pilot:
        await pilot.press("g", "r")
        await shown(pilot, "this machine's records")
        await pilot.press("6", "l")

        await shown(pilot, "Cycle time needs the history of a server, and this server keeps none.")


@pytest.mark.slow
async def test_the_help_begins_with_what_the_figures_mean(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("?")

        await shown(pilot, "Committed is the scope when the sprint was", "Needed most")
        assert text_of(pilot.app).index("Committed is the scope") < text_of(pilot.app).rindex("Needed most")


@pytest.mark.slow
async def test_a_key_does_not_wait_for_the_server(world: World, store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        world.faults.stalls = frozenset({"/burnup"})
        await pilot.press("l")
        await shown(pilot, "[Burnup]", "Loading …")
        await pilot.press("enter")
        await shown(pilot, "The report is still loading.")
        await pilot.press("h")

        await shown(pilot, "pts remaining")


@pytest.mark.slow
async def test_the_age_of_items_has_two_lines_for_each(store: Store, opened: Open) -> None:
    async with reports_of(opened, store, (60, 20)) as pilot:
        await pilot.press("f", "i", *"backlog, 30", "enter", *"7l")
        await shown(pilot, "Age", "Days", "a week ago", "today")
        lines = lines_of(pilot.app)
        at = [line for line, text in enumerate(lines) if re.search(r"^.  +\d+  +#\d+  [▲◆×■◇»] \w", text)]

        assert at
        assert all(re.search(r"[◐◑] .* \d+ d|today|day", lines[line + 1]) for line in at)
        assert any(re.match(r"(╭─)? #\d+ ", line) for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "words"), [((120, 40), ("since it was started", "Earlier")), ((80, 16), ())])
async def test_the_statuses_of_items_stand_below_their_names_and_their_changes_begin_with_the_start(
    world: World, store: Store, opened: Open, size: tuple[int, int], words: tuple[str, ...]
) -> None:
    page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Story'", order="id", top=1000)
    item_id = next(each["id"] for each in page.results if each["fields"]["Status"] == "Not Done")
    for status in ("In Progress", "Ready For Test"):
        await world.rival.work_items.update(item_id, {"Status": status})
        await store.refresh()
    async with reports_of(opened, store, size) as pilot:
        await pilot.press("f", "i", *"backlog, 30", "enter", *"7l", "G")
        await shown(pilot, "│ a week ago  ", " today", " ◑ Testing today", *words)
        assert "created Story" not in text_of(pilot.app)


async def test_enter_on_an_empty_report_says_that_it_is_empty(tmp_path: Path, opened: Open) -> None:
    with offline_store(tmp_path) as empty:
        async with opened(empty) as pilot:
            await pilot.press("g", "r", "7", "l")
            await shown(pilot, "Nothing is in progress.")
            assert "a week ago" not in text_of(pilot.app)
            await pilot.press("enter")

            await shown(pilot, "Nothing to open: the report is empty. Nothing is in progress.")


@pytest.mark.slow
async def test_one_goes_from_report_to_report(store: Store, opened: Open) -> None:
    seen = (
        ("Burnup", "─ scope", "Scope"),
        ("Scope", "pts in scope"),
        ("Velocity", "▒ not done", "Iteration", "Committed"),
        ("Forecast", "Remaining", "Confidence"),
        ("Flow", "▓ in progress", "░ not started"),
        ("Cycle", "Lead", "Done"),
        ("Age", "days the oldest", "a week ago"),
        ("Workload", "░ not started", "Hours"),
        *(("Areas", "most in"), ("Estimates", "Half are")),
        ("Time", "state of now", "group by"),
        ("Burndown", "▀ remaining"),
    )
    async with reports_of(opened, store) as pilot:
        await pilot.press("f", "i", *"backlog, 90", "enter")
        for parts in seen:
            await pilot.press("l")
            await shown(pilot, *parts)
            assert place_of(pilot.app, 1) == parts[0]
        await pilot.press("3", "h")
        await shown(pilot, *seen[8])


@pytest.mark.slow
async def test_the_iterations_before_and_after_are_one_key_away(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        names = [each.name for each in store.reports.coverages.leaves()]
        at = names.index(store.reports.coverages.usual().name)
        await pilot.press("2", "{")
        await shown(pilot, f"{names[at - 2]}")
        await pilot.press("}")
        await shown(pilot, f"{names[at - 1]}")
        await pilot.press("9", "9", "}")
        await shown(pilot, "No iteration after this one.")


@pytest.mark.slow
async def test_the_next_iteration_is_offered_where_a_report_is_about_one(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await shown(pilot, "} later")
        await pilot.press("3", "l")
        await shown(pilot, "Iteration", "As of")

        assert "} later" not in text_of(pilot.app)


@pytest.mark.slow
async def test_an_iteration_a_release_or_a_period_is_chosen(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("f", "i", *"release 3.1", "enter")
        await shown(pilot, "Release 3.1")
        await pilot.press("f", "i", *"backlog, 90", "enter")
        await shown(pilot, "Aurora, 90 days")
        await pilot.press("}")
        await shown(pilot, "Periods always end today. fi chooses an iteration or a release.")
        await pilot.press("]")
        await until(lambda: "Periods always end today" not in text_of(pilot.app))


@pytest.mark.slow
async def test_the_items_of_one_team_are_counted_and_the_head_names_it(store: Store, opened: Open) -> None:
    team_id, team = min(store.lookups.teams().items())
    async with reports_of(opened, store) as pilot:
        await pilot.press("f", "t", *team.lower(), "enter")
        await shown(pilot, f" · {team} · ")
        await pilot.press("3", "h")
        await shown(pilot, "[Areas]", f" · {team} · ")
        await pilot.press("y", "m")
    answer = await store.reports.answer(ReportName.AREAS, store.reports.coverages.usual(), None, team_id)

    assert pilot.app.clipboard == as_markdown(present(answer.document))
    assert pilot.app.clipboard.startswith(f"# Load by area: {answer.document.about}, team {team}\n")


@pytest.mark.slow
async def test_the_head_says_when_the_iteration_was_started_and_closed(store: Store, opened: Open) -> None:
    usual = store.reports.coverages.usual().node_id
    assert usual is not None
    await store.nodes.record(usual, IterationEvent.START)
    await sent(store)
    at = store.lookups.iterations()[usual].started_at
    assert at is not None
    async with reports_of(opened, store, (160, 40)) as pilot:
        await shown(pilot, f" · started {at.day} ", f" {store.local(at):%H:%M}")
        assert " · started " in heading_of(pilot.app)


@pytest.mark.slow
async def test_items_are_counted_instead_of_points(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("t", "p")
        await shown(pilot, "items remaining")


@pytest.mark.slow
async def test_the_unit_stands_over_the_axis_and_not_over_the_table(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        points = lines_of(pilot.app)[4]
        await pilot.press("t", "p")
        await shown(pilot, "items remaining")

        assert points.startswith("│ Points ")
        assert lines_of(pilot.app)[4].startswith("│ Items ")
        assert "pts" not in heading_of(pilot.app)


@pytest.mark.slow
async def test_the_row_of_an_item_opens_it_and_other_rows_say_that_they_are_none(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("enter")
        await shown(pilot, "This row is not an item. The report “Age” lists items.")
        await pilot.press("f", "i", *"backlog, 30", "enter", *"7l")
        await shown(pilot, "days the oldest")
        await pilot.press("enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))


@pytest.mark.slow
async def test_what_others_do_is_added_up_again(world: World, store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("f", "i", *"backlog, 30", "enter", "2", "h")
        await shown(pilot, "Half are")
        bug = {"type": "Bug", "projectId": 1, "fields": {"Name": "Huge", "Estimate": "777"}}
        await world.rival.work_items.create(bug)
        await store.refresh()

        await shown(pilot, "the largest 777")


async def save(pilot: Pilot[None], text: str) -> None:
    await pilot.press("s")
    await shown(pilot, "Save the report")
    await pilot.press("ctrl+u", *text, "enter")
    await pilot.pause()


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "begin"), [("md", "# Burndown: "), ("csv", "Day,Remaining,"), ("SVG", "<svg ")])
async def test_a_report_is_saved_as_its_suffix_says(
    store: Store, opened: Open, tmp_path: Path, suffix: str, begin: str
) -> None:
    async with reports_of(opened, store) as pilot:
        await save(pilot, f"{tmp_path}/out.{suffix}")
        await shown(pilot, "Saved")

        assert (tmp_path / f"out.{suffix}").read_text(encoding="utf-8").startswith(begin)


@pytest.mark.slow
async def test_nothing_is_overwritten_without_a_question(store: Store, opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("mine", encoding="utf-8")
    async with reports_of(opened, store) as pilot:
        await save(pilot, str(path))
        await shown(pilot, "overwrite it")
        await pilot.press("enter")
        await pilot.pause()
        assert path.read_text(encoding="utf-8") == "mine"

        await save(pilot, str(path))
        await shown(pilot, "overwrite it")
        await pilot.press("o")
        await until(lambda: path.read_text(encoding="utf-8") != "mine")
        assert next(csv.reader(path.read_text(encoding="utf-8").splitlines()))[:2] == ["Day", "Remaining"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("out.pdf", "The file name must end in .md, .csv, .json or .svg."),
        (".md", "The file name must end in .md, .csv, .json or .svg."),
        ("", "Add a file name."),
        ("no/out.md", "No such folder"),
    ],
)
async def test_what_is_wrong_with_a_file_name_is_said(
    store: Store, opened: Open, tmp_path: Path, name: str, said: str
) -> None:
    async with reports_of(opened, store) as pilot:
        await save(pilot, f"{tmp_path}/{name}")

        await shown(pilot, said)


@pytest.mark.slow
async def test_a_report_is_copied_as_markdown(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("y", "m")

        assert pilot.app.clipboard.startswith("# Burndown: Sprint ")


@pytest.mark.slow
async def test_a_narrow_list_names_its_source_and_the_key_of_its_notes(world: World, opened: Open) -> None:
    world.without_history()
    async with opened(await world.online(), (60, 20)) as pilot:
        await pilot.press("g", "r", "3", "l")

        await shown(pilot, "this machine's records", "tn show")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_chart_has_small_screens_and_the_table_comes_below_it(
    store: Store, opened: Open, size: tuple[int, int]
) -> None:
    async with reports_of(opened, store, size) as pilot:
        assert missing(pilot.app, ["▀ remaining", "pts remaining", "└▀"]) == []
        await pilot.press("t", "d")
        await shown(pilot, "Remaining", "└▀")


@pytest.mark.slow
async def test_the_strip_shows_the_current_report_where_the_names_do_not_fit(store: Store, opened: Open) -> None:
    async with opened(store, (50, 20)) as pilot:
        await pilot.press("g", "r", "h")
        await shown(pilot, "[Time]")
        assert "Burndown" not in lines_of(pilot.app)[1]


@pytest.mark.slow
async def test_leaving_leads_back_to_the_backlog_and_the_report_stays(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("l")
        await shown(pilot, "[Burnup]")
        await pilot.press("q")
        await pilot.pause()
        assert "Open items" in heading_of(pilot.app)
        await pilot.press("g", "r")
        await shown(pilot, "[Burnup]")


@pytest.mark.slow
async def test_without_records_that_is_said_instead_of_drawn(world: World, opened: Open) -> None:
    world.without_history()
    store = await world.online()
    async with opened(store) as pilot:
        await pilot.press("g", "r", "{")

        await shown(pilot, "No data yet. Recording starts with the next sync.", "0 of 14 days were recorded.")
        assert "▔" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_wide_terminal_has_two_reports_side_by_side(store: Store, opened: Open) -> None:
    async with reports_of(opened, store, (200, 50)) as pilot:
        heads = lines_of(pilot.app)[2]
        await until(lambda: "median" in lines_of(pilot.app)[2], lambda: text_of(pilot.app))
        heads = lines_of(pilot.app)[2]
        left, right = heads[:100], heads[100:]
        assert left.startswith("╭─ Burndown")
        assert "pts remaining" in left
        assert right.startswith("╭─ Velocity")
        assert "pts median" in right
        assert "ideal line." not in text_of(pilot.app)

        await pilot.press("tab", "]")
        await until(lambda: lines_of(pilot.app)[2][100:].startswith("╭─ Forecast"), lambda: text_of(pilot.app))
        assert lines_of(pilot.app)[2].startswith("╭─ Burndown")
        assert place_of(pilot.app, 1) == "Forecast"

        await pilot.press("tab", *"]]]]")  # past Forecast, which is beside it
        await until(lambda: lines_of(pilot.app)[2].startswith("╭─ Flow"), lambda: text_of(pilot.app))
        assert place_of(pilot.app, 1) == "Flow"


@pytest.mark.slow
async def test_tab_goes_to_the_next_report_where_there_is_one(store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        await pilot.press("tab")
        await until(lambda: place_of(pilot.app, 1) == "Burnup")
        await pilot.press("shift+tab", "shift+tab")
        await until(lambda: place_of(pilot.app, 1) == "Time")


@pytest.mark.slow
async def test_a_terminal_that_becomes_narrow_keeps_the_report_with_the_focus(store: Store, opened: Open) -> None:
    async with reports_of(opened, store, (200, 50)) as pilot:
        await pilot.press("tab")
        await until(lambda: place_of(pilot.app, 1) == "Velocity")
        await pilot.resize_terminal(120, 40)
        await shown(pilot, "│ median", "Committed")

        assert "ideal" not in text_of(pilot.app)
