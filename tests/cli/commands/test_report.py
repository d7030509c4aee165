"""`backlit report` on a sample workspace."""

import csv
import json
from xml.etree import ElementTree as ET

import pytest
from tests.cli.home import DEMO, Home

from backlit.cli.arguments import parser
from backlit.model.reports.names import ReportName


@pytest.mark.slow
def test_a_report_is_written_as_markdown_csv_or_svg(demo_home: Home) -> None:
    burndown = demo_home.run(*DEMO, "report", "burndown")
    people = demo_home.run(*DEMO, "report", "people", "--format", "csv")
    whole = demo_home.run(*DEMO, "report", "people", "--days", "30", "--items")
    chart = demo_home.run(*DEMO, "report", "velocity", "--iteration", "Release 3.1", "--format", "svg")

    assert burndown.stdout.startswith("# Burndown: Sprint 14\n"), burndown.stderr
    assert people.stdout.startswith("Person,Pts,Items,Hours\n"), people.stderr
    assert whole.stdout.startswith("# Load by person: Aurora, 30 days\n\n"), whole.stdout
    assert " items open, most with " in whole.stdout
    assert "Velocity: Release 3.1" in (ET.fromstring(chart.stdout)[0].text or "")


@pytest.mark.slow
def test_json_and_csv_are_the_document_of_the_service(demo_home: Home) -> None:
    document = json.loads(demo_home.run(*DEMO, "report", "velocity", "--json").stdout)
    table = demo_home.run(*DEMO, "report", "velocity", "--format", "csv").stdout

    assert document["source"] == "history"
    assert set(document["summary"]) == {"mean", "median", "low", "high", "sprints"}
    rows = list(csv.reader(table.splitlines()))
    assert rows[0] == document["columns"] == ["Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of"]
    assert rows[1:] == [["" if cell is None else str(cell) for cell in row] for row in document["rows"]]


@pytest.mark.slow
def test_a_report_counts_hours_and_one_team_and_refuses_what_it_lacks(demo_home: Home) -> None:
    hours = demo_home.run(*DEMO, "report", "burndown", "--hours", "--format", "csv")
    wrong = demo_home.run(*DEMO, "report", "burnup", "--hours")
    team = demo_home.run(*DEMO, "report", "burnup", "--team", "Nobody at all")

    assert hours.stdout.startswith("Day,Remaining,Completed,Ideal\n"), hours.stderr
    assert wrong.stderr == "backlit: The report burnup does not count hours. It takes --points, --items.\n"
    assert team.stderr.startswith("backlit: Unknown team “Nobody at all”. Teams: ")


@pytest.mark.slow
def test_the_report_of_a_sprint_has_its_figures_changes_and_velocity(demo_home: Home) -> None:
    sprint = demo_home.run(*DEMO, "report", "sprint", "--iteration", "previous")
    release = demo_home.run(*DEMO, "report", "sprint", "--iteration", "Release 3.1")

    lines = sprint.stdout.splitlines()
    assert lines[0] == "# Sprint 13", sprint.stderr
    assert "| Committed | Change | Done | Spill-over | Late |" in lines
    assert lines.index("## Scope changes") < lines.index("## Velocity")
    assert release.returncode == 6
    assert "is about one sprint, and “Release 3.1” is none" in release.stderr


def test_logged_time_is_summed_up_by_week_and_what_is_asked_for(demo_home: Home) -> None:
    week = ("report", "time", "--week", "previous")
    people = demo_home.run(*DEMO, *week, "--json").json
    features = demo_home.run(*DEMO, *week, "--by", "feature", "--format", "csv")
    wrong = demo_home.run(*DEMO, "report", "burnup", "--by", "type")

    assert people["columns"][0] == "Person"
    assert len(people["columns"]) == len(("Person", *"MTWTFSS", "Total"))
    assert sum(row[-1] for row in people["rows"]) == people["summary"]["hours"]
    assert features.stdout.startswith("Feature,"), features.stderr
    assert wrong.stderr == "backlit: --week and --by are of the report time.\n"


def test_an_iteration_that_is_not_there_is_said(demo_home: Home) -> None:
    done = demo_home.run(*DEMO, "report", "burnup", "--iteration", "Sprint 77")

    assert done.returncode == 4
    assert done.stderr.startswith("backlit: Unknown iteration “Sprint 77”. Did you mean “Sprint 7”? Iterations: ")


@pytest.mark.parametrize("name", list(ReportName))
def test_every_report_can_be_asked_for(name: ReportName) -> None:
    assert parser().parse_args(["report", name]).name == name
