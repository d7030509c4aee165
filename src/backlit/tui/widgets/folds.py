"""Folds of a list's groups."""

from collections.abc import Sequence
from typing import Protocol

from backlit.store.views.groups import GroupKey, GroupLine, Lines
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct


class Folding(Protocol):
    """Folds of a list's groups; every method raises CannotAct without groups."""

    def fold(self) -> None:
        """Fold the group under the cursor."""

    def unfold(self) -> None:
        """Unfold the group under the cursor."""

    def toggle(self) -> None:
        """Fold or unfold the group under the cursor."""

    def fold_all(self) -> None:
        """Fold all groups."""

    def unfold_all(self) -> None:
        """Unfold all groups."""

    def step(self, steps: int) -> None:
        """Go on by some headers."""

    def ids_under_header(self) -> Sequence[int] | None:
        """Return the items of the group whose header is under the cursor; None on any other row."""


class FoldableRows(Protocol):
    """A list of the lines of a view."""

    cursor: int
    view: View | None

    def move_to(self, index: int) -> None:
        """Put the cursor on a row."""

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view, the cursor on an item."""


class GroupFolds:
    """Folds of a view's groups; the cost depends on the number of groups."""

    def __init__(self, rows: FoldableRows) -> None:
        self._rows = rows

    def fold(self) -> None:
        """Fold the group; from a folded one, go to the header of the outer group."""
        view, group = self._view(), self._group()
        if not group.is_folded:
            self._fold(group.group, group.group, is_folded=True)
            return
        line = view.outline.header_line(group.group[:-1])
        if line is not None:
            self._rows.move_to(line)

    def unfold(self) -> None:
        """Unfold the group; from the header of an unfolded one, go to its first row."""
        view, group = self._view(), self._group()
        if group.is_folded:
            self._fold(group.group, group.group, is_folded=False)
        elif view.outline.header_line(group.group) == self._rows.cursor:
            self._rows.move_to(self._rows.cursor + 1)

    def toggle(self) -> None:
        """Fold or unfold the group."""
        group = self._group()
        self._fold(group.group, group.group, is_folded=not group.is_folded)

    def fold_all(self) -> None:
        """Fold all groups; the cursor goes to the outermost header of its own."""
        outermost = self._group().group[:1]
        self._fold(outermost, *(each.group for each in self._outline().headers), is_folded=True)

    def unfold_all(self) -> None:
        """Unfold all groups."""
        group = self._group().group
        self._fold(group, *(each.group for each in self._outline().headers), is_folded=False)

    def step(self, steps: int) -> None:
        """Go down by some headers, or up for a negative number."""
        for _ in range(abs(steps)):
            outline = self._outline()
            find = outline.next_header if steps > 0 else outline.previous_header
            line = find(self._rows.cursor)
            if line is None:
                break
            self._rows.move_to(line)

    def ids_under_header(self) -> Sequence[int] | None:
        """Return the items of the group whose header is under the cursor; None on any other row."""
        view = self._rows.view
        group = view.outline.header_at(self._rows.cursor) if view is not None and view.is_grouped else None
        if view is None or group is None or view.outline.header_line(group.group) != self._rows.cursor:
            return None
        return view.ids_in(group.group)

    def _view(self) -> View:
        if self._rows.view is None or not self._rows.view.is_grouped:
            raise CannotAct("The list is not grouped. tg groups it.")
        return self._rows.view

    def _outline(self) -> Lines:
        return self._view().outline

    def _group(self) -> GroupLine:
        group = self._outline().header_at(self._rows.cursor)
        if group is None:
            raise CannotAct("No group here.")
        return group

    def _fold(self, wanted: GroupKey, *groups: GroupKey, is_folded: bool) -> None:
        """Fold or unfold groups; the cursor stays on its row, or goes to the header of the wanted group."""
        view, rows = self._view(), self._rows
        item_id = view.id_at(rows.cursor)
        view.fold(*groups, is_folded=is_folded)
        rows.show(view, item_id)
        if item_id is None or view.index_of(item_id) is None:
            line = view.outline.header_line(wanted)
            if line is not None:
                rows.move_to(line)
