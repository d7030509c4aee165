"""Output formats of reports, by file suffix."""

from collections.abc import Callable, Mapping

from backlit.model.reports.as_csv import as_csv
from backlit.model.reports.as_markdown import as_markdown
from backlit.model.reports.as_svg import as_svg
from backlit.model.reports.report import Report

FORMATS: Mapping[str, Callable[[Report], str]] = {".md": as_markdown, ".csv": as_csv, ".svg": as_svg}
