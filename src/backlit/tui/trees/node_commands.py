"""Commands that add nodes to a tree and change the current one."""

from collections.abc import Sequence
from datetime import date

from backlit.model.errors import BadRequest
from backlit.model.trees import Node
from backlit.store.edits.nodes import NewNode
from backlit.store.records.people import IterationEntry
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.capacity import ask_for_capacity
from backlit.tui.dialogs.line import LinesDialog
from backlit.tui.fields.dates import typed_day, typed_end
from backlit.tui.fields.iteration_dates import span
from backlit.tui.trees.iteration_series import offer, overlap_words, series_lines, series_of
from backlit.tui.trees.target import (
    NodeTarget,
    ask_for_name,
    current_iteration,
    kept_lines,
    movable_node,
    siblings_of,
    tree_of,
    writable_node,
)

LENGTHS = "+2w as the end: two weeks long, the last day included."


async def add_below(target: NodeTarget, _call: Call) -> None:
    """Add a node below the current one, last."""
    node = writable_node(target)
    await _add(target, f"New below {node.name}", node.id, None)


async def add_beside(target: NodeTarget, _call: Call) -> None:
    """Add a node after the current one."""
    node = movable_node(target, "have others beside it")
    index = siblings_of(target, node).index(node) + 1
    await _add(target, f"New after {node.name}", node.parent_id, index)


async def rename(target: NodeTarget, _call: Call) -> None:
    """Change the name."""
    node = writable_node(target)
    name = await ask_for_name(target, "Name", node.name)
    if name is not None:
        await target.store.nodes.edit(target.kind, node.id, {"name": name})


async def change_dates(target: NodeTarget, _call: Call) -> None:
    """Change the start and the end of an iteration."""
    node, entry = current_iteration(target, "dates")
    today = target.store.today()

    def read(typed: Sequence[str]) -> str:
        start, end = _days(typed, today)
        length = f"{span(start, end, today)}, {(end - start).days + 1} days"
        return f"{length}{overlap_words(start, end, _iterations_beside(target, node))}\n{LENGTHS}"

    lines = [("Starts", _day(entry.start)), ("Ends", _day(entry.end))]
    typed = await target.ask(LinesDialog(f"Dates of {node.name}", lines, read, kept_lines(target, "dates")))
    if typed is not None:
        start, end = _days(typed, today)
        await target.store.nodes.edit(target.kind, node.id, {"startDate": start, "endDate": end})


async def change_capacity(target: NodeTarget, _call: Call) -> None:
    """Change the least and the most points of an iteration."""
    node, entry = current_iteration(target, "capacity")
    changes = await ask_for_capacity(target, entry)
    if changes is not None:
        await target.store.nodes.edit(target.kind, node.id, changes)


async def turn_into_release(target: NodeTarget, _call: Call) -> None:
    """Make an iteration a release, or a release an iteration."""
    node, entry = current_iteration(target, "release flag")
    await target.store.nodes.edit(target.kind, node.id, {"isRelease": not entry.is_release})


async def add_series(target: NodeTarget, _call: Call) -> None:
    """Add a series of iterations below the root or a release, and beside any other node."""
    node, entry = current_iteration(target, "series")
    today, iterations, tree = target.store.today(), target.store.lookups.iterations(), tree_of(target)
    is_beside = not (entry.is_release or node.parent_id not in iterations or tree.children(node.id))
    above = node.parent_id if is_beside else node.id
    children = [iterations[each.id] for each in tree.children(above)]
    begins = iterations[above].start if iterations[above].is_release else None
    below_root = [iterations[each.id] for each in tree.walk() if each.parent_id in iterations]
    lines = offer(children, below_root, begins, today)
    title = f"Series {'beside' if is_beside else 'below'} {node.name}"

    def read(typed: Sequence[str]) -> str:
        return series_lines(series_of(typed, today), children, today)

    typed = await target.ask(LinesDialog(title, lines, read, kept_lines(target, "series")))
    if typed is not None:
        made = await target.store.nodes.add_all(target.kind, above, series_of(typed, today))
        target.go_to_node(made[0])


async def _add(target: NodeTarget, title: str, parent_id: int, index: int | None) -> None:
    name = await ask_for_name(target, title)
    if name is not None:
        target.go_to_node(await target.store.nodes.add(target.kind, parent_id, NewNode(name), index))


def _iterations_beside(target: NodeTarget, node: Node) -> list[IterationEntry]:
    """Return the iterations beside one, or the releases beside a release."""
    iterations = target.store.lookups.iterations()
    others = [iterations[each.id] for each in siblings_of(target, node) if each.id != node.id]
    return [each for each in others if each.is_release == iterations[node.id].is_release]


def _days(typed: Sequence[str], today: date) -> tuple[date, date]:
    """Read the first and the last day; raises BadRequest."""
    start = typed_day(typed[0], today, "Starts")
    end = typed_end(typed[1], start)
    if end < start:
        raise BadRequest("Ends: it cannot end before it starts.")
    return start, end


def _day(day: object) -> str:
    return str(day) if day else ""
