"""Rows of an export: each column takes the values that the interface takes, and a refusal names the column."""

from datetime import date, datetime
from typing import Any

import pytest
from sqlalchemy import Boolean, Date, DateTime, Float, Integer, LargeBinary, Table

from backlit.model.errors import BadRequest
from backlit.model.resources import INTERNAL
from backlit.service.admin.records import TABLES
from backlit.service.admin.row_checks import checked_row
from backlit.service.storage.columns import METADATA

MOMENT = "2026-03-01T10:00:00.000"
USUAL: tuple[tuple[type, object], ...] = (
    *((Boolean, True), (Integer, 1), (Float, 1.5), (LargeBinary, "YQ=="), (DateTime, MOMENT), (Date, "2026-03-01")),
)
OWN: dict[str, dict[str, object]] = {
    "users": {"name": "maya", "email": "maya@example.org"},
    "grants": {"role": "reader"},
    "value_lists": {"type": "Story", "key": "Status", "choices": ["Open", "Done"]},
    "status_groups": {"meaning": "done"},
    "project_settings": {
        "time_zone": "Europe/Berlin", "working_days": ["mon"], "days_off": ["2026-12-25"],
        "estimate_scale": [1, 2], "ready_rules": {"Story": ["estimate"]}, "wip_limits": {"Done": 3},
    },
    "project_capacities": {"days_off": ["2026-12-25"]},
    "iteration_capacities": {"days_off": []},
    "custom_fields": {"key": "Risk_cf", "kind": "choice", "types": ["Bug"], "choices": ["low"], "default_value": "low"}
    | {"is_due": False},
    "iteration_events": {"event": "start"},
    "views": {"spec": {"query": "type:bug"}},
    "work_items": {"type": "Bug", "tags": ["ux"], "cf": {"Risk_cf": "low"}},
    "comments": {"type": INTERNAL},
    "relations": {"type": "Blocks", "target_id": 2},
    "links": {"url": "https://example.org"},
    "acceptance_criteria": {"status": "Pass"},
    "time_entries": {"date": "2026-03-11T00:00:00", "week": 11},
    "attachments": {"type": INTERNAL, "digest": "ab" * 32, "name": "plan.pdf", "content_type": "text/plain"},
}  # fmt: skip


def row_of(table: Table) -> dict[str, Any]:
    """Return a row as an export has it."""
    usual = {
        each.name: next((value for kind, value in USUAL if isinstance(each.type, kind)), "text") for each in table.c
    }
    return usual | OWN.get(table.name, {})


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_usual_row_is_taken_and_each_required_column_is_needed(table: Table) -> None:
    row = row_of(table)

    assert checked_row(table, row).keys() == set(table.c.keys())
    for column in table.c:
        if column.nullable:
            assert checked_row(table, row | {column.name: None})[column.name] is None
        else:
            with pytest.raises(BadRequest, match=f"^{column.name} is missing.$"):
                checked_row(table, row | {column.name: None})


@pytest.mark.parametrize(
    ("table", "column", "given", "read"),
    [
        ("users", "created_at", MOMENT, datetime(2026, 3, 1, 10)),
        ("users", "email", "", ""),
        ("areas", "parent_id", -1, -1),
        ("iterations", "start_date", "2026-03-01", date(2026, 3, 1)),
        ("iterations", "max_capacity", 5, 5.0),
        ("iterations", "max_capacity", 1e300, 1e300),
        ("work_items", "doc", "YQ==", b"a"),
        ("work_items", "tags", None, None),
        ("work_items", "cf", None, None),
        ("work_items", "cf", {"Score_cf": 1.5, "Ready_cf": True}, {"Score_cf": 1.5, "Ready_cf": True}),
        ("attachments", "size", 0, 0),
        ("attachments", "size", 2**63 - 1, 2**63 - 1),
        ("attachments", "content_type", "Text/Plain", "Text/Plain"),
        ("projects", "default_iteration_length", 14, 14),
    ],
)
def test_a_value_is_read_as_its_column_takes_it(table: str, column: str, given: object, read: object) -> None:
    of = METADATA.tables[table]

    found = checked_row(of, row_of(of) | {column: given})[column]

    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("table", "column", "given", "words"),
    [
        ("users", "is_licensed", 1, "true or false"),
        ("users", "id", True, "whole number below"),
        ("users", "id", 2**63, "whole number below"),
        ("users", "id", 0, "must be an id"),
        ("users", "id", -1, "must be an id"),
        ("users", "first_name", "x\0", "NUL"),
        ("users", "first_name", 7, "must be text"),
        ("users", "created_at", "yesterday", "yesterday"),
        ("users", "name", "m aya", "must not contain blanks"),
        ("users", "email", "maya", "email address"),
        ("projects", "default_iteration_length", 0, "iteration length"),
        ("projects", "end_date", "2026-02-01T00:00:00", "before it starts"),
        ("grants", "role", "owner", "role 'owner' does not exist"),
        ("grants", "user_id", -1, "must be an id"),
        ("teams", "name", " ", "cannot be empty"),
        ("time_entry_types", "name", "a\nb", "control characters"),
        ("value_lists", "key", "Name", "Name"),
        ("value_lists", "choices", [], "has no values"),
        ("value_lists", "choices", "Open", "choices must be a list"),
        ("value_lists", "choices", [1], "choices must be a list"),
        ("status_groups", "meaning", "finished", "cannot mean 'finished'"),
        ("relations", "type", "Child", "type 'Child' does not exist"),
        ("relations", "target_id", 1, "related to itself"),
        ("links", "url", "javascript:alert(1)", "absolute address"),
        ("links", "display_text", " ", "display_text cannot be empty"),
        ("acceptance_criteria", "status", "Passed", "status 'Passed' does not exist"),
        ("time_entries", "week", 12, "its ISO week"),
        ("time_entries", "date", "2026-03-11T08:00:00", "must be a day"),
        ("time_entries", "hours", 0, "hours must be above 0"),
        ("project_settings", "days_off", ["25.12.2026"], "settings are malformed"),
        ("project_settings", "working_days", 5, "settings are malformed"),
        ("project_settings", "wip_limits", {"Done": "3"}, "settings are malformed"),
        ("custom_fields", "key", "Risk", "must be letters"),
        ("custom_fields", "kind", "money", "cannot be of kind"),
        ("custom_fields", "types", ["Epic"], "Epic"),
        ("custom_fields", "types", "Bug", "types must be a list"),
        ("custom_fields", "types", [], "at least one type"),
        ("custom_fields", "choices", [], "needs its values"),
        ("custom_fields", "is_due", True, "a due date is of kind date"),
        ("custom_fields", "default_value", "high", "not among its values"),
        ("areas", "name", " ", "cannot be empty"),
        ("areas", "parent_id", -2, "must be an id"),
        ("areas", "sequence", "1", "whole number below"),
        ("iterations", "start_date", "2026-02-30", "2026-02-30"),
        ("iterations", "min_capacity", True, "must be a number"),
        ("iterations", "min_capacity", "5", "must be a number"),
        ("iterations", "min_capacity", -1.1e300, "finite number"),
        ("iterations", "min_capacity", float("nan"), "finite number"),
        ("project_capacities", "points", -1, "points of user 1 may not be negative"),
        ("iteration_capacities", "days_off", ["25.12.2026"], "daysOff of user 1 must be a date"),
        ("views", "spec", ["type:bug"], "spec must be an object"),
        ("views", "name", " ", "cannot be empty"),
        ("iteration_events", "event", "pause", "event 'pause' does not exist"),
        ("work_items", "type", "Epic", "type 'Epic' does not exist"),
        ("work_items", "cf", [1], "cf must be an object"),
        ("work_items", "cf", {"Risk_cf": None}, "cf must be an object"),
        ("work_items", "tags", "ux", "tags must be a list"),
        ("work_items", "tags", ["ux", 1], "tags must be a list"),
        ("work_items", "doc", "a", "doc is not base64"),
        ("work_items", "doc", "Y*Q==", "doc is not base64"),
        ("comments", "description", " ", "description cannot be empty"),
        ("comments", "type", "Public", "type must be"),
        ("attachments", "digest", "AB" * 32, "hexadecimal"),
        ("attachments", "name", "../plan", "cannot be the name"),
        ("attachments", "content_type", "text", "not a content type"),
        ("attachments", "size", -1, "below 0"),
        ("attachments", "type", "Public", "type must be"),
    ],
)
def test_a_value_that_the_interface_would_refuse_is_refused(table: str, column: str, given: object, words: str) -> None:
    of = METADATA.tables[table]

    with pytest.raises(BadRequest, match=words):
        checked_row(of, row_of(of) | {column: given})
