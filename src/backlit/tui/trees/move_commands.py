"""Commands that move the current node of a tree, or delete it."""

from backlit.model.reports.report import number_text
from backlit.model.trees import Node
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.trees.target import NodeTarget, movable_node, pick_node, siblings_of, tree_of

NAMED = 3
"""Nodes below one that are named before it is deleted."""


async def reorder(target: NodeTarget, call: Call) -> None:
    """Move among the siblings, in the direction of the command's argument and by the count."""
    steps = int(call.command.argument) * (call.count or 1)
    node = movable_node(target, "be moved")
    if node is siblings_of(target, node)[-1 if steps > 0 else 0]:
        raise CannotAct(f"It is the {'last' if steps > 0 else 'first'} on its level.")
    await target.store.nodes.reorder(target.kind, node.id, steps)


async def indent(target: NodeTarget, _call: Call) -> None:
    """Put the node under the sibling before it."""
    node = movable_node(target, "be moved")
    siblings = siblings_of(target, node)
    at = siblings.index(node)
    if at == 0:
        raise CannotAct("There is no node before it on its level to put it under.")
    await target.store.nodes.move(target.kind, node.id, siblings[at - 1].id)


async def outdent(target: NodeTarget, _call: Call) -> None:
    """Put the node after its parent."""
    node = movable_node(target, "be moved")
    parent = tree_of(target)[node.parent_id]
    if parent in tree_of(target).roots:
        raise CannotAct("It is at the top level already.")
    index = siblings_of(target, parent).index(parent) + 1
    await target.store.nodes.move(target.kind, node.id, parent.parent_id, index)


async def move(target: NodeTarget, _call: Call) -> None:
    """Put the node under another one, which is picked."""
    node = movable_node(target, "be moved")
    parent_id = await pick_node(target, f"Put {node.name} under", node)
    if parent_id is not None:
        await target.store.nodes.move(target.kind, node.id, parent_id)


async def delete(target: NodeTarget, _call: Call) -> None:
    """Delete the node, once it is known where its items go and the question is answered by yes."""
    node = movable_node(target, "be deleted")
    going = target.store.nodes.extent(target.kind, node.id)
    receiver_id: int | None = node.parent_id
    if going.items:
        receiver_id = await pick_node(target, f"The {_number(going.items, 'item')} of {node.name} go to", node)
    if receiver_id is None:
        return
    sentence = _deletion_sentence(target, node, receiver_id)
    key = await target.ask(ConfirmDialog("Delete", sentence, [Answer("y", "delete it")], "leave it"))
    if key == "y":
        await target.store.nodes.delete(target.kind, node.id, receiver_id)


def _deletion_sentence(target: NodeTarget, node: Node, receiver_id: int) -> str:
    """Name the nodes below, and the number of items with their receiver."""
    tree, going = tree_of(target), target.store.nodes.extent(target.kind, node.id)
    names = [f"“{tree[each].name}”" for each in tree.subtree_ids(node.id)[1:]]
    more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
    below = f" with {_number(len(names), 'node')} below it ({', '.join(names[:NAMED])}{more})" if names else ""
    items = "No item is in it."
    if going.items:
        items = (
            f"{_number(going.items, 'item')} ({going.open_items:,} open with {number_text(going.points)} points,"
            f" {_number(going.tasks, 'task')}) go to “{tree[receiver_id].name}”."
        )
    return f"“{node.name}” is deleted{below}. {items} Once it is sent, u makes it anew, under a new number."


def _number(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"
