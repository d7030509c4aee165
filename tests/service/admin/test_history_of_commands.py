"""The history of every writing command of `backlit admin`: as much as all tables differ, and no more."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection
from tests.cli.admin_reference import commands
from tests.service.history_rows import everything, expected, recorded, rows_after

from backlit.model.fields import Kind
from backlit.service.admin import custom_fields, projects, users, value_lists
from backlit.service.admin.custom_fields import CustomFieldChange
from backlit.service.admin.projects import ProjectChange
from backlit.service.storage.access import Role
from backlit.service.storage.schema import teams, time_entry_types
from backlit.service.tables.changes import ChangeCause, ChangeKind, last_revision

Act = Callable[[Connection], object]
STATUSES = ["Not Done", "Doing", "Ready For Test", "Done", "Deferred", "Deleted"]
RENAME, GROUP = "In Progress=Doing", "Doing=ready for test"
ACTS: dict[str, Act] = {
    "users add": lambda c: users.add(c, "zoe", "long enough", texts={}),
    "users password": lambda c: users.set_password(c, "jon", "long enough"),
    "users license": lambda c: users.license_(c, "ada", is_licensed=False),
    "users deactivate": lambda c: users.deactivate(c, "jon"),
    "users forget": lambda c: (users.deactivate(c, "ada"), users.forget(c, "ada")),
    "projects create": lambda c: projects.create(c, ProjectChange(name="Roof"), "maya"),
    "projects change": lambda c: projects.change(
        c,
        "1",
        ProjectChange(name="Dawn", is_syncable=True, time_zone="Asia/Tokyo", days_off=["2026-12-25"], history_days=90),
    ),
    "grants set": lambda c: users.set_grant(c, "rex", "Beacon", Role.MANAGER),
    "grants remove": lambda c: users.remove_grant(c, "maya", "1"),
    "teams add": lambda c: projects.add_name(c, teams, "1", "Night"),
    "teams rename": lambda c: projects.rename_name(c, teams, "1", "Night", "Day"),
    "teams remove": lambda c: projects.remove_name(c, teams, "1", "1"),
    "fields add": lambda c: custom_fields.add(c, "1", "Risk_cf", Kind.INTEGER, CustomFieldChange()),
    "fields change": lambda c: custom_fields.change(c, "1", "Channel_cf", CustomFieldChange(types=["Bug"])),
    "fields remove": lambda c: custom_fields.remove(c, "1", "Channel_cf"),
    "values set": lambda c: value_lists.set_values(
        c, "1", "Story", "Status", STATUSES, renames=[RENAME], groups=[GROUP]
    ),
    "values reset": lambda c: value_lists.reset(c, "1", "Story", "Status", ["Doing=In Progress"]),
    "values groups": lambda c: value_lists.set_groups(c, "1", ["Done=done", "Deferred=excluded"]),
    "time-entry-types add": lambda c: projects.add_name(c, time_entry_types, "1", "Travel"),
    "time-entry-types rename": lambda c: projects.rename_name(c, time_entry_types, "1", "Travel", "Trips"),
    "time-entry-types remove": lambda c: projects.remove_name(c, time_entry_types, "1", "Trips"),
}
"""Each command; those that change what another one makes come after it."""
NOTHING: dict[str, Act] = {
    "users license": lambda c: users.license_(c, "ada", is_licensed=True),
    "projects change": lambda c: projects.change(c, "1", ProjectChange(name="Aurora", time_zone="UTC", days_off=[])),
    "grants set": lambda c: users.set_grant(c, "maya", "1", Role.MANAGER),
    "teams rename": lambda c: projects.rename_name(c, teams, "1", "1", team_name(c)),
    "fields change": lambda c: custom_fields.change(c, "1", "Channel_cf", CustomFieldChange()),
    "values groups": lambda c: value_lists.set_groups(c, "1", ["Done="]),
}
"""Commands that ask for what is so already."""
_WITHOUT = {"list", "check", "export", "import", "backup", "restore", "init", "rotate"}
"""Commands that only read, that fill an empty workspace, or whose work is no history."""


def team_name(connection: Connection) -> str:
    return next(str(each["name"]) for each in projects.list_names(connection, teams, "1") if each["id"] == 1)


def test_every_writing_command_is_among_the_acts() -> None:
    known = [command.prog.split()[2:] for command in commands()]

    assert {" ".join(words) for words in known if not _WITHOUT & {*words}} == {*ACTS}


@pytest.mark.slow
def test_every_writing_command_records_all_that_it_changes_and_no_more(connection: Connection) -> None:
    wrong: dict[str, Any] = {}
    begin = last_revision(connection)
    for name, act in ACTS.items():
        before, last = everything(connection), last_revision(connection)
        act(connection)
        due, told = expected(before, everything(connection)), recorded(connection, last)
        if told != due or not due:
            wrong[name] = told ^ due

    assert wrong == {}
    rows = [row for row in rows_after(connection) if row["revision"] > begin]
    assert {(row["user_id"], row["cause"]) for row in rows} <= {
        (None, cause) for cause in (ChangeCause.ADMINISTRATION, ChangeCause.RENUMBERED, ChangeCause.ROLLED_UP)
    }


@pytest.mark.parametrize("name", NOTHING)
def test_a_command_that_changes_nothing_records_nothing(connection: Connection, name: str) -> None:
    last, before = last_revision(connection), everything(connection)

    NOTHING[name](connection)

    assert (last_revision(connection), expected(before, everything(connection))) == (last, set())


@pytest.mark.slow
def test_no_secret_is_in_the_history(connection: Connection) -> None:
    users.add(connection, "zoe", "long enough", texts={})
    users.set_password(connection, "zoe", "quite another")

    told = [row["fields"] for row in rows_after(connection) if row["kind"] == ChangeKind.USER]
    assert told[-1] == {"password": [None, None]}
    assert "argon2" not in str(told)
    assert "another" not in str(told)
