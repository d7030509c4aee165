"""Mentions: `@name` in comments and descriptions, found when they are written."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select

from backlit.model.mentions import names_in
from backlit.service.storage.schema import grants, mentions, users

MAX_MENTIONS = 20
"""People whom one change mentions at most."""
TEXT_KEYS = ("description", "Description", "title")
"""The texts of a comment, an item and a criterion."""


def note_mentions(
    connection: Connection, activity_id: int, author_id: int | None, project_id: int | None, fields: Mapping[str, Any]
) -> None:
    """Keep whom the texts of a change mention that were not mentioned before: licensed people of the project."""
    names: dict[str, None] = {}
    for key in TEXT_KEYS:
        before, after = fields.get(key) or (None, None)
        if isinstance(after, str) and "@" in after:
            known = set(names_in(before or ""))
            names |= dict.fromkeys(name for name in names_in(after) if name not in known)
    if not names:
        return
    people = (
        select(users.c.id)
        .join(grants, grants.c.user_id == users.c.id)
        .where(users.c.is_licensed, grants.c.project_id == project_id, func.lower(users.c.name).in_([*names]))
        .order_by(users.c.id)
        .limit(MAX_MENTIONS)
    )
    known_ids = set(
        connection.execute(select(mentions.c.user_id).where(mentions.c.activity_id == activity_id)).scalars()
    )
    found = [user_id for user_id in connection.execute(people).scalars() if user_id not in known_ids | {author_id}]
    if found:
        rows = [{"user_id": user_id, "activity_id": activity_id} for user_id in found]
        connection.execute(insert(mentions), rows)


def mentions_of(connection: Connection, activity_ids: list[int]) -> dict[int, list[int]]:
    """Return the ids of the users whom activities mention."""
    found: dict[int, list[int]] = {}
    wanted = select(mentions).where(mentions.c.activity_id.in_(activity_ids)).order_by(mentions.c.user_id)
    for user_id, activity_id in connection.execute(wanted):
        found.setdefault(activity_id, []).append(user_id)
    return found
