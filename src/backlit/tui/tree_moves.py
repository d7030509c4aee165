"""Where the node under the cursor of a tree stands: its place among the others, its parent, and whether it stays."""

from backlit.model.trees import Node
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.tree_acting import TreeActing
from backlit.tui.widgets.tree_columns import number_text

NAMED = 3
"""Nodes below one that are named before it is deleted."""


class TreeMoves(TreeActing):
    """The part of a tree's screen that moves and deletes."""

    def do_tree_later(self, count: int | None) -> None:
        """Move down among the siblings."""
        self._reorder(count or 1)

    def do_tree_earlier(self, count: int | None) -> None:
        """Move up among the siblings."""
        self._reorder(-(count or 1))

    def do_tree_indent(self, _count: int | None) -> None:
        """Put it under the sibling before it."""
        node = self.movable("be moved")
        siblings = self.level(node)
        at = siblings.index(node)
        if at == 0:
            raise CannotAct("There is no node before it on its level to put it under.")
        self.act(self.store.nodes.move(self._kind, node.id, siblings[at - 1].id))

    def do_tree_outdent(self, _count: int | None) -> None:
        """Put it after its parent."""
        node = self.movable("be moved")
        parent = self.shown_tree()[node.parent_id]
        if self.is_root(parent):
            raise CannotAct("It is at the top level already.")
        index = self.level(parent).index(parent) + 1
        self.act(self.store.nodes.move(self._kind, node.id, parent.parent_id, index))

    def do_tree_move(self, _count: int | None) -> None:
        """Pick the node to put it under."""
        node = self.movable("be moved")

        def picked(choice: Choice | None) -> None:
            if choice is not None and isinstance(choice.value, int):
                self.act(self.store.nodes.move(self._kind, node.id, choice.value))

        self.pick(f"Put {node.name} under", node, picked)

    def do_tree_delete(self, _count: int | None) -> None:
        """Say what goes, ask where the items go, then for a yes."""
        node = self.movable("be deleted")
        going = self.store.nodes.what_goes(self._kind, node.id)
        if not going.items:
            self._confirm_deletion(node, node.parent_id)
            return

        def picked(choice: Choice | None) -> None:
            if choice is not None and isinstance(choice.value, int):
                self._confirm_deletion(node, choice.value)

        self.pick(f"The {_number(going.items, 'item')} of {node.name} go to", node, picked)

    def _confirm_deletion(self, node: Node, target_id: int) -> None:
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        target = self.shown_tree()[target_id]
        going = self.store.nodes.what_goes(self._kind, node.id)
        names = [f"“{self.shown_tree()[each].name}”" for each in self.shown_tree().subtree_ids(node.id)[1:]]
        more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
        below = f" with {_number(len(names), 'node')} below it ({', '.join(names[:NAMED])}{more})" if names else ""
        items = "No item is in it."
        if going.items:
            items = (
                f"{_number(going.items, 'item')} ({going.open_items:,} open with {number_text(going.points)} points,"
                f" {_number(going.tasks, 'task')}) go to “{target.name}”."
            )
        sentence = f"“{node.name}” is deleted{below}. {items} Once it is sent, u makes it anew, under a new number."

        def answered(key: str | None) -> None:
            if key == "y":
                self.act(self.store.nodes.delete(self._kind, node.id, target_id))

        self.app.push_screen(ConfirmDialog("Delete", sentence, [Answer("y", "delete it")], "leave it"), answered)

    def _reorder(self, steps: int) -> None:
        node = self.movable("be moved")
        siblings = self.level(node)
        if node is siblings[-1 if steps > 0 else 0]:
            raise CannotAct(f"It is the {'last' if steps > 0 else 'first'} on its level.")
        self.act(self.store.nodes.reorder(self._kind, node.id, steps))


def _number(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"
