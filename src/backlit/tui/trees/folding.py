"""The folds of a tree, and the commands on them."""

from typing import Protocol

from backlit.model.trees import Node, Tree
from backlit.tui.commands.command import Call, CannotAct

FOLDED, UNFOLDED, LEAF = "▸", "▾", " "


class Folding:
    """A tree and the nodes of it that are folded; `shown` are those that no folded one hides, in order."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.shown: list[Node] = []
        self._folded: set[int] = set()
        self._index: dict[int, int] = {}

    def replace(self, tree: Tree) -> None:
        """Take another state of the tree; what was folded stays so."""
        self.tree = tree
        self._folded = {node_id for node_id in self._folded if self.has_children(node_id)}
        self._list()

    def has_children(self, node_id: int) -> bool:
        """Return whether there is something to fold."""
        return node_id in self.tree and bool(self.tree.children(node_id))

    def is_folded(self, node_id: int) -> bool:
        """Return whether the children of a node are hidden."""
        return node_id in self._folded

    def toggle(self, node_id: int) -> None:
        """Fold or unfold one node."""
        self._folded ^= {node_id}
        self._list()

    def fold_all(self) -> None:
        """Fold whatever can be."""
        self._folded = {node.id for node in self.tree.walk() if self.has_children(node.id)}
        self._list()

    def unfold_all(self) -> None:
        """Unfold everything."""
        self._folded.clear()
        self._list()

    def sign(self, node_id: int) -> str:
        """Return the sign of a node, one cell wide."""
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


class FoldTarget(Protocol):
    """A tree list, as the commands on folds see it."""

    cursor: int
    folding: Folding

    def current(self) -> Node:
        """Return the node under the cursor; raises CannotAct in an empty tree."""

    def move_to(self, index: int) -> None:
        """Put the cursor on a row."""

    def folds_changed(self, node_id: int) -> None:
        """Draw the nodes, with the cursor on a node or on the one that hides it."""

    def filter_backlog(self) -> None:
        """Ask for the backlog of the node."""


def fold(target: FoldTarget, _call: Call) -> None:
    """Fold the node; go to the parent of a folded one."""
    node, folding = target.current(), target.folding
    if folding.has_children(node.id) and not folding.is_folded(node.id):
        _toggle(target, node)
        return
    parent = folding.tree.parent(node.id)
    index = folding.index_of(parent.id) if parent else None
    if index is not None:
        target.move_to(index)


def unfold(target: FoldTarget, _call: Call) -> None:
    """Unfold the node; go to the first child of an unfolded one."""
    node, folding = target.current(), target.folding
    if folding.is_folded(node.id):
        _toggle(target, node)
    elif folding.has_children(node.id):
        target.move_to(target.cursor + 1)


def toggle(target: FoldTarget, _call: Call) -> None:
    """Fold or unfold the node."""
    node = target.current()
    if not target.folding.has_children(node.id):
        raise CannotAct("This node has nothing to fold.")
    _toggle(target, node)


def fold_all(target: FoldTarget, _call: Call) -> None:
    """Fold every node that has children."""
    node = target.current()
    target.folding.fold_all()
    target.folds_changed(node.id)


def unfold_all(target: FoldTarget, _call: Call) -> None:
    """Unfold every node."""
    node = target.current()
    target.folding.unfold_all()
    target.folds_changed(node.id)


def filter_backlog(target: FoldTarget, _call: Call) -> None:
    """Show the backlog of the node; where it is shown already, with or without its sub-tree."""
    target.filter_backlog()


def _toggle(target: FoldTarget, node: Node) -> None:
    target.folding.toggle(node.id)
    target.folds_changed(node.id)
