"""The head of an item's screens: its title, its tabs, and the commands that go from tab to tab."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.commands.command import Call
from backlit.tui.drawing.themes import ThemeStyles, type_colour, type_sign
from backlit.tui.fields.dates import ago
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.target import ItemPlace, Open
from backlit.tui.widgets.item_rows import ROW_SIGNS
from backlit.tui.widgets.side_lines import Part, SidesLine

TABS: Mapping[ItemPlace, str] = {
    ItemPlace.EDITOR: "Details",
    ItemPlace.COMMENTS: "Comments",
    ItemPlace.ATTACHMENTS: "Files",
    ItemPlace.HISTORY: "History",
}
ROOM_FOR_AUTHOR = 80


class ItemTabs(Widget):
    """The tabs of an item, and a note at the right; a click goes to a tab."""

    DEFAULT_CSS = "ItemTabs { height: 1; }"

    def __init__(self, place: ItemPlace) -> None:
        super().__init__(id="tabs")
        self._place = place
        self._item_id: int | None = None
        self._counts: Mapping[ItemPlace, int] = {}
        self._note: tuple[Part, ...] = ()

    def say(self, item_id: int | None, counts: Mapping[ItemPlace, int], note: Sequence[Part]) -> None:
        """Show other counts or another note; a new item has no tabs but its details."""
        shown = (item_id, counts, tuple(note))
        if (self._item_id, self._counts, self._note) != shown:
            self._item_id, self._counts, self._note = shown
            self.refresh()

    def _tabs(self) -> Iterator[tuple[ItemPlace, str]]:
        for place, name in TABS.items():
            if self._item_id is not None or place is self._place:
                count = self._counts.get(place, 0)
                words = f"{name} {count:,}" if count else name
                yield place, f" [{words}]" if place is self._place else f"  {words} "

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the line; the note gives way to the tabs."""
        theme, width = ThemeStyles.of(self.app), self.size.width
        tabs = [
            Segment(text, theme.style("accent" if place is self._place else "muted", bold=place is self._place))
            for place, text in self._tabs()
        ]
        room = width - sum(cell_len(segment.text) for segment in tabs)
        note = [Segment(text, theme.style(colour)) for text, colour in self._note]
        gap = room - sum(cell_len(segment.text) for segment in note)
        shown = [*tabs, Segment(" " * gap, theme.style()), *note] if gap >= 0 else tabs
        return Strip(shown).adjust_cell_length(width, theme.style())

    def on_click(self, event: events.Click) -> None:
        """Go to the tab under the pointer."""
        end = 0
        for place, text in self._tabs():
            end += cell_len(text)
            if event.x < end:
                if self._item_id is not None and place is not self._place:
                    self.post_message(Open(self._item_id, place))
                return


class ItemHead:
    """The two lines over every tab of an item."""

    def __init__(self, store: Store, place: ItemPlace) -> None:
        self.title = SidesLine(id="title")
        self.tabs = ItemTabs(place)
        self._store = store
        self._counts: Mapping[ItemPlace, int] = {}

    def count(self, item_id: int) -> Sequence[CommentEntry]:
        """Count the comments and files of the item for its tabs; return the comments."""
        comments, files = self._store.comments.of_item(item_id), self._store.attachments.of_item(item_id)
        self._counts = {ItemPlace.COMMENTS: len(comments), ItemPlace.ATTACHMENTS: len(files)}
        return comments

    def say(self, item: Item | None, item_type: str, name: object, note: Sequence[Part] = ()) -> None:
        """Show an item by its type and its name, which may be typed at this moment."""
        sign = (f"{type_sign(item_type)} {item_type}", type_colour(item_type))
        number = " new " if item is None or item.id < 0 else f" #{item.id} "
        left: list[Part] = [(number, "muted"), sign, (" · ", "muted"), (str(name or ""), "foreground")]
        self.title.say(left, right_title(item, self._store.now(), self.title.size.width))
        self.tabs.say(item.id if item else None, self._counts, note)

    def say_gone(self, item_id: int) -> None:
        """Say that an item is deleted."""
        self.title.say([(f" #{item_id} no longer exists", "conflict")])


def right_title(item: Item | None, now: datetime, width: int) -> list[Part]:
    """Return the right of the title: the sync sign, and where there is room the last change."""
    if item is None:
        return []
    sign, colour = ROW_SIGNS[item.sign]
    parts: list[Part] = [(f" {sign} " if sign.strip() else " ", colour)]
    if item.last_modified_at is not None and width >= ROOM_FOR_AUTHOR:
        by = f" by {item.last_modified_by}" if item.last_modified_by else ""
        parts.insert(0, (f"  edited {ago(item.last_modified_at, now)}{by}", "muted"))
    return parts


class TabTarget(ItemTarget, Protocol):
    """A tab of an item."""

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None] | None:
        """Return the item and the place of the tab; None for a new item."""


def step_to_tab(target: TabTarget, call: Call) -> None:
    """Go to another tab, in the direction of the command's argument; after the last comes the first."""
    item, shown, places = target.current(), target.shown_place, list(TABS)
    here = places.index(shown[1]) if shown is not None else 0
    target.open(item.id, places[(here + int(call.command.argument)) % len(places)])
