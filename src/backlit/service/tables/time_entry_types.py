"""Time entry types of projects."""

from sqlalchemy import Connection, select

from backlit.model.time_entry_types import TimeEntryType
from backlit.service.schema import time_entry_types


def listed(connection: Connection, project_id: int) -> list[TimeEntryType]:
    """List the time entry types of a project in the order they were made; only names go over the wire (SPEC 2.7)."""
    mine = time_entry_types.c.project_id == project_id
    names = connection.execute(select(time_entry_types.c.name).where(mine).order_by(time_entry_types.c.id)).scalars()
    return [TimeEntryType(name=name) for name in names]
