"""Lists of valid values of Status and other choices, per project and type."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest, Conflict, NotFound
from backlit.model.fields import FIELDS, Field, ItemType, Kind
from backlit.model.statuses import CONFIGURABLE
from backlit.service.admin.rendering import settings_changed
from backlit.service.admin.workspace import administrator_stamp, project_id_of
from backlit.service.storage.schema import value_lists
from backlit.service.tables import project_settings, projects
from backlit.service.tables.changes import Stamp
from backlit.service.tables.projects import ProjectSettings

VALUE_LIMIT = 100

LISTED_FIELDS = {f.key: f for f in FIELDS if f.kind in {Kind.STATUS, Kind.CHOICE}}
"""Fields with a list of values, by key."""


def listed(connection: Connection, project: str) -> list[dict[str, Any]]:
    """List the values of every type and key of a project; `isOwn` marks lists other than the default."""
    settings = projects.settings(connection, project_id_of(connection, project))
    return [
        {
            "type": item_type.value,
            "key": field.key,
            "values": list(settings.choices(item_type, field)),
            "isOwn": (item_type.value, field.key) in settings.value_lists,
        }
        for item_type in ItemType
        for field in LISTED_FIELDS.values()
        if field.applies_to(item_type)
    ]


def set_values(
    connection: Connection,
    project: str,
    item_type: str,
    key: str,
    values: Sequence[str],
    *,
    renames: Sequence[str] = (),
    groups: Sequence[str] = (),
) -> dict[str, Any]:
    """Set a project's own list; raise Conflict for items with other values and no renaming.

    `groups` are meanings of statuses, written as `STATUS=GROUP`.
    """
    project_id, field = project_id_of(connection, project), listed_field(item_type, key)
    if groups and field is not LISTED_FIELDS["Status"]:
        raise BadRequest(f"Only statuses have a group; leave out --group for {field.key}.")
    choices = checked_choices(values, field.key)
    if not choices:
        raise BadRequest(f"Name the values of {field.key}. For the default ones: backlit admin values reset")
    row = {"project_id": project_id, "type": item_type, "key": field.key}
    this = [value_lists.c[name] == value for name, value in row.items()]
    before = projects.settings(connection, project_id)
    old = connection.execute(select(value_lists.c.choices).where(*this)).scalar()
    if old is not None:
        connection.execute(update(value_lists).where(*this).values(choices=list(choices)))
    else:
        connection.execute(insert(value_lists).values(**row, choices=list(choices)))
    stamp = administrator_stamp(connection)
    found = _with_renamed_values(connection, row, (old, list(choices)), choices, renames, stamp=stamp)
    if field is not LISTED_FIELDS["Status"]:
        return found
    _set_meanings(connection, before, groups, renames_of(renames, choices), stamp)
    known = projects.settings(connection, project_id).group_by_status
    new = [status for status in choices if status not in before.group_by_status or status in _named_in(groups)]
    return {**found, "newGroups": {status: known[status].value for status in new}}


def reset(
    connection: Connection, project: str, item_type: str, key: str, renames: Sequence[str] = ()
) -> dict[str, Any]:
    project_id, field = project_id_of(connection, project), listed_field(item_type, key)
    row = {"project_id": project_id, "type": item_type, "key": field.key}
    this = [value_lists.c[name] == value for name, value in row.items()]
    before = projects.settings(connection, project_id)
    old = connection.execute(select(value_lists.c.choices).where(*this)).scalar()
    if old is None:
        raise NotFound(f"The project has no list of its own for {field.key} of {item_type}; nothing was changed.")
    connection.execute(delete(value_lists).where(*this))
    choices, stamp = field.choices_for(item_type), administrator_stamp(connection)
    found = _with_renamed_values(connection, row, (old, None), choices, renames, stamp=stamp)
    if field is LISTED_FIELDS["Status"]:
        _set_meanings(connection, before, (), renames_of(renames, choices), stamp)
    return found


def set_groups(connection: Connection, project: str, meanings: Sequence[str]) -> dict[str, Any]:
    """Set the groups of statuses, written as `STATUS=GROUP`; an empty group leaves it to the clients."""
    project_id = project_id_of(connection, project)
    settings = projects.settings(connection, project_id)
    _set_meanings(connection, settings, meanings, {}, administrator_stamp(connection))
    return {"projectId": project_id, "statusGroups": dict(projects.settings(connection, project_id).status_groups)}


def _set_meanings(
    connection: Connection,
    before: ProjectSettings,
    meanings: Sequence[str],
    renames: Mapping[str, str],
    stamp: Stamp,
) -> None:
    """Set the groups of statuses; a new name of one that is gone has its group and its limit."""
    settings = projects.settings(connection, before.id)
    known = settings.group_by_status
    gone = {old: new for old, new in renames.items() if old not in known and new not in before.group_by_status}
    groups: dict[str, str | None] = {}
    for old, new in gone.items():
        if old in settings.status_groups:
            groups |= {old: None, new: settings.status_groups[old]}
    for text in meanings:
        status, group = _meaning(text)
        if status not in known:
            raise BadRequest(f"No type has the status {status!r}; the statuses are: {', '.join(sorted(known))}.")
        groups[status] = group
    limits = {gone.get(status, status): limit for status, limit in settings.shared.wip_limits.items()}
    project_settings.change(connection, settings, {"wip_limits": limits}, groups, stamp)


def _meaning(text: str) -> tuple[str, str | None]:
    """Read `STATUS=GROUP`; no group is None."""
    status, equals, group = (part.strip() for part in text.rpartition("="))
    if not equals or (group and group not in CONFIGURABLE):
        raise BadRequest(f"Write a meaning as STATUS=GROUP, not {text!r}; the groups are: {', '.join(CONFIGURABLE)}.")
    return status, group or None


def _named_in(meanings: Sequence[str]) -> set[str]:
    return {_meaning(text)[0] for text in meanings}


def _with_renamed_values(
    connection: Connection,
    row: Mapping[str, Any],
    lists: tuple[list[str] | None, list[str] | None],
    choices: Sequence[str],
    renames: Sequence[str],
    *,
    stamp: Stamp,
) -> dict[str, Any]:
    """Rename the items' values of a list that was changed, and return the list with the number of changed items.

    `lists` are the project's own values before and after, `choices` those that hold now.
    """
    project_id, item_type, key = row["project_id"], row["type"], row["key"]
    carrier = ValueRenaming((item_type,), key, choices, renames_of(renames, choices))
    fields = {f"{item_type}.{key}": lists} if lists[0] != lists[1] else {}
    rewritten = settings_changed(connection, project_id, fields, stamp, (item_type,), alter=carrier.alter)
    carrier.must_fit()
    found = {"projectId": project_id, "type": item_type, "key": key}
    return {**found, "values": list(choices), "itemsChanged": rewritten.changed}


def listed_field(item_type: str, key: str) -> Field:
    if key.endswith("_cf"):
        raise BadRequest(f"{key} is a custom field; its values are changed with: backlit admin fields change")
    field = LISTED_FIELDS.get(key)
    if field is None:
        raise BadRequest(f"{key!r} has no list of values; these have: {', '.join(LISTED_FIELDS)}.")
    if not field.applies_to(item_type):
        raise BadRequest(f"A {item_type} has no {key}; these have: {', '.join(field.types)}.")
    return field


def checked_choices(values: Sequence[str], what: str) -> tuple[str, ...]:
    cleaned = tuple(value.strip() for value in values)
    for value in cleaned:
        if not value or len(value) > VALUE_LIMIT or not value.isprintable():
            raise BadRequest(f"A value of {what} must have 1 to {VALUE_LIMIT} characters on one line, not {value!r}.")
    twice = [value for value, count in Counter(cleaned).items() if count > 1]
    if twice:
        raise BadRequest(f"{what} has {twice[0]!r} twice; name each value once.")
    return cleaned


def renames_of(texts: Sequence[str], choices: Sequence[str]) -> dict[str, str]:
    """Read `OLD=NEW` arguments; each NEW has to be among the choices."""
    renames = {}
    for text in texts:
        old, equals, new = text.partition("=")
        if not equals:
            raise BadRequest(f"Write a renaming as OLD=NEW; {text!r} has no equals sign.")
        if new.strip() not in choices:
            raise BadRequest(
                f"{old.strip()!r} cannot become {new.strip()!r}: the new list has only {', '.join(choices)}."
            )
        renames[old.strip()] = new.strip()
    return renames


class ValueRenaming:
    """Renaming of the values of one key in items, with a count of values outside the new list."""

    def __init__(self, types: Sequence[str], key: str, choices: Sequence[str], renames: Mapping[str, str]) -> None:
        self._types, self._key, self._renames = frozenset(types), key, renames
        self._choices = choices
        self._lost: Counter[tuple[str, str]] = Counter()

    def must_fit(self) -> None:
        if not self._lost:
            return
        (item_type, value), count = self._lost.most_common(1)[0]
        raise Conflict(
            f"{self._key} of {counted(count, f'{item_type} item')} is {value!r}, which the new list lacks;"
            " nothing was changed."
            f" Keep the value, or replace it: --rename '{value}=NEW'"
        )

    def alter(self, item_type: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        value = values.get(self._key)
        if item_type not in self._types or value is None:
            return values
        renamed = self._renames.get(value, value)
        if self._choices and renamed not in self._choices:
            self._lost[item_type, renamed] += 1
        return values if renamed == value else {**values, self._key: renamed}
