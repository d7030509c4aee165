"""Consistency check of the history: its numbers, its texts, and whether it agrees with the items."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, and_, func, or_, select

from backlit.model.fields import UNCOUNTED_TYPES
from backlit.service.storage.clock import Clock
from backlit.service.storage.schema import (
    activity_marks,
    change_texts,
    changes,
    iteration_log,
    iterations,
    mentions,
    projects,
    read_activities,
    work_items,
)
from backlit.service.tables.changes import TEXT_REFERENCE, ChangeAct, ChangeKind, last_revision
from backlit.service.tables.trimming import LOG_KEPT, text_references

MAX_FAULTS_OF_A_KIND = 20
"""Problems of one kind that are told; one lost row may be the cause of many."""

Fault = tuple[str, int | str | None, str, str]
"""Table, id, field and sentence of a problem."""


def history_faults(connection: Connection) -> Iterator[Fault]:
    yield from _numbers(connection)
    yield from _texts(connection)
    yield from _members(connection)
    yield from _reading(connection)


def _numbers(connection: Connection) -> Iterator[Fault]:
    """Find missing revisions and requests above those that were trimmed."""
    trimmed = int(connection.execute(select(func.max(projects.c.history_from))).scalar() or 1) - 1
    above = changes.c.revision > trimmed
    count, last = connection.execute(select(func.count(), func.max(changes.c.revision)).where(above)).one()
    if count and count != last - trimmed:
        yield (
            "changes",
            None,
            "revision",
            f"Of the revisions {trimmed + 1} to {last}, {last - trimmed - count} are missing.",
        )
    first = changes.alias()
    exists = select(first.c.revision).where(first.c.revision == changes.c.request).exists()
    lost = select(changes.c.revision, changes.c.request).where(changes.c.request > trimmed, ~exists)
    for revision, request in connection.execute(lost.limit(MAX_FAULTS_OF_A_KIND)):
        yield "changes", revision, "request", f"Its request {request} does not exist."


def _reading(connection: Connection) -> Iterator[Fault]:
    """Find what was read, or mentions somebody, and was never written."""
    last = last_revision(connection)
    for table, column in (
        (mentions, mentions.c.activity_id),
        (activity_marks, activity_marks.c.read_to),
        (read_activities, read_activities.c.activity_id),
    ):
        beyond = select(table.c.user_id, column).where(column > last).limit(MAX_FAULTS_OF_A_KIND)
        for user_id, revision in connection.execute(beyond):
            yield table.name, user_id, column.name, f"It names revision {revision}; the last one is {last}."


def _texts(connection: Connection) -> Iterator[Fault]:
    kept = {digest.hex() for digest in connection.execute(select(change_texts.c.digest)).scalars()}
    for digest in sorted(set(text_references(connection)) - kept)[:MAX_FAULTS_OF_A_KIND]:
        yield "change_texts", digest, "body", "A change names this text, which does not exist."


def _members(connection: Connection) -> Iterator[Fault]:
    """Find items that the log of iterations has elsewhere. Logs of long ended iterations may have been trimmed."""
    since = (Clock().now() - LOG_KEPT).date()
    kept = select(iterations.c.id).join(projects, projects.c.id == iterations.c.project_id)
    kept = kept.where(or_(projects.c.history_days.is_(None), iterations.c.end_date >= since))
    later = iteration_log.alias()
    is_last = (
        ~select(later.c.revision)
        .where(
            later.c.iteration_id == iteration_log.c.iteration_id,
            later.c.item_id == iteration_log.c.item_id,
            later.c.revision > iteration_log.c.revision,
        )
        .exists()
    )
    logged = select(iteration_log.c.iteration_id, iteration_log.c.item_id).where(
        iteration_log.c.status.is_not(None), is_last, iteration_log.c.iteration_id.in_(kept)
    )
    present = select(work_items.c.iteration_id, work_items.c.id).where(
        work_items.c.type.not_in(UNCOUNTED_TYPES), work_items.c.iteration_id.in_(kept)
    )
    for iteration_id, item_id in connection.execute(present.except_(logged).limit(MAX_FAULTS_OF_A_KIND)):
        yield "iteration_log", iteration_id, "item_id", f"Item {item_id} is in this iteration, and not in its log."
    for iteration_id, item_id in connection.execute(logged.except_(present).limit(MAX_FAULTS_OF_A_KIND)):
        yield "iteration_log", iteration_id, "item_id", f"Item {item_id} is in the log, and not in this iteration."


def differing_keys(connection: Connection, documents: Mapping[int, Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield the ids and keys of items whose last change left another value than they have."""
    newest = (
        select(func.max(changes.c.revision))
        .where(changes.c.item_id.in_(documents), changes.c.kind == int(ChangeKind.ITEM))
        .group_by(changes.c.item_id)
    )
    found = select(changes.c.item_id, changes.c.fields).where(
        and_(changes.c.revision.in_(newest), changes.c.act == int(ChangeAct.CHANGED))
    )
    for item_id, fields in connection.execute(found):
        for key, pair in orjson.loads(fields).items():
            if key in documents[item_id] and not _agrees(pair, documents[item_id][key]):
                yield item_id, key


def _agrees(pair: Sequence[Any], value: Any) -> bool:
    after = pair[1]
    # A long text is known by its digest alone; `_texts` says whether it is there.
    return (isinstance(after, dict) and after.keys() == {TEXT_REFERENCE}) or after == value
