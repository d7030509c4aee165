"""A list of items and the preview of the one under the cursor: beside it, below it, or away."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer

from backlit.model.statuses import is_open
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.search import Hit
from backlit.tui.commands.dispatch import CannotAct
from backlit.tui.items.preview import Preview, surroundings_of
from backlit.tui.lists.mark_totals import MarkTotals
from backlit.tui.shell.open import ItemPlace, Open
from backlit.tui.shell.store_screen import StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.row_marks import Marked
from backlit.tui.widgets.storage_errors import Sturdy

PREVIEW_DELAY = 0.06
"""Seconds the cursor rests on a row before its preview is drawn, so that holding j draws none."""
WIDE = 120
TALL, LEAST = 22, 14
"""Lines of the panes from which on the preview is below the list by itself, and when it is asked for."""
LIST_SHARE = 65
"""Per cent of the width that the list has, with the preview beside it; the style sheet says the same."""


class ItemPanes(Sturdy, Container):
    """Places list and preview by the room there is, and draws the preview when the cursor rests."""

    look_seconds: ClassVar[float] = 1.0
    """Seconds that an item is in the preview until it counts as seen."""

    class Rested(Message):
        """The cursor has come to rest on a row."""

    class Measured(Message):
        """Other items are marked, and their points are known."""

    class Placed(Message):
        """The panes lie otherwise: the columns of the line that meets the rules above and below, None for no line."""

        def __init__(self, above: int | None, below: int | None) -> None:
            super().__init__()
            self.above = above
            self.below = below

    def __init__(self, store: Store, items: ItemList) -> None:
        super().__init__()
        self._store = store
        self._items = items
        self._preview = Preview()
        self._timer: Timer | None = None
        self._looking_at: int | None = None
        self._is_wanted_below = False
        self._is_asked_for = False
        self._hits: Mapping[int, Hit] = {}
        self._line: int | None = None
        self.marks = MarkTotals(store, self, self._marks_measured)

    def compose(self) -> ComposeResult:
        """The list, then the preview."""
        yield self._items
        yield self._preview

    @property
    def items(self) -> ItemList:
        """The list whose item is previewed."""
        return self._items

    def shown_item(self, item_id: int) -> Item | None:
        """An item as it is previewed."""
        return self._store.item(item_id)

    def hide_preview(self) -> None:
        """Begin without the preview."""
        self.add_class("-alone")

    def draw_preview(self) -> None:
        """Show the item under the cursor."""
        if not self._preview.display:
            return
        item_id = self.items.current_id
        item = self.shown_item(item_id) if item_id is not None else None
        hit = self._hits.get(item.id) if item else None
        found = f"in the {hit.place.value}: {hit.snippet}" if hit else ""
        around = surroundings_of(self._store, item, self._faults(item), found)
        self._preview.show(item, self._store.comments(item.id) if item else (), around)

    def _faults(self, item: Item | None) -> Sequence[str]:
        """Return the sentences of the ready-check that an open item fails."""
        if item is None or not is_open(str(item.fields.get("Status") or "") or None):
            return ()
        return [rule.sentence for rule in self._store.lint.faults([item.id]).get(item.id, ())]

    def find_words(self, words: str) -> None:
        """Say in the preview of each item where some words are in its texts; none for no words."""
        if words:
            self.run_worker(work(self._find, words), exclusive=True, group="words")
        else:
            self.workers.cancel_group(self, "words")
            self._show_hits({})

    async def _find(self, words: str) -> None:
        hits = await self._store.search.find(words)
        if self.is_attached:
            self._show_hits({hit.item_id: hit for hit in reversed(hits)})

    def _show_hits(self, hits: Mapping[int, Hit]) -> None:
        if hits or self._hits:
            self._hits = hits
            self.draw_preview()

    @on(Marked)
    def measure_marks(self) -> None:
        """Count the marked items and their points."""
        self.marks.measure(self.items.marks.ids())

    def _marks_measured(self) -> None:
        self.post_message(self.Measured())

    def preview_soon(self) -> None:
        """Draw the preview once the cursor has rested."""
        if self._timer:
            self._timer.stop()
        self._timer = self.set_timer(PREVIEW_DELAY, self._rested)

    def _rested(self) -> None:
        self.draw_preview()
        self.post_message(self.Rested())
        item_id = self.items.current_id
        if item_id is not None:
            self.run_worker(work(self._store.look_at, item_id), exclusive=True, group="look")
        if item_id != self._looking_at and self._preview.display and item_id is not None:
            self._looking_at = item_id
            self.set_timer(self.look_seconds, lambda: self._looked(item_id))

    def _looked(self, item_id: int) -> None:
        """Nobody may be looking when something changes later: it is news until the cursor comes again."""
        if self.items.current_id == item_id and self._preview.display and self.screen.is_current:
            self.post_message(StoreScreen.Seen(item_id))
        elif self._looking_at == item_id:
            self._looking_at = None

    @on(LineList.Highlighted)
    def _cursor_moved(self) -> None:
        self.preview_soon()

    @on(LineList.Chosen)
    def _row_chosen(self) -> None:
        if self.items.current_id is not None:
            self.post_message(Open(self.items.current_id, ItemPlace.EDITOR))

    def on_resize(self) -> None:
        """Place the preview anew."""
        self._place()

    def _place(self) -> None:
        width, height = self.size
        is_below = self._is_wanted_below or width < WIDE
        self.set_class(is_below, "-below")
        has_room = not is_below or height >= (LEAST if self._is_asked_for else TALL)
        self._preview.display = has_room and not self.has_class("-alone")
        self._line = width * LIST_SHARE // 100 if self._preview.display and not is_below else None
        self.tell_edges()
        if self._preview.display:
            self.preview_soon()

    def tell_edges(self) -> None:
        """Say where the line between the panes meets the rules around them."""
        self.post_message(self.Placed(self._line, self._line))

    def toggle_preview(self) -> None:
        """Show or hide the preview; raises CannotAct without room for it."""
        if self.size.height < LEAST and (self._is_wanted_below or self.size.width < WIDE):
            raise CannotAct(f"The preview needs {LEAST + 4} lines or {WIDE} columns.")
        self._is_asked_for = not self._preview.display
        self.set_class(not self._is_asked_for, "-alone")
        self._place()

    def turn_preview(self) -> None:
        """Put the preview at the right or below; raises CannotAct without room beside the list."""
        if self.size.width < WIDE:
            raise CannotAct(f"There is room beside the list only from {WIDE} columns on.")
        self._is_wanted_below = not self._is_wanted_below
        self._place()

    def spare(self, is_sparing: bool) -> None:
        """Show no preview unless it is asked for, pages by the half, a cursor that is a bar; or all again."""
        self.items.spare(is_sparing)
        self._is_asked_for = False
        self.set_class(is_sparing, "-alone")
        self._place()

    def scroll_preview(self, lines: int) -> None:
        """Scroll the preview."""
        self._preview.scroll_relative(y=lines, animate=False)
