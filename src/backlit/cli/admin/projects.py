"""`backlit admin projects`, `teams`, `time-entry-types`, `fields` and `values`."""

import argparse

from backlit.cli.output import say, show, some
from backlit.cli.served import looked_at, opened
from backlit.model.fields import ItemType, Kind
from backlit.service.admin import custom_fields, projects, value_lists
from backlit.service.admin.custom_fields import FieldChange
from backlit.service.admin.projects import ProjectChange
from backlit.service.storage.schema import teams, time_entry_types

_PROJECT_COLUMNS = {
    "id": "ID#",
    "startDate": "Start",
    "endDate": "End",
    "items": "Items#",
    "isSyncable": "Sync",
    "name": "Name",
}


def list_projects(arguments: argparse.Namespace) -> None:
    """List all projects."""
    with looked_at(arguments) as connection:
        show(arguments, projects.listed(connection), _PROJECT_COLUMNS)


def create_project(arguments: argparse.Namespace) -> None:
    """Create a project with its roots."""
    with opened(arguments) as connection:
        project = projects.create(connection, _project_change(arguments), arguments.manager)
    say(arguments, f"Created the project {project['name']} with the id {project['id']}.", project)
    if not arguments.json and arguments.manager is None:
        print(f"Next, give a user access: backlit admin grants set USER {project['id']} manager")


def change_project(arguments: argparse.Namespace) -> None:
    """Change the given settings of a project."""
    with opened(arguments) as connection:
        project = projects.change(connection, arguments.project, _project_change(arguments))
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
    )


_NAMED = {"teams": (teams, "team"), "time_entry_types": (time_entry_types, "time entry type")}
_NAME_COLUMNS = {"id": "ID#", "project": "Project", "name": "Name"}


def list_names(arguments: argparse.Namespace) -> None:
    """List teams or time entry types."""
    table, _ = _NAMED[arguments.named]
    with looked_at(arguments) as connection:
        show(arguments, projects.list_names(connection, table, arguments.project), _NAME_COLUMNS)


def add_name(arguments: argparse.Namespace) -> None:
    """Add a team or a time entry type to a project."""
    table, word = _NAMED[arguments.named]
    with opened(arguments) as connection:
        added = projects.add_name(connection, table, arguments.project, arguments.name)
    say(arguments, f"Added the {word} {added['name']} with the id {added['id']}.", added)


def rename_name(arguments: argparse.Namespace) -> None:
    """Rename a team or a time entry type."""
    table, word = _NAMED[arguments.named]
    with opened(arguments) as connection:
        renamed = projects.rename_name(connection, table, arguments.project, arguments.name, arguments.new_name)
    say(arguments, f"The {word} {arguments.name} is now called {renamed['name']}.", renamed)


def remove_name(arguments: argparse.Namespace) -> None:
    """Remove a team and clear it on its items, or remove a time entry type."""
    table, word = _NAMED[arguments.named]
    with opened(arguments) as connection:
        removed = projects.remove_name(connection, table, arguments.project, arguments.name)
    cleared = f" from {some(removed['itemsChanged'], 'item')}" if table is teams else ""
    say(arguments, f"Removed the {word} {removed['name']}{cleared}.", removed)


_FIELD_COLUMNS = {
    "projectId": "Project#",
    "key": "Key",
    "kind": "Kind",
    "default": "Default",
    "types": "Types",
    "choices": "Values",
}


def list_fields(arguments: argparse.Namespace) -> None:
    """List custom fields."""
    with looked_at(arguments) as connection:
        show(arguments, custom_fields.listed(connection, arguments.project), _FIELD_COLUMNS)


def add_field(arguments: argparse.Namespace) -> None:
    """Add a custom field to a project."""
    kind = Kind(arguments.kind.replace("-", " "))
    with opened(arguments) as connection:
        field = custom_fields.add(connection, arguments.project, arguments.key, kind, _field_change(arguments))
    say(arguments, f"Added {field['key']}; {some(field['itemsRendered'], 'item')} can have it.", field)


def change_field(arguments: argparse.Namespace) -> None:
    """Change types, values or default of a custom field."""
    with opened(arguments) as connection:
        field = custom_fields.change(connection, arguments.project, arguments.key, _field_change(arguments))
    changed = some(field["itemsChanged"], "item")
    say(arguments, f"Changed {field['key']}; {changed} got another value or lost it.", field)


def remove_field(arguments: argparse.Namespace) -> None:
    """Remove a custom field with its values."""
    with opened(arguments) as connection:
        field = custom_fields.remove(connection, arguments.project, arguments.key)
    say(arguments, f"Removed {field['key']}; {some(field['itemsChanged'], 'item')} lost a value.", field)


def _field_change(arguments: argparse.Namespace) -> FieldChange:
    types: list[ItemType] | None = arguments.types
    return FieldChange(types, arguments.choices, arguments.default, getattr(arguments, "renames", ()))


_VALUE_COLUMNS = {"type": "Type", "key": "Key", "isOwn": "Own", "values": "Values"}


def list_values(arguments: argparse.Namespace) -> None:
    """List the values of every type and key of a project."""
    with looked_at(arguments) as connection:
        show(arguments, value_lists.listed(connection, arguments.project), _VALUE_COLUMNS)


def set_values(arguments: argparse.Namespace) -> None:
    """Set a project's own list of values."""
    place = arguments.project, arguments.type, arguments.key
    with opened(arguments) as connection:
        found = value_lists.set_values(connection, *place, arguments.values, renames=arguments.renames)
    say(arguments, _values_sentence(found), found)


def reset_values(arguments: argparse.Namespace) -> None:
    """Reset to the default values."""
    place = arguments.project, arguments.type, arguments.key
    with opened(arguments) as connection:
        found = value_lists.reset(connection, *place, renames=arguments.renames)
    say(arguments, _values_sentence(found), found)


def set_groups(arguments: argparse.Namespace) -> None:
    """Set the meaning of statuses."""
    with opened(arguments) as connection:
        found = value_lists.set_groups(connection, arguments.project, arguments.meanings)
    groups = ", ".join(f"{status} ({group})" for status, group in found["statusGroups"].items()) or "none"
    say(arguments, f"Statuses with a set meaning: {groups}.", found)


def _values_sentence(found: dict[str, object]) -> str:
    values, changed = found["values"], found["itemsChanged"]
    assert isinstance(values, list)
    assert isinstance(changed, int)
    return f"{found['key']} of {found['type']} is one of: {', '.join(values)}. {some(changed, 'item')} changed."
