"""Which nodes of a tree are listed when some are folded."""

from backlit.model.trees import Node, Tree

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
        """Whether there is something to fold."""
        return node_id in self.tree and bool(self.tree.children(node_id))

    def is_folded(self, node_id: int) -> bool:
        """Whether its children are hidden."""
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
        """The sign of a node, one cell wide."""
        if not self.has_children(node_id):
            return LEAF
        return FOLDED if node_id in self._folded else UNFOLDED

    def index_of(self, node_id: int) -> int | None:
        """Where a node is listed, or the one that hides it; None where it is not in the tree."""
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
