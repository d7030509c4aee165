"""The user's own names: team names, kinds of fields, and the first project."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind

KINDS = (Kind.TEXT, Kind.LONG_TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.TAGS)
"""Kinds that a project's own field may have."""


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The settings `[teams]`, `[fields]` and `project`."""

    teams: Mapping[int, str] = field(default_factory=dict)
    project_id: int | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds of fields without a definition from the service, by key; they overrule the kind guessed from values."""


def own_names(values: Mapping[str, object]) -> OwnNames:
    """Read them from the settings. Raises BadRequest that names the fault."""
    table, project_id = values.get("teams", {}), values.get("project")
    if not isinstance(table, dict) or not all(key.isdecimal() and isinstance(name, str) for key, name in table.items()):
        raise BadRequest('The setting "teams" must be a table of names by number, [teams] with 3 = "Payments"')
    if project_id is not None and (not isinstance(project_id, int) or isinstance(project_id, bool)):
        raise BadRequest('The setting "project" must be the number of a project')
    kinds = values.get("fields", {})
    if not isinstance(kinds, dict) or not all(key.endswith("_cf") and kind in KINDS for key, kind in kinds.items()):
        raise BadRequest(f'The setting "fields" must be a table of kinds by key, Ticket_cf = one of {", ".join(KINDS)}')
    return OwnNames(
        {int(key): name for key, name in table.items()}, project_id, {key: Kind(kind) for key, kind in kinds.items()}
    )
