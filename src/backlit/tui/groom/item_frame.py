"""An item in a frame: its facts and texts, and its comments beside them in a wide terminal, below them elsewhere."""

from collections.abc import Sequence

from backlit.store.records.item import Item
from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.items.preview import ItemContext, ItemPreview, preview_head
from backlit.tui.widgets.pane_frame import PaneFrame

SIDES = 4
"""Cells of the sides of a frame, and of the blanks within."""


class ItemFrame(PaneFrame):
    """Shows one item; `names_item` is False where its name stands above the frame."""

    def __init__(self, *, names_item: bool = True) -> None:
        self.preview = ItemPreview(names_item=names_item)
        super().__init__(self.preview, id="item-frame")
        self._names_item = names_item

    def show(self, item: Item | None, comments: Sequence[CommentEntry], context: ItemContext) -> None:
        self.preview.show(item, comments, context)
        head, edited = preview_head(item, context.now) if item is not None else ((), ())
        self.say(head if self._names_item else [("Details", "heading")], edited)

    def needed_lines(self, width: int) -> int:
        """Return the lines that the item needs in a width, without edges."""
        return len(self.preview.lines_for(max(1, width - SIDES), ThemeStyles.of(self.app)))

    def scroll_pages(self, pages: int) -> None:
        by = pages * max(1, self.preview.size.height // 2)
        self.preview.scroll_relative(y=by, animate=False, immediate=True, force=True)
