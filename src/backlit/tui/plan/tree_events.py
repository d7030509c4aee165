"""The start and the close of the current iteration of its tree."""

from typing import Protocol

from backlit.model.trees import Node
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.plan.sprint_events import close, start
from backlit.tui.shell.target import StoreCommandTarget


class TreeCommandTarget(StoreCommandTarget, Protocol):
    """The screen of the iterations or the areas."""

    @property
    def kind(self) -> TreeKind: ...

    @property
    def node(self) -> Node | None: ...


async def start_in_tree(target: TreeCommandTarget, _call: CommandContext) -> None:
    await start(target, _current(target))


async def close_in_tree(target: TreeCommandTarget, _call: CommandContext) -> None:
    await close(target, _current(target))


def _current(target: TreeCommandTarget) -> IterationEntry:
    if target.kind is TreeKind.AREAS:
        raise CannotAct("Areas are not started or closed.")
    target.store.nodes.need_events()
    entry = target.store.lookups.iterations().get(target.node.id) if target.node is not None else None
    if entry is None:
        raise CannotAct("There is no iteration yet.")
    if target.node in target.store.lookups.tree(TreeKind.ITERATIONS).roots:
        raise CannotAct("The root stands for the whole project; it cannot be started or closed.")
    return entry
