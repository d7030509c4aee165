"""The status groups of each project, and the columns of open items that follow them."""

import sqlite3
from collections.abc import Mapping

from msgspec import json

from backlit.model.statuses import CONFIGURABLE, StatusGroup, StatusGroups
from backlit.store.mirror.schema import OWN_GROUPS
from backlit.store.records.item import whole

CAPABILITIES = "capabilities"
"""The notes that decide: the service's stated capabilities, and the user's setting."""
GROUPS_SQL = f"SELECT key, value FROM notes WHERE key IN ('{CAPABILITIES}', '{OWN_GROUPS}')"  # noqa: S608 # constants


def status_groups(connection: sqlite3.Connection, project_id: int) -> StatusGroups:
    """Return a project's groups: the service's setting, else the user's, else guesses from names and places."""
    return _groups(dict(connection.execute(GROUPS_SQL).fetchall()), project_id)


def project_in(capabilities: object, project_id: int | None) -> Mapping[str, object]:
    projects = capabilities.get("projects") if isinstance(capabilities, dict) else None
    for project in projects if isinstance(projects, list) else ():
        if isinstance(project, dict) and project.get("id") == project_id:
            return project
    return {}


def _groups(notes: Mapping[str, str], project_id: int) -> StatusGroups:
    project = project_in(json.decode(notes.get(CAPABILITIES, "null")), project_id)
    values = project.get("values")
    types = values.values() if isinstance(values, dict) else ()
    lists = [each.get("Status") for each in types if isinstance(each, dict)]
    own, told = json.decode(notes.get(OWN_GROUPS, "null")), project.get("statusGroups")
    return StatusGroups(
        _configured(own) | _configured(told),
        [[str(status) for status in each] for each in lists if isinstance(each, list)],
    )


def _configured(groups: object) -> dict[str, StatusGroup]:
    known = groups.items() if isinstance(groups, dict) else ()
    return {str(status): StatusGroup(group) for status, group in known if group in CONFIGURABLE}


class MirroredGroups:
    """The groups by project, for the writing thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._notes: Mapping[str, str] = {}
        self._known: dict[int, StatusGroups] = {}

    def of(self, project_id: int) -> StatusGroups:
        """Return a project's groups as of the notes, which another process may have changed."""
        notes = dict(self._connection.execute(GROUPS_SQL).fetchall())
        if notes != self._notes:
            self._notes, self._known = notes, {}
        if project_id not in self._known:
            self._known[project_id] = _groups(notes, project_id)
        return self._known[project_id]

    def is_open(self, project_id: object, status: object) -> bool:
        """Return True for a status that is neither done nor excluded."""
        return self.of(whole(project_id) or 0).is_open(None if status is None else str(status))

    def is_excluded(self, project_id: object, status: object) -> bool:
        """Return True for a status whose items count nowhere."""
        return self.of(whole(project_id) or 0).of(None if status is None else str(status)) is StatusGroup.EXCLUDED

    def align(self) -> None:
        sql = "SELECT DISTINCT project_id, status, own_open, is_excluded FROM items"
        wrong = [
            (*flags, project_id, status)
            for project_id, status, *known in self._connection.execute(sql).fetchall()
            if known != (flags := [int(self.is_open(project_id, status)), int(self.is_excluded(project_id, status))])
        ]
        self._connection.executemany(
            "UPDATE items SET own_open = ?1, is_open = ?1, is_excluded = ?2 WHERE project_id = ?3 AND status = ?4",
            wrong,
        )
        if wrong:
            self._connection.execute(
                "UPDATE items SET is_open = items.own_open AND parent.own_open FROM items AS parent"
                " WHERE items.is_task = 1 AND parent.id = items.parent_id"
                " AND items.is_open <> (items.own_open AND parent.own_open)"
            )
