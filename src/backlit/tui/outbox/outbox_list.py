"""The list of the outbox: unsent, rejected and conflicting changes."""

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from textual.strip import Strip

from backlit.store.records.entry import ON_NODES, EntryKind, EntryState, OutboxEntry, is_for_customers
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.drawing.theme_styles import ThemeStyles
from backlit.tui.fields.values import label_of
from backlit.tui.items.entry_text import moved_words, node_summary, noun_of
from backlit.tui.widgets.line_list import LineList

STATE_SIGNS: Mapping[EntryState, tuple[str, str]] = {
    EntryState.WAITING: ("↑", "pending"),
    EntryState.SENDING: ("↑", "pending"),
    EntryState.REFUSED: ("!", "conflict"),
    EntryState.CONFLICT: ("≠", "conflict"),
}
STATE_WORDS: Mapping[EntryState, str] = {state: state.value for state in EntryState} | {EntryState.REFUSED: "rejected"}
STATE_WIDTH = 9
ID_WIDTH = 7
CHANGE_SHARE = 0.4
"""Share of the width for the description of the change."""


class OutboxList(LineList):
    """A list of journal entries."""

    def __init__(self, store: Store, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._store = store
        self._entries: Sequence[OutboxEntry] = ()
        self._fault = ""

    def show_fault(self, sentence: str) -> None:
        """Show why the entries could not be read."""
        self._fault, self._entries = sentence, ()
        self.rows_replaced(0)
        self.refresh()

    def show(self, entries: Sequence[OutboxEntry]) -> None:
        """Show entries; the cursor stays on its entry, else near its line."""
        current = self.current
        self._entries, self._fault = entries, ""
        ids = [entry.id for entry in entries]
        self.rows_replaced(ids.index(current.id) if current and current.id in ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current(self) -> OutboxEntry | None:
        """Return the entry under the cursor."""
        return self._entries[self.cursor] if self.cursor < len(self._entries) else None

    def row_count(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw an entry: state, item, and change."""
        entry, theme = self._entries[index], ThemeStyles.of(self.app)
        on = "cursor-background" if is_cursor else None
        sign, colour = STATE_SIGNS.get(entry.state, (" ", "muted"))
        width = self.size.width
        change_width = round(width * CHANGE_SHARE)
        name_width = max(0, width - change_width - STATE_WIDTH - ID_WIDTH - 7)
        segments = [
            Segment("▌" if is_cursor else " ", theme.style("accent", on=on)),
            Segment(f" {sign} {fit(STATE_WORDS[entry.state], STATE_WIDTH)}", theme.style(colour, on=on)),
            Segment(fit_right(number_of(entry), ID_WIDTH) + " ", theme.style("muted", on=on)),
            Segment(fit(item_name_of(self._store, entry), name_width) + " ", theme.style(on=on, bold=is_cursor)),
            Segment(fit(summary_of(entry), change_width), theme.style("muted", on=on)),
        ]
        return Strip(segments).adjust_cell_length(width, theme.style(on=on))

    def render_blank(self, y: int) -> Strip:
        """Draw a text for no entries, or the error of reading them."""
        if self._fault:
            return self.draw_words(self._fault, y, "conflict")
        return self.draw_words("" if self._entries else "All changes are saved on the server.", y)


def item_name_of(store: Store, entry: OutboxEntry) -> str:
    """Return the name of the item or the node of an entry."""
    item = store.item(entry.item_id)
    name = item.fields.get("Name") if item else entry.payload.get("name")
    return str(name or "") if item or name else "(deleted)"


def number_of(entry: OutboxEntry) -> str:
    """Return the number of an item, the noun of a node, or "new"."""
    if entry.kind in ON_NODES:
        return noun_of(entry)
    return f"#{entry.item_id}" if entry.item_id > 0 else "new"


def summary_of(entry: OutboxEntry) -> str:
    """Return the change of an entry in a few words."""
    match entry.kind:
        case EntryKind.ADD:
            return f"new {str(entry.payload.get('type', 'item')).lower()}"
        case EntryKind.COMMENT:
            whose = "comment for customers: " if is_for_customers(entry.payload) else "comment: "
            return whose + " ".join(str(entry.payload.get("text", "")).split())
        case EntryKind.DELETE:
            return "delete permanently"
        case EntryKind.DELETE_COMMENT:
            return "delete comment: " + " ".join(str(entry.payload.get("text", "")).split())
        case EntryKind.RECALL:
            return f"check whether {'its comment' if 'text' in entry.payload else 'it'} was deleted"
        case EntryKind.RANK:
            return f"rank: {moved_words(entry)}"
        case EntryKind.EDIT:
            return ", ".join(label_of(key) for key in entry.payload)
        case _:
            return node_summary(entry)
