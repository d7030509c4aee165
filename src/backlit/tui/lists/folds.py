"""What the user folded in each view of the backlog, kept for the next start."""

from msgspec import Struct

from backlit.store.views.groups import ShownTasks
from backlit.store.views.preferences import ScreenValues
from backlit.store.views.tree import TreeFolds

TASKS_KEY, TREE_KEY = "shown tasks of ", "tree of "
"""The beginnings of the keys of kept values; the name of a view follows."""


class ViewFolds(Struct, frozen=True):
    """The shown tasks of a flat list, whether it is a tree, and what is open in that."""

    tasks: ShownTasks = ShownTasks()
    is_tree: bool = False
    tree: TreeFolds = TreeFolds()


class KeptFolds:
    """The folds of views by their names."""

    def __init__(self, values: ScreenValues) -> None:
        self._values = values
        self._known: dict[str, ViewFolds] = {}

    def of_view(self, name: str) -> ViewFolds:
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def keep(self, name: str, folds: ViewFolds) -> None:
        self._known[name] = folds
        tasks, tree = folds.tasks, folds.tree
        self._values.keep(f"{TASKS_KEY}{name}", [tasks.of_all, _known_to_service(tasks.but_of)])
        self._values.keep(f"{TREE_KEY}{name}", [folds.is_tree, tree.levels, _known_to_service(tree.but_of)])

    def _read(self, name: str) -> ViewFolds:
        folds = ViewFolds()
        match self._values.find(f"{TASKS_KEY}{name}"):
            case [bool() as of_all, [*ids]]:
                folds = ViewFolds(ShownTasks(of_all, _numbers(ids)))
        match self._values.find(f"{TREE_KEY}{name}"):
            case [bool() as is_tree, int() as levels, [*ids]]:
                folds = ViewFolds(folds.tasks, is_tree, TreeFolds(levels, _numbers(ids)))
        return folds


def _known_to_service(ids: frozenset[int]) -> list[int]:
    return sorted(each for each in ids if each > 0)


def _numbers(ids: list[object]) -> frozenset[int]:
    return frozenset(each for each in ids if isinstance(each, int))
