"""Lists of projects, users, teams, saved views and profiles."""

import argparse
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.selection import all_views
from backlit.cli.synced import synced_store
from backlit.cli.wiring import chosen_profile, tokens_of
from backlit.config.folders import PROFILE
from backlit.config.repository import read_pins
from backlit.config.settings import Locations, Profile, ProfileKind, Profiles, find_locations
from backlit.model.errors import SignInNeeded
from backlit.model.filters.tree import Comparison, Literal, Operator, Property
from backlit.model.plain import plain
from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.store.files.files import inspect_journal
from backlit.store.records.people import Person, ProjectEntry
from backlit.store.sqlite.sync_note import last_synced
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec

_PROJECTS = (
    Column("id", "ID", is_right=True),
    Column("name", "Name"),
    Column("role", "Role"),
    Column("current", "Current"),
)
_WORK = (Column("items", "Open items", is_right=True), Column("points", "Points", is_right=True))
_PEOPLE = (
    Column("id", "ID", is_right=True),
    Column("user", "User"),
    Column("name", "Name"),
    Column("me", "You", is_usual=False),
)
_USERS = (*_PEOPLE, *(each._replace(is_usual=False) for each in _WORK))
_USER = (*_PEOPLE, Column("email", "E-mail"), *_WORK)
_PROJECT = (
    *_PROJECTS,
    Column("description", "Description"),
    Column("start", "Start"),
    Column("end", "End"),
    Column("timeZone", "Time zone"),
    *_WORK,
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
    Column("signedIn", "Signed in"),
    Column("unsent", "Unsent", is_right=True),
    Column("synced", "Last sync"),
    Column("chosen", "Chosen"),
    Column("why", "Why"),
)
_PROFILE = (
    *_PROFILES,
    Column("journal", "Journal"),
    Column("copy", "Copy"),
    Column("workspace", "Workspace"),
)


def list_projects(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _PROJECTS)
    with synced_store(arguments, is_listing=True) as store:
        rows = [_project_row(store, each) for each in store.lookups.projects()]
        if arguments.mine and any(row["role"] for row in rows):  # a server may state none
            rows = [row for row in rows if row["role"]]
        write_rows(arguments, columns, rows)


def _project_row(store: Store, project: ProjectEntry) -> Row:
    return {
        "id": project.id,
        "name": project.name,
        "role": store.lookups.roles().get(project.id) or None,
        "current": project.id == store.project_id,
    }


def show_project(arguments: argparse.Namespace) -> None:
    """Write what is known of a project, by default of the one that commands use."""
    columns = chosen_columns(arguments, _PROJECT)
    arguments.project = arguments.name or arguments.project
    with synced_store(arguments, is_listing=True) as store:
        project = store.lookups.project_named(str(store.lookups.need_project()))
        told = store.project_facts.document()
        totals = store.run(store.view(ViewSpec()).read_totals())
        row = {
            **_project_row(store, project),
            "description": told.get("description") or None,
            "start": told.get("startDate") or None,
            "end": told.get("endDate") or None,
            "timeZone": store.lookups.stated_settings().time_zone,
            **_open_work(totals),
        }
        write_rows(arguments, columns, [row])


def use_project(arguments: argparse.Namespace) -> None:
    """Choose the project of this profile's commands; --project, BACKLIT_PROJECT and a repository's file still win."""
    arguments.project = arguments.name
    with synced_store(arguments) as store:
        project = store.lookups.project_named(arguments.name)
        store.run(store.keep_commands_project(project.id))
        print(f"Commands of this profile use the project {plain(project.name)}.")


def list_users(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _USERS)
    with synced_store(arguments, is_listing=True) as store:
        people = sorted(store.lookups.people().values(), key=lambda person: person.username.casefold())
        totals = {each.value: each.totals for each in store.run(store.view(ViewSpec()).facets("AssignedToID"))}
        rows = [
            {**_user_row(store, each), **_open_work(totals.get(each.id, NO_TOTALS))}
            for each in people
            if not arguments.mine or each.id in totals
        ]
        write_rows(arguments, columns, rows, nothing="Nobody has open items in the project.")


def _open_work(totals: NodeTotals) -> Row:
    return {"items": totals.count, "points": totals.points}


def _user_row(store: Store, person: Person) -> Row:
    me = store.lookups.me()
    is_me = me is not None and person.id == me.id
    return {"id": person.id, "user": person.username, "name": person.display_name, "me": is_me}


def show_user(arguments: argparse.Namespace) -> None:
    """Write what is known of a person: the address and the open items in the project."""
    columns = chosen_columns(arguments, _USER)
    with synced_store(arguments, is_listing=True) as store:
        person = store.lookups.known_people()[store.names.user(arguments.name)]
        own = Comparison(Operator.EQ, Property("AssignedToID"), Literal(person.id))
        totals = store.run(store.view(ViewSpec(filter=own)).read_totals())
        row = {
            **_user_row(store, person),
            "email": store.lookups.addresses().get(person.id) or None,
            **_open_work(totals),
        }
        write_rows(arguments, columns, [row])


def list_teams(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _TEAMS)
    with synced_store(arguments, is_listing=True) as store:
        teams, nothing = store.lookups.teams(), "The project has no teams."
        if arguments.mine:
            mine = {each.value for each in store.run(store.view(ViewSpec(query="@me")).facets("TeamID"))}
            teams, nothing = {each: name for each, name in teams.items() if each in mine}, "Your items have no team."
        rows: list[Row] = [{"id": each, "name": name} for each, name in teams.items()]
        write_rows(arguments, columns, rows, nothing=nothing)


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
    rows = [_profile_row(arguments, locations, each) for each in map(profiles.named, profiles.names())]
    write_rows(arguments, columns, rows, local=_as_local)


def _as_local(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC).astimezone()


def _profile_row(arguments: argparse.Namespace, locations: Locations, profile: Profile) -> Row:
    chosen = ""
    with suppress(SignInNeeded):
        chosen = chosen_profile(arguments, locations).name
    last = last_synced(str(locations.mirror(profile)))
    is_remote, is_chosen = profile.kind is ProfileKind.REMOTE, profile.name == chosen
    return {
        "name": profile.name,
        "kind": profile.kind.value,
        "url": profile.url,
        "user": profile.user,
        "signedIn": tokens_of(profile, locations).has_sign_in() if is_remote else None,
        "unsent": inspect_journal(locations.journal(profile)).count or 0,
        "synced": None if last is None else datetime.fromtimestamp(last[0], UTC).replace(microsecond=0, tzinfo=None),
        "chosen": is_chosen,
        "why": _reason(arguments) if is_chosen else None,
    }


def _reason(arguments: argparse.Namespace) -> str:
    """Say what made a profile the one of commands."""
    if arguments.profile:
        return "--profile"
    if os.environ.get(PROFILE):
        return PROFILE
    return ".backlit.toml" if read_pins(Path.cwd()).profile else "last sign-in or choice"


def show_profile(arguments: argparse.Namespace) -> None:
    """Write a profile with its files, by default the one that commands use."""
    columns, locations = chosen_columns(arguments, _PROFILE), find_locations()
    named = Profiles(locations).named(arguments.name) if arguments.name else None
    profile = named or chosen_profile(arguments, locations)
    mirror = locations.mirror(profile)
    row = {
        **_profile_row(arguments, locations, profile),
        "journal": str(locations.journal(profile)),
        "copy": str(mirror),
        "workspace": None if profile.kind is ProfileKind.REMOTE else str(locations.workspace(profile)),
    }
    write_rows(arguments, columns, [row], local=_as_local)
