"""Saved views: their written form in TOML, and their specs."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from backlit.model.errors import BadRequest, sentence_of
from backlit.model.filters import SortKey
from backlit.model.query import parse_query
from backlit.model.query.keys import field_named
from backlit.store.views.columns import ChosenColumn, column_wish, without_repeats
from backlit.store.views.query import ViewSpec

_T = TypeVar("_T")

KEYS = ("name", "query", "sort", "group", "done", "columns")
MOST_GROUPS = 2


class SavedView(Struct, frozen=True):
    """A view with a name. Without columns it shows the usual ones."""

    name: str
    spec: ViewSpec
    columns: tuple[ChosenColumn, ...] = ()


def saved_views(tables: Iterable[tuple[Path, object]]) -> tuple[list[SavedView], list[str]]:
    """Read the tables found by `config.view_files.read_views`. The first of two equal names wins.

    Returns the views, and a sentence for each table that is none.
    """
    views: dict[str, SavedView] = {}
    problems = []
    for path, table in tables:
        try:
            view = view_from(table if isinstance(table, Mapping) else {})
        except BadRequest as error:
            problems.append(f"{sentence_of(error)} ({path})")
        else:
            views.setdefault(view.name, view)
    return list(views.values()), problems


def view_from(entry: Mapping[str, object]) -> SavedView:
    name = entry.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BadRequest('A view has no name. Add name = "…" to it.')
    unknown = sorted(entry.keys() - set(KEYS))
    if unknown:
        raise BadRequest(f"The view {name!r} has no {', '.join(map(repr, unknown))}; valid keys: {', '.join(KEYS)}.")
    done = entry.get("done", False)
    if not isinstance(done, bool):
        raise BadRequest(f'In the view {name!r}, "done" must be true or false.')
    query = entry.get("query", "")
    if not isinstance(query, str):
        raise BadRequest(f'In the view {name!r}, "query" must be a text.')
    parse_query(query)
    group = tuple(_listed(name, "group", entry.get("group", []), field_key))
    if len(group) > MOST_GROUPS:
        raise BadRequest(f"The view {name!r} has more than {MOST_GROUPS} levels of groups.")
    sort = tuple(_listed(name, "sort", entry.get("sort", []), sort_key))
    wishes = _listed(name, "columns", entry.get("columns", []), lambda text: column_wish(text, field_key))
    return SavedView(
        name.strip(), ViewSpec(query=query, with_done=done, sort=sort, group=group), without_repeats(wishes)
    )


def _listed(name: str, key: str, value: object, read: Callable[[str], _T]) -> list[_T]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise BadRequest(f'In the view {name!r}, "{key}" must be a field or a list of fields.')
    return [read(each) for each in values]


def sort_key(text: str) -> SortKey:
    """Read `changed desc` or `-changed`."""
    words = text.removeprefix("-").split()
    if len(words) not in {1, 2} or (len(words) == 2 and words[1].lower() not in {"asc", "desc"}):
        raise BadRequest(f'Unknown order {text!r}. Write a field name, followed by "desc" for descending order.')
    return SortKey(field_key(words[0]), text.startswith("-") or words[-1].lower() == "desc")


def field_key(text: str) -> str:
    """Return the field of a name. Custom fields need their full key. Raises BadRequest for an unknown name."""
    field = field_named(text)
    if field is None and not text.endswith("_cf"):
        raise BadRequest(f"There is no field {text!r}. Custom fields end in _cf.")
    return field.key if field else text


def entry_of(view: SavedView) -> dict[str, object]:
    spec = view.spec
    entry: dict[str, object] = {"name": view.name}
    if spec.query:
        entry["query"] = spec.query
    if spec.sort:
        entry["sort"] = [f"{key.name} desc" if key.descending else key.name for key in spec.sort]
    if spec.group:
        entry["group"] = list(spec.group)
    if view.columns:
        entry["columns"] = [str(each) for each in view.columns]
    return entry | ({"done": True} if spec.with_done else {})


def write_views(views: list[SavedView]) -> str:
    tables = [
        "\n".join(["[[view]]", *(f"{key} = {_toml(value)}" for key, value in entry_of(each).items())]) for each in views
    ]
    return "\n\n".join(tables) + "\n" if tables else ""


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    escaped = "".join(
        f"\\u{ord(sign):04X}" if sign in '"\\' or ord(sign) < 32 or ord(sign) == 127 else sign for sign in str(value)
    )
    return f'"{escaped}"'
