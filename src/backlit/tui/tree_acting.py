"""What every act on a tree does: look whether it may be done, ask, journal, and say what was refused."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from backlit.model.errors import BacklitError
from backlit.model.trees import Node, Tree
from backlit.store.node_checks import fault_of_name
from backlit.store.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.screens.base import StoreScreen
from backlit.tui.widgets.tree_list import TreeList
from backlit.tui.work import work


class TreeActing(StoreScreen[None]):
    """A screen with a tree; every act is journalled and shown at once."""

    def __init__(self, store: Store, kind: TreeKind) -> None:
        super().__init__(store)
        self._kind = kind
        self._tree: TreeList

    def act(self, act: Coroutine[Any, Any, object]) -> None:
        """Do something of the store in the background and say what it refused."""
        self.run_worker(work(self._acted, act), group="writes")

    async def _acted(self, act: Coroutine[Any, Any, object]) -> None:
        try:
            await act
        except BacklitError as error:
            self.say(str(error), is_bad=True)

    def ask_name(self, title: str, act: Callable[[str], Coroutine[Any, Any, object]], name: str = "") -> None:
        """Ask for a name, then do something with it."""
        from backlit.tui.dialogs.line import LineDialog

        def answered(text: str | None) -> None:
            if text is not None:
                self.act(act(text.strip()))

        def check(text: str) -> str | None:
            return fault_of_name(text.strip()) or None

        self.app.push_screen(LineDialog(title, name, check, is_replaced=True), answered)

    def ask_lines(
        self,
        title: str,
        lines: Sequence[tuple[str, str]],
        read: Callable[[Sequence[str]], str],
        answered: Callable[[tuple[str, ...] | None], None],
    ) -> None:
        """Ask for several short values at once; `read` says what they mean, or raises BadRequest."""
        from backlit.tui.dialogs.lines import LinesDialog

        self.app.push_screen(LinesDialog(title, lines, read), answered)

    def pick(self, title: str, node: Node, picked: Callable[[Choice | None], None]) -> None:
        """Ask for a node outside of a sub-tree; the parent is proposed."""
        from backlit.tui.dialogs.pick import PickDialog

        tree = self.shown_tree()
        inside = set(tree.subtree_ids(node.id))
        choices = [
            Choice(each.id, "  " * tree.depth(each.id) + each.name) for each in tree.walk() if each.id not in inside
        ]
        self.app.push_screen(PickDialog(title, choices, node.parent_id), picked)

    # What can be acted on

    def shown_tree(self) -> Tree:
        """The tree with what is not sent yet."""
        return self.store.tree(self._kind)

    def level(self, node: Node) -> list[Node]:
        """The nodes under the same parent, itself among them."""
        return list(self.shown_tree().children(node.parent_id))

    def is_root(self, node: Node) -> bool:
        """Whether a node stands for the whole project."""
        return node in self.shown_tree().roots

    def writable(self) -> Node:
        """The current node. Raises CannotAct where the tree may not be changed."""
        refusal = self.store.nodes.refusal()
        if refusal:
            raise CannotAct(refusal)
        shown, tree = self._tree.node, self.shown_tree()
        if shown is None or shown.id not in tree:
            raise CannotAct("There is nothing here.")
        return tree[shown.id]

    def movable(self, what: str) -> Node:
        """The current node, if it is no root. Raises CannotAct naming `what` a root cannot do."""
        node = self.writable()
        if self.is_root(node):
            raise CannotAct(f"The root stands for the whole project; it cannot {what}.")
        return node

    def iteration(self, what: str) -> tuple[Node, IterationEntry]:
        """The current iteration. Raises CannotAct for areas, which have no `what`."""
        if self._kind is TreeKind.AREAS:
            raise CannotAct(f"Areas have no {what}.")
        node = self.writable()
        return node, self.store.iterations()[node.id]
