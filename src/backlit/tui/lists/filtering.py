"""The filter that the backlog, the board and the plan share: a text, a query, a node of a tree, and a saved view."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from backlit.model.errors import BadRequest
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.lists.node_filter import NodeFilter
from backlit.tui.lists.query_text import joined, text_and_query
from backlit.tui.lists.saved_views import PLAIN, SavedViews


@dataclass(frozen=True, slots=True)
class Filtering:
    """A state of the filter; the query of the view is part of `query`."""

    text: str = ""
    query: str = ""
    node: NodeFilter | None = None
    view: SavedView = PLAIN

    @classmethod
    def of(cls, view: SavedView) -> "Filtering":
        """Return the filter that a saved view has by itself."""
        return cls(view.spec.text, view.spec.query, None, view)

    @property
    def cleared(self) -> "Filtering":
        """The filter with nothing but its view."""
        return Filtering(query=self.view.spec.query, view=self.view)

    @property
    def is_narrowed(self) -> bool:
        """True where the query asks for more than the view does."""
        return self.query != self.view.spec.query

    def over(self, spec: ViewSpec, store: Store) -> ViewSpec:
        """Return the spec of a list with this filter in the place of its own."""
        areas = iterations = None
        if self.node is not None:
            tree = store.lookups.tree(self.node.kind)
            ids = frozenset(tree.subtree_ids(self.node.node_id) if self.node.has_subtree else (self.node.node_id,))
            areas, iterations = (ids, None) if self.node.kind is TreeKind.AREAS else (None, ids)
        return replace(spec, text=self.text, query=self.query, area_ids=areas, iteration_ids=iterations)


class SharedFilter:
    """The filter of all lists, and the saved views they offer; each project has a query of its own."""

    def __init__(self, store: Store) -> None:
        self.now = Filtering()
        self.views = SavedViews()
        self._store = store
        self._project_id = store.project_id
        self._queries: dict[int | None, str] = {}

    def follow_project(self) -> None:
        """Take the query back that the store's project was left with; nothing where the project is the same."""
        if self._store.project_id != self._project_id:
            self._queries[self._project_id] = self.now.query
            self._project_id = self._store.project_id
            query = self._queries.get(self._project_id, self.now.view.spec.query)
            self.now = replace(self.now, query=query, node=None)

    def rename(self, ids: Mapping[int, int]) -> None:
        """Follow a node whose temporary id became a real one."""
        node = self.now.node
        if node is not None and node.node_id in ids:
            self.now = replace(self.now, node=replace(node, node_id=ids[node.node_id]))


class FilterTarget(Protocol):
    """A place that is filtered."""

    store: Store
    shared: SharedFilter

    def take_filter(self) -> None:
        """Show what the shared filter leaves."""

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""


def filter_list(target: FilterTarget, filtering: Filtering) -> None:
    """Filter the list, and with it the others. Raises BadRequest for a query that cannot be read."""
    if filtering.query != target.shared.now.query:
        target.store.view(ViewSpec(query=filtering.query))
    target.shared.now = filtering
    target.take_filter()


def narrowed(target: FilterTarget, typed: str, kept: str) -> Filtering:
    """Return the filter with a query that is kept, and what is typed. Raises BadRequest naming the place in it."""
    text, query = text_and_query(typed)
    target.store.view(ViewSpec(query=query))
    return replace(target.shared.now, text=text, query=joined(kept, query))


def drop_query(target: FilterTarget, error: BadRequest) -> None:
    """Go on without a query whose names mean nothing any more."""
    target.say(f"{error} The filter is cleared.", is_bad=True)
    target.shared.now = replace(target.shared.now, query="")
    target.take_filter()
