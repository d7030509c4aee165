"""A report as Markdown: its sentence, the table and the notes."""

import re
from collections.abc import Sequence

from backlit.model.plain import plain
from backlit.model.reports.report import Report
from backlit.model.reports.words import value_text

_SPECIAL = re.compile(r"([\\|`*_<>\[\]#~]|&(?=#?\w+;))")


def as_markdown(report: Report) -> str:
    """Headings, sentences and a table; nothing in the names is read as Markdown."""
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
    """Somebody's words on one line, of which nothing is read as Markdown."""
    return _SPECIAL.sub(r"\\\1", plain(text))
