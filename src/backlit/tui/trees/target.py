"""The place that commands on areas and iterations run in, and the questions that they share."""

from collections.abc import Sequence
from typing import Protocol

from backlit.model.trees import Node, Tree
from backlit.store.edits.checks import fault_of_name
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.target import StoreTarget
from backlit.tui.widgets.choice_list import Choice


class NodeTarget(StoreTarget, Protocol):
    """A screen with a tree and a current node."""

    @property
    def kind(self) -> TreeKind:
        """Areas or iterations."""

    @property
    def node(self) -> Node | None:
        """The node under the cursor."""

    def go_to_node(self, node_id: int) -> None:
        """Put the cursor on a node, by its temporary or its own id."""


def tree_of(target: NodeTarget) -> Tree:
    """Return the tree with the changes that are not sent yet."""
    return target.store.lookups.tree(target.kind)


def siblings_of(target: NodeTarget, node: Node) -> Sequence[Node]:
    """Return the nodes under the same parent, the node itself among them."""
    return list(tree_of(target).children(node.parent_id))


def writable_node(target: NodeTarget) -> Node:
    """Return the current node; raises CannotAct where the tree may not be changed."""
    refusal = target.store.nodes.refusal()
    if refusal:
        raise CannotAct(refusal)
    shown, tree = target.node, tree_of(target)
    if shown is None or shown.id not in tree:
        raise CannotAct("There is nothing here.")
    return tree[shown.id]


def movable_node(target: NodeTarget, act: str) -> Node:
    """Return the current node if it is no root; raises CannotAct with the act that a root refuses."""
    node = writable_node(target)
    if node in tree_of(target).roots:
        raise CannotAct(f"The root stands for the whole project; it cannot {act}.")
    return node


def current_iteration(target: NodeTarget, noun: str) -> tuple[Node, IterationEntry]:
    """Return the current iteration; raises CannotAct for areas, which lack what the noun names."""
    if target.kind is TreeKind.AREAS:
        raise CannotAct(f"Areas have no {noun}.")
    node = writable_node(target)
    return node, target.store.lookups.iterations()[node.id]


def kept_lines(target: NodeTarget, subject: str) -> StoredLines:
    """Return where the text typed about the current node is kept until it is journalled."""
    return StoredLines(target.store, f"{target.kind.value}:{writable_node(target).id}:{subject}")


async def ask_for_name(target: NodeTarget, title: str, name: str = "") -> str | None:
    """Ask for the name of a node; None without an answer."""

    def check(text: str) -> str | None:
        return fault_of_name(text.strip()) or None

    answer = await target.ask(
        LineDialog(title, name, check, is_replaced=True, kept=kept_lines(target, title.split(maxsplit=1)[0]))
    )
    return None if answer is None else answer.strip()


async def pick_node(target: NodeTarget, title: str, node: Node) -> int | None:
    """Ask for a node outside of a sub-tree, and propose the parent; None without an answer."""
    tree = tree_of(target)
    inside = set(tree.subtree_ids(node.id))
    choices = [Choice(each.id, "  " * tree.depth(each.id) + each.name) for each in tree.walk() if each.id not in inside]
    choice = await target.ask(PickDialog(title, choices, node.parent_id))
    return choice.value if choice is not None and isinstance(choice.value, int) else None
