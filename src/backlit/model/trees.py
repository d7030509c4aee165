"""Trees of areas and iterations: order, paths, subtrees and totals."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import item_counts

ROOT_PARENT = -1
"""The parentId of a root."""
_SEPARATOR = "\\"


def fault_in_path(name: str, what: str) -> str:
    """Return the sentence that refuses `what` it is as a part of a path, or an empty text."""
    return f"{what} may not contain a backslash: paths are written with it." if _SEPARATOR in name else ""


def words_below_root(path: str) -> str:
    """Return a path as screens write it, without the root that all paths have; empty for the root itself."""
    return path.partition(_SEPARATOR)[2].replace(_SEPARATOR, " › ")


class Node(Struct, frozen=True):
    """An area or iteration, reduced to its place in the tree."""

    id: int
    parent_id: int
    name: str
    sequence: int = 0


class NodeTotals(Struct, frozen=True):
    """A count of items, the sum of their points, and a count of tasks, which are counted apart.

    `left_out` are the points of Features among them that do not count, as the items below these do.
    """

    count: int = 0
    points: float = 0.0
    tasks: int = 0
    left_out: float = 0.0

    def __add__(self, other: "NodeTotals") -> "NodeTotals":
        return NodeTotals(
            self.count + other.count,
            self.points + other.points,
            self.tasks + other.tasks,
            self.left_out + other.left_out,
        )

    @property
    def words(self) -> str:
        """The counts: "12 items", "3 tasks", or "12 items, 3 tasks"."""
        return item_counts(self.count, self.tasks)


NO_TOTALS = NodeTotals()


class Tree:
    """The nodes in order: siblings by sequence, then id.

    Any set of nodes makes a tree: a node without its parent, and one of every circle, is placed under
    the first root, or becomes a root if there is none, with a changed `parent_id`. Raises KeyError for
    an unknown id.
    """

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._nodes = _rooted({node.id: node for node in nodes})
        self._children: dict[int, list[Node]] = {}
        for node in sorted(self._nodes.values(), key=lambda node: (node.sequence, node.id)):
            self._children.setdefault(node.parent_id, []).append(node)
        self._order: list[int] = []
        self._position: dict[int, int] = {}
        self._depth: dict[int, int] = {}
        self._path: dict[int, str] = {}
        self._place()
        self._size = dict.fromkeys(self._order, 1)
        # Backwards, each node comes after all below it.
        for node_id in reversed(self._order):
            parent_id = self._nodes[node_id].parent_id
            if parent_id in self._size:
                self._size[parent_id] += self._size[node_id]

    def _place(self) -> None:
        waiting = list(reversed(self.roots))
        while waiting:
            node = waiting.pop()
            is_root = node.parent_id not in self._nodes
            self._position[node.id] = len(self._order)
            self._order.append(node.id)
            self._depth[node.id] = 0 if is_root else self._depth[node.parent_id] + 1
            self._path[node.id] = node.name if is_root else f"{self._path[node.parent_id]}\\{node.name}"
            waiting.extend(reversed(self.children(node.id)))

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def __getitem__(self, node_id: int) -> Node:
        return self._nodes[node_id]

    @property
    def roots(self) -> tuple[Node, ...]:
        return tuple(self._children.get(ROOT_PARENT, ()))

    def children(self, node_id: int) -> tuple[Node, ...]:
        return tuple(self._children.get(node_id, ()))

    def parent(self, node_id: int) -> Node | None:
        return self._nodes.get(self._nodes[node_id].parent_id)

    def subtree_ids(self, node_id: int) -> tuple[int, ...]:
        """Return the node and its descendants, depth first."""
        start = self._position[node_id]
        return tuple(self._order[start : start + self._size[node_id]])

    def depth(self, node_id: int) -> int:
        """Return the number of ancestors; 0 for a root."""
        return self._depth[node_id]

    def path(self, node_id: int) -> str:
        """Return the names from the root down, joined by backslashes; names may contain backslashes too."""
        return self._path[node_id]

    def walk(self) -> Iterator[Node]:
        """Yield all nodes, depth first."""
        return (self._nodes[node_id] for node_id in self._order)

    def is_below(self, node_id: int, ancestor_id: int) -> bool:
        """Return True for a descendant of another node; no node is below itself."""
        distance = self._position[node_id] - self._position[ancestor_id]
        return 0 < distance < self._size[ancestor_id]

    def roll_up(self, own: Mapping[int, NodeTotals]) -> Mapping[int, NodeTotals]:
        """Add the totals of all descendants to each node; drop ids outside the tree."""
        rolled = {node_id: own.get(node_id, NodeTotals()) for node_id in self._order}
        for node_id in reversed(self._order):
            parent_id = self._nodes[node_id].parent_id
            if parent_id in rolled:
                rolled[parent_id] += rolled[node_id]
        return rolled


def _rooted(nodes: dict[int, Node]) -> dict[int, Node]:
    """Place orphans and circles so that every node leads up to a root."""
    nodes = {node_id: node for node_id, node in nodes.items() if node_id != ROOT_PARENT}
    roots = [node for node in nodes.values() if node.parent_id == ROOT_PARENT]
    home = min(roots, key=lambda node: (node.sequence, node.id)).id if roots else ROOT_PARENT
    # Each walk up ends at the first node that an earlier walk has settled, so that all walks together are linear.
    settled = {node.id for node in roots}
    for node_id in sorted(nodes):
        trail: set[int] = set()
        current = node_id
        while current not in settled:
            trail.add(current)
            above = nodes[current].parent_id
            if above not in nodes or above in trail:
                nodes[current] = replace(nodes[current], parent_id=home)
                break
            current = above
        settled |= trail
    return nodes
