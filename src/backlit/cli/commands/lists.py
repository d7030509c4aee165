"""Lists of projects, users, teams, saved views and profiles."""

import argparse
import asyncio
from contextlib import suppress

from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.selection import all_views
from backlit.cli.synced import synced_store
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import Profiles, find_locations
from backlit.model.errors import SignInNeeded
from backlit.model.plain import plain
from backlit.store.files.files import inspect_journal
from backlit.store.store import Store

_PROJECTS = (
    Column("id", "ID", is_right=True),
    Column("name", "Name"),
    Column("role", "Role"),
    Column("current", "Current"),
)
_USERS = (
    Column("id", "ID", is_right=True),
    Column("user", "User"),
    Column("name", "Name"),
    Column("me", "You", is_usual=False),
)
_TEAMS = (Column("id", "ID", is_right=True), Column("name", "Name"))
_VIEWS = (
    Column("name", "Name"),
    Column("sharedBy", "Shared by"),
    Column("query", "Query"),
    Column("done", "Done items", is_usual=False),
    Column("fault", "Fault", is_usual=False),
)
_PROFILES = (
    Column("name", "Profile"),
    Column("kind", "Kind"),
    Column("url", "Address"),
    Column("user", "User"),
    Column("unsent", "Unsent", is_right=True),
    Column("chosen", "Chosen"),
)


def list_projects(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _PROJECTS)
    with synced_store(arguments, is_listing=True) as store:
        roles = store.lookups.roles()
        rows: list[Row] = [
            {
                "id": each.id,
                "name": each.name,
                "role": roles.get(each.id) or None,
                "current": each.id == store.project_id,
            }
            for each in store.lookups.projects()
        ]
        write_rows(arguments, columns, rows)


def use_project(arguments: argparse.Namespace) -> None:
    """Choose the project of this profile's commands; --project, BACKLIT_PROJECT and a repository's file still win."""
    arguments.project = arguments.name
    with synced_store(arguments) as store:
        project = store.lookups.project_named(arguments.name)
        asyncio.run(store.keep_commands_project(project.id))
        print(f"Commands of this profile use the project {plain(project.name)}.")


def list_users(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _USERS)
    with synced_store(arguments, is_listing=True) as store:
        me = store.lookups.me()
        rows: list[Row] = [
            {"id": each.id, "user": each.username, "name": each.display_name, "me": me is not None and each.id == me.id}
            for each in sorted(store.lookups.people().values(), key=lambda person: person.username.casefold())
        ]
        write_rows(arguments, columns, rows)


def list_teams(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _TEAMS)
    with synced_store(arguments, is_listing=True) as store:
        rows: list[Row] = [{"id": each, "name": name} for each, name in store.lookups.teams().items()]
        write_rows(arguments, columns, rows, nothing="The project has no teams.")


def list_views(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _VIEWS)
    with synced_store(arguments, is_listing=True) as store:
        write_rows(arguments, columns, _view_rows(store), nothing="There are no saved views.")


def _view_rows(store: Store) -> list[Row]:
    return [
        {
            "name": each.name,
            "sharedBy": each.shared_by or None,
            "query": each.spec.query or None,
            "done": each.spec.with_done,
            "fault": each.fault or None,
        }
        for each in all_views(store)
    ]


def list_profiles(arguments: argparse.Namespace) -> None:
    """List the profiles, with the unsent changes of each and which one commands use."""
    columns, locations = chosen_columns(arguments, _PROFILES), find_locations()
    profiles = Profiles(locations)
    chosen = ""
    with suppress(SignInNeeded):
        chosen = chosen_profile(arguments, locations).name
    rows: list[Row] = [
        {
            "name": each.name,
            "kind": each.kind.value,
            "url": each.url,
            "user": each.user,
            "unsent": inspect_journal(locations.journal(each)).count or 0,
            "chosen": each.name == chosen,
        }
        for each in map(profiles.named, profiles.names())
    ]
    write_rows(arguments, columns, rows)
