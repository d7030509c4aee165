"""The title of a list: program, project, filter, groups and order."""

from collections.abc import Sequence

from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filter_text import filter_words
from backlit.tui.lists.node_filter import NodeFilter
from backlit.tui.lists.saved_views import PLAIN
from backlit.tui.widgets.side_lines import Part


def left_title(names: ListNames, view: SavedView, node: NodeFilter | None, spec: ViewSpec) -> list[Part]:
    """Return the left of the title: program, project, what is shown."""
    store = names.store
    project = next((each.name for each in store.lookups.projects() if each.id == store.project_id), "")
    parts: list[Part] = [(" backlit ", "accent"), (f" {project}", "foreground")]
    if not project:
        return parts[:1]
    if view != PLAIN:
        parts.append((f" › {view.name}", "foreground"))
    elif node is None:
        parts.append((" › All items" if spec.with_done else " › Open items", "muted"))
    if node is not None:
        path = store.lookups.tree(node.kind).path(node.node_id).removeprefix(f"{project}\\").replace("\\", " › ")
        parts.append((f" › {path}" + (" and below" if node.has_subtree else ""), "foreground"))
    if spec.query != view.spec.query:
        parts.extend((f" › {phrase}", "accent") for phrase in filter_words(spec.query))
    if spec.text:
        parts.append((f" › /{spec.text}", "accent"))
    if not (spec.group or spec.sort) and store.ranking.count_local():
        parts.append(("  local order", "pending"))
    return [*parts, *_order(names, spec)]


def _order(names: ListNames, spec: ViewSpec) -> Sequence[Part]:
    parts = []
    if spec.group:
        parts.append((f"  by {', then '.join(map(names.label, spec.group))}", "muted"))
    if spec.sort:
        keys = [f"{names.label(key.name)} {'↓' if key.descending else '↑'}" for key in spec.sort]
        parts.append((f"  {', '.join(keys)}", "muted"))
    return parts
