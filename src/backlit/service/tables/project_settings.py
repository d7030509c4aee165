"""Changes of the settings that the members of a project share."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert

from backlit.service.storage.schema import project_settings, status_groups
from backlit.service.tables import projects
from backlit.service.tables.changes import Fields, Stamp, differences
from backlit.service.tables.projects import ProjectSettings


def change(
    connection: Connection,
    old: ProjectSettings,
    values: Mapping[str, Any],
    groups: Mapping[str, str | None],
    stamp: Stamp,
) -> Fields:
    """Store changed columns and the groups of statuses, None for no own one; return what was changed."""
    shared = replace(old.shared, **values)
    own = {status: group for status, group in {**old.status_groups, **groups}.items() if group is not None}
    fields = {
        **differences(old.shared.document(), shared.document()),
        **{f"statusGroups.{status}": pair for status, pair in differences(old.status_groups, own).items()},
    }
    if shared != old.shared:
        connection.execute(delete(project_settings).where(project_settings.c.project_id == old.id))
        connection.execute(insert(project_settings).values(project_id=old.id, **shared.row()))
    for status in groups:
        mine = status_groups.c.project_id == old.id, status_groups.c.status == status
        connection.execute(delete(status_groups).where(*mine))
        if status in own:
            connection.execute(insert(status_groups).values(project_id=old.id, status=status, meaning=own[status]))
    if fields:
        projects.publish_settings(connection, old.id, fields, stamp)
    return fields
