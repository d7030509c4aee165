"""Commands on the nodes of a tree: add, change, move, delete, and add a series of iterations."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from backlit.model.amounts import counted
from backlit.model.dates import typed_day, typed_end, written_day
from backlit.model.errors import BadRequest
from backlit.model.trees import NO_TOTALS, Node, Tree
from backlit.store.edits.checks import fault_of_name
from backlit.store.edits.iteration_series import proposed_series, series_of
from backlit.store.edits.nodes import NewNode
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import FormDialog, LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.dialogs.prompts import ask_for_capacity
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.dates import column_span, span
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.target import StoreCommandTarget

MAX_NAMED_NODES = 3
"""Nodes below one that are named before it is deleted."""


class NodeCommandTarget(StoreCommandTarget, Protocol):
    """A screen with a tree and a current node."""

    @property
    def kind(self) -> TreeKind: ...

    @property
    def node(self) -> Node | None: ...

    def go_to_node(self, node_id: int) -> None: ...


END_HELP = "+2w as the end: two weeks long, the last day included."


async def add_below(target: NodeCommandTarget, _call: CommandContext) -> None:
    node = writable_node(target)
    await _add(target, f"New below {node.name}", node.id, None)


async def add_beside(target: NodeCommandTarget, _call: CommandContext) -> None:
    node = movable_node(target, "have others beside it")
    index = siblings_of(target, node).index(node) + 1
    await _add(target, f"New after {node.name}", node.parent_id, index)


async def rename(target: NodeCommandTarget, _call: CommandContext) -> None:
    node = movable_node(target, "be renamed")
    name = await ask_for_name(target, "Name", node.name)
    if name is not None:
        await target.store.nodes.edit(target.kind, node.id, {"name": name})


async def change_dates(target: NodeCommandTarget, _call: CommandContext) -> None:
    node, entry = current_iteration(target, "dates")
    today = target.store.today()

    def read(typed: Sequence[str]) -> str:
        start, end = _days(typed, today)
        length = f"{span(start, end, today)}, {counted((end - start).days + 1, 'day')}"
        return f"{length}{overlap_warning(start, end, _iterations_beside(target, node))}\n{END_HELP}"

    lines = [("Starts", _day(entry.start)), ("Ends", _day(entry.end))]
    typed = await target.ask(FormDialog(f"Dates of {node.name}", lines, read, kept_lines(target, "dates")))
    if typed is not None:
        start, end = _days(typed, today)
        await target.store.nodes.edit(target.kind, node.id, {"startDate": start, "endDate": end})


async def change_capacity(target: NodeCommandTarget, _call: CommandContext) -> None:
    node, entry = current_iteration(target, "capacity")
    changes = await ask_for_capacity(target, entry)
    if changes is not None:
        await target.store.nodes.edit(target.kind, node.id, changes)


async def turn_into_release(target: NodeCommandTarget, _call: CommandContext) -> None:
    node, entry = current_iteration(target, "release flag")
    await target.store.nodes.edit(target.kind, node.id, {"isRelease": not entry.is_release})


async def add_series(target: NodeCommandTarget, _call: CommandContext) -> None:
    """Add a series of iterations below the root or a release, and beside any other node."""
    node, entry = current_iteration(target, "series")
    today, iterations, tree = target.store.today(), target.store.lookups.iterations(), tree_of(target)
    is_beside = not (entry.is_release or node.parent_id not in iterations or tree.children(node.id))
    above = node.parent_id if is_beside else node.id
    children = [found for each in tree.children(above) if not (found := iterations[each.id]).is_release]
    begins, ends = (iterations[above].start, iterations[above].end) if iterations[above].is_release else (None, None)
    below_root = [iterations[each.id] for each in tree.walk() if each.parent_id in iterations]
    lines = proposed_series(children, below_root, begins, today)
    place = f"after {children[-1].name} in {tree[above].name}" if is_beside else f"below {node.name}"

    def read(typed: Sequence[str]) -> str:
        series = series_of(typed, today)
        late = sum(1 for each in series if ends and each.end and each.end > ends)
        many = f"All {late}" if late == len(series) > 1 else f"{late} of {len(series)}"
        verb = "ends after" if late == 1 else "end after"
        beyond = f"\n! {many} {verb} {tree[above].name} ({written_day(ends, today)})" if ends and late else ""
        # A blank parts the warnings, whichever of them there are, from the days.
        return (series_lines(series, children, today) + beyond).replace("\n! ", "\n\n! ", 1)

    dialog = FormDialog(f"Add sprints {place}", lines, read, kept_lines(target, "series"), "add sprints")
    typed = await target.ask(dialog.add_class("-beside"))
    if typed is not None:
        made = await target.store.nodes.add_all(target.kind, above, series_of(typed, today))
        target.go_to_node(made[0])


async def _add(target: NodeCommandTarget, title: str, parent_id: int, index: int | None) -> None:
    name = await ask_for_name(target, title)
    if name is not None:
        target.go_to_node(await target.store.nodes.add(target.kind, parent_id, NewNode(name), index))


def _iterations_beside(target: NodeCommandTarget, node: Node) -> list[IterationEntry]:
    """Return the iterations beside one, or the releases beside a release."""
    iterations = target.store.lookups.iterations()
    others = [iterations[each.id] for each in siblings_of(target, node) if each.id != node.id]
    return [each for each in others if each.is_release == iterations[node.id].is_release]


def _days(typed: Sequence[str], today: date) -> tuple[date, date]:
    start = typed_day(typed[0], today, "Starts")
    end = typed_end(typed[1], start)
    if end < start:
        raise BadRequest("Ends: it cannot end before it starts.")
    return start, end


def _day(day: object) -> str:
    return str(day) if day else ""


def tree_of(target: NodeCommandTarget) -> Tree:
    return target.store.lookups.tree(target.kind)


def siblings_of(target: NodeCommandTarget, node: Node) -> Sequence[Node]:
    """Return the nodes under the same parent, the node itself among them."""
    return list(tree_of(target).children(node.parent_id))


def writable_node(target: NodeCommandTarget) -> Node:
    """Return the current node; raises BadRequest for a user who may not change it, CannotAct without one."""
    target.store.nodes.need_manager()
    shown, tree = target.node, tree_of(target)
    if shown is None or shown.id not in tree:
        raise CannotAct("This tree is empty.")
    return tree[shown.id]


def movable_node(target: NodeCommandTarget, act: str) -> Node:
    """Return the current node if it is no root; raises CannotAct with the act that a root refuses."""
    node = writable_node(target)
    if node in tree_of(target).roots:
        raise CannotAct(f"The root stands for the whole project; it cannot {act}.")
    return node


def current_iteration(target: NodeCommandTarget, noun: str) -> tuple[Node, IterationEntry]:
    """Return the current iteration; raises CannotAct for areas, which lack what the noun names."""
    if target.kind is TreeKind.AREAS:
        raise CannotAct(f"Areas have no {noun}.")
    node = writable_node(target)
    return node, target.store.lookups.iterations()[node.id]


def kept_lines(target: NodeCommandTarget, subject: str) -> StoredLines:
    """Return where the text typed about the current node is kept until it is journalled."""
    return StoredLines(target.store, f"{target.kind.value}:{writable_node(target).id}:{subject}")


async def ask_for_name(target: NodeCommandTarget, title: str, name: str = "") -> str | None:
    """Ask for the name of a node; None without an answer."""

    def check(text: str) -> str | None:
        return fault_of_name(text.strip()) or None

    answer = await target.ask(
        LineDialog(title, name, check, is_replaced=True, kept=kept_lines(target, title.split(maxsplit=1)[0]))
    )
    return None if answer is None else answer.strip()


async def pick_node(target: NodeCommandTarget, title: str, node: Node) -> int | None:
    """Ask for a node outside of a sub-tree, and propose the parent; None without an answer."""
    tree = tree_of(target)
    inside = set(tree.subtree_ids(node.id))
    choices = [Choice(each.id, "  " * tree.depth(each.id) + each.name) for each in tree.walk() if each.id not in inside]
    choice = await target.ask(PickDialog(title, choices, node.parent_id))
    return choice.value if choice is not None and isinstance(choice.value, int) else None


# Moving and deleting


async def reorder(target: NodeCommandTarget, call: CommandContext) -> None:
    steps = int(call.command.argument) * (call.count or 1)
    node = movable_node(target, "be moved")
    if node is siblings_of(target, node)[-1 if steps > 0 else 0]:
        raise CannotAct(f"It is the {'last' if steps > 0 else 'first'} on its level.")
    await target.store.nodes.reorder(target.kind, node.id, steps)


async def indent(target: NodeCommandTarget, _call: CommandContext) -> None:
    node = movable_node(target, "be moved")
    siblings = siblings_of(target, node)
    at = siblings.index(node)
    if at == 0:
        raise CannotAct("Nothing is before it on its level to put it under.")
    await target.store.nodes.move(target.kind, node.id, siblings[at - 1].id)


async def outdent(target: NodeCommandTarget, _call: CommandContext) -> None:
    node = movable_node(target, "be moved")
    parent = tree_of(target)[node.parent_id]
    if parent in tree_of(target).roots:
        raise CannotAct("It is at the top level already.")
    index = siblings_of(target, parent).index(parent) + 1
    await target.store.nodes.move(target.kind, node.id, parent.parent_id, index)


async def move(target: NodeCommandTarget, _call: CommandContext) -> None:
    node = movable_node(target, "be moved")
    parent_id = await pick_node(target, f"Put {node.name} under", node)
    if parent_id is not None:
        await target.store.nodes.move(target.kind, node.id, parent_id)


async def delete(target: NodeCommandTarget, _call: CommandContext) -> None:
    """Delete the node, once it is known where its items go and the question is answered by yes."""
    node = movable_node(target, "be deleted")
    going = target.store.nodes.extent(target.kind, node.id)
    receiver_id: int | None = node.parent_id
    if going.moved != NO_TOTALS:
        receiver_id = await pick_node(target, f"Move {going.moved.words} of {node.name} to", node)
    if receiver_id is None:
        return
    sentence = _deletion_sentence(target, node, receiver_id)
    key = await target.ask(ConfirmDialog("Delete", sentence, [AnswerKey("y", "delete it")], "cancel"))
    if key == "y":
        await target.store.nodes.delete(target.kind, node.id, receiver_id)


def _deletion_sentence(target: NodeCommandTarget, node: Node, receiver_id: int) -> str:
    tree, going, noun = tree_of(target), target.store.nodes.extent(target.kind, node.id), target.kind.removesuffix("s")
    names = [f"“{tree[each].name}”" for each in tree.subtree_ids(node.id)[1:]]
    more = f", and {len(names) - MAX_NAMED_NODES} more" if len(names) > MAX_NAMED_NODES else ""
    below = f" with {counted(len(names), noun)} below it ({', '.join(names[:MAX_NAMED_NODES])}{more})" if names else ""
    items = "No item is in it."
    if going.moved != NO_TOTALS:
        points = f" ({going.open_items:,} open with {counted(going.moved.points, 'point')})" if going.open_items else ""
        items = f"{going.moved.words}{points} will move to “{tree[receiver_id].name}”."
    undo = f"Once sent, you can undo ({key_of('app.undo')}); the {noun} gets a new number."
    return f"“{node.name}” is deleted{below}. {items} {undo}"


def series_lines(series: Sequence[NewNode], beside: Sequence[IterationEntry], today: date, most: int = 8) -> str:
    """Return a heading, a line for each iteration, and the overlaps of all; a long series lacks its middle."""
    width, start = max(len(each.name) for each in series), series[0].start
    lines = [f"{each.name:{width}}  {column_span(each.start, each.end, today)}" for each in series]
    if len(lines) > most:
        lines = [*lines[: most - 2], "…", lines[-1]]
    begins = f" from {start:%a} {written_day(start, today)}" if start else ""
    return "\n".join([counted(len(series), "sprint") + begins, *lines]) + overlap_warning(start, series[-1].end, beside)


def overlap_warning(start: date | None, end: date | None, beside: Sequence[IterationEntry]) -> str:
    """Return a line about the sibling iterations that overlap some days, which is allowed; empty without any."""
    found = [
        each.name
        for each in beside
        if start and end and each.start and each.end and each.start <= end and start <= each.end
    ]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"\n! overlaps {found[0]}{more}" if found else ""
