"""The panes of a list: its items, the preview of the item under the cursor, and the totals of the selected items."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from backlit.model.trees import NodeTotals
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.search import SearchHit
from backlit.tui.commands.command import CannotAct
from backlit.tui.items.preview import ItemPreview, item_context, preview_head
from backlit.tui.shell.store_screen import StoreScreen
from backlit.tui.shell.target import ItemDestination, OpenItem
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_list import ItemList, SelectionChanged
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.storage_errors import StorageErrorGuard
from backlit.tui.widgets.text_view import PREVIEW_DELAY

REQUEST_DELAY = 0.54
"""Seconds from the preview to the request for news of its item; a cursor that moves on asks for nothing."""
MIN_WIDTH_BESIDE = 120
USUAL_HEIGHT_BELOW, MIN_HEIGHT_BELOW = 22, 14
"""Lines of panes with a preview below the list by default, and on request."""
WHOLE_HEAD_HEIGHT = 26
"""Lines of panes from which a preview below the list has its whole head."""
LIST_SHARE = 69
"""Share of the width, in per cent, of a list beside the preview."""
WIDE, WIDE_SHARE, MAX_PREVIEW_WIDTH = 160, 36, 60
"""Columns from which names have no more cells than they need, and the preview this share of them, or so many cells."""


class SelectionTotals:
    """The number and the points of the selected items, counted in a worker of its owner; `changed` is called after."""

    def __init__(self, store: Store, owner: Widget, changed: Callable[[], object]) -> None:
        self.totals = NodeTotals()
        self._store = store
        self._owner = owner
        self._changed = changed

    def measure(self, ids: Sequence[int]) -> None:
        if ids:
            self._owner.run_worker(work(self._measure, ids), exclusive=True, group="selection")
        else:
            self._owner.workers.cancel_group(self._owner, "selection")
            self.totals = NodeTotals()
            self._changed()

    async def _measure(self, ids: Sequence[int]) -> None:
        self.totals = await self._store.batch.totals(ids)
        if self._owner.is_attached:
            self._changed()


class ItemPanes(StorageErrorGuard, Container):
    """A list and its preview: beside it, below it or hidden, by the size of the terminal."""

    look_seconds: ClassVar[float] = 1.0
    """Seconds until an item in the preview counts as seen."""

    class Rested(Message):
        """The cursor rests on a row."""

    class Measured(Message):
        """The totals of the selected items changed."""

    class Placed(Message):
        """The panes moved: the columns of the line that meets the rules above and below, None without a line."""

        def __init__(self, above: int | None, below: int | None) -> None:
            super().__init__()
            self.above = above
            self.below = below

    def __init__(
        self, store: Store, items: ItemList, *, has_frames: bool = True, previews_from: int | None = 0
    ) -> None:
        """Show the preview unasked in a terminal of so many columns or more, None for never."""
        super().__init__()
        self._previews_from = previews_from
        self._store = store
        self._items = items
        self._preview = ItemPreview()
        self.frame = PaneFrame(items, id="list") if has_frames else None
        """The frame of the list; None for one that has none, or that has several."""
        self._preview_frame = PaneFrame(self._preview, id="beside")
        self._timer: Timer | None = None
        self._looking_at: int | None = None
        self._is_wanted_below = False
        self._choice: bool | None = None
        """True for a preview that the user asked for, False for one that is hidden, None without a choice."""
        self._hits: Mapping[int, SearchHit] = {}
        self._line: int | None = None
        self.selected = SelectionTotals(store, self, lambda: self.post_message(self.Measured()))

    def compose(self) -> ComposeResult:
        yield self.frame or self._items
        yield self._preview_frame

    @property
    def items(self) -> ItemList:
        return self._items

    @property
    def has_edges(self) -> bool:
        """Return whether the panes have frames where there is room, in place of the rules around them."""
        return self.frame is not None

    def shown_item(self, item_id: int) -> Item | None:
        return self._store.item(item_id)

    @property
    def has_preview(self) -> bool:
        return self._preview_frame.display

    def draw_preview(self) -> None:
        if not self._preview_frame.display:
            return
        item_id = self.items.current_id
        item = self.shown_item(item_id) if item_id is not None else None
        hit = self._hits.get(item.id) if item else None
        found = f"in the {hit.place.value}: {hit.snippet}" if hit else ""
        faults = self._store.ready_check.sentences(item) if item else ()
        around = item_context(self._store, item, faults, found)
        self._preview.is_brief = self.has_class("-below") and self.size.height < WHOLE_HEAD_HEIGHT
        self._preview.show(item, self._store.comments.of_item(item.id) if item else (), around)
        left, right = preview_head(item, around.now) if item else ((), ())
        who = self._store.presence.words(item.id) if item else ""
        self._preview_frame.say(left, [(f"{who} ", "mark"), *right] if who else right)

    def find_words(self, words: str) -> None:
        """Show in previews where some words occur in the item's texts; an empty string shows nothing."""
        if words:
            self.run_worker(work(self._find, words), exclusive=True, group="words")
        else:
            self.workers.cancel_group(self, "words")
            self._show_hits({})

    async def _find(self, words: str) -> None:
        hits = await self._store.search.find(words)
        if self.is_attached:
            self._show_hits({hit.item_id: hit for hit in reversed(hits)})

    def _show_hits(self, hits: Mapping[int, SearchHit]) -> None:
        if hits or self._hits:
            self._hits = hits
            self.draw_preview()

    @on(SelectionChanged)
    def measure_selection(self) -> None:
        self.selected.measure(self.items.selection.ids())

    def preview_soon(self) -> None:
        if self._timer:
            self._timer.stop()
        self._timer = self.set_timer(PREVIEW_DELAY, self._rested)

    def _rested(self) -> None:
        self.screen.post_message(self.Rested())  # first, and past the panes: its words go out with the preview
        self.draw_preview()
        # The preview comes first and from the local copy; the request costs three round trips and may wait for a rest.
        self._timer = self.set_timer(REQUEST_DELAY, self._request_current_item)
        item_id = self.items.current_id
        if item_id != self._looking_at and self._preview_frame.display and item_id is not None:
            self._looking_at = item_id
            self.set_timer(self.look_seconds, lambda: self._mark_seen(item_id))

    def _request_current_item(self) -> None:
        """Have the item under the cursor read from the service."""
        if self.items.current_id is not None and self.screen.is_current:
            self.run_worker(work(self._store.look_at, self.items.current_id), exclusive=True, group="look")

    def _mark_seen(self, item_id: int) -> None:
        """Mark an item as seen; a later change of it stays unread until the cursor comes back."""
        if self.items.current_id == item_id and self._preview_frame.display and self.screen.is_current:
            self.post_message(StoreScreen.Seen(item_id))
        elif self._looking_at == item_id:
            self._looking_at = None

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()  # nobody above asks, and each that hears of a message takes a twentieth of a `j`
        self.preview_soon()

    @on(LineList.Chosen)
    def _row_chosen(self) -> None:
        if self.items.current_id is not None:
            self.post_message(OpenItem(self.items.current_id, ItemDestination.EDITOR))

    def on_resize(self) -> None:
        self._place()

    def _place(self) -> None:
        width, height = self.size
        is_below = self._is_wanted_below or width < MIN_WIDTH_BESIDE
        is_usual = self._previews_from is not None and width >= self._previews_from
        before = self.classes
        self.set_class(is_below, "-below", update=False)
        self.set_class(not (is_usual if self._choice is None else self._choice), "-alone", update=False)
        if self.classes != before:
            self.update_node_styles()  # once: it matches the rules of all that is in the panes
        has_room = not is_below or height >= (MIN_HEIGHT_BELOW if self._choice else USUAL_HEIGHT_BELOW)
        self._preview_frame.display = has_room and not self.has_class("-alone") and not self.has_class("-empty")
        beside = width - width * LIST_SHARE // 100
        if width >= WIDE:
            beside = min(MAX_PREVIEW_WIDTH, width * WIDE_SHARE // 100)
        self._preview_frame.styles.width = "100%" if is_below else beside
        has_line = self._preview_frame.display and not (is_below or self._preview_frame.is_wanted)
        self._line = width - beside if has_line else None
        self.report_edges()
        if self._preview_frame.display:
            self.preview_soon()

    def report_edges(self) -> None:
        """Report where the line between the panes meets the rules around them."""
        self.post_message(self.Placed(self._line, self._line))

    def toggle_preview(self) -> None:
        """Show or hide the preview; raises CannotAct without room for it."""
        if self.size.height < MIN_HEIGHT_BELOW and (self._is_wanted_below or self.size.width < MIN_WIDTH_BESIDE):
            raise CannotAct(
                f"No room for the preview: it needs {MIN_HEIGHT_BELOW + 4} lines or {MIN_WIDTH_BESIDE} columns."
            )
        self._choice = not self._preview_frame.display
        self._place()

    def turn_preview(self) -> None:
        """Put the preview at the right or below; raises CannotAct without room beside the list."""
        if self.size.width < MIN_WIDTH_BESIDE:
            raise CannotAct(f"No room beside the list: the preview needs {MIN_WIDTH_BESIDE} columns.")
        self._is_wanted_below = not self._is_wanted_below
        self._place()

    def set_low_bandwidth(self, is_low_bandwidth: bool) -> None:
        """Turn low bandwidth on or off: no preview until requested, scrolling by half pages, a bar as cursor."""
        self.items.set_low_bandwidth(is_low_bandwidth)
        self._choice = False if is_low_bandwidth else None
        self._place()

    def hide_preview_when_empty(self, is_empty: bool) -> None:
        """Hide the preview while the list is empty."""
        if is_empty != self.has_class("-empty"):
            self.set_class(is_empty, "-empty")
            self._place()

    def page_preview(self, pages: int) -> None:
        """Show the preview, or scroll it by pages, from its end to its top; raises CannotAct without room for it."""
        preview = self._preview
        if self.has_class("-empty"):
            raise CannotAct("The list has no item to preview.")
        if not self._preview_frame.display:
            self.toggle_preview()
        elif pages > 0 and preview.scroll_y >= preview.max_scroll_y:
            preview.scroll_to(y=0, animate=False)
        else:
            preview.scroll_relative(y=pages * max(1, preview.size.height - 1), animate=False, immediate=True)

    def scroll_preview(self, lines: int) -> None:
        self._preview.scroll_relative(y=lines, animate=False, immediate=True)
