"""What a write changed, worked out from all tables before and after it, and what the history says of it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Table, select

from backlit.model.fields import FIELDS
from backlit.model.planning import EVENT_KEYS
from backlit.service.storage.columns import METADATA
from backlit.service.storage.objects_schema import acceptance_criteria, links, relations, time_entries
from backlit.service.storage.schema import (
    activity_marks,
    areas,
    attachments,
    change_texts,
    changes,
    comments,
    custom_fields,
    files_place,
    grants,
    item_splits,
    iteration_capacities,
    iteration_events,
    iteration_log,
    iterations,
    login_attempts,
    login_sessions,
    mentions,
    project_capacities,
    project_settings,
    project_totals,
    projects,
    read_activities,
    refresh_families,
    refresh_tokens,
    schema_version,
    signing_keys,
    status_groups,
    teams,
    time_entry_types,
    users,
    value_lists,
    verification_codes,
    views,
    work_items,
    workspace,
)
from backlit.service.tables.changes import ChangeAct, ChangeKind

KINDS = {
    **dict.fromkeys((work_items, item_splits), ChangeKind.ITEM),
    comments: ChangeKind.COMMENT,
    relations: ChangeKind.RELATION,
    links: ChangeKind.LINK,
    acceptance_criteria: ChangeKind.CRITERION,
    time_entries: ChangeKind.TIME_ENTRY,
    attachments: ChangeKind.FILE,
    areas: ChangeKind.AREA,
    iterations: ChangeKind.ITERATION,
    **dict.fromkeys((iteration_events, iteration_capacities), ChangeKind.ITERATION),
    projects: ChangeKind.PROJECT,
    views: ChangeKind.VIEW,
    grants: ChangeKind.GRANT,
    users: ChangeKind.USER,
    **dict.fromkeys(
        (value_lists, status_groups, custom_fields, teams, time_entry_types, project_settings, project_capacities),
        ChangeKind.SETTINGS,
    ),
}
NO_HISTORY = {
    activity_marks,
    changes,
    change_texts,
    iteration_log,
    workspace,
    files_place,
    login_attempts,
    login_sessions,
    mentions,
    project_totals,
    read_activities,
    refresh_families,
    refresh_tokens,
    schema_version,
    signing_keys,
    verification_codes,
}
"""Tables of the history itself and what users have read of it, of counters and of sign-ins."""
_BESIDE = {"created_by", "created_at", "last_modified_by", "last_modified_at", "doc", "settings_revision"}
_BESIDE |= {"history_from", "history_since", "order_revision"}
_OBJECT_COLUMNS = {grants: "user_id", item_splits: "item_id"}
_KEY_BY_COLUMN = {field.column: field.key for field in FIELDS}

Rows = dict[tuple[Any, ...], Mapping[str, Any]]


class Told(NamedTuple):
    """A change: the kind, the act, the object, and the keys that changed, which only a change of one object has."""

    kind: ChangeKind
    act: ChangeAct
    object_id: int
    keys: frozenset[str]


def everything(connection: Connection) -> dict[Table, Rows]:
    """Return all rows of the tables that have a history, by their keys; a new table belongs to one of the sets."""
    assert {*KINDS, *NO_HISTORY} == set(METADATA.sorted_tables)
    found: dict[Table, Rows] = {}
    for table in KINDS:
        keys = [column.name for column in table.primary_key]
        rows = connection.execute(select(table)).mappings()
        found[table] = {tuple(row[key] for key in keys): dict(row) for row in rows}
    return found


def expected(before: Mapping[Table, Rows], after: Mapping[Table, Rows]) -> set[Told]:
    return {told for table in KINDS for told in _of_table(table, before[table], after[table])}


def _of_table(table: Table, before: Rows, after: Rows) -> Iterator[Told]:
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        changed = {name for name in {**(old or {}), **(new or {})} if (old or {}).get(name) != (new or {}).get(name)}
        if not changed - _BESIDE:
            continue
        row = new or old or {}
        if KINDS[table] is ChangeKind.SETTINGS or "history_days" in changed:
            yield Told(
                ChangeKind.SETTINGS,
                ChangeAct.CHANGED,
                row["project_id" if table is not projects else "id"],
                frozenset(),
            )
        if KINDS[table] is ChangeKind.SETTINGS or not changed - _BESIDE - {"history_days"}:
            continue
        if table in {iteration_events, iteration_capacities}:
            name = EVENT_KEYS[row["event"]] if table is iteration_events else f"capacities.{row['user_id']}"
            keys = frozenset({name})
            yield Told(ChangeKind.ITERATION, ChangeAct.CHANGED, row["iteration_id"], keys)
            continue
        act = ChangeAct.CREATED if old is None else ChangeAct.REMOVED if new is None else ChangeAct.CHANGED
        keys = _keys(table, old, new) if old and new else frozenset()
        yield Told(KINDS[table], act, row[_OBJECT_COLUMNS.get(table, "id")], keys)


def _keys(table: Table, old: Mapping[str, Any], new: Mapping[str, Any]) -> frozenset[str]:
    keys: set[str] = set()
    for name in {name for name in new if old[name] != new[name]} - _BESIDE - {"history_days"}:
        if name == "cf":
            was, now = old["cf"] or {}, new["cf"] or {}
            keys |= {key for key in {*was, *now} if was.get(key) != now.get(key)}
        elif name == "password_hash":
            keys |= {"password"} | ({"hasPassword"} if (old[name] is None) != (new[name] is None) else set())
        else:
            words = name.split("_")
            camel = words[0] + "".join(word.capitalize() for word in words[1:])
            keys.add(_KEY_BY_COLUMN.get(name, camel) if table is work_items else camel)
    return frozenset(keys)


def recorded(connection: Connection, after: int = 0) -> set[Told]:
    """Return what the history tells of the revisions after one; each object of a request once."""
    told = set()
    for row in rows_after(connection, after):
        kind, act = ChangeKind(row["kind"]), ChangeAct(row["act"])
        has_keys = act is ChangeAct.CHANGED and kind is not ChangeKind.SETTINGS
        change = Told(kind, act, row["object_id"], frozenset(row["fields"] if has_keys else ()))
        told.add(change)
    return told


def rows_after(connection: Connection, after: int = 0) -> list[dict[str, Any]]:
    found = connection.execute(select(changes).where(changes.c.revision > after).order_by(changes.c.revision))
    return [{**row, "fields": orjson.loads(row["fields"])} for row in found.mappings()]
