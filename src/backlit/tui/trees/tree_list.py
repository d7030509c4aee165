"""Areas or iterations as a tree that folds; only the lines in sight are drawn."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Protocol

from textual.strip import Strip

from backlit.model.amounts import counted
from backlit.model.planning import PlannedLoad
from backlit.model.trees import Node, NodeTotals, Tree
from backlit.store.records.people import TreeKind
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.drawing.charts import Piece
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import Phase, span
from backlit.tui.lists.filtering import NodeFilter, NodeFilterRequested
from backlit.tui.trees.timeline import TIMELINE_KEY
from backlit.tui.trees.tree_columns import TreeContents, TreeLayout
from backlit.tui.widgets.line_list import LineList

FOLDED, UNFOLDED, LEAF = "▸", "▾", " "


class FoldableTree:
    """A tree and the nodes of it that are folded; `shown` are those that no folded one hides, in order."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.shown: list[Node] = []
        self._folded: set[int] = set()
        self._index: dict[int, int] = {}

    def replace(self, tree: Tree, wanted: int | None, folded: Iterable[int] = ()) -> None:
        """Take another state of the tree; fold some nodes more, and unfold those that hide the wanted one."""
        self.tree = tree
        above = tree.parent(wanted) if wanted is not None and wanted in tree else None
        opened = set()
        while above is not None:
            opened.add(above.id)
            above = tree.parent(above.id)
        self._folded = {each for each in (*self._folded, *folded) if self.has_children(each)} - opened
        self._list()

    def has_children(self, node_id: int) -> bool:
        return node_id in self.tree and bool(self.tree.children(node_id))

    def is_folded(self, node_id: int) -> bool:
        return node_id in self._folded

    def toggle(self, node_id: int) -> None:
        self._folded ^= {node_id}
        self._list()

    def fold_all(self) -> None:
        self._folded = {node.id for node in self.tree.walk() if self.has_children(node.id)}
        self._list()

    def unfold_all(self) -> None:
        self._folded.clear()
        self._list()

    def sign(self, node_id: int) -> str:
        if not self.has_children(node_id):
            return LEAF
        return FOLDED if node_id in self._folded else UNFOLDED

    def index_of(self, node_id: int) -> int | None:
        """Return the row of a node, or of the one that hides it; None where it is not in the tree."""
        above: Node | None = self.tree[node_id] if node_id in self.tree else None  # noqa: SIM401 - a Tree has no get
        while above is not None and above.id not in self._index:
            above = self.tree.parent(above.id)
        return self._index[above.id] if above else None

    def _list(self) -> None:
        self.shown = []
        hidden_below: int | None = None
        for node in self.tree.walk():
            if hidden_below is not None and self.tree.is_below(node.id, hidden_below):
                continue
            hidden_below = node.id if node.id in self._folded else None
            self.shown.append(node)
        self._index = {node.id: index for index, node in enumerate(self.shown)}


class FoldCommandTarget(Protocol):
    """A tree list, as the commands on folds see it."""

    cursor: int
    folding: FoldableTree

    def current(self) -> Node:
        """Return the node under the cursor; raises CannotAct in an empty tree."""

    def move_to(self, index: int) -> None: ...

    def folds_changed(self, node_id: int) -> None:
        """Draw the nodes, with the cursor on a node or on the one that hides it."""

    def filter_backlog(self) -> None: ...


def fold(target: FoldCommandTarget, _call: CommandContext) -> None:
    """Fold the node; go to the parent of a folded one."""
    node, folding = target.current(), target.folding
    if folding.has_children(node.id) and not folding.is_folded(node.id):
        _toggle(target, node)
        return
    parent = folding.tree.parent(node.id)
    index = folding.index_of(parent.id) if parent else None
    if index is not None:
        target.move_to(index)


def unfold(target: FoldCommandTarget, _call: CommandContext) -> None:
    """Unfold the node; go to the first child of an unfolded one."""
    node, folding = target.current(), target.folding
    if folding.is_folded(node.id):
        _toggle(target, node)
    elif folding.has_children(node.id):
        target.move_to(target.cursor + 1)


def toggle(target: FoldCommandTarget, _call: CommandContext) -> None:
    node = target.current()
    if not target.folding.has_children(node.id):
        raise CannotAct("Nothing to fold here.")
    _toggle(target, node)


def fold_all(target: FoldCommandTarget, call: CommandContext) -> None:
    node = target.current()
    getattr(target.folding, call.command.argument)()
    target.folds_changed(node.id)


def filter_backlog(target: FoldCommandTarget, _call: CommandContext) -> None:
    target.filter_backlog()


def _toggle(target: FoldCommandTarget, node: Node) -> None:
    target.folding.toggle(node.id)
    target.folds_changed(node.id)


class TreeList(LineList):
    """The nodes that no folded one hides, drawn in columns; posts NodeFilterRequested for the node that is chosen."""

    COMMAND_GROUPS = ("trees.tree_list", *LineList.COMMAND_GROUPS)
    HEADER_LINES = 1

    def __init__(self, kind: TreeKind, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._kind = kind
        self._branches = TreeContents(Tree(), {}, date.min)
        self._filter: NodeFilter | None = None
        self.folding = FoldableTree()
        self._strips: dict[tuple[int, bool], Strip] = {}
        self._layout: TreeLayout | None = None
        self._followed: dict[int, int] = {}

    # What is shown

    def show(self, branches: TreeContents, node_filter: NodeFilter | None) -> None:
        """Show a tree, the cursor where it was: on the node, else near its line.

        At first the cursor is on what is current, and some nodes are folded.
        """
        is_same = any(root.id in branches.tree for root in self.folding.tree.roots)
        followed = self._followed.get(self.node.id, self.node.id) if self.node else None
        self._followed = {}
        wanted = followed if is_same else _first_node(branches, node_filter)
        if not is_same:
            self.cursor = self.top = 0
        self._branches = branches
        self._filter = node_filter if node_filter and node_filter.kind is self._kind else None
        self.folding.replace(branches.tree, wanted, () if is_same else branches.folded_at_first)
        self.folds_changed(wanted)

    def follow(self, ids: Mapping[int, int]) -> None:
        """Have the cursor go from one node to another when the tree is shown next."""
        self._followed |= ids

    @property
    def node(self) -> Node | None:
        shown = self.folding.shown
        return shown[self.cursor] if self.cursor < len(shown) else None

    def centre(self) -> None:
        self.scroll_cursor_to(self.page // 2)

    def about(self, node: Node, *, is_brief: bool = False) -> list[str]:
        """Return the name of a node, its days, and what is open in it and below; briefly what no row has."""
        totals = self._branches.all.get(node.id, NodeTotals())
        iteration = self._branches.iterations.get(node.id)
        days = span(iteration.start, iteration.end, self._branches.today) if iteration is not None else ""
        words = [days] * bool(days)
        if not is_brief:
            words += [
                counted(totals.count, "open item"),
                counted(totals.points, "pt") + self._percent_of(totals.points),
            ]
        return [f"{node.name} · ", " · ".join(words)] if words else []

    def _percent_of(self, points: float) -> str:
        """Return the part of all open points that an area has; nothing for iterations and for all."""
        whole = sum(self._branches.all[root.id].points for root in self._branches.tree.roots)
        return f" ({points / whole:.0%})" if self._kind is TreeKind.AREAS and 0 < points < whole else ""

    def load_of(self, node_id: int) -> PlannedLoad:
        """Return the load of an iteration below the root, and of all below it."""
        is_root = self._branches.tree.parent(node_id) is None
        return PlannedLoad() if is_root else self._branches.load_of(node_id)

    @property
    def legend(self) -> Sequence[Piece]:
        """Return the key of the timeline; nothing without one."""
        return TIMELINE_KEY if self.columns.timeline is not None else ()

    def row_count(self) -> int:
        return len(self.folding.shown)

    def folds_changed(self, wanted: int | None) -> None:
        """Draw the nodes, with the cursor on a node or on the one that hides it; None leaves it on its line."""
        self._forget_drawn()
        index = self.folding.index_of(wanted) if wanted is not None else None
        self.rows_replaced(self.cursor if index is None else index)
        self.post_message(self.Highlighted(self, self.cursor))

    # Drawing

    def render_header(self, y: int) -> Strip:
        return self.columns.header() if self.row_count() else super().render_header(y)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        node = self.folding.shown[index]
        strip = self._strips.get((node.id, is_cursor))
        if strip is None:
            strip = self.columns.row(
                node, fold=self.folding.sign(node.id), filter_sign=self._filter_sign(node.id), is_cursor=is_cursor
            )
            self._strips[node.id, is_cursor] = strip
        return self.with_scrollbar(strip, index)

    def on_resize(self) -> None:
        self._forget_drawn()
        super().on_resize()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._forget_drawn()

    def _forget_drawn(self) -> None:
        self._layout = None
        self._strips.clear()

    @property
    def columns(self) -> TreeLayout:
        if self._layout is None:
            self._layout = TreeLayout(self.size.width, self._branches, ThemeStyles.of(self.app))
        return self._layout

    # Commands

    def current(self) -> Node:
        """Return the node under the cursor; raises CannotAct in an empty tree."""
        node = self.node
        if node is None:
            raise CannotAct(self.empty_text or "This tree is empty.")
        return node

    def filter_backlog(self) -> None:
        node = self.current()
        is_again = self._filter is not None and self._filter.node_id == node.id
        has_subtree = is_again and self._filter is not None and not self._filter.has_subtree
        self.post_message(NodeFilterRequested(NodeFilter(self._kind, node.id, has_subtree=has_subtree)))

    def _filter_sign(self, node_id: int) -> str:
        chosen = self._filter
        tree = self.folding.tree
        if chosen is None or chosen.node_id not in tree:
            return " "
        is_below = chosen.has_subtree and tree.is_below(node_id, chosen.node_id)
        return "✓" if node_id == chosen.node_id or is_below else " "


def _first_node(branches: TreeContents, chosen: NodeFilter | None) -> int | None:
    """Return the node the cursor starts on: the one of the filter, else the innermost current iteration."""
    if chosen is not None and chosen.node_id in branches.tree:
        return chosen.node_id
    current = [node.id for node in branches.tree.walk() if branches.phases.get(node.id) is Phase.CURRENT]
    return max(current, key=branches.tree.depth, default=None)
