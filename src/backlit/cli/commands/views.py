"""Saved views: shown, and those of views.toml saved, renamed and deleted."""

import argparse
from importlib import import_module
from pathlib import Path

from msgspec.structs import replace

from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.selection import view_named
from backlit.cli.synced import synced_store
from backlit.config.settings import find_locations
from backlit.config.view_files import CheckedViews
from backlit.model.errors import BadRequest, NameNotFound
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.settings.view_settings import ViewTable
from backlit.store.views.saved import table_of, view_from, written_table
from backlit.store.views.view_files import ViewFiles

_COLUMNS = (
    Column("name", "Name"),
    Column("query", "Query"),
    Column("sort", "Sort"),
    Column("group", "Group"),
    Column("columns", "Columns"),
    Column("done", "Done items"),
)


def show_view(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        table = table_of(view_named(store, arguments.name))
        write_rows(arguments, columns, [{each.name: getattr(table, each.name) or None for each in _COLUMNS}])


def save_view(arguments: argparse.Namespace) -> None:
    """Save a view that has no fault; raise BadRequest with the faults of one that has."""
    name = arguments.name.strip()
    table = ViewTable(
        name,
        arguments.query,
        _words(arguments.sort),
        _words(arguments.group),
        arguments.done,
        _words(arguments.columns),
    )
    files = _files()
    _check(files.own, table)
    if not arguments.shared:
        files.save(table)
        print(f"Saved the view {plain(name)} in {files.own}.")
        return
    with synced_store(arguments, is_writing=True, is_sending=True) as store:
        store.run(store.kept_views.share(view_from(table)))
        print(f"Shared the view {plain(name)} with the members of the project.")


def rename_view(arguments: argparse.Namespace) -> None:
    files = _files()
    table, new_name = _own_table(files, arguments.name), arguments.new_name.strip()
    if any(each.name == new_name for each in files.read().own):
        raise BadRequest(f"There is a view “{plain(new_name, 60)}” already. Choose another name.")
    renamed = replace(table, name=new_name)
    _check(files.own, renamed)
    # The new one first: an interruption leaves two views, and not none.
    files.save(renamed)
    files.remove(table.name)
    print(f"Renamed the view {plain(table.name)} to {plain(new_name)}.")


def delete_view(arguments: argparse.Namespace) -> None:
    files = _files()
    table = _own_table(files, arguments.name)
    files.remove(table.name)
    print(f"Deleted the view {plain(table.name)} from {files.own}.")


def _files() -> ViewFiles:
    return ViewFiles(find_locations(), Path.cwd())


def _own_table(files: ViewFiles, name: str) -> ViewTable:
    """Return a view of the user's own file; raise NameNotFound, also for a view of a repository or a server."""
    tables = files.read().own
    found = next((each for each in tables if each.name.casefold() == name.casefold()), None)
    if found is None:
        near = did_you_mean(name, [each.name for each in tables])
        raise NameNotFound(f"{files.own} has no view “{plain(name, 60)}”.{near}")
    return found


def _check(path: Path, table: ViewTable) -> None:
    if not table.name:
        raise BadRequest("A view needs a name.")
    # By its name: the module loads pydantic, which the other commands do without.
    checked: CheckedViews = import_module("backlit.config.schema.views").check_views(
        path, written_table(table).encode()
    )
    if checked.problems:
        raise BadRequest("The view is not saved.\n" + "\n".join(checked.problems))


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())
