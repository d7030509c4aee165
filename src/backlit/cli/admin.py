"""`backlit admin`: users, grants and keys; projects with their settings; the whole workspace."""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.output import say, write_json
from backlit.cli.served_workspace import (
    print_first_steps,
    print_password_note,
    reading_transaction,
    repeated_options,
    settings_of,
    settings_with_files,
    writing_transaction,
)
from backlit.cli.terminal_input import PIPE, can_ask, read_line, standard_input
from backlit.model.amounts import counted
from backlit.model.errors import BadRequest, StorageError
from backlit.model.fields import ItemType, Kind
from backlit.model.plain import plain
from backlit.model.statuses import CONFIGURABLE, StatusGroup
from backlit.service.admin import custom_fields, projects, users, value_lists
from backlit.service.admin.check import Checker
from backlit.service.admin.custom_fields import CustomFieldChange
from backlit.service.admin.projects import ProjectChange
from backlit.service.admin.transfer import backup, export, import_, private, restore
from backlit.service.admin.workspace import has_workspace, is_empty, no_workspace, user_id_of, writing
from backlit.service.files.local import open_content_store
from backlit.service.storage.access import Role
from backlit.service.storage.database import without_password
from backlit.service.storage.schema import teams, time_entry_types
from backlit.service.tables.attachments import remember_place

_USER_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("name", "Name"),
    Column("isLicensed", "Licensed"),
    Column("hasPassword", "Password"),
    Column("projects", "Projects", is_right=True),
    Column("email", "Email"),
    Column("displayName", "Display name"),
)


def _write_list(arguments: argparse.Namespace, rows: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> None:
    found = list(rows)
    write_rows(arguments, chosen_columns(arguments, columns), found, found)


def list_users(arguments: argparse.Namespace) -> None:
    with reading_transaction(arguments) as connection:
        _write_list(arguments, users.listed(connection), _USER_COLUMNS)


def add_user(arguments: argparse.Namespace) -> None:
    names = ("first_name", "last_name", "display_name", "email")
    texts = {name: getattr(arguments, name) for name in names if getattr(arguments, name)}
    with writing_transaction(arguments) as connection:
        is_first = is_empty(connection)
        users.check_new(connection, arguments.name, texts.get("email", ""))
    password = None if arguments.no_password else users.checked_password(new_password())
    with writing_transaction(arguments) as connection:
        is_licensed = not arguments.unlicensed
        user = users.add(connection, arguments.name, password, texts=texts, is_licensed=is_licensed)
    say(arguments, f"Added the user {user['name']}.", user)
    where = repeated_options(arguments)
    if is_first and not arguments.json:
        print(f"The database is {without_password(settings_of(arguments).database)}")
        print(f"Next, create a project: backlit admin projects create NAME --manager {user['name']}{where}")
    elif not arguments.json:
        print(f"Next, give access to a project: backlit admin grants set {user['name']} PROJECT contributor{where}")


def change_password(arguments: argparse.Namespace) -> None:
    with reading_transaction(arguments) as connection:
        user_id_of(connection, arguments.name)
    given = users.checked_password(new_password())
    with writing_transaction(arguments) as connection:
        user = users.set_password(connection, arguments.name, given)
    say(arguments, f"{arguments.name} has a new password and was signed out everywhere.", user)


def change_licence(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        user = users.license_(connection, arguments.name, is_licensed=arguments.state == "on")
    can = "can sign in" if user["isLicensed"] else "was signed out and can no longer sign in"
    say(arguments, f"{arguments.name} {can}.", user)


def deactivate_user(arguments: argparse.Namespace) -> None:
    """Disable a user: revoke licence, password, sessions and access."""
    with writing_transaction(arguments) as connection:
        user = users.deactivate(connection, arguments.name)
    lost = f"licence, password, sign-ins and {counted(user['grantsRemoved'], 'grant')}"
    say(arguments, f"{arguments.name} lost {lost}; the user's items and comments are kept.", user)


def forget_user(arguments: argparse.Namespace) -> None:
    """Remove the names of a deactivated user from the history."""
    with writing_transaction(arguments) as connection:
        user = users.forget(connection, arguments.name)
    said = f"Removed the names of user {user['id']} from {counted(user['changes'], 'change')} of the history."
    say(arguments, said, user)


def new_password() -> str:
    if not can_ask():
        password = read_line("", is_secret=True)
        if not password:
            raise BadRequest("Password is required: write it on the first line of standard input.")
        return password
    password = read_line(f"New password, {users.SHORTEST_PASSWORD} characters or more: ", is_secret=True)
    if password != read_line("Repeat the password:  ", is_secret=True):
        raise BadRequest("The passwords differ. No changes were made.")
    return password


_GRANT_COLUMNS = (
    Column("projectId", "ID", is_right=True),
    Column("project", "Project"),
    Column("role", "Role"),
    Column("user", "User"),
)


def list_grants(arguments: argparse.Namespace) -> None:
    with reading_transaction(arguments) as connection:
        _write_list(arguments, users.list_grants(connection, arguments.user, arguments.project), _GRANT_COLUMNS)


def set_grant(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        grant = users.set_grant(connection, arguments.user, arguments.project, Role(arguments.role))
    say(arguments, f"{arguments.user} is now a {arguments.role} in {arguments.project}.", grant)


def remove_grant(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        grant = users.remove_grant(connection, arguments.user, arguments.project)
    say(arguments, f"{arguments.user} no longer has access to {arguments.project}.", grant)


def rotate_key(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        users.rotate_key(connection, forget=arguments.forget)
    kept = "all earlier tokens are revoked" if arguments.forget else "the previous key stays valid"
    say(arguments, f"Created a new key; {kept}.", {"forgotten": arguments.forget})


_PROJECT_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("startDate", "Start"),
    Column("endDate", "End"),
    Column("items", "Items", is_right=True),
    Column("isSyncable", "Sync"),
    Column("name", "Name"),
)


def list_projects(arguments: argparse.Namespace) -> None:
    with reading_transaction(arguments) as connection:
        _write_list(arguments, projects.listed(connection), _PROJECT_COLUMNS)


def create_project(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        project = projects.create(connection, _project_change(arguments), arguments.manager)
    say(arguments, f"Created the project {project['name']} with the id {project['id']}.", project)
    if not arguments.json and arguments.manager is None:
        options = repeated_options(arguments)
        print(f"Next, give a user access: backlit admin grants set USER {project['id']} manager{options}")


def change_project(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        changes = replace(_project_change(arguments), history_days=arguments.history_days)
        project = projects.change(connection, arguments.project, changes)
    say(arguments, f"Changed the project {arguments.project}.", project)


def _project_change(arguments: argparse.Namespace) -> ProjectChange:
    return ProjectChange(
        name=arguments.name,
        description=arguments.description,
        template=arguments.template,
        start=arguments.start,
        end=arguments.end,
        iteration_length=arguments.iteration_length,
        is_syncable=None if arguments.sync is None else arguments.sync == "on",
        work_from_time=None if arguments.work_from_time is None else arguments.work_from_time == "on",
        time_zone=arguments.time_zone,
        working_days=arguments.working_days,
        days_off=arguments.days_off,
    )


_NAMED = {"teams": (teams, "team"), "time_entry_types": (time_entry_types, "time entry type")}
_NAME_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("project", "Project"),
    Column("name", "Name"),
)


def list_names(arguments: argparse.Namespace) -> None:
    table, _ = _NAMED[arguments.named]
    with reading_transaction(arguments) as connection:
        _write_list(arguments, projects.list_names(connection, table, arguments.project), _NAME_COLUMNS)


def add_name(arguments: argparse.Namespace) -> None:
    table, word = _NAMED[arguments.named]
    with writing_transaction(arguments) as connection:
        added = projects.add_name(connection, table, arguments.project, arguments.name)
    say(arguments, f"Added the {word} {added['name']} with the id {added['id']}.", added)


def rename_name(arguments: argparse.Namespace) -> None:
    table, word = _NAMED[arguments.named]
    with writing_transaction(arguments) as connection:
        renamed = projects.rename_name(connection, table, arguments.project, arguments.name, arguments.new_name)
    say(arguments, f"The {word} {arguments.name} is now called {renamed['name']}.", renamed)


def remove_name(arguments: argparse.Namespace) -> None:
    """Remove a team and clear it on its items, or remove a time entry type."""
    table, word = _NAMED[arguments.named]
    with writing_transaction(arguments) as connection:
        removed = projects.remove_name(connection, table, arguments.project, arguments.name)
    cleared = f" from {counted(removed['itemsChanged'], 'item')}" if table is teams else ""
    say(arguments, f"Removed the {word} {removed['name']}{cleared}.", removed)


_FIELD_COLUMNS = (
    Column("projectId", "Project", is_right=True),
    Column("key", "Key"),
    Column("kind", "Kind"),
    Column("default", "Default"),
    Column("due", "Due"),
    Column("types", "Types"),
    Column("choices", "Values"),
)


def list_fields(arguments: argparse.Namespace) -> None:
    with reading_transaction(arguments) as connection:
        _write_list(arguments, custom_fields.listed(connection, arguments.project), _FIELD_COLUMNS)


def add_field(arguments: argparse.Namespace) -> None:
    kind = _kind(arguments.kind)
    with writing_transaction(arguments) as connection:
        field = custom_fields.add(connection, arguments.project, arguments.key, kind, _field_change(arguments))
    say(arguments, f"Added {field['key']}; {counted(field['itemsRendered'], 'item')} can have it.", field)


def change_field(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        field = custom_fields.change(connection, arguments.project, arguments.key, _field_change(arguments))
    changed = counted(field["itemsChanged"], "item")
    say(arguments, f"Changed {field['key']}; {changed} got another value or lost it.", field)


def remove_field(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        field = custom_fields.remove(connection, arguments.project, arguments.key)
    say(arguments, f"Removed {field['key']}; {counted(field['itemsChanged'], 'item')} lost a value.", field)


def _field_change(arguments: argparse.Namespace) -> CustomFieldChange:
    types: list[ItemType] | None = arguments.types
    return CustomFieldChange(
        types,
        arguments.choices,
        arguments.default,
        getattr(arguments, "renames", ()),
        None if arguments.due is None else arguments.due in {True, "on"},
        None if arguments.kind is None else _kind(arguments.kind),
    )


def _kind(word: str) -> Kind:
    return Kind(word.replace("-", " "))


_VALUE_COLUMNS = (
    Column("type", "Type"),
    Column("key", "Key"),
    Column("isOwn", "Own"),
    Column("values", "Values"),
)


def list_values(arguments: argparse.Namespace) -> None:
    with reading_transaction(arguments) as connection:
        _write_list(arguments, value_lists.listed(connection, arguments.project), _VALUE_COLUMNS)


def set_values(arguments: argparse.Namespace) -> None:
    place = arguments.project, arguments.type, arguments.key
    with writing_transaction(arguments) as connection:
        meanings = {"renames": arguments.renames, "groups": arguments.groups}
        found = value_lists.set_values(connection, *place, arguments.values, **meanings)
    say(arguments, _values_sentence(found), found)
    if not (arguments.json or arguments.dry_run) and can_ask():
        unknown = [status for status, group in found.get("newGroups", {}).items() if group == StatusGroup.UNKNOWN]
        arguments.meanings = [f"{status}={group}" for status in unknown if (group := _asked_group(status))]
        if arguments.meanings:
            set_groups(arguments)


def _asked_group(status: str) -> str:
    """Ask for the group of a status until it is one, or its beginning; nothing leaves it unknown."""
    while typed := read_line(f"Meaning of {plain(status)} ({', '.join(CONFIGURABLE)}; enter for none): ").strip():
        found = [group for group in CONFIGURABLE if group.startswith(typed.lower())]
        if len(found) == 1:
            return found[0].value
        print(f"{plain(typed)} is no meaning of a status.", file=sys.stderr)
    return ""


def reset_values(arguments: argparse.Namespace) -> None:
    place = arguments.project, arguments.type, arguments.key
    with writing_transaction(arguments) as connection:
        found = value_lists.reset(connection, *place, renames=arguments.renames)
    say(arguments, _values_sentence(found), found)


def set_groups(arguments: argparse.Namespace) -> None:
    with writing_transaction(arguments) as connection:
        found = value_lists.set_groups(connection, arguments.project, arguments.meanings)
    groups = ", ".join(f"{status} ({group})" for status, group in found["statusGroups"].items()) or "none"
    say(arguments, f"Statuses with a set meaning: {groups}.", found)


def _values_sentence(found: Mapping[str, Any]) -> str:
    values, changed = ", ".join(found["values"]), counted(found["itemsChanged"], "item")
    groups = ", ".join(f"{status} ({_group_words(group)})" for status, group in found.get("newGroups", {}).items())
    told = f" Meanings: {groups}." if groups else ""
    return f"{found['key']} of {found['type']} is one of: {values}. {changed} changed.{told}"


def _group_words(group: str) -> str:
    return "unknown, counts as not started; set it with --group" if group == StatusGroup.UNKNOWN else group


def create_workspace(arguments: argparse.Namespace) -> None:
    settings = settings_of(arguments)
    place = without_password(settings.database)
    if has_workspace(settings):
        raise StorageError(f"There is a workspace in {place} already. No changes were made.")
    with writing(settings, create=True) as connection:
        if arguments.files:
            remember_place(connection, settings.files)
    say(arguments, f"Created an empty workspace in {place}.", {"database": place, "files": str(settings.files)})
    if not arguments.json:
        print("Next, create a user and a project:")
        print_first_steps(arguments)


def export_workspace(arguments: argparse.Namespace) -> None:
    """Write the workspace to a new file that only its owner may read, or to the output."""
    settings, as_folder = settings_with_files(arguments), arguments.contents == "folder"
    options = {
        "with_contents": arguments.contents == "lines",
        "with_secrets": not arguments.without_secrets,
        "with_history": not arguments.without_history,
    }
    if arguments.file == PIPE:
        if as_folder or arguments.json:
            raise BadRequest("Standard output cannot hold a folder or a report. Name a file.")
        export(settings, sys.stdout.buffer, folder=None, **options)
        return
    path = Path(arguments.file)
    folder = path.with_name(f"{path.name}.files") if as_folder else None
    with private(path) as output:
        try:
            counts = export(settings, output, folder=folder, **options)
        except BaseException:
            path.unlink()
            raise
    contents = counts.pop("contents", 0)
    sentence = f"Wrote {counted(sum(counts.values()), 'row')} and {counted(contents, 'attached file')} to {path}."
    say(arguments, sentence, {"file": str(path), "rows": counts, "contents": contents})


def import_workspace(arguments: argparse.Namespace) -> None:
    """Fill an empty workspace; file contents come from the lines or from the folder beside the file."""
    settings, accepts = settings_of(arguments), arguments.accept_problems
    if not arguments.database and not has_workspace(settings):
        raise no_workspace(settings)  # a new one would lie beside that of the server
    if arguments.file == PIPE:
        counts = import_(settings, standard_input("workspace"), accepts_problems=accepts)
    else:
        path = Path(arguments.file)
        folder = path.with_name(f"{path.name}.files")
        try:
            lines = path.open("rb")
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
        with lines:
            beside = folder if folder.is_dir() else None
            counts = import_(settings, lines, folder=beside, accepts_problems=accepts)
    contents = counts.pop("contents", 0)
    imported = f"{counted(sum(counts.values()), 'row')} and {counted(contents, 'attached file')}"
    sentence = f"Imported {imported} into {without_password(settings.database)}."
    say(arguments, sentence, {"rows": counts, "contents": contents})


def back_up_workspace(arguments: argparse.Namespace) -> None:
    made = backup(settings_with_files(arguments), Path(arguments.directory), with_files=not arguments.without_files)
    files = counted(made["contents"], "attached file")
    lost = f" {counted(made['missing'], 'attached file')} could not be found." if made["missing"] else ""
    say(arguments, f"The backup is in {made['directory']}, with {files}.{lost}", made)


def restore_workspace(arguments: argparse.Namespace) -> None:
    made = restore(settings_of(arguments), Path(arguments.directory))
    say(arguments, f"Restored to {made['database']}.", made)
    if not arguments.json:
        print(f"To verify it: backlit admin check{repeated_options(arguments)}")
        print_password_note(arguments)


FOUND = 1
"""Exit status if the check finds problems."""


def check_workspace(arguments: argparse.Namespace) -> int:
    files = open_content_store(settings_with_files(arguments).files)
    with reading_transaction(arguments) as connection:
        checker = Checker(connection, files, is_quick=arguments.quick)
        if arguments.json:
            problems = [problem.document() for problem in checker.problems()]
            write_json({"problems": problems, "checked": checker.checked})
            return FOUND if problems else 0
        count = 0
        for count, problem in enumerate(checker.problems(), 1):  # noqa: B007  the last count is used below
            place = " ".join(str(part) for part in (problem.table, problem.id, problem.field) if part not in {None, ""})
            print(plain(f"{place}: {problem.sentence}" if place else problem.sentence))
    looked = ", ".join(counted(number, *_NOUNS_BY_COUNT[name]) for name, number in checker.checked.items())
    print(f"{counted(count, 'problem')} in {looked}." if count else f"No problems: {looked}.")
    return FOUND if count else 0


_NOUNS_BY_COUNT = {
    "projects": ("project",),
    "workItems": ("work item",),
    "nodes": ("area or iteration", "areas and iterations"),
    "comments": ("comment",),
    "relations": ("relation",),
    "links": ("link",),
    "acceptanceCriteria": ("acceptance criterion", "acceptance criteria"),
    "timeEntries": ("time entry", "time entries"),
    "attachments": ("attachment",),
    "contents": ("attached file",),
}
