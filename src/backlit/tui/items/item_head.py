"""The tabs of an item: the head over them, the screens of its rows, and the commands that go from tab to tab."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, time
from typing import ClassVar, Protocol

from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry, CommentEntry
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import with_keys
from backlit.tui.drawing.text import Line, fit
from backlit.tui.drawing.themes import KEY, ThemeStyles, type_colour, type_sign
from backlit.tui.items.comment_thread import CommentThread
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemScreen
from backlit.tui.items.item_tabs import BELOW, BRIEF_NAMES, TABS, blocked_words, counts_below, tab_name, tabs_of
from backlit.tui.items.preview import ItemContext, PreviewLayout, edited_words, item_context
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.status_text import position_words, status_words
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import FooterLine, Hint
from backlit.tui.widgets.item_rows import ROW_SIGNS
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import (
    CURRENT_COLOURS,
    HEADING,
    MIN_RULE_WIDTH,
    Drawn,
    Part,
    RuleLine,
    TwoSidedLine,
    Word,
    length,
    tab_of,
)
from backlit.tui.widgets.text_view import MARGIN, LinesView

COUNTED_SUBJECTS = (
    *(Subject.COMMENTS, Subject.ATTACHMENTS, Subject.ITEMS),
    *(Subject.RELATIONS, Subject.CRITERIA, Subject.LINKS),
)
"""Changes after which the tabs count again."""
MIN_WIDTH_WITH_ASIDE = 100
"""Cells from which an item stands beside its tab."""
NAME_INDEX = 3
"""The place of the name in the words of the heading."""
TAB_COMMANDS = ("items.item_head", *ITEM_COMMANDS)


class ItemHeader:
    """The two lines over every tab of an item."""

    def __init__(self, store: Store, place: ItemDestination) -> None:
        self.heading = ItemHeading(id="heading")
        self.tabs = RuleLine("┬", id="tabs")
        self._store = store
        self._place = place
        self.comments: Sequence[CommentEntry] = ()
        self.files: Sequence[AttachmentEntry] = ()
        self._below: Mapping[ItemDestination, str] = {}
        self._item_type = ""
        self.blocked = ""
        """What the item waits for, in words."""

    def read(self, item_id: int) -> Sequence[CommentEntry]:
        """Read the comments, the files and what else the tabs of the item count; return the comments."""
        self._below = counts_below(self._store, item_id)
        self.blocked = blocked_words(self._store, item_id)
        self.comments, self.files = self._store.comments.of_item(item_id), self._store.attachments.of_item(item_id)
        return self.comments

    def say(self, item: Item | None, item_type: str, name: object, note: Sequence[Word] = ()) -> None:
        """Show an item by its type and its name, which may be typed at this moment."""
        self._item_type = item_type
        colour = type_colour(item_type)
        title = (str(name or ""), HEADING, "editor.name" if self._place is ItemDestination.EDITOR else "item.edit")
        kind: list[Word] = [(f" {type_sign(item_type)} ", colour), (item_type, colour), (" · ", "muted")]
        who = self._store.presence.words(item.id) if item is not None else ""
        others: list[Part] = [(f"  {who}", "mark")] if who else []
        self.heading.say([*kind, title], [*others, *last_change(item, self._store.now())])
        waits: list[Word] = [(self.blocked, "warn")] if self.blocked else []
        words, room = [*waits, *note], self.tabs.size.width - 2 * MIN_RULE_WIDTH
        if not self.has_whole_names(room - length(words)) and item is not None:  # names of tabs say more than these
            words = [each for each in note if each[1] != "muted"]
        tabs = self.tab_words(room, is_new=item is None)
        if length(tabs) > room - length(words):  # closer, but the same: none goes while something is not saved
            tabs = _close(tabs)
            if length(tabs) > room - length(words):  # the footer has the key too
                words = [each for each in words if each[1] != KEY]
        if length(tabs) > room - length(words):
            tabs = self.tab_words(room - length(words), is_new=item is None)
        self.tabs.say(tabs, words)

    def tab_words(self, room: int, *, is_new: bool = False) -> list[Drawn]:
        """Return the tabs in some cells: fewer blanks where it is tight, no empty tabs nor files, then brief names."""
        places = (self._place,) if is_new else tabs_of(self._store, self._item_type)
        whole = [self._tab(place) for place in places]
        empty = {place for place in BELOW - self._below.keys() if place is not self._place}
        filled = [tab for place, tab in zip(places, whole, strict=True) if place not in empty]
        choices = [whole, filled, _close(whole)]
        no_files = {ItemDestination.ATTACHMENTS} - {self._place} if not self.files else set()
        for left_out in (empty, empty | no_files):
            shown = [tab for place, tab in zip(places, whole, strict=True) if place not in left_out]
            choices.append(_close(shown))
        for tabs in choices:
            if length(tabs) <= room:
                return tabs
        tight = _close(self._tab(place, is_brief=True) for place in places)
        here = places.index(self._place)
        with_own_name = [*tight[:here], whole[here], *tight[here + 1 :]]
        return with_own_name if length(with_own_name) <= room else tight

    def has_whole_names(self, room: int, *, is_close: bool = True) -> bool:
        """Return whether the names of the tabs need no more than some cells."""
        tabs = [*map(self._tab, tabs_of(self._store, self._item_type))]
        return length(_close(tabs) if is_close else tabs) <= room

    def _tab(self, place: ItemDestination, *, is_brief: bool = False) -> Drawn:
        rows = {ItemDestination.COMMENTS: self.comments, ItemDestination.ATTACHMENTS: self.files}.get(place)
        count = f" {len(rows):,}" if rows else f" {self._below[place]}" if place in self._below else ""
        name = tab_name(self._item_type, place)
        name = f"{BRIEF_NAMES[name] if is_brief else name}{count}"
        return tab_of(name, TABS[place][1], is_current=place is self._place)


def _close(tabs: Iterable[Drawn]) -> list[Drawn]:
    """Return tabs with one blank between them."""
    return [tab if tab[1] in CURRENT_COLOURS else (tab[0].rstrip(), *tab[1:]) for tab in tabs]


class ItemHeading(TwoSidedLine):
    """The type and the name of an item, and its last change; beside a long name stands only the sign of the type."""

    def fitted(self, width: int) -> tuple[list[Drawn], list[Drawn]]:
        if len(self._left) < NAME_INDEX:
            return super().fitted(width)
        left, right = list(self._left), list(self._right)
        while len(right) > 1 and length(left) + length(right) > width:
            right.pop(0)
        if length(left) + length(right) > width:
            left[1:NAME_INDEX] = []
        *signs, (name, colour, command_id) = left
        room = width - length(signs) - length(right)
        return [*signs, (fit(name, max(0, min(cell_len(name), room))), colour, command_id)], right


def last_change(item: Item | None, now: datetime) -> list[Part]:
    if item is None:
        return []
    sign, colour = ROW_SIGNS[item.sign]
    parts: list[Part] = [(f" {sign} " if sign.strip() else " ", colour)]
    if edited := edited_words(item, now):
        parts.insert(0, (f"  {edited}", "muted"))
    return parts


class ItemSidePane(LinesView):
    """The facts and the texts of an item, beside one of its tabs on a wide screen and below it on others.

    `names_item` is False where its name stands above.
    """

    def __init__(self, *, names_item: bool = True) -> None:
        super().__init__(id="aside")
        self._names_item = names_item
        self._shown: tuple[Item, ItemContext] | None = None

    def show(self, item: Item, context: ItemContext) -> None:
        """Show an item, another one from its top; the time of day alone changes nothing here."""
        before = self._shown[0].id if self._shown else None
        midnight = datetime.combine(context.today, time.min)
        shown = replace(item, last_modified_at=None), replace(context, now=midnight)
        if self._shown != shown:
            self._shown = shown
            self.lay_out()
        if before != item.id:
            self.scroll_to(y=0, animate=False, force=True)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        if self._shown is None:
            return ()
        if not self.is_framed:
            return list(PreviewLayout(theme, width - MARGIN).about(*self._shown))
        layout = PreviewLayout(theme, width, has_head=True, names_item=self._names_item)
        return list(layout.lines(self._shown[0], None, self._shown[1]))


class ItemRowsScreen(ItemScreen):
    """A tab of an item: rows between its head and a status line, and with `HAS_ASIDE` the item itself beside them.

    A temporary id is followed when the service gives the real one. `TAB` is the tab. Its rows are read again after a
    change of comments, of files or of `SUBJECTS`. `EMPTY` are the texts in place of rows: with a connection and
    without one.
    """

    TAB: ClassVar[ItemDestination]
    HAS_ASIDE: ClassVar[bool] = False
    LEAST_WIDTH_WITH_ASIDE: ClassVar[int] = MIN_WIDTH_WITH_ASIDE
    SUBJECTS: ClassVar[Collection[Subject]] = ()
    HINTS: ClassVar[Sequence[Hint | str]] = ()
    HINTS_WITHOUT_ROWS: ClassVar[Sequence[str]] = ("item.next-tab", "app.back", "app.help")
    EMPTY: ClassVar[tuple[str, str]]

    def __init__(self, store: Store, item_id: int, rows: LineList | CommentThread) -> None:
        super().__init__(store, number_of(item_id))
        self.item_id = item_id
        self._rows = rows
        self._aside = ItemSidePane(names_item=False) if self.HAS_ASIDE else None
        self._frame: PaneFrame | None = None
        self._pane: Widget | None = None
        """The container of the frame of the rows and of what is below it; None for that frame alone."""
        self._aside_frame = PaneFrame(self._aside, id="aside-frame") if self._aside is not None else None
        self._head, self._rule, self.footer = (
            ItemHeader(store, self.TAB),
            RuleLine("┴", id="item-rule"),
            FooterLine(id="status"),
        )

    @property
    def shown_place(self) -> tuple[int, ItemDestination, int | None]:
        return self.item_id, self.TAB, None

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self._head.heading
        yield self._head.tabs
        frame = self._frame = self._frame or PaneFrame(self._rows, id="body-frame")
        with Container(id="tab"):
            yield self._pane or frame
            if self._aside_frame is not None:
                yield self._aside_frame
        yield self._rule
        yield self.footer

    def on_resize(self) -> None:
        self.set_class(self.HAS_ASIDE and self.size.width >= self.LEAST_WIDTH_WITH_ASIDE, "-aside")
        self.call_after_refresh(self._fit_lines)  # once the frames have their new sizes

    def _fit_lines(self) -> None:
        is_beside = self._aside_frame is not None and self.has_class("-aside")
        for rule in (self._head.tabs, self._rule):
            rule.join_at(self._aside_frame.region.x - 1 if self._aside_frame is not None and is_beside else None)
        self.update_labels()

    def on_mount(self) -> None:
        self._head.read(self.item_id)
        self.show_rows()
        self.update_labels()
        self.run_worker(work(self.store.look_at, self.item_id), group="look")

    def store_changed(self, changes: ChangeBatch) -> None:
        self.item_id = changes.renamed.get(self.item_id, self.item_id)
        is_counted = any(changes.touches(subject, self.item_id) for subject in COUNTED_SUBJECTS)
        if is_counted or Subject.ITEMS in changes:  # items below it have other ids
            self._head.read(self.item_id)
        if any(changes.touches(subject, self.item_id) for subject in (*COUNTED_SUBJECTS, *self.SUBJECTS)):
            self.show_rows()
        self.update_labels()

    def show_rows(self) -> None:
        raise NotImplementedError

    def note(self) -> str:
        return ""

    def page_item(self) -> Item:
        item = self.store.item(self.item_id)
        if item is None:
            raise CannotAct(f"Item #{self.item_id} no longer exists.")
        return item

    def current(self) -> Item:
        return self.page_item()

    def update_labels(self) -> None:
        item = self.store.item(self.item_id)
        self.title_line.place = number_of(self.item_id)
        if item is None:
            self._head.heading.say([(f" #{self.item_id} no longer exists", "conflict")])
        else:
            note: list[Word] = [(f"  {self.note()}", "muted")] if self.note() else []
            self._head.say(item, item.type, item.fields.get("Name"), note)
            self._show_aside(item)
        self._rows.empty_text = with_keys(self.EMPTY[self.store.connection.state is not ConnectionState.ONLINE])
        self.draw_status()

    def _show_aside(self, item: Item) -> None:
        if self._aside is not None and self._aside_frame is not None:
            self._aside.show(item, item_context(self.store, item))
            self._aside_frame.say([("Details", "heading", TABS[ItemDestination.EDITOR][1])])

    @property
    def position(self) -> tuple[int, int]:
        """Return the number of the current row, and that of all rows."""
        return self._rows.cursor + 1, self._rows.row_count()

    @property
    def hints(self) -> Sequence[Hint | str]:
        """The hints of the footer for the current row."""
        return self.HINTS if self.position[1] else self.HINTS_WITHOUT_ROWS

    def draw_status(self) -> None:
        position, count = self.position
        status = status_words(self.store) if self._say_edges() else status_words(self.store, position, count)
        self.footer.show(self.hints, status, is_reader=self.store.lookups.is_read_only)

    def _say_edges(self) -> bool:
        """Put the tabs, the note and the position into the edges of the rows' frame; return whether there is one."""
        if self._frame is None:
            return False
        note: list[Part] = [(self._head.blocked, "warn")] if self._head.blocked else []
        note += [(f"  {self.note()}", "muted")] if self.note() else []
        room = self._frame.head_room
        beside = room - length(note)
        has_room = self._head.has_whole_names(beside, is_close=False) or not self._head.has_whole_names(room)
        foot: list[Part] = []
        if not (self._head.blocked or has_room):
            note, foot = [], [(self.note(), "muted")]  # names of tabs say more than it
        if not note:
            beside = room + MIN_RULE_WIDTH  # a rule of one cell is enough behind tabs alone
        tabs = self._head.tab_words(beside)
        self._frame.say(tabs, note, foot, position_words(*self.position))
        return self._frame.is_wanted


# From tab to tab


class TabTarget(ItemTarget, Protocol):
    """What a command of tabs acts on: one of the tabs of an item."""

    @property
    def shown_place(self) -> tuple[int, ItemDestination, int | None] | None:
        """Return the item and the place of the tab; None for a new item."""


def step_to_tab(target: TabTarget, call: CommandContext) -> None:
    item, shown = target.page_item(), target.shown_place
    places = list(tabs_of(target.store, item.type))
    here = places.index(shown[1]) if shown is not None else 0
    target.open(item.id, places[(here + int(call.command.argument)) % len(places)])
