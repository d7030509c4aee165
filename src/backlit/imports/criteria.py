"""Acceptance criteria in files, one a line: `[x]` passed, `[!]` failed, others not executed."""

import re

from backlit.model.resources import CriterionStatus
from backlit.store.edits.imports import ImportedObject
from backlit.store.object_changes.rows import LAST_PLACE, SEQUENCE
from backlit.store.records.entry import EntryKind

_LINE = re.compile(r"\s*(?:[-*] +)?(?:\[(?P<mark>[ xX!]?)\] *)?(?P<title>.*\S)\s*")
_STATUSES = {"x": CriterionStatus.PASS, "!": CriterionStatus.FAIL}


def criteria_of_text(text: str) -> list[tuple[str, CriterionStatus]]:
    """Return titles and states."""
    lines = [found for line in text.splitlines() if (found := _LINE.fullmatch(line))]
    return [
        (found["title"], _STATUSES.get((found["mark"] or "").lower(), CriterionStatus.NOT_EXECUTED)) for found in lines
    ]


def new_criterion(title: str, status: CriterionStatus) -> ImportedObject:
    values = {"title": title, "description": "", "status": status.value, SEQUENCE: LAST_PLACE}
    return ImportedObject(EntryKind.ADD_CRITERION, values)
