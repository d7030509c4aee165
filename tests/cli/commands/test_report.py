"""`backlit report` on a sample workspace."""

import re
from xml.etree import ElementTree as ET

import pytest
from tests.cli.home import DEMO, Home

from backlit.cli.arguments import parser
from backlit.store.reports.reports import ReportName


@pytest.mark.slow
def test_a_report_is_written_as_markdown_csv_or_svg(demo_home: Home) -> None:
    burndown = demo_home.run(*DEMO, "report", "burndown")
    people = demo_home.run(*DEMO, "report", "people", "--format", "csv")
    whole = demo_home.run(*DEMO, "report", "people", "--days", "30", "--items")
    chart = demo_home.run(*DEMO, "report", "velocity", "--iteration", "Release 3.1", "--format", "svg")

    assert burndown.stdout.startswith("# Burndown: Sprint 14\n"), burndown.stderr
    assert people.stdout.startswith("Person,Pts,Items,Hours\n"), people.stderr
    assert re.match(r"# Load by person: whole backlog\n\n\d+ items open, most with ", whole.stdout), whole.stdout
    assert "Velocity: Release 3.1" in (ET.fromstring(chart.stdout)[0].text or "")


def test_an_iteration_that_is_not_there_is_said(demo_home: Home) -> None:
    done = demo_home.run(*DEMO, "report", "burnup", "--iteration", "Sprint 77")

    assert done.returncode == 1
    assert done.stderr.startswith("backlit: Unknown iteration “Sprint 77”. Iterations: ")


@pytest.mark.parametrize("name", list(ReportName))
def test_every_report_can_be_asked_for(name: ReportName) -> None:
    assert parser().parse_args(["report", name]).name == name
