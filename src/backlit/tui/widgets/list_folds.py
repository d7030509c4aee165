"""A list whose rows may stand in groups: folding them, and going from one to another (KEYMAP, Lists)."""

from collections.abc import Mapping

from textual import events

from backlit.store.views import View
from backlit.store.views_groups import GroupKey, GroupLine, Lines
from backlit.tui.acting import CannotAct
from backlit.tui.widgets.item_list import ItemList


class ListFolds(ItemList):
    """Rows of a view, under headers where it is grouped; what folding costs depends on the number of groups."""

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on an item, unfolding what it is in; False where the list does not have it."""
        view = self._view
        if view is None:
            return False
        if view.folded and view.index_of(item_id) is None and item_id in view.ids():
            view.fold(*view.folded, is_folded=False)
            self.show(view, item_id)
        index = view.index_of(item_id)
        if index is not None:
            self.move_to(index)
        return index is not None

    def group_here(self) -> Mapping[str, object]:
        """The group of the row or header under the cursor."""
        view = self._view
        header = view.outline.header_at(self.cursor) if view is not None and view.spec.group else None
        return dict(zip(view.spec.group, header.group, strict=False)) if view is not None and header else {}

    def clicked(self, index: int, event: events.Click) -> None:
        """Fold or unfold a group by its header; with ctrl or shift its items are marked."""
        is_header = self._view is not None and bool(self._view.spec.group) and self._view.id_at(index) is None
        if is_header and not (event.ctrl or event.shift):
            self.move_to(index)
            self.do_list_toggle(None)
        elif is_header and event.ctrl:
            self.move_to(index)
            self.do_list_mark(None)
        else:
            super().clicked(index, event)

    # Commands

    def do_list_fold(self, _count: int | None) -> None:
        """Fold the group; where that is done already, go to the header of the one around it."""
        view, group = self._grouped(), self._group()
        if not group.is_folded:
            self._fold(group.group, group.group, is_folded=True)
            return
        line = view.outline.header_line(group.group[:-1])
        if line is not None:
            self.move_to(line)

    def do_list_unfold(self, _count: int | None) -> None:
        """Unfold the group; where that is done already, go from its header to what is below."""
        view, group = self._grouped(), self._group()
        if group.is_folded:
            self._fold(group.group, group.group, is_folded=False)
        elif view.outline.header_line(group.group) == self.cursor:
            self.move_to(self.cursor + 1)

    def do_list_toggle(self, _count: int | None) -> None:
        """Fold or unfold the group."""
        group = self._group()
        self._fold(group.group, group.group, is_folded=not group.is_folded)

    def do_list_fold_all(self, _count: int | None) -> None:
        """Fold all groups; the cursor goes to the outermost header of its own."""
        outermost = self._group().group[:1]
        self._fold(outermost, *(each.group for each in self._outline().headers), is_folded=True)

    def do_list_unfold_all(self, _count: int | None) -> None:
        """Unfold all groups."""
        group = self._group().group
        self._fold(group, *(each.group for each in self._outline().headers), is_folded=False)

    def do_list_next_group(self, count: int | None) -> None:
        """Go to the header below."""
        for _ in range(count or 1):
            line = self._outline().next_header(self.cursor)
            if line is None:
                break
            self.move_to(line)

    def do_list_previous_group(self, count: int | None) -> None:
        """Go to the header above."""
        for _ in range(count or 1):
            line = self._outline().previous_header(self.cursor)
            if line is None:
                break
            self.move_to(line)

    def do_list_mark(self, count: int | None) -> None:
        """Mark the row, or take its mark off, and go down; on a header mark all of its group, or none."""
        view = self._view
        group = view.outline.header_at(self.cursor) if view and view.is_grouped and count is None else None
        if view is None or group is None or view.outline.header_line(group.group) != self.cursor:
            super().do_list_mark(count)
            return
        self.end_range()
        ids = view.ids_in(group.group)
        if all(each in self._marks for each in ids):
            self._marks.invert(ids)
        else:
            self._marks.add(ids)
        self._marked()
        self.move_to(self.cursor + 1)

    def _grouped(self) -> View:
        if self._view is None or not self._view.is_grouped:
            raise CannotAct("Nothing is grouped here; tg groups the list.")
        return self._view

    def _outline(self) -> Lines:
        return self._grouped().outline

    def _group(self) -> GroupLine:
        group = self._outline().header_at(self.cursor)
        if group is None:
            raise CannotAct("There is no group here.")
        return group

    def _fold(self, wanted: GroupKey, *groups: GroupKey, is_folded: bool) -> None:
        """Fold or unfold some; the cursor stays on its row, or goes to the header of the group that is wanted."""
        view = self._grouped()
        item_id = view.id_at(self.cursor)
        view.fold(*groups, is_folded=is_folded)
        self.show(view, item_id)
        if item_id is None or view.index_of(item_id) is None:
            line = view.outline.header_line(wanted)
            if line is not None:
                self.move_to(line)
