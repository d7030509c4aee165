"""Markdown of a report: headline, table and notes."""

import re
from collections.abc import Sequence

from backlit.model.plain import plain
from backlit.model.reports.formatting import value_text
from backlit.model.reports.report import Report

_SPECIAL = re.compile(r"([\\|`*_<>\[\]#~]|&(?=#?\w+;))")


def as_markdown(report: Report) -> str:
    """Write headings, sentences and a table; escape Markdown in names."""
    columns = report.table.columns
    rows = [
        [value_text(value, column) for value, column in zip(row, columns, strict=True)] for row in report.table.rows
    ]
    rules = ["---" if column.is_text else "---:" for column in columns]
    parts = [f"# {escaped(report.title)}", "", escaped(report.headline), ""]
    parts += [_line([escaped(column.title) for column in columns]), _line(rules)]
    parts += [_line([escaped(cell) for cell in row]) for row in rows]
    if report.notes:
        parts += ["", *(f"- {escaped(note)}" for note in report.notes)]
    return "\n".join(parts) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Return a text on one line with its Markdown escaped."""
    return _SPECIAL.sub(r"\\\1", plain(text))
