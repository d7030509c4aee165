"""Reports: figures of the service as Markdown, CSV or JSON, or a chart as SVG."""

import argparse
import asyncio
import sys
from pathlib import Path

from backlit.cli.commands.time_entries import days_of_week
from backlit.cli.option_values import CURRENT_WEEK
from backlit.cli.output import write_document
from backlit.cli.pager import write_paged
from backlit.cli.synced import synced_store
from backlit.cli.terminal_input import PIPE
from backlit.model.amounts import counted
from backlit.model.errors import BadRequest, NameNotFound, StorageError
from backlit.model.plain import plain
from backlit.model.query import NameKind
from backlit.model.reports.document import FigureSource
from backlit.model.reports.formats import FORMATS
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.presentation import present
from backlit.model.time_groups import TimeGroup
from backlit.store.reports.answers import ReportAnswer
from backlit.store.reports.coverages import Coverage
from backlit.store.store import Store

SPRINT = "sprint"
"""The report that is put together from others."""
SUFFIXES = {"markdown": ".md", "md": ".md", "csv": ".csv", "json": ".json", "svg": ".svg"}


def write_report(arguments: argparse.Namespace) -> None:
    if arguments.output and arguments.output != PIPE and Path(arguments.output).exists():
        raise BadRequest(f"{plain(arguments.output)} is there already. Name another file, or remove it.")
    if arguments.name == SPRINT:
        _write_sprint(arguments)
        return
    with synced_store(arguments) as store:
        name = ReportName(arguments.name)
        if name is not ReportName.TIME and (arguments.week or arguments.by):
            raise BadRequest("--week and --by are of the report time.")
        unit = ReportUnit(arguments.unit) if arguments.unit else None
        if unit is not None and unit not in name.units:
            units = ", ".join(f"--{each.value}" for each in name.units)
            raise BadRequest(f"The report {name} does not count {unit}. It takes {units}.")
        coverage, team_id = _coverage(store, arguments, name), _team(store, arguments.team)
        by = TimeGroup(arguments.by) if arguments.by else None
        answer = asyncio.run(store.reports.answer(name, coverage, unit, team_id, by))
        _say_source(store, answer)
    _write(arguments, FORMATS[SUFFIXES[arguments.format]](present(answer.document)))


def _write_sprint(arguments: argparse.Namespace) -> None:
    if SUFFIXES[arguments.format] != ".md" or arguments.team or arguments.unit:
        raise BadRequest("The report of a sprint is Markdown, of all teams, in points.")
    with synced_store(arguments) as store:
        sprint = _coverage(store, arguments, ReportName.SCOPE)
        text = asyncio.run(store.reports.sprint_summary(sprint)).markdown(store.local)
    _write(arguments, text)


def _write(arguments: argparse.Namespace, text: str) -> None:
    """Write a report to standard output, or into a new file."""
    if not arguments.output or arguments.output == PIPE:
        if sys.stdout.isatty():
            write_paged(arguments, text)
        else:
            write_document(text)
        return
    path = Path(arguments.output)
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise StorageError(f"Could not write {plain(str(path))}: {error.strerror}.") from error


def _say_source(store: Store, answer: ReportAnswer) -> None:
    """Say on standard error what the figures lack."""
    document = answer.document
    if answer.is_kept:
        print(f"backlit: The report is as of {store.local(document.as_of):%Y-%m-%d %H:%M}.", file=sys.stderr)
    if document.source is FigureSource.MACHINE:
        print("backlit: The server keeps no history: figures are from this machine's records.", file=sys.stderr)
    unsent = store.outbox.pending
    if unsent and store.reports.has_history:
        print(f"backlit: {counted(unsent, 'unsent change is', 'unsent changes are')} not included.", file=sys.stderr)


def _coverage(store: Store, arguments: argparse.Namespace, name: ReportName) -> Coverage:
    coverages = store.reports.coverages
    if name is ReportName.TIME and not (arguments.iteration or arguments.days):
        return coverages.week(days_of_week(arguments.week or CURRENT_WEEK, store.today())[0])
    if arguments.iteration:
        return coverages.named(arguments.iteration)
    return coverages.period(arguments.days) if arguments.days else coverages.usual()


def _team(store: Store, text: str | None) -> int | None:
    if not text:
        return None
    found = store.names.ids(NameKind.TEAM, text, with_subtree=False)
    if len(found) != 1:
        teams = ", ".join(plain(name) for name in store.lookups.teams().values()) or "none"
        raise NameNotFound(f"Unknown team “{plain(text)}”. Teams: {teams}.")
    return next(iter(found))
