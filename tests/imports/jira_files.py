"""Jira exports of any size: sub-tasks, repeated headings, sprints, people who are here and wiki markup."""

import csv
import io
from collections.abc import Iterator

HEADINGS = (
    *("Summary", "Issue key", "Issue id", "Issue Type", "Status", "Priority", "Assignee", "Labels", "Labels", "Sprint"),
    *("Custom field (Story Points)", "Parent id", "Description"),
)


def jira_csv(count: int) -> str:
    """Return a Jira CSV of so many rows; each seventh is a sub-task of the row before it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADINGS)
    writer.writerows(_rows(count))
    return text.getvalue()


def _rows(count: int) -> Iterator[tuple[object, ...]]:
    for number in range(1, count + 1):
        is_task = number % 7 == 3
        item_type = "Sub-task" if is_task else "Bug" if number % 5 == 0 else "Story"
        yield (
            *(f"Product page {number}, part {number % 5}", f"L-{number}", number, item_type),
            *(("To Do", "In Progress", "Done")[number % 3], "Medium", ("Maya Lind", "Ben Adler", "")[number % 3]),
            *("web", "" if number % 2 else "shop", f"Sprint {number % 12 + 1}"),
            *("" if is_task else number % 8 + 1, number - 1 if is_task else "", f"h2. Why\nLine {number}"),
        )
