"""Views of a project's items: private to their owners, or shared."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, or_, select, update

from backlit.model.resources import View
from backlit.service.storage.columns import audit
from backlit.service.storage.schema import views
from backlit.service.tables.changes import (
    LAST_DOCUMENT,
    ChangeAct,
    ChangeKind,
    Fields,
    RecordedChange,
    Stamp,
    created,
    differences,
    note,
)

_KEYS = ("name", "spec", "isShared")


def visible(connection: Connection, project_id: int, user_id: int) -> list[View]:
    """List the shared views of a project and those of a user."""
    mine = or_(views.c.is_shared, views.c.owner_id == user_id)
    rows = connection.execute(select(views).where(views.c.project_id == project_id, mine).order_by(views.c.id))
    return [View(**row) for row in rows.mappings()]


def read(connection: Connection, view_id: int) -> View | None:
    row = connection.execute(select(views).where(views.c.id == view_id)).mappings().first()
    return None if row is None else View(**row)


def add(connection: Connection, values: Mapping[str, Any], stamp: Stamp) -> View:
    row = {"is_shared": False, **values, **audit(stamp.name, stamp.at)}
    view = View(**connection.execute(insert(views).values(row).returning(views)).mappings().one())
    note(
        connection, stamp, _recorded(view, ChangeAct.CREATED, _public_values(view, created(_described(view))), stamp.at)
    )
    return view


def change(connection: Connection, old: View, values: Mapping[str, Any], stamp: Stamp) -> View:
    """Return the view as it is then."""
    assert old.last_modified_at is not None
    changed = {name: value for name, value in values.items() if value != getattr(old, name)}
    if not changed:
        return old
    at = stamp.after(old.last_modified_at)
    written = {"last_modified_by": stamp.name, "last_modified_at": at}
    connection.execute(update(views).where(views.c.id == old.id).values(changed | written))
    new = read(connection, old.id)
    assert new is not None
    fields = differences(_described(old), _described(new))
    note(connection, stamp, _recorded(new, ChangeAct.CHANGED, _public_values(new, _public_values(old, fields)), at))
    return new


def remove(connection: Connection, view: View, stamp: Stamp) -> None:
    connection.execute(delete(views).where(views.c.id == view.id))
    last = {LAST_DOCUMENT: _described(view) if view.is_shared else {}}
    note(connection, stamp, _recorded(view, ChangeAct.REMOVED, last, stamp.at))


def _described(view: View) -> dict[str, Any]:
    wire = view.wire()
    return {key: wire[key] for key in _KEYS}


def _public_values(view: View, fields: Fields) -> Fields:
    """Leave out the values of a private view: the history is for all who see the project."""
    if view.is_shared:
        return fields
    return {key: pair if key == "isShared" else (None, None) for key, pair in fields.items()}


def _recorded(view: View, act: ChangeAct, fields: Fields, at: datetime) -> RecordedChange:
    return RecordedChange(ChangeKind.VIEW, act, view.id, view.project_id, fields, at)
