"""What can be done to the node under the cursor of a tree."""

from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.trees import Node, Tree
from backlit.store.nodes import NewNode
from backlit.store.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.screens.base import StoreScreen
from backlit.tui.series import series_lines, series_of
from backlit.tui.spans import span
from backlit.tui.typed_days import typed_day, typed_number
from backlit.tui.widgets.tree_columns import number_text
from backlit.tui.widgets.tree_list import TreeList
from backlit.tui.work import work

USUAL_WEEKS = 2


class TreeVerbs(StoreScreen[None]):
    """A screen with a tree; every act is journalled and shown at once."""

    def __init__(self, store: Store, kind: TreeKind) -> None:
        super().__init__(store)
        self._kind = kind
        self._tree: TreeList
        self._wanted_node: int | None = None

    # Commands

    def do_tree_add(self, _count: int | None) -> None:
        """Add a node below the current one, last."""
        node = self._writable()
        self._ask_name(f"New below {node.name}", lambda name: self._add(node.id, name, None))

    def do_tree_add_sibling(self, _count: int | None) -> None:
        """Add a node after the current one."""
        node = self._movable("have others beside it")
        index = self._siblings(node).index(node) + 1
        self._ask_name(f"New after {node.name}", lambda name: self._add(node.parent_id, name, index))

    def do_tree_rename(self, _count: int | None) -> None:
        """Change the name."""
        node = self._writable()
        self._ask_name("Name", lambda name: self._edit(node.id, name=name), node.name)

    def do_tree_dates(self, _count: int | None) -> None:
        """Change when it starts and ends."""
        node, entry = self._iteration("dates")
        today = self.store.today()

        def read(typed: Sequence[str]) -> str:
            start = typed_day(typed[0], today)
            end = typed_day(typed[1], start)
            if end < start:
                raise BadRequest("It cannot end before it starts.")
            return f"{span(start, end, today)}, {(end - start).days + 1} days"

        def answered(typed: tuple[str, ...] | None) -> None:
            if typed is not None:
                start = typed_day(typed[0], today)
                self._act(self._edit(node.id, startDate=start, endDate=typed_day(typed[1], start)))

        lines = [("Starts", _day(entry.start)), ("Ends", _day(entry.end))]
        self._ask_lines(f"Dates of {node.name}", lines, read, answered)

    def do_tree_capacity(self, _count: int | None) -> None:
        """Change how many points it may hold."""
        node, entry = self._iteration("capacity")

        def read(typed: Sequence[str]) -> str:
            least, most = map(typed_number, typed)
            if (least or 0) < 0 or (most or 0) < 0:
                raise BadRequest("A capacity cannot be less than 0.")
            if least and most and least > most:
                raise BadRequest("The least cannot be more than the most.")
            return ""

        def answered(typed: tuple[str, ...] | None) -> None:
            if typed is not None:
                least, most = map(typed_number, typed)
                self._act(self._edit(node.id, minCapacity=least, maxCapacity=most))

        lines = [("Least points", _points(entry.min_capacity)), ("Most points", _points(entry.max_capacity))]
        self._ask_lines(f"Capacity of {node.name}", lines, read, answered)

    def do_tree_release(self, _count: int | None) -> None:
        """Make it a release, or none any more."""
        node, entry = self._iteration("release flag")
        self._act(self._edit(node.id, isRelease=not entry.is_release))

    def do_tree_series(self, _count: int | None) -> None:
        """Add a series of iterations below the current one."""
        node, _ = self._iteration("series")
        today = self.store.today()
        children = [self.store.iterations()[each.id] for each in self._shown_tree().children(node.id)]
        ends = [each.end for each in children if each.end]
        start = max(ends) + timedelta(days=1) if ends else today
        lines = [
            ("Name", "Sprint {n}"),
            ("First number", str(len(children) + 1)),
            ("How many", "6"),
            ("Weeks each", str(USUAL_WEEKS)),
            ("From", start.isoformat()),
        ]

        def answered(typed: tuple[str, ...] | None) -> None:
            if typed is not None:
                self._act(self._add_all(node.id, series_of(typed, today)))

        title = f"Series below {node.name}"
        self._ask_lines(title, lines, lambda typed: series_lines(series_of(typed, today), today), answered)

    def do_tree_later(self, count: int | None) -> None:
        """Move down among the siblings."""
        self._reorder(count or 1)

    def do_tree_earlier(self, count: int | None) -> None:
        """Move up among the siblings."""
        self._reorder(-(count or 1))

    def do_tree_indent(self, _count: int | None) -> None:
        """Put it under the sibling before it."""
        node = self._movable("be moved")
        siblings = self._siblings(node)
        at = siblings.index(node)
        if at == 0:
            raise CannotAct("There is no node before it on its level to put it under.")
        self._act(self.store.nodes.move(self._kind, node.id, siblings[at - 1].id))

    def do_tree_outdent(self, _count: int | None) -> None:
        """Put it after its parent."""
        node = self._movable("be moved")
        parent = self._shown_tree()[node.parent_id]
        if self._is_root(parent):
            raise CannotAct("It is at the top level already.")
        index = self._siblings(parent).index(parent) + 1
        self._act(self.store.nodes.move(self._kind, node.id, parent.parent_id, index))

    def do_tree_move(self, _count: int | None) -> None:
        """Pick the node to put it under."""
        node = self._movable("be moved")

        def picked(choice: Choice | None) -> None:
            if choice is not None and isinstance(choice.value, int):
                self._act(self.store.nodes.move(self._kind, node.id, choice.value))

        self._pick(f"Put {node.name} under", node, picked)

    def do_tree_delete(self, _count: int | None) -> None:
        """Say what goes, ask where the items go, then for a yes."""
        node = self._movable("be deleted")
        going = self.store.nodes.what_goes(self._kind, node.id)
        if not going.items:
            self._confirm_deletion(node, node.parent_id)
            return

        def picked(choice: Choice | None) -> None:
            if choice is not None and isinstance(choice.value, int):
                self._confirm_deletion(node, choice.value)

        self._pick(f"The {_number(going.items, 'item')} of {node.name} go to", node, picked)

    # How it is done

    def _confirm_deletion(self, node: Node, target_id: int) -> None:
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        target = self._shown_tree()[target_id]
        going = self.store.nodes.what_goes(self._kind, node.id)
        below = f" with {_number(going.nodes - 1, 'node')} below it" if going.nodes > 1 else ""
        items = "No item is in it."
        if going.items:
            items = (
                f"{_number(going.items, 'item')} ({going.open_items:,} open with {number_text(going.points)} points,"
                f" {_number(going.tasks, 'task')}) go to “{target.name}”."
            )
        sentence = f"“{node.name}” is deleted{below}. {items} That cannot be undone once it is sent."

        def answered(key: str | None) -> None:
            if key == "y":
                self._act(self.store.nodes.delete(self._kind, node.id, target_id))

        self.app.push_screen(ConfirmDialog("Delete", sentence, [Answer("y", "delete it")], "leave it"), answered)

    def _reorder(self, steps: int) -> None:
        node = self._movable("be moved")
        siblings = self._siblings(node)
        if node is siblings[-1 if steps > 0 else 0]:
            raise CannotAct(f"It is the {'last' if steps > 0 else 'first'} on its level.")
        self._act(self.store.nodes.reorder(self._kind, node.id, steps))

    async def _add(self, parent_id: int, name: str, index: int | None) -> None:
        self._wanted_node = await self.store.nodes.add(self._kind, parent_id, NewNode(name), index)

    async def _add_all(self, parent_id: int, series: Sequence[NewNode]) -> None:
        made = await self.store.nodes.add_all(self._kind, parent_id, series)
        self._wanted_node = made[0]

    async def _edit(self, node_id: int, **changes: object) -> None:
        await self.store.nodes.edit(self._kind, node_id, changes)

    def _act(self, act: Coroutine[Any, Any, object]) -> None:
        self.run_worker(work(self._acted, act), group="writes")

    async def _acted(self, act: Coroutine[Any, Any, object]) -> None:
        try:
            await act
        except BacklitError as error:
            self.say(str(error), is_bad=True)

    def _ask_name(self, title: str, act: Callable[[str], Coroutine[Any, Any, object]], name: str = "") -> None:
        from backlit.tui.dialogs.line import LineDialog

        def answered(text: str | None) -> None:
            if text is not None:
                self._act(act(text.strip()))

        def check(text: str) -> str | None:
            return None if text.strip() else "The name cannot be empty."

        self.app.push_screen(LineDialog(title, name, check, is_replaced=True), answered)

    def _ask_lines(
        self,
        title: str,
        lines: Sequence[tuple[str, str]],
        read: Callable[[Sequence[str]], str],
        answered: Callable[[tuple[str, ...] | None], None],
    ) -> None:
        from backlit.tui.dialogs.lines import LinesDialog

        self.app.push_screen(LinesDialog(title, lines, read), answered)

    def _pick(self, title: str, node: Node, picked: Callable[[Choice | None], None]) -> None:
        """Ask for a node outside of a sub-tree; the parent is proposed."""
        from backlit.tui.dialogs.pick import PickDialog

        tree = self._shown_tree()
        inside = set(tree.subtree_ids(node.id))
        choices = [
            Choice(each.id, "  " * tree.depth(each.id) + each.name) for each in tree.walk() if each.id not in inside
        ]
        self.app.push_screen(PickDialog(title, choices, node.parent_id), picked)

    # What can be acted on

    def _shown_tree(self) -> Tree:
        return self.store.tree(self._kind)

    def _siblings(self, node: Node) -> list[Node]:
        return list(self._shown_tree().children(node.parent_id))

    def _is_root(self, node: Node) -> bool:
        return node in self._shown_tree().roots

    def _writable(self) -> Node:
        refusal = self.store.nodes.refusal()
        if refusal:
            raise CannotAct(refusal)
        shown, tree = self._tree.node, self._shown_tree()
        if shown is None or shown.id not in tree:
            raise CannotAct("There is nothing here.")
        return tree[shown.id]

    def _movable(self, what: str) -> Node:
        node = self._writable()
        if self._is_root(node):
            raise CannotAct(f"The root stands for the whole project; it cannot {what}.")
        return node

    def _iteration(self, what: str) -> tuple[Node, IterationEntry]:
        if self._kind is TreeKind.AREAS:
            raise CannotAct(f"Areas have no {what}.")
        node = self._writable()
        return node, self.store.iterations()[node.id]


def _day(day: object) -> str:
    return str(day) if day else ""


def _points(value: float | None) -> str:
    return number_text(value) if value else ""


def _number(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"
