"""Removal of changes that a project does not keep any longer, some rows at a time."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import orjson
from sqlalchemy import Connection, delete, select, update

from backlit.service.storage.schema import change_texts, changes, iteration_log, iterations, projects, workspace
from backlit.service.tables.changes import TEXT_REFERENCE, last_revision
from backlit.service.tables.history import references
from backlit.service.tables.read_marks import forget_trimmed

MIN_HISTORY_DAYS = 30
"""Days for which a project keeps its changes at least."""
UNTOUCHED = timedelta(days=7)
"""The age up to which no change is removed, whatever the clock and the settings say."""
ROWS_AT_ONCE = 500
"""Changes that one transaction removes: 500 of one project took 23 ms, for which other writes wait."""
LOG_KEPT = timedelta(days=400)
"""Time after the end of an iteration for which its log is kept, for its reports."""


def trim(connection: Connection, now: datetime, most: int = ROWS_AT_ONCE) -> int:
    """Remove the oldest changes that their projects do not keep; return how many, 0 when there are none left."""
    found = connection.execute(
        select(projects.c.id, projects.c.history_days).where(projects.c.history_days.is_not(None))
    )
    for project_id, days in found.all():
        before = now - max(timedelta(days=days), UNTOUCHED)
        if removed := _trim_project(connection, project_id, before, most):
            return removed
        _trim_log(connection, project_id, before, now)
    return 0


def _trim_project(connection: Connection, project_id: int, before: datetime, most: int) -> int:
    mine = select(changes.c.revision, changes.c.at).where(changes.c.project_id == project_id)
    oldest = connection.execute(mine.order_by(changes.c.revision).limit(most)).all()
    # The order of times is not quite that of revisions: stamps of one item grow, those of two may cross.
    gone: list[tuple[int, datetime]] = []
    for revision, at in oldest:
        if at >= before:
            break
        gone.append((revision, at))
    if not gone:
        return 0
    # First, so that no number is given twice where the last change itself is removed.
    connection.execute(update(workspace).values(last_revision=last_revision(connection)))
    connection.execute(delete(changes).where(changes.c.revision.in_([revision for revision, _ in gone])))
    forget_trimmed(connection, [revision for revision, _ in gone])
    revision, at = gone[-1]
    begins = {"history_from": revision + 1, "history_since": at}
    connection.execute(update(projects).where(projects.c.id == project_id).values(begins))
    return len(gone)


def _trim_log(connection: Connection, project_id: int, before: datetime, now: datetime) -> None:
    """Remove the log of iterations that ended long ago, as far as the changes are gone too."""
    ended = select(iterations.c.id).where(
        iterations.c.project_id == project_id, iterations.c.end_date < (now - LOG_KEPT).date()
    )
    connection.execute(
        delete(iteration_log).where(iteration_log.c.iteration_id.in_(ended), iteration_log.c.at < before)
    )


def remove_unused_texts(connection: Connection) -> None:
    """Remove the long texts that no change names any longer. It reads all changes with such texts."""
    used = set(text_references(connection))
    digests = connection.execute(select(change_texts.c.digest)).scalars().all()
    unused = [digest for digest in digests if digest.hex() not in used]
    for first in range(0, len(unused), ROWS_AT_ONCE):
        some = unused[first : first + ROWS_AT_ONCE]
        connection.execute(delete(change_texts).where(change_texts.c.digest.in_(some)))


def text_references(connection: Connection) -> Iterator[str]:
    """Yield the digests of the long texts that changes name."""
    named = select(changes.c.fields).where(changes.c.fields.contains(f'"{TEXT_REFERENCE}":', autoescape=True))
    for fields in connection.execute(named, execution_options={"yield_per": ROWS_AT_ONCE}).scalars():
        yield from references(orjson.loads(fields))
