"""The backlog seen through one node of a tree."""

from dataclasses import dataclass

from textual.message import Message

from backlit.store.records.people import TreeKind


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """An area or iteration, alone or with all below it."""

    kind: TreeKind
    node_id: int
    has_subtree: bool = False


class FilterAsked(Message):
    """Somebody wants to see the backlog through a node; None means all of it."""

    def __init__(self, node: NodeFilter | None) -> None:
        super().__init__()
        self.node = node
