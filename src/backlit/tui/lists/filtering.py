"""The filter that the backlog, the board and the plan share: a text, a query, a node of a tree, and a saved view."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from textual.message import Message

from backlit.model.errors import BadRequest
from backlit.model.query import AllOf, AnyOf, Condition, Node, NotThis, Word, parse_query
from backlit.model.query.keys import ANYWHERE_KEY
from backlit.model.query.syntax import quoted
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.lists.saved_views import PLAIN, SavedViews

SIGNS = frozenset(':=<>@#"()')
"""Characters of a query that a part of a name rarely has."""


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """An area or iteration, alone or with its sub-tree."""

    kind: TreeKind
    node_id: int
    has_subtree: bool = False


class FilterAsked(Message):
    """A request to filter the backlog by a node; None asks for all items."""

    def __init__(self, node: NodeFilter | None) -> None:
        super().__init__()
        self.node = node


@dataclass(frozen=True, slots=True)
class Filtering:
    """A state of the filter; the query of the view is part of `query`."""

    text: str = ""
    query: str = ""
    node: NodeFilter | None = None
    view: SavedView = PLAIN

    @classmethod
    def of(cls, view: SavedView) -> "Filtering":
        """Return the filter of a saved view alone."""
        return cls(view.spec.text, view.spec.query, None, view)

    @property
    def cleared(self) -> "Filtering":
        """The filter without text, typed query and node."""
        return Filtering(query=self.view.spec.query, view=self.view)

    @property
    def is_narrowed(self) -> bool:
        """True where the query asks for more than the view does."""
        return self.query != self.view.spec.query

    def over(self, spec: ViewSpec, store: Store) -> ViewSpec:
        """Return the spec of a list with this filter instead of its own."""
        areas = iterations = None
        if self.node is not None:
            tree = store.lookups.tree(self.node.kind)
            ids = frozenset(tree.subtree_ids(self.node.node_id) if self.node.has_subtree else (self.node.node_id,))
            areas, iterations = (ids, None) if self.node.kind is TreeKind.AREAS else (None, ids)
        return replace(spec, text=self.text, query=self.query, area_ids=areas, iteration_ids=iterations)

    def as_query(self, path: str) -> str:
        """Return text, query and node as one query; `path` is the node's."""
        parts = [self.query, quoted(self.text) if self.text and not self.text.startswith("#") else self.text]
        if self.node is not None:
            key = "area" if self.node.kind is TreeKind.AREAS else "iter"
            parts.append(f"{key}{':' if self.node.has_subtree else '='}{quoted(path)}")
        found = ""
        for part in parts:
            found = joined(found, part)
        return found


class SharedFilter:
    """The filter of all lists and their saved views; each project has a query of its own."""

    def __init__(self, store: Store) -> None:
        self.now = Filtering()
        self.views = SavedViews()
        self._store = store
        self._project_id = store.project_id
        self._queries: dict[int | None, str] = {}

    def follow_project(self) -> None:
        """Restore the query that the user left in the store's project; do nothing in the same project."""
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
    """A place with a filter."""

    store: Store
    shared: SharedFilter

    def take_filter(self) -> None:
        """Show the items that match the shared filter."""

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""


def filter_list(target: FilterTarget, filtering: Filtering) -> None:
    """Filter the list, and with it the other lists. Raises BadRequest for a malformed query."""
    if filtering.query != target.shared.now.query:
        target.store.view(ViewSpec(query=filtering.query))
    target.shared.now = filtering
    target.take_filter()


def narrowed(target: FilterTarget, typed: str, kept: str) -> Filtering:
    """Return the filter with a typed text beside a query. Raises BadRequest naming the place of a fault."""
    text, query = text_and_query(typed)
    target.store.view(ViewSpec(query=query))
    return replace(target.shared.now, text=text, query=joined(kept, query))


def drop_query(target: FilterTarget, error: BadRequest) -> None:
    """Clear a query whose names mean nothing any more, and show why."""
    target.say(f"{error} The filter was cleared.", is_bad=True)
    target.shared.now = replace(target.shared.now, query="")
    target.take_filter()


def text_and_query(text: str) -> tuple[str, str]:
    """Split a typed filter: a single word is part of a name, `#1042` an id, all else a query.

    Raises BadRequest for a malformed query.
    """
    text = text.strip()
    if text.startswith("#") and text[1:].isdecimal():
        return text, ""
    try:
        tree = parse_query(text)
    except BadRequest:
        if SIGNS.isdisjoint(text):
            return text, ""
        raise
    is_plain = tree == AllOf() or (isinstance(tree, Word) and '"' not in text)
    return (text, "") if is_plain else ("", text)


def joined(first: str, second: str) -> str:
    """Return the query that needs both of two queries."""
    return f"({first}) ({second})" if first and second else first or second


def words_wanted(query: str) -> str:
    """Return the words that a query searches texts for, without the words that it excludes."""
    return " ".join(_words(parse_query(query)))


def _words(node: Node) -> list[str]:
    match node:
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in _words(part)]
        case Condition(key, _, values) if key.lower() == ANYWHERE_KEY:
            return list(values)
        case Condition() | NotThis() | Word():
            return []
