"""The folds of a list that is a tree: Features, items and tasks, one level a press."""

from collections.abc import Callable, Sequence

from backlit.store.records.item import number_of
from backlit.store.views.tree import TreeFolds, TreeLines
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct
from backlit.tui.widgets.item_list import ItemList


class TreeRows:
    """A `GroupFolding` of a list whose view is a tree; `kept` is called with what is open after each change."""

    def __init__(self, rows: ItemList, kept: Callable[[TreeFolds], object]) -> None:
        self._rows = rows
        self._kept = kept

    def fold(self) -> None:
        """Fold what is below the item; where that is folded, fold the item around it."""
        tree, place = self._tree(), self._place()
        above = place if tree.is_open(place) else tree.parent_of(place)
        if above is None:
            raise CannotAct(f"Nothing is open at {number_of(tree.ids[place])}.")
        self._turn(above, is_open=False)

    def unfold(self) -> None:
        """Unfold what is directly below the item; where that is open, go to the first item below."""
        tree, place = self._tree(), self._place()
        if not tree.has_below(place):
            raise CannotAct(f"Nothing is folded below {number_of(tree.ids[place])}.")
        if tree.is_open(place):
            self._rows.move_to(self._rows.cursor + 1)
        else:
            self._turn(place, is_open=True)

    def toggle(self) -> None:
        tree, place = self._tree(), self._place()
        if tree.has_below(place) and not tree.is_open(place):
            self._turn(place, is_open=True)
        else:
            self.fold()

    def fold_all(self) -> None:
        """Fold the innermost open level."""
        self._turn_levels(self._tree().close_level)

    def unfold_all(self) -> None:
        """Unfold the outermost folded level."""
        self._turn_levels(self._tree().open_level)

    def step(self, steps: int) -> None:
        tree = self._tree()
        for _ in range(abs(steps)):
            line = tree.next_top(self._rows.cursor, 1 if steps > 0 else -1)
            if line is None:
                break
            self._rows.move_to(line)

    def ids_under_header(self) -> Sequence[int] | None:
        return None

    def _tree(self) -> TreeLines:
        tree = self._rows.view.tree if self._rows.view is not None else None
        if tree is None:
            raise CannotAct(LOADING_SENTENCE)
        return tree

    def _place(self) -> int:
        place = self._tree().place_at(self._rows.cursor)
        if place is None:
            raise CannotAct("There is no item under the cursor.")
        return place

    def _turn(self, place: int, *, is_open: bool) -> None:
        self._tree().turn(place, is_open=is_open)
        self._show(place)

    def _turn_levels(self, turn: Callable[[], None]) -> None:
        place = self._tree().place_at(self._rows.cursor) or 0
        turn()
        self._show(place)

    def _show(self, place: int) -> None:
        """Show the lines, with the cursor on a place or on the item that it is folded in."""
        view, tree = self._rows.view, self._tree()
        shown = tree.place_at(tree.line_above(place))
        if view is not None:
            self._rows.show(view, None if shown is None else tree.ids[shown])
        self._kept(tree.folds)
