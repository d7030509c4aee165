"""The listing of a fresh copy that needs no store: in columns that need no names of places."""

import argparse
import json
import os
from collections.abc import Mapping

from backlit.cli.item_columns import PLAIN, plain_value, short_columns
from backlit.cli.lean_msgspec import load_msgspec
from backlit.cli.listing import NO_ITEMS, Column, chosen_columns, write_rows
from backlit.config.folders import (
    JOURNAL,
    MIRROR,
    PROFILE,
    PROFILES_FILE,
    PROJECT,
    SHARED_VIEWS,
    TOKENS,
    folders,
    signed_in_name,
)
from backlit.config.kept_checks import RECENT_SECONDS, kept_settings
from backlit.model.amounts import item_counts
from backlit.store.reading import fresh_copy

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any

    from backlit.store.reading import FreshCopy, ReadItem

_ASKS_MORE = ("view", "filter", "fresh", "project", "parts", "group")
"""Options of `items list` that need the store."""
_SELECTS = ("query", "sort", "done", "mine", "count")
"""Options without which the items are all, in backlog order. They take 30 ms of imports."""


def list_fresh(arguments: argparse.Namespace) -> bool:
    """List the items of a fresh copy; return False, with nothing written, where the store has to do it.

    It has to where it would ask the server, say something, or refuse something.
    """
    columns, found = _columns(arguments), folders()
    if columns is None or found is None or os.environ.get(PROJECT) or _is_in_repository():
        return False
    settings = kept_settings(found["config"], found["cache"])
    files = profile_files(found, arguments.profile or os.environ.get(PROFILE, ""))
    if settings is None or settings.get("problems") or settings.get("profiles") or files is None:
        return False
    names, groups = settings.get("names"), settings.get("statuses")
    own_project = names.get("project_id") if isinstance(names, dict) else None
    fresh = settings.get("fresh", RECENT_SECONDS)
    age = float(fresh) if isinstance(fresh, int | float) else RECENT_SECONDS
    with fresh_copy(*files, own_project, groups if isinstance(groups, dict) else {}, age) as copy:
        if copy is None:
            return False
        items = _items_of(arguments, copy, settings)
        if items is None:
            return False
        owners = {each.fields.get("AssignedToID") for each in items}
        usernames = copy.usernames(each for each in owners if type(each) is int)
    if arguments.count:
        print(len(items))
        return True
    rows = [
        {each.name: plain_value(item.id, item.type, item.fields, each.name, usernames.get) for each in columns}
        for item in items
    ]
    tasks = sum(item.type == "Task" for item in items)
    write_rows(arguments, columns, rows, nothing=NO_ITEMS, below=item_counts(len(items) - tasks, tasks))
    return True


def _items_of(
    arguments: argparse.Namespace, copy: "FreshCopy", settings: Mapping[str, object]
) -> "list[ReadItem] | None":
    """Return the items of the list; None where the store has to read them."""
    if not any(getattr(arguments, name) for name in _SELECTS):
        return copy.items(arguments.limit)
    load_msgspec()
    from backlit.cli.list_spec import list_spec
    from backlit.store.fresh_query import matching_ids

    ids = matching_ids(copy, list_spec(arguments), settings, arguments.limit)
    return None if ids is None else copy.items_of(ids)


def _columns(arguments: argparse.Namespace) -> list[Column] | None:
    """Return the chosen columns; None where a column or an option needs the store."""
    fields = arguments.json if isinstance(arguments.json, tuple) else arguments.columns
    is_whole = arguments.json is True or (arguments.format == "ndjson" and not fields)
    is_plain = {name.lower() for name in fields} <= PLAIN
    if is_whole or not is_plain or any(getattr(arguments, name) for name in _ASKS_MORE):
        return None
    return chosen_columns(arguments, short_columns())


def _is_in_repository() -> bool:
    """Return whether a file of the directory, or of one above it, may choose the profile and the project."""
    place, below = os.getcwd(), ""
    while place != below:
        if any(os.path.exists(os.path.join(place, name)) for name in SHARED_VIEWS):
            return True
        place, below = os.path.dirname(place), place
    return False


def profile_files(found: Mapping[str, str], name: str) -> tuple[str, str] | None:
    """Return the mirror and the journal of a profile, or without a name of the one that commands use.

    None where there is none, and for a server's profile without a sign-in.
    """
    if _is_sample(name):
        return _files_of(found, name)
    try:
        content = _read(os.path.join(found["state"], PROFILES_FILE))
        profiles = {each["name"]: each for each in content["profiles"]}
        kinds = {each: told["kind"] for each, told in profiles.items()}
        name = name or signed_in_name(kinds, content["last"], content.get("signedIn", "")) or ""
        tokens = os.path.join(found["state"], name, TOKENS)
        is_ready = kinds[name] != "remote" or _is_signed_in(tokens, profiles[name]["url"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return _files_of(found, name) if is_ready else None


def _files_of(found: Mapping[str, str], name: str) -> tuple[str, str]:
    return os.path.join(found["cache"], name, MIRROR), os.path.join(found["state"], name, JOURNAL)


def _is_sample(name: str) -> bool:
    """Return whether a name is that of a sample of a size and a seed, which is in no list."""
    kind, *numbers = name.split("-")
    return kind == "demo" and len(numbers) == 2 and all(each.isdecimal() and str(int(each)) == each for each in numbers)


def _is_signed_in(tokens: str, url: str) -> bool:
    entry: Mapping[str, object] = _read(tokens)[url]
    return {"access", "refresh", "lifetime", "grantedAt"} <= entry.keys() or {"cookie", "grantedAt"} <= entry.keys()


def _read(path: str) -> "Any":
    with open(path, "rb") as file:
        return json.loads(file.read())
