"""`backlit admin projects`."""

import argparse

from backlit.cli.admin.output import say, show
from backlit.cli.admin.workspace import looked_at, opened
from backlit.service.admin import projects
from backlit.service.admin.projects import ProjectChange

_COLUMNS = {
    "id": "ID#",
    "startDate": "Start",
    "endDate": "End",
    "items": "Items#",
    "isSyncable": "Sync",
    "name": "Name",
}


def listed(arguments: argparse.Namespace) -> None:
    """List all projects."""
    with looked_at(arguments) as connection:
        show(arguments, projects.listed(connection), _COLUMNS)


def create(arguments: argparse.Namespace) -> None:
    """Create a project with its roots."""
    with opened(arguments) as connection:
        project = projects.create(connection, _given(arguments), arguments.manager)
    say(arguments, f"Created the project {project['name']} with the id {project['id']}.", project)
    if not arguments.json and arguments.manager is None:
        print(f"Next, give a user access: backlit admin grants set USER {project['id']} manager")


def change(arguments: argparse.Namespace) -> None:
    """Change the given settings of a project."""
    with opened(arguments) as connection:
        project = projects.change(connection, arguments.project, _given(arguments))
    say(arguments, f"Changed the project {arguments.project}.", project)


def _given(arguments: argparse.Namespace) -> ProjectChange:
    return ProjectChange(
        name=arguments.name,
        description=arguments.description,
        template=arguments.template,
        start=arguments.start,
        end=arguments.end,
        iteration_length=arguments.iteration_length,
        is_syncable=None if arguments.sync is None else arguments.sync == "on",
    )
