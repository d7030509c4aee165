"""The rows of the outbox: what waits to be sent, is refused or in conflict."""

from collections.abc import Callable, Mapping, Sequence

from rich.segment import Segment
from textual.strip import Strip

from backlit.store.entries import ON_NODES, EntryKind, EntryState, OutboxEntry, is_for_customers
from backlit.tui.commands import Context
from backlit.tui.entry_words import moved_words
from backlit.tui.looks import Looks
from backlit.tui.node_words import node_summary, noun_of
from backlit.tui.text import fit, fit_right
from backlit.tui.widgets.line_list import LineList
from backlit.tui.wording import label_of

STATE_SIGNS: Mapping[EntryState, tuple[str, str]] = {
    EntryState.WAITING: ("↑", "pending"),
    EntryState.SENDING: ("↑", "pending"),
    EntryState.REFUSED: ("!", "conflict"),
    EntryState.CONFLICT: ("≠", "conflict"),
}
STATE_WIDTH = 9
ID_WIDTH = 7
CHANGE_SHARE = 0.4
"""How much of the width the description of the change takes."""


class OutboxList(LineList):
    """One row for each entry; `name` gives the name of the item it is about."""

    CONTEXTS = (Context.OUTBOX,)

    def __init__(self, item_name: Callable[[OutboxEntry], str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._item_name = item_name
        self._entries: Sequence[OutboxEntry] = ()
        self._fault = ""

    def show_fault(self, sentence: str) -> None:
        """Say why it is not known what waits."""
        self._fault, self._entries = sentence, ()
        self.rows_replaced(0)
        self.refresh()

    def show(self, entries: Sequence[OutboxEntry]) -> None:
        """Show entries, the cursor where it was: on the same one, else near its line."""
        current = self.current
        self._entries, self._fault = entries, ""
        ids = [entry.id for entry in entries]
        self.rows_replaced(ids.index(current.id) if current and current.id in ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current(self) -> OutboxEntry | None:
        """The entry under the cursor."""
        return self._entries[self.cursor] if self.cursor < len(self._entries) else None

    def row_count(self) -> int:
        """The entries there are."""
        return len(self._entries)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one entry: its state, its item, and what it does to it."""
        entry, looks = self._entries[index], Looks.of(self.app)
        on = "cursor-background" if is_cursor else None
        sign, colour = STATE_SIGNS.get(entry.state, (" ", "muted"))
        width = self.size.width
        change_width = round(width * CHANGE_SHARE)
        name_width = max(0, width - change_width - STATE_WIDTH - ID_WIDTH - 7)
        segments = [
            Segment("▌" if is_cursor else " ", looks.style("accent", on=on)),
            Segment(f" {sign} {fit(entry.state.value, STATE_WIDTH)}", looks.style(colour, on=on)),
            Segment(fit_right(number_of(entry), ID_WIDTH) + " ", looks.style("muted", on=on)),
            Segment(fit(self._item_name(entry), name_width) + " ", looks.style(on=on, bold=is_cursor)),
            Segment(fit(summary_of(entry), change_width), looks.style("muted", on=on)),
        ]
        return Strip(segments).adjust_cell_length(width, looks.style(on=on))

    def render_blank(self, y: int) -> Strip:
        """Say that all is sent, where it is, or why that is not known."""
        if self._fault:
            return self.draw_words(self._fault, y, "conflict")
        return self.draw_words("" if self._entries else "Nothing waits: the service has all your changes.", y)

    # Commands

    def do_outbox_down(self, count: int | None) -> None:
        """Move down."""
        self.move_to(self.cursor + (count or 1))

    def do_outbox_up(self, count: int | None) -> None:
        """Move up."""
        self.move_to(self.cursor - (count or 1))

    def do_outbox_first(self, count: int | None) -> None:
        """Go to the first entry, or to entry `count`."""
        self.move_to((count or 1) - 1)

    def do_outbox_last(self, count: int | None) -> None:
        """Go to the last entry, or to entry `count`."""
        self.move_to((count or self.row_count()) - 1)

    def do_outbox_half_down(self, count: int | None) -> None:
        """Move down half a page."""
        self.move_to(self.cursor + (self.page // 2) * (count or 1))

    def do_outbox_half_up(self, count: int | None) -> None:
        """Move up half a page."""
        self.move_to(self.cursor - (self.page // 2) * (count or 1))


def number_of(entry: OutboxEntry) -> str:
    """The item's number, as long as it has one."""
    if entry.kind in ON_NODES:
        return noun_of(entry)
    return f"#{entry.item_id}" if entry.item_id > 0 else "new"


def summary_of(entry: OutboxEntry) -> str:
    """What an entry does, in a few words."""
    match entry.kind:
        case EntryKind.ADD:
            return f"new {str(entry.payload.get('type', 'item')).lower()}"
        case EntryKind.COMMENT:
            whose = "comment for customers: " if is_for_customers(entry.payload) else "comment: "
            return whose + " ".join(str(entry.payload.get("text", "")).split())
        case EntryKind.DELETE:
            return "delete for good"
        case EntryKind.DELETE_COMMENT:
            return "delete comment: " + " ".join(str(entry.payload.get("text", "")).split())
        case EntryKind.RECALL:
            return f"look whether {'its comment' if 'text' in entry.payload else 'it'} is deleted"
        case EntryKind.RANK:
            return f"rank: {moved_words(entry)}"
        case EntryKind.EDIT:
            return ", ".join(label_of(key) for key in entry.payload)
        case _:
            return node_summary(entry)
