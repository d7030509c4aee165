"""What can be done to the node under the cursor of a tree."""

from collections.abc import Sequence
from datetime import date

from backlit.model.errors import BadRequest
from backlit.model.trees import Node
from backlit.store.nodes import NewNode
from backlit.store.people import IterationEntry
from backlit.tui.capacity_asking import ask_capacity
from backlit.tui.series import offer, overlap_words, series_lines, series_of
from backlit.tui.spans import span
from backlit.tui.tree_moves import TreeMoves
from backlit.tui.typed_days import typed_day, typed_end

LENGTHS = "+2w as the end: two weeks long, the last day included."


class TreeVerbs(TreeMoves):
    """All that can be done to a node."""

    def go_to_node(self, node_id: int) -> None:
        """Put the cursor on a node, whichever id it goes on under."""
        raise NotImplementedError

    def do_tree_add(self, _count: int | None) -> None:
        """Add a node below the current one, last."""
        node = self.writable()
        self.ask_name(f"New below {node.name}", lambda name: self._add(node.id, name, None))

    def do_tree_add_sibling(self, _count: int | None) -> None:
        """Add a node after the current one."""
        node = self.movable("have others beside it")
        index = self.level(node).index(node) + 1
        self.ask_name(f"New after {node.name}", lambda name: self._add(node.parent_id, name, index))

    def do_tree_rename(self, _count: int | None) -> None:
        """Change the name."""
        node = self.writable()
        self.ask_name("Name", lambda name: self._edit(node.id, name=name), node.name)

    def do_tree_dates(self, _count: int | None) -> None:
        """Change when it starts and ends."""
        node, entry = self.iteration("dates")
        today = self.store.today()

        def read(typed: Sequence[str]) -> str:
            start, end = _days(typed, today)
            length = f"{span(start, end, today)}, {(end - start).days + 1} days"
            return f"{length}{overlap_words(start, end, self._beside(node))}\n{LENGTHS}"

        def answered(typed: tuple[str, ...] | None) -> None:
            if typed is not None:
                start, end = _days(typed, today)
                self.act(self._edit(node.id, startDate=start, endDate=end))

        lines = [("Starts", _day(entry.start)), ("Ends", _day(entry.end))]
        self.ask_lines(f"Dates of {node.name}", lines, read, answered)

    def do_tree_capacity(self, _count: int | None) -> None:
        """Change how many points it may hold."""
        node, entry = self.iteration("capacity")
        ask_capacity(self.app, entry, lambda changes: self.act(self._edit(node.id, **changes)))

    def do_tree_release(self, _count: int | None) -> None:
        """Make it a release, or none any more."""
        node, entry = self.iteration("release flag")
        self.act(self._edit(node.id, isRelease=not entry.is_release))

    def do_tree_series(self, _count: int | None) -> None:
        """Add a series of iterations below the root or a release, and beside anything else."""
        node, entry = self.iteration("series")
        today, iterations, tree = self.store.today(), self.store.iterations(), self.shown_tree()
        is_beside = not (entry.is_release or node.parent_id not in iterations or tree.children(node.id))
        above = node.parent_id if is_beside else node.id
        children = [iterations[each.id] for each in tree.children(above)]
        begins = iterations[above].start if iterations[above].is_release else None
        below_root = [iterations[each.id] for each in tree.walk() if each.parent_id in iterations]
        lines = offer(children, below_root, begins, today)

        def answered(typed: tuple[str, ...] | None) -> None:
            if typed is not None:
                self.act(self._add_all(above, series_of(typed, today)))

        title = f"Series {'beside' if is_beside else 'below'} {node.name}"
        self.ask_lines(title, lines, lambda typed: series_lines(series_of(typed, today), children, today), answered)

    def _beside(self, node: Node) -> list[IterationEntry]:
        """The iterations on a level with one, which are releases where it is one."""
        iterations = self.store.iterations()
        here = iterations[node.id]
        others = [iterations[each.id] for each in self.level(node) if each.id != node.id]
        return [each for each in others if each.is_release == here.is_release]

    async def _add(self, parent_id: int, name: str, index: int | None) -> None:
        self.go_to_node(await self.store.nodes.add(self._kind, parent_id, NewNode(name), index))

    async def _add_all(self, parent_id: int, series: Sequence[NewNode]) -> None:
        made = await self.store.nodes.add_all(self._kind, parent_id, series)
        self.go_to_node(made[0])

    async def _edit(self, node_id: int, **changes: object) -> None:
        await self.store.nodes.edit(self._kind, node_id, changes)


def _days(typed: Sequence[str], today: date) -> tuple[date, date]:
    """The first and the last day as they are typed; raises BadRequest."""
    start = typed_day(typed[0], today, "Starts")
    end = typed_end(typed[1], start)
    if end < start:
        raise BadRequest("Ends: it cannot end before it starts.")
    return start, end


def _day(day: object) -> str:
    return str(day) if day else ""
