"""A list that is filtered as one types, and through a node of a tree."""

from dataclasses import dataclass, replace

from textual import on
from textual.widgets import Input

from backlit.store.people import TreeKind
from backlit.store.store import Store
from backlit.store.views_query import ViewSpec
from backlit.tui.acting import CannotAct
from backlit.tui.item_finding import ItemFinding
from backlit.tui.node_filter import NodeFilter
from backlit.tui.widgets.inputs import LineInput


@dataclass(frozen=True, slots=True)
class Filtering:
    """What leaves items out: a typed text, a query, a node of a tree."""

    text: str = ""
    query: str = ""
    node: NodeFilter | None = None


class LiveFilter(ItemFinding):
    """Holds the filter line and the node; subclasses place the line, and show what is left."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.node: NodeFilter | None = None
        self.filter_line = LineInput(placeholder="filter by name, or #id")
        self.filter_line.id = "filter"

    def show_view(self) -> None:
        """Show what the filters leave."""
        raise NotImplementedError

    @property
    def filtering(self) -> Filtering:
        """What the list is filtered by."""
        return Filtering(self.filter_line.value.strip(), self.spec.query, self.node)

    def take_filtering(self, filtering: Filtering) -> None:
        """Be filtered as another list is."""
        if filtering != self.filtering:
            self.node = filtering.node
            self.filter_line.value = filtering.text
            self.show_spec(self._filtered(replace(self.spec, query=filtering.query)))

    def filter_by(self, node: NodeFilter | None) -> None:
        """Show the items of a node only, or all."""
        self.node = node
        self._apply()

    @on(Input.Changed, "#filter")
    def _apply(self) -> None:
        self.show_spec(self._filtered(self.spec))

    def _filtered(self, spec: ViewSpec) -> ViewSpec:
        """The spec with the typed text and the node's ids in it."""
        areas = iterations = None
        if self.node is not None:
            tree = self.store.tree(self.node.kind)
            ids = frozenset(tree.subtree_ids(self.node.node_id) if self.node.has_subtree else (self.node.node_id,))
            areas, iterations = (ids, None) if self.node.kind is TreeKind.AREAS else (None, ids)
        text = self.filter_line.value.strip()
        return replace(spec, text=text, area_ids=areas, iteration_ids=iterations)

    def do_list_filter(self, _count: int | None) -> None:
        """Open the filter line."""
        self.filter_line.add_class("-open")
        self.filter_line.focus()

    def do_list_no_filter(self, _count: int | None) -> None:
        """Show all there is again."""
        self.node = None
        self.spec = replace(self.spec, query="")
        self._close_filter("")
        self.show_view()

    def do_app_unwind(self, _count: int | None) -> None:
        """Undo one layer: the range, the text filter, the marks, the query, the node's filter (KEYMAP, rule f)."""
        if self.items.end_range():
            return
        if self.filter_line.has_class("-open") or self.filter_line.value:
            self._close_filter("")
        elif self.items.clear_marks():
            return
        elif self.spec.query:
            self.show_spec(replace(self.spec, query=""))
        elif self.node is not None:
            self.filter_by(None)
        else:
            raise CannotAct("Nothing to cancel here; q quits.")

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self._close_filter(self.filter_line.value)

    def _close_filter(self, text: str) -> None:
        self.filter_line.value = text
        self.filter_line.remove_class("-open")
        self.items.focus()
        self._apply()
