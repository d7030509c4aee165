"""What the user calls what a service does not name: teams by their numbers, and the project to begin with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from backlit.model.errors import BadRequest


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The settings `[teams]` and `project`."""

    teams: Mapping[int, str] = field(default_factory=dict)
    project_id: int | None = None


def own_names(values: Mapping[str, object]) -> OwnNames:
    """Read both from the settings (FEATURES rules 39 and 42). Raises BadRequest saying what is wrong."""
    table, project_id = values.get("teams", {}), values.get("project")
    if not isinstance(table, dict) or not all(key.isdecimal() and isinstance(name, str) for key, name in table.items()):
        raise BadRequest('The setting "teams" is a table of names by number, [teams] with 3 = "Payments"')
    if project_id is not None and (not isinstance(project_id, int) or isinstance(project_id, bool)):
        raise BadRequest('The setting "project" is the number of a project')
    return OwnNames({int(key): name for key, name in table.items()}, project_id)
