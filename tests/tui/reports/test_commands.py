"""Commands of the reports and what they choose, against a target without an application."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from tests.store.documents import announce, item, node, offline_store, publish, put_nouns
from tests.store.reports.presented import presented
from tests.store.world import until
from tests.tui.target import FakeTarget, fault_of, rows_of, run, words_of

from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.report import Report
from backlit.store import Store
from backlit.store.records.changes import Subject
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.pick import Choice
from backlit.tui.reports.pane import ReportSelection
from backlit.tui.shell.target import ItemDestination

TODAY = date(2026, 3, 10)
BLUE, RED = {"id": 9, "name": "Blue"}, {"id": 8, "name": "red"}


def dated(number: int, name: str, parent: int, first: int, last: int, **values: object) -> dict[str, object]:
    """An iteration with its days counted from today."""
    days = {"startDate": str(TODAY + timedelta(first)), "endDate": str(TODAY + timedelta(last))}
    return node(number, name, parent, **days, **values)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two releases, the first with three sprints, the second of which is current; the tree has them out of order."""
    iterations = [
        node(20, "Shop"),
        dated(30, "R2", 20, 20, 60, isRelease=True),
        dated(31, "R1", 20, -30, 19, isRelease=True),
        dated(23, "S3", 31, 8, 19, sequence=1),
        dated(21, "S1", 31, -30, -7),
        dated(22, "S2", 31, -6, 7),
        node(24, "Undated", 31),
    ]
    with offline_store(
        tmp_path, [item(1, Estimate="3", IterationID=22, Status="In Progress")], lambda: datetime(2026, 3, 10, 12)
    ) as store:
        put_nouns(store, iterations=iterations)
        yield store


class FakeReports(FakeTarget):
    """A `reports.screen.ReportsScreen` of one pane that draws nothing."""

    names_beside: frozenset[ReportName] = frozenset()

    def __init__(self, store: Store, report: Report | None = None) -> None:
        super().__init__(store)
        self.selection = ReportSelection(store)
        self.shown = report
        self.current_item: int | None = None
        self.has_notes = False
        self.loaded = 0

    def load(self) -> None:
        self.loaded += 1

    def report(self) -> Report:
        assert self.shown is not None
        return self.shown

    def draw_chart(self) -> None:
        """Draw nothing."""

    update_labels = draw_chart


async def report_of(store: Store, name: ReportName) -> Report:
    return await presented(store, name, store.reports.coverages.usual())


async def test_reports_are_gone_through_in_a_circle_by_the_count(store: Store) -> None:
    target, found = FakeReports(store), []
    for command_id, count in (("next", None), ("next", 3), ("previous", 2), ("previous", 3), ("next", 11)):
        await run(target, f"reports.{command_id}", count)
        found.append(target.selection.name)

    names = ReportName
    assert found == [names.BURNUP, names.FORECAST, names.SCOPE, names.TIME, names.ESTIMATES]
    assert target.loaded == 5


async def test_iterations_are_turned_to_among_sprints_and_releases_among_releases(store: Store) -> None:
    target = FakeReports(store)
    names = [target.selection.coverage.name]
    for command_id, count in (("later", None), ("earlier", 2)):
        await run(target, f"reports.{command_id}", count)
        names.append(target.selection.coverage.name)
    with pytest.raises(CannotAct, match=r"No iteration before this one\."):
        await run(target, "reports.earlier")
    with pytest.raises(CannotAct, match=r"No iteration after this one\."):
        await run(target, "reports.later", 3)

    assert (names, target.loaded) == (["S2", "S3", "S1"], 2)
    by_name = {each.name: each for each in target.selection.offered()}
    target.selection.choose(by_name["R2"])
    with pytest.raises(CannotAct, match=r"No release after this one\."):
        await run(target, "reports.later")
    await run(target, "reports.earlier")
    assert (target.selection.coverage.name, target.selection.has_others) == ("R1", True)
    target.selection.choose(by_name["Whole backlog, 30 days"])
    assert not target.selection.has_others
    with pytest.raises(CannotAct, match="Periods always end today"):
        await run(target, "reports.earlier")


async def test_logged_time_is_about_weeks_and_grouped(store: Store) -> None:
    target, groups = FakeReports(store), []
    with pytest.raises(CannotAct, match=r"Only logged time is summed up by person, type or Feature\."):
        await run(target, "reports.group")
    target.selection.name = ReportName.TIME
    weeks = [target.selection.coverage]
    for command_id, count in (("earlier", None), ("later", 2)):
        await run(target, f"reports.{command_id}", count)
        weeks.append(target.selection.coverage)
    for _ in range(3):
        await run(target, "reports.group")
        groups.append(target.selection.by.value)
    offered = [each.name for each in target.selection.offered()]

    assert [(each.name, each.week) for each in weeks] == [
        ("Week 11", "2026-W11"),
        ("Week 10", "2026-W10"),
        ("Week 12", "2026-W12"),
    ]
    assert groups == ["type", "feature", "person"]
    assert offered[:2] == ["Week 11", "Week 10"]
    assert "S2" in offered
    target.selection.name = ReportName.BURNDOWN
    assert target.selection.coverage.name == "S2"


async def test_the_subject_is_chosen_among_periods_iterations_and_releases_and_follows_its_days(store: Store) -> None:
    target = FakeReports(store)
    by_name = {each.name: each for each in target.selection.offered()}
    target.answers = [None, Choice(by_name["S3"], "S3")]
    for _ in range(2):
        await run(target, "reports.about")
    rows = rows_of(target.asked[0])
    chosen = target.selection.coverage
    put_nouns(store, iterations=[node(20, "Shop"), dated(23, "S3", 20, 1, 2), dated(22, "S2", 20, -6, 7)])
    moved = target.selection.coverage
    put_nouns(store, iterations=[node(20, "Shop"), dated(22, "S2", 20, -6, 7)])

    assert [each.label for each in rows] == [
        *("Whole backlog, 30 days", "Whole backlog, 90 days", "Whole backlog, 365 days"),
        *("R2", "R1", "S3", "S1", "S2"),
    ]
    assert rows[0].hint == "9 Feb–10 Mar"
    assert (chosen.start, moved.start) == (TODAY + timedelta(8), TODAY + timedelta(1))
    assert (target.selection.coverage.name, target.loaded) == ("S2", 1)


def test_a_chosen_period_ends_today(tmp_path: Path) -> None:
    now = [datetime(2026, 3, 1)]
    with offline_store(tmp_path, [], lambda: now[0]) as store:
        selection = ReportSelection(store)
        usual = selection.coverage.name
        selection.choose(selection.offered()[0])
        now[0] += timedelta(days=5)

        found = selection.coverage
        assert (usual, found.name) == ("Whole backlog, 90 days", "Whole backlog, 30 days")
        assert (found.start, found.end) == (date(2026, 2, 5), date(2026, 3, 6))


async def test_a_team_is_chosen_for_the_project_and_kept_for_the_next_start(store: Store) -> None:
    announce(store, {"extensions": ["reports"], "projects": [{"id": 1, "teams": [BLUE, RED]}]})
    target = FakeReports(store)
    target.answers = [None, Choice(9, "Blue"), Choice(None, "all teams")]
    chosen = []
    for _ in range(3):
        await run(target, "reports.team")
        chosen.append((target.selection.question[3], ReportSelection(store).team_id))

    assert [(each.value, each.label) for each in rows_of(target.asked[0])] == [
        *((None, "all teams"), (9, "Blue"), (8, "red"))
    ]
    await until(lambda: ReportSelection(store).team_id is None)
    assert [each[0] for each in chosen] == [None, 9, None]
    assert target.loaded == 2


async def test_a_kept_team_counts_again_until_it_is_gone(store: Store) -> None:
    announce(store, {"extensions": ["reports"], "projects": [{"id": 1, "teams": [BLUE, RED]}]})
    ReportSelection(store).choose_team(9)
    await until(lambda: ReportSelection(store).team_id == 9)
    later = ReportSelection(store)
    found = [later.team_id]
    announce(store, {"extensions": ["reports"], "projects": [{"id": 1, "teams": [RED]}]})
    publish(store, Subject.ITEMS)
    found.append(later.team_id)

    assert found == [9, None]


async def test_a_team_needs_teams_and_a_server_with_history(store: Store) -> None:
    with pytest.raises(CannotAct, match="Reports of one team need the history of a server"):
        await run(FakeReports(store), "reports.team")
    announce(store, {"extensions": ["reports"], "projects": [{"id": 1, "teams": []}]})
    with pytest.raises(CannotAct, match="This project has no teams"):
        await run(FakeReports(store), "reports.team")


async def test_units_are_gone_through_and_the_notes_are_turned_on_and_off(store: Store) -> None:
    target = FakeReports(store, await report_of(store, ReportName.BURNDOWN))
    await run(target, "reports.unit")
    with pytest.raises(CannotAct, match="No notes are hidden"):
        await run(target, "reports.notes")
    target.shown = await report_of(store, ReportName.VELOCITY)
    await run(target, "reports.notes")
    unit = target.selection.unit
    target.selection.name = ReportName.AGE
    with pytest.raises(CannotAct, match="Age in status has one unit"):
        await run(target, "reports.unit")

    assert unit is ReportUnit.ITEMS
    assert target.has_notes


async def test_the_row_of_an_item_opens_and_other_rows_say_why_not(store: Store) -> None:
    target = FakeReports(store, await report_of(store, ReportName.AGE))
    target.current_item = 1
    for command_id in ("reports.open", "reports.edit"):
        await run(target, command_id)
    target.current_item = None
    with pytest.raises(CannotAct, match=r"This row is not an item\. The report “Age” lists items"):
        await run(target, "reports.open")
    store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()
    target.shown = await report_of(store, ReportName.AGE)
    with pytest.raises(CannotAct, match="Nothing to open: the report is empty"):
        await run(target, "reports.open")

    assert [each[:2] for each in target.opened] == [(1, ItemDestination.EDITOR), (1, ItemDestination.NAME)]


async def test_a_report_is_copied_and_saved_in_the_format_of_the_suffix(store: Store, tmp_path: Path) -> None:
    target = FakeReports(store, await report_of(store, ReportName.AGE))
    target.selection.name = ReportName.AGE
    begins = {}
    for suffix in ("md", "csv", "SVG"):
        path = tmp_path / f"out.{suffix}"
        target.answers = [str(path)]
        await run(target, "reports.save")
        begins[suffix] = path.read_text(encoding="utf-8")[:5]
    await run(target, "reports.copy")

    assert begins == {"md": "# Age", "csv": begins["csv"], "SVG": "<svg "}
    assert begins["csv"] not in {"# Age", "<svg "}
    assert target.copied[0].startswith("# Age")
    assert target.said[0].startswith("Saved ")
    assert target.said[-1] == "Copied Age in status · this machine's records: S2 as Markdown"
    for name, fault in {
        "out.pdf": "The file name must end in .md, .csv, .json or .svg.",
        ".md": "The file name must end in .md, .csv, .json or .svg.",
        "": "Add a file name.",
        "no/out.md": "No such folder",
        "new.csv": "",
    }.items():
        assert fault_of(target.asked[0], f"{tmp_path}/{name}").startswith(fault), name


@pytest.mark.parametrize(("answer", "is_kept"), [(None, True), ("o", False)])
async def test_a_file_is_replaced_after_a_yes_alone(
    store: Store, tmp_path: Path, answer: str | None, is_kept: bool
) -> None:
    path = tmp_path / "out.csv"
    path.write_text("mine", encoding="utf-8")
    path.chmod(0o640)
    beside = set(tmp_path.iterdir())  # noqa: ASYNC240 - of a test
    target = FakeReports(store, await report_of(store, ReportName.AGE))
    target.answers = [str(path), answer]

    await run(target, "reports.save")

    assert (path.read_text(encoding="utf-8") == "mine") is is_kept
    assert "out.csv already. o overwrite it esc cancel" in " ".join(words_of(target.asked[1]).split())
    assert (bool(target.said), path.stat().st_mode & 0o777) == (not is_kept, 0o640)
    assert set(tmp_path.iterdir()) == beside  # noqa: ASYNC240 - of a test
