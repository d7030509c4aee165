"""Saved views: their specs, and their written form in TOML."""

from collections.abc import Iterable

from msgspec import Struct

from backlit.model.settings.view_settings import (
    ChosenColumn,
    ViewTable,
    column_wish,
    field_key,
    sort_key,
    without_repeats,
)
from backlit.store.views.query import ViewSpec


class SavedView(Struct, frozen=True):
    """A view with a name. Without columns it shows the usual ones.

    `shared_by` names the owner of a view that others see too. A view with a fault cannot be shown.
    """

    name: str
    spec: ViewSpec
    columns: tuple[ChosenColumn, ...] = ()
    shared_by: str = ""
    fault: str = ""


def saved_views(tables: Iterable[ViewTable]) -> list[SavedView]:
    """Return the views of checked tables. The first of two equal names wins."""
    views: dict[str, SavedView] = {}
    for table in tables:
        views.setdefault(table.name, view_from(table))
    return list(views.values())


def view_from(table: ViewTable) -> SavedView:
    spec = ViewSpec(
        query=table.query,
        with_done=table.done,
        sort=tuple(map(sort_key, table.sort)),
        group=tuple(map(field_key, table.group)),
    )
    return SavedView(table.name, spec, without_repeats([column_wish(text, field_key) for text in table.columns]))


def table_of(view: SavedView) -> ViewTable:
    spec = view.spec
    sort = tuple(f"{key.name} desc" if key.descending else key.name for key in spec.sort)
    return ViewTable(view.name, spec.query, sort, tuple(spec.group), spec.with_done, tuple(map(str, view.columns)))


def written_table(table: ViewTable) -> str:
    """Return a table as TOML, without the keys that are as usual."""
    keys = ("name", "query", "sort", "group", "columns", "done")
    values = {key: getattr(table, key) for key in keys if getattr(table, key)}
    return "\n".join(["[[view]]", *(f"{key} = {_toml(value)}" for key, value in values.items())]) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    escaped = "".join(
        f"\\u{ord(sign):04X}" if sign in '"\\' or ord(sign) < 32 or ord(sign) == 127 else sign for sign in str(value)
    )
    return f'"{escaped}"'
