"""Reports: a table as Markdown or CSV, or a chart as SVG."""

import argparse
import asyncio

from backlit.cli.output import write_document
from backlit.cli.synced import synced_store
from backlit.model.reports.formats import FORMATS
from backlit.model.reports.report import Measure
from backlit.store.reports.reports import Coverage, ReportName
from backlit.store.store import Store


def write_report(arguments: argparse.Namespace) -> None:
    with synced_store(arguments) as store:
        measure = Measure.ITEMS if arguments.items else Measure.POINTS
        report = asyncio.run(
            store.reports.make(ReportName[arguments.name.upper()], _coverage(store, arguments), measure)
        )
    write_document(FORMATS[f".{arguments.format}"](report))


def _coverage(store: Store, arguments: argparse.Namespace) -> Coverage:
    coverages = store.reports.coverages
    if arguments.iteration:
        return coverages.named(arguments.iteration)
    return coverages.period(arguments.days) if arguments.days else coverages.usual()
