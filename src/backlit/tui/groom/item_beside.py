"""An item, and beside it in a wide terminal its comments and its latest changes, each in a frame."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.items.latest_changes import HEADING, LEAST_CHANGES, MOST_CHANGES, LatestChanges, read_newest
from backlit.tui.items.preview import (
    CommentsPreview,
    ItemContext,
    ItemPreview,
    author_colours,
    preview_head,
)
from backlit.tui.shell.workers import work
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame, key_words

WIDE, ASIDE_SHARE = 100, 40
"""Cells from which comments are beside the item, and their share in per cent, as in the style sheet."""
PADDING = 4
"""Cells around a text."""


class ItemBesideComments(Horizontal):
    """Shows one item; the head of the comments names the key of the command `comment`, if there is one."""

    def __init__(self, store: Store, comment: str = "") -> None:
        super().__init__(id="item-beside")
        self._store = store
        self._preview, self._comments, self._latest = ItemPreview(), CommentsPreview(), LatestChanges(store)
        self._frame, self._comments_frame = (
            PaneFrame(self._preview, id="item-frame"),
            PaneFrame(self._comments, id="comments"),
        )
        self._latest_frame = PaneFrame(self._latest, id="latest-frame")
        self._aside = Vertical(self._comments_frame, self._latest_frame, id="item-aside")
        self._comment = comment
        self._comment_lines = 0
        self._shown: tuple[Item, Sequence[CommentEntry], ItemContext] | None = None

    def compose(self) -> ComposeResult:
        yield self._frame
        yield self._aside

    @property
    def preview(self) -> ItemPreview:
        return self._preview

    def show(self, item: Item | None, comments: Sequence[CommentEntry], context: ItemContext) -> None:
        if item is None:
            self._shown = None
            self._preview.show(None, None, context)
            self._frame.say(())
            self._aside.display = False
            return
        self._shown = (item, comments, context)
        self._aside.display = is_wide = self.screen.size.width >= WIDE
        self._preview.show(item, None if is_wide else comments, context)
        self._frame.say(*preview_head(item, context.now))
        if is_wide:
            self._comments.show(comments, context.now, author_colours(context.people))
            key = key_words(self._comment, "comment") if self._comment else []
            self._comments_frame.say([("Comments", "heading"), (f" {len(comments):,}" * bool(comments), "muted")], key)
            self._latest_frame.say([(HEADING, "heading")])
            self.show_latest()

    def show_latest(self) -> None:
        """Show what is known of the item's history, as far as the comments leave room."""
        if self._shown is not None and self._aside.display:
            self._latest.show(self._shown[0])
            self.fit(self.size.height)

    def read_latest(self) -> None:
        """Have the newest changes of the item read, where they are shown."""
        if self._shown is not None and self._aside.display:
            self.run_worker(work(self._read_latest, self._shown[0].id), exclusive=True, group="look at")

    async def _read_latest(self, item_id: int) -> None:
        await read_newest(self._store, item_id)
        if self.is_attached and self._shown is not None and self._shown[0].id == item_id:
            self.show_latest()

    def fit(self, height: int) -> None:
        """Share a height between the comments and the latest changes, of which there are as many as fit."""
        if not self._aside.display:
            return
        edges = FRAME_LINES * self._frame.is_wanted
        rest = height - max(1, self._comment_lines) - 2 * edges
        most = min(MOST_CHANGES, self._latest.count)
        self._latest_frame.display = edges > 0 and min(most, rest) >= max(1, min(most, LEAST_CHANGES))
        self._latest_frame.styles.height = max(1, min(most, rest)) + edges

    def fit_lines(self) -> None:
        """Share the height that there is."""
        self.needed_lines(self.size.width)
        self.fit(self.size.height)

    def needed_lines(self, width: int) -> int:
        """Return the lines that the item and its comments need in a width, without edges."""
        if self._shown is None:
            return 0
        theme, is_wide = ThemeStyles.of(self.app), self._aside.display
        aside = width * ASIDE_SHARE // 100
        self._comment_lines = len(self._comments.lines_for(aside - PADDING, theme)) if is_wide else 0
        lines = len(self._preview.lines_for(max(1, width - aside * is_wide - PADDING), theme))
        return max(lines, self._comment_lines)

    def show_again(self) -> None:
        """Show the same item for another width."""
        if self._shown is not None:
            self.show(*self._shown)

    def scroll_pages(self, pages: int) -> None:
        by = pages * max(1, self._preview.size.height // 2)
        for view in (self._preview, self._comments):
            view.scroll_relative(y=by, animate=False, immediate=True, force=True)
