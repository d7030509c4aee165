"""Reads of the history: the changes of an item, and all that came after a cursor."""

import hashlib
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from backlit.service.storage.access import Caller, Role
from backlit.service.storage.schema import change_texts, changes, projects, users, work_items, workspace
from backlit.service.tables.changes import TEXT_REFERENCE, ChangeAct, ChangeCause, ChangeKind, last_revision

LONGEST_WAY = 10_000
"""Revisions behind which a client reads everything anew rather than each change."""
_CHECK_BYTES = 4
_PERSONAL = (int(ChangeKind.GRANT), int(ChangeKind.USER))
"""Kinds that only the managers of the project and the user concerned may see."""


class HistoryRow(Struct, frozen=True):
    """A change with its long texts in place."""

    revision: int
    at: datetime
    made_at: datetime | None
    project_id: int | None
    kind: int
    act: int
    object_id: int
    item_id: int | None
    user_id: int | None
    cause: int
    request: int | None
    fields: Mapping[str, Any]


class ChangeNotice(Struct, frozen=True):
    """What was changed, without values: `keys` are the fields of what was changed, none of what came or went."""

    revision: int
    project_id: int | None
    kind: int
    act: int
    object_id: int
    item_id: int | None
    user_id: int | None
    cause: int
    keys: tuple[str, ...]

    @property
    def is_personal(self) -> bool:
        return self.kind in _PERSONAL

    def is_visible_to(self, caller: Caller) -> bool:
        """As `_visible`, for one row."""
        if self.is_personal and self.object_id == caller.id:
            return True
        if self.project_id is None or not caller.can_see(self.project_id):
            return False
        return not self.is_personal or caller.is_manager_of(self.project_id)


def _visible(caller: Caller) -> ColumnElement[bool]:
    """Return the condition of the rows that a caller may see now."""
    managed = [project_id for project_id, role in caller.roles.items() if role is Role.MANAGER]
    is_personal = changes.c.kind.in_(_PERSONAL)
    is_own = and_(is_personal, changes.c.object_id == caller.id)
    seen = and_(changes.c.project_id.in_(caller.project_ids), or_(~is_personal, changes.c.project_id.in_(managed)))
    return or_(seen, is_own)


def of_item(
    connection: Connection, caller: Caller, item_id: int, *, before: int | None, keys: Collection[str], top: int
) -> list[HistoryRow]:
    """Return the changes of an item with its comments and files, newest first; `keys` keeps to some fields."""
    where = [changes.c.item_id == item_id, _visible(caller)]
    if before is not None:
        where.append(changes.c.revision < before)
    if keys:
        # Inside of a text the quotes would be escaped.
        where.append(or_(*(changes.c.fields.contains(f'"{key}":', autoescape=True) for key in keys)))
    return _read(connection, where, top)


ACTIVITY_ROWS = 500
"""Changes that are read at once for activities."""
_OF_ITEMS = [
    int(kind)
    for kind in (
        ChangeKind.ITEM,
        ChangeKind.COMMENT,
        ChangeKind.FILE,
        ChangeKind.RELATION,
        ChangeKind.LINK,
        ChangeKind.CRITERION,
        ChangeKind.TIME_ENTRY,
        ChangeKind.MESSAGE,
    )
]
_FOLLOWING = [
    int(cause)
    for cause in (
        ChangeCause.ROLLED_UP,
        ChangeCause.RENUMBERED,
        ChangeCause.REASSIGNED,
        ChangeCause.REMOVED_WITH_ANOTHER,
    )
]
_RANKED = '{"BacklogPriority":[%]}'
"""The fields of a change of the order, which nothing else changes."""


def is_activity(caller: Caller) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of changes that the caller may see, that follow from no other and are no order."""
    return (
        _visible(caller),
        changes.c.kind.in_(_OF_ITEMS),
        changes.c.cause.not_in(_FOLLOWING),
        changes.c.fields.not_like(_RANKED),
    )


def activity(connection: Connection, caller: Caller, revision: int) -> HistoryRow | None:
    """Return one of the changes of `of_activities`."""
    return next(iter(_read(connection, [changes.c.revision == revision, *is_activity(caller)], 1)), None)


def of_activities(
    connection: Connection,
    caller: Caller,
    *,
    before: int | None,
    after: int,
    project_ids: Collection[int],
    by: int | None,
    not_by: int | None,
    item_id: int | None,
) -> list[HistoryRow]:
    """Return changes of items and what is below them that follow from no other and are no order, newest first."""
    where = [*is_activity(caller)]
    if before is not None:
        where.append(changes.c.revision < before)
    if after:
        where.append(changes.c.revision > after)
    if not_by is not None:
        where.append(or_(changes.c.user_id.is_(None), changes.c.user_id != not_by))
    if project_ids:
        where.append(changes.c.project_id.in_(project_ids))
    if by is not None:
        where.append(changes.c.user_id == by)
    if item_id is not None:
        where.append(changes.c.item_id == item_id)
    return _read(connection, where, ACTIVITY_ROWS)


class ActivityPeople(Struct, frozen=True):
    """The names of authors by id, and the owners and creators of items and of their parents by the items' ids."""

    authors: Mapping[int, tuple[str, str]]
    concerned: Mapping[int, tuple[Collection[int], Collection[str]]]

    def names(self, user_id: int | None) -> tuple[str, str]:
        """Return the user name and the display name."""
        if user_id is None:
            return "backlit", "backlit"
        return self.authors.get(user_id, (f"user {user_id}", f"user {user_id}"))

    def concerns(self, item_id: int | None, caller: Caller) -> bool:
        owners, creators = self.concerned.get(item_id or 0, ((), ()))
        return caller.id in owners or caller.name in creators


def people_of(connection: Connection, rows: Sequence[HistoryRow]) -> ActivityPeople:
    user_ids = {row.user_id for row in rows if row.user_id is not None}
    named = select(users.c.id, users.c.name, users.c.display_name).where(users.c.id.in_(user_ids))
    parents = work_items.alias()
    columns = work_items.c.assigned_to_id, parents.c.assigned_to_id, work_items.c.created_by, parents.c.created_by
    item_ids = {row.item_id for row in rows if row.item_id is not None}
    items = (
        select(work_items.c.id, *columns)
        .join(parents, parents.c.id == work_items.c.parent_id, isouter=True)
        .where(work_items.c.id.in_(item_ids))
    )
    return ActivityPeople(
        {row[0]: (row[1], row[2] or row[1]) for row in connection.execute(named)},
        {row[0]: (row[1:3], row[3:5]) for row in connection.execute(items)},
    )


def begins_with_creation(connection: Connection, caller: Caller, item_id: int) -> bool:
    """Return True if the history of an item that the caller sees goes back to its creation."""
    first = select(changes.c.kind, changes.c.act).where(changes.c.item_id == item_id, _visible(caller))
    row = connection.execute(first.order_by(changes.c.revision).limit(1)).first()
    return row is not None and (row.kind, row.act) == (ChangeKind.ITEM, ChangeAct.CREATED)


def after(
    connection: Connection,
    caller: Caller,
    revision: int,
    *,
    project_ids: Collection[int],
    kinds: Collection[ChangeKind],
    top: int,
) -> list[ChangeNotice]:
    """Return the changes after a revision, oldest first; those of some projects or kinds, if any is named."""
    where = [changes.c.revision > revision, _visible(caller)]
    if project_ids:
        where.append(changes.c.project_id.in_(project_ids))
    if kinds:
        where.append(changes.c.kind.in_([int(kind) for kind in kinds]))
    return _notices(connection, where, top)


def of_all(connection: Connection, revision: int, top: int) -> list[ChangeNotice]:
    """Return the changes after a revision, oldest first, whoever may see them."""
    return _notices(connection, [changes.c.revision > revision], top)


_NOTICED = [changes.c[name] for name in ChangeNotice.__struct_fields__ if name != "keys"]


def _notices(connection: Connection, where: Iterable[ColumnElement[bool]], top: int) -> list[ChangeNotice]:
    wanted = select(*_NOTICED, changes.c.fields).where(*where).order_by(changes.c.revision).limit(top)
    rows = connection.execute(wanted).all()
    return [ChangeNotice(**dict(zip(_NAMES, row, strict=False)), keys=_keys(row.act, row.fields)) for row in rows]


_NAMES = [column.name for column in _NOTICED]


def _keys(act: int, fields: str) -> tuple[str, ...]:
    return tuple(orjson.loads(fields)) if act == ChangeAct.CHANGED else ()


def _read(connection: Connection, where: Iterable[ColumnElement[bool]], top: int) -> list[HistoryRow]:
    """Return changes, newest first."""
    order = changes.c.revision.desc()
    rows = connection.execute(select(changes).where(*where).order_by(order).limit(top)).mappings().all()
    read = [(row, orjson.loads(row["fields"])) for row in rows]
    texts = _texts(connection, {digest for _, fields in read for digest in references(fields)})
    return [HistoryRow(**{**row, "fields": _unfolded(fields, texts)}) for row, fields in read]


def references(value: Any) -> Iterable[str]:
    """Return the digests of long texts in the fields of a change."""
    if isinstance(value, dict):
        if value.keys() == {TEXT_REFERENCE}:
            return [value[TEXT_REFERENCE]]
        value = list(value.values())
    return [digest for each in value for digest in references(each)] if isinstance(value, list) else []


def _texts(connection: Connection, digests: Collection[str]) -> Mapping[str, str]:
    if not digests:
        return {}
    wanted = [bytes.fromhex(digest) for digest in digests]
    found = connection.execute(select(change_texts).where(change_texts.c.digest.in_(wanted)))
    return {row.digest.hex(): zlib.decompress(row.body).decode() for row in found}


def _unfolded(value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {TEXT_REFERENCE}:
            return texts.get(value[TEXT_REFERENCE])
        return {key: _unfolded(each, texts) for key, each in value.items()}
    return [_unfolded(each, texts) for each in value] if isinstance(value, list) else value


def names_of(connection: Connection, user_ids: Collection[int]) -> dict[int, str]:
    """Return the names of users who still exist."""
    return {
        row.id: row.name for row in connection.execute(select(users.c.id, users.c.name).where(users.c.id.in_(user_ids)))
    }


# Cursors


def cursor(connection: Connection, revision: int) -> str:
    """Return the place after a revision, with a check that tells another row of the same number apart."""
    return f"{revision}.{_check(connection, revision, _row_of(connection, revision))}"


def reset_reason(connection: Connection, caller: Caller, revision: int, check: str) -> str | None:
    """Return why a client cannot go on from a cursor: `other`, `trimmed` or `far`; None if it can."""
    last = last_revision(connection)
    if revision > last:
        return "other"
    row = _row_of(connection, revision)
    if check != _check(connection, revision, row):
        return "other" if row or not revision else "trimmed"
    if _history_from(connection, caller.project_ids) > revision + 1:
        return "trimmed"
    return "far" if last - revision > LONGEST_WAY else None


def _history_from(connection: Connection, project_ids: Collection[int]) -> int:
    newest = select(func.max(projects.c.history_from)).where(projects.c.id.in_(project_ids))
    return int(connection.execute(newest).scalar() or 0)


def _row_of(connection: Connection, revision: int) -> Sequence[Any] | None:
    found = select(changes.c.at, changes.c.object_id).where(changes.c.revision == revision)
    return connection.execute(found).first()


def _check(connection: Connection, revision: int, row: Sequence[Any] | None) -> str:
    """Return the check of a revision. One whose row was trimmed, or not imported, is known by its number alone."""
    key = connection.execute(select(workspace.c.cursor_key)).scalar_one()
    at, object_id = row or ("", "")
    text = f"{revision}|{at}|{object_id}"
    return hashlib.blake2b(text.encode(), key=bytes(key), digest_size=_CHECK_BYTES).hexdigest()
