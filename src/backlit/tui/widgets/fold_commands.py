"""Commands that fold the groups of a list, and go from one to another (KEYMAP, Lists)."""

from backlit.tui.commands.command import Call
from backlit.tui.widgets.item_list import ItemList


def fold(target: ItemList, _call: Call) -> None:
    """Fold the group; where it is folded, go to the header of the one around it."""
    target.folds.fold()


def unfold(target: ItemList, _call: Call) -> None:
    """Unfold the group; where it is unfolded, go from its header to the first row below."""
    target.folds.unfold()


def toggle(target: ItemList, _call: Call) -> None:
    """Fold or unfold the group."""
    target.folds.toggle()


def fold_all(target: ItemList, _call: Call) -> None:
    """Fold all groups."""
    target.folds.fold_all()


def unfold_all(target: ItemList, _call: Call) -> None:
    """Unfold all groups."""
    target.folds.unfold_all()


def step(target: ItemList, call: Call) -> None:
    """Go on by as many headers as the argument's sign and the count say."""
    target.folds.step(int(call.command.argument) * (call.count or 1))
