"""What each user has read: all activities up to a mark, and single ones after it.

An activity counts by the first revision of its request.
"""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from backlit.service.storage.access import Caller
from backlit.service.storage.schema import LAST_REVISION, activity_marks, changes, mentions, read_activities, work_items
from backlit.service.tables.changes import last_revision
from backlit.service.tables.history import is_activity

# The mark keeps the count of the unread as cheap with a million activities as with ten: only what lies after it is
# read, and no more than this.
MAX_UNREAD_CHANGES = 10_000
"""Changes after which an activity counts as read."""
_PARENTS = work_items.alias()
"""The items of tasks. Its columns take 2 ms to make, so that it is made once."""


class ReadState(NamedTuple):
    """What a user has read: all up to the mark, and these after it."""

    mark: int
    after: frozenset[int]

    def has_read(self, activity_id: int) -> bool:
        return activity_id <= self.mark or activity_id in self.after


class Unread(NamedTuple):
    """The unread activities of others, oldest first, with whether each concerns the user."""

    flags: dict[int, bool]

    @property
    def flagged(self) -> int:
        return sum(self.flags.values())


class UnreadSelection(NamedTuple):
    """Which of the unread activities: up to an id or a time, of a project, of some items; None for any."""

    read_to: int | None
    until: datetime | None
    project_id: int | None
    item_ids: Collection[int] | None


def begin(connection: Connection, user_id: int) -> None:
    """Count the activities from a user's first sign-in on; a later one changes nothing."""
    if connection.execute(select(activity_marks.c.user_id).where(activity_marks.c.user_id == user_id)).first() is None:
        connection.execute(insert(activity_marks).values(user_id=user_id, read_to=LAST_REVISION))


def state_of(connection: Connection, user_id: int) -> ReadState:
    last = last_revision(connection)
    mark = connection.execute(select(activity_marks.c.read_to).where(activity_marks.c.user_id == user_id)).scalar()
    if mark is None:
        return ReadState(last, frozenset())
    mark = max(int(mark), last - MAX_UNREAD_CHANGES)
    mine = read_activities.c.user_id == user_id, read_activities.c.activity_id > mark
    return ReadState(mark, frozenset(connection.execute(select(read_activities.c.activity_id).where(*mine)).scalars()))


def unread(connection: Connection, caller: Caller, state: ReadState) -> Unread:
    """Return the activities of projects that the caller sees which others made and the caller has not read."""
    # Clients ask often, and mostly nothing is new: 0.01 ms in place of 5, most of which builds the statement.
    if last_revision(connection) <= state.mark:
        return Unread({})
    activity = func.coalesce(changes.c.request, changes.c.revision).label("activity")
    is_concerned = or_(
        work_items.c.assigned_to_id == caller.id,
        work_items.c.created_by == caller.name,
        _PARENTS.c.assigned_to_id == caller.id,
        _PARENTS.c.created_by == caller.name,
    )
    is_mentioned = and_(mentions.c.user_id == caller.id, mentions.c.activity_id == activity)
    rows = connection.execute(
        select(activity, is_concerned, select(mentions.c.user_id).where(is_mentioned).exists())
        .select_from(
            changes.outerjoin(work_items, work_items.c.id == changes.c.item_id).outerjoin(
                _PARENTS, _PARENTS.c.id == work_items.c.parent_id
            )
        )
        .where(changes.c.revision > state.mark, activity > state.mark, *is_activity(caller))
        .where(or_(changes.c.user_id.is_(None), changes.c.user_id != caller.id))
        .order_by(changes.c.revision)
    )
    flags: dict[int, bool] = {}
    for activity_id, concerns, mentioned in rows:
        if activity_id not in state.after:
            flags[activity_id] = flags.get(activity_id, False) or bool(concerns or mentioned)
    return Unread(flags)


def unread_up_to(
    connection: Connection, caller: Caller, state: ReadState, selection: UnreadSelection
) -> Collection[int]:
    """Return the ids of unread activities that are selected."""
    activity = func.coalesce(changes.c.request, changes.c.revision).label("activity")
    where = [changes.c.revision > state.mark, activity > state.mark, *is_activity(caller)]
    if selection.read_to is not None:
        where.append(activity <= selection.read_to)
    if selection.until is not None:
        where.append(changes.c.at <= selection.until)
    if selection.project_id is not None:
        where.append(changes.c.project_id == selection.project_id)
    if selection.item_ids is not None:
        where.append(changes.c.item_id.in_(selection.item_ids))
    found = connection.execute(select(activity).where(*where).distinct()).scalars()
    return [activity_id for activity_id in found if activity_id not in state.after]


def mark_read(connection: Connection, caller: Caller, activity_ids: Collection[int]) -> bool:
    """Note activities as read, and move the mark up to the first unread one; return False if all were read before."""
    state = state_of(connection, caller.id)
    new = [activity_id for activity_id in activity_ids if not state.has_read(activity_id)]
    if not new:
        return False
    state = ReadState(state.mark, state.after | set(new))
    first = next(iter(unread(connection, caller, state).flags), None)
    mark = max(state.mark, last_revision(connection) if first is None else first - 1)
    mine = activity_marks.c.user_id == caller.id
    connection.execute(update(activity_marks).where(mine).values(read_to=mark))
    passed = read_activities.c.user_id == caller.id, read_activities.c.activity_id <= mark
    connection.execute(delete(read_activities).where(*passed))
    rows = [{"user_id": caller.id, "activity_id": activity_id} for activity_id in new if activity_id > mark]
    if rows:
        connection.execute(insert(read_activities), rows)
    return True


def forget_trimmed(connection: Connection, revisions: Collection[int]) -> None:
    """Remove what is kept about activities that were trimmed."""
    for table in (mentions, read_activities):
        connection.execute(delete(table).where(table.c.activity_id.in_(revisions)))
