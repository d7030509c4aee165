"""What the columns and values of another tracker become, as a person may say it."""

from collections.abc import Mapping

from msgspec import Struct, field

ROLES: Mapping[str, str] = {
    "Name": "title",
    "type": "type",
    "Status": "status",
    "Priority": "priority",
    "Severity": "severity",
    "Estimate": "points",
    "AssignedToID": "owner",
    "IterationID": "iteration",
    "AreaID": "area",
    "Tags": "tags",
    "tags": "tags",
    "Description": "description",
    "description": "description",
    "StepsToReproduce": "steps",
    "WorkRemaining": "hours_left",
    "WorkCompleted": "hours_done",
    "parent": "parent",
    "feature": "feature",
    "criteria": "criteria",
    "comment": "comment",
    "created": "created",
    "author": "author",
    "due": "due",
    "url": "url",
    "key": "key",
    "rank": "rank",
    "-": "-",
}
"""What a column holds, by the word for it in a mapping."""
COLUMN_VALUES = tuple(ROLES)


class ImportMapping(Struct, frozen=True):
    """A mapping; what it does not say is proposed. `statuses` has types and names, the type empty for all."""

    format: str = ""
    source: str = ""
    key: str = ""
    encoding: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[tuple[str, str], str] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    iterations: Mapping[str, str] = field(default_factory=dict)

    def roles(self) -> dict[str, str]:
        """Return what the named columns hold, by heading."""
        found = {
            heading: value if value.startswith("link:") else ROLES.get(value, f"field:{value}")
            for heading, value in self.columns.items()
        }
        return {**found, self.key: "key"} if self.key else found
