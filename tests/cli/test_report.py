"""`backlit report` in a process of its own."""

from xml.etree import ElementTree as ET

import pytest
from tests.cli.conftest import Home

from backlit.cli.arguments import parser
from backlit.store.reports.reports import ReportName

DEMO = ("--profile", "demo-60-1", "report")


def test_a_report_is_written_as_markdown_csv_or_svg(home: Home) -> None:
    burndown = home.run(*DEMO, "burndown")
    people = home.run(*DEMO, "people", "--days", "30", "--items", "--format", "csv")
    chart = home.run(*DEMO, "velocity", "--iteration", "Release 3.1", "--format", "svg")

    assert burndown.stdout.startswith("# Burndown: Sprint 14\n"), burndown.stderr
    assert people.stdout.startswith("Person,Pts,Items,Hours\n"), people.stderr
    assert "Velocity: Release 3.1" in (ET.fromstring(chart.stdout)[0].text or "")


def test_an_iteration_that_is_not_there_is_said(home: Home) -> None:
    done = home.run(*DEMO, "burnup", "--iteration", "Sprint 77")

    assert done.returncode == 1
    assert done.stderr.startswith("backlit: Unknown iteration “Sprint 77”. Iterations: ")


@pytest.mark.parametrize("name", list(ReportName))
def test_every_report_can_be_asked_for(name: ReportName) -> None:
    assert parser().parse_args(["report", name]).name == name
