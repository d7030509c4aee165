"""The list that a command line asks for by its query, saved view, order and the like."""

import argparse
from typing import TYPE_CHECKING

from msgspec.structs import replace

from backlit.model.settings.view_settings import field_key, sort_key
from backlit.store.views.query import ViewSpec

if TYPE_CHECKING:
    from backlit.store.views.saved import SavedView


def list_spec(arguments: argparse.Namespace, saved: "SavedView | None" = None) -> ViewSpec:
    """Return the list; `saved` is the view that the command line names."""
    query, sort = arguments.query or "", getattr(arguments, "sort", None)
    spec = ViewSpec(with_done=not query, query=query)
    if saved is not None:
        both = f"({saved.spec.query}) ({query})" if saved.spec.query and query else saved.spec.query or query
        spec = ViewSpec(with_done=saved.spec.with_done, query=both, sort=saved.spec.sort)
    if sort:
        spec = replace(spec, sort=tuple(sort_key(each.strip()) for each in sort.split(",")))
    if getattr(arguments, "mine", False):
        spec = replace(spec, query=f"({spec.query}) @me" if spec.query else "@me")
    if group := getattr(arguments, "group", ()):
        spec = replace(spec, group=tuple(map(field_key, group)))
    done = getattr(arguments, "done", None)
    return spec if done is None else replace(spec, with_done=done == "yes")
