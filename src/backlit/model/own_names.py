"""What the user says of what a service does not: names of teams, kinds of fields, and the project to begin with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind

KINDS = (Kind.TEXT, Kind.LONG_TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.TAGS)
"""What a project's own field may be said to hold."""


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The settings `[teams]`, `[fields]` and `project`."""

    teams: Mapping[int, str] = field(default_factory=dict)
    project_id: int | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Of fields that the service does not define, by key; what their values look like does not count then."""


def own_names(values: Mapping[str, object]) -> OwnNames:
    """Read them from the settings (FEATURES rules 34, 39 and 42). Raises BadRequest saying what is wrong."""
    table, project_id = values.get("teams", {}), values.get("project")
    if not isinstance(table, dict) or not all(key.isdecimal() and isinstance(name, str) for key, name in table.items()):
        raise BadRequest('The setting "teams" is a table of names by number, [teams] with 3 = "Payments"')
    if project_id is not None and (not isinstance(project_id, int) or isinstance(project_id, bool)):
        raise BadRequest('The setting "project" is the number of a project')
    kinds = values.get("fields", {})
    if not isinstance(kinds, dict) or not all(key.endswith("_cf") and kind in KINDS for key, kind in kinds.items()):
        raise BadRequest(f'The setting "fields" is a table of kinds by key, Ticket_cf = one of {", ".join(KINDS)}')
    return OwnNames(
        {int(key): name for key, name in table.items()}, project_id, {key: Kind(kind) for key, kind in kinds.items()}
    )
