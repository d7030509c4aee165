"""The list of what is not sent: each change in a row, with its item and what it changes in words."""

import time
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from textual.strip import Strip

from backlit.store.object_changes.kinds import object_change
from backlit.store.records.entry import ON_NODES, TRANSFORMS, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import number_of
from backlit.store.records.merge import is_long
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.fields.dates import MINUTE, age
from backlit.tui.fields.values import label_of, short_words_of
from backlit.tui.items.entry_text import fields_of, moved_words, node_summary, noun_of, transform_words
from backlit.tui.widgets.line_list import BOLD, EntryList

STATE_SIGNS: Mapping[EntryState, tuple[str, str]] = {
    EntryState.WAITING: ("↑", "pending"),
    EntryState.SENDING: ("↑", "pending"),
    EntryState.REFUSED: ("!", "conflict"),
    EntryState.CONFLICT: ("≠", "conflict"),
}
STATE_WORDS: Mapping[EntryState, str] = {state: state.value for state in EntryState} | {EntryState.REFUSED: "rejected"}
STATE_WIDTH = 10
GROUP_STATES = ((EntryState.CONFLICT,), (EntryState.REFUSED,), (EntryState.WAITING, EntryState.SENDING))
"""The states of the groups: what needs a person comes first."""
GROUP_NAMES = ("Conflicts", "Rejected", "Waiting")
GROUP_GAP, GROUP_HEAD, ENTRY_LINE = -2, -1, 0
"""The lines of an entry: above the first one of its group a blank and its head, and its own."""
AGE_WIDTH = 4
"""Cells of the age of a change, which is said from a minute on."""
HIGH = 15
"""Lines that the list may have from which a blank stands between its groups."""
CHANGE_SHARE = 0.55
"""The share of a row that what it changes has beside a long name."""
MEASURED = 200
"""The first rows, by whose words the list has its columns."""


def group_of(entry: OutboxEntry) -> int:
    return next(at for at, states in enumerate(GROUP_STATES) if entry.state in states)


class OutboxList(EntryList[OutboxEntry]):
    """A list of journal entries."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="entries")
        self._store = store
        self._id_width = self._name_width = self._change_width = 0

    def show(self, entries: Sequence[OutboxEntry]) -> None:
        self._id_width = max((cell_len(number_or_noun(entry)) for entry in entries), default=0)
        super().show(entries)
        self._share()

    def on_resize(self) -> None:
        super().on_resize()
        self._share()

    def fit_lines(self, height: int) -> None:
        """Give each group its head where a height has room for all lines; else the rows name their states."""
        spaced = self._lines(has_gaps=height >= HIGH)
        lines = next((each for each in (spaced, self._lines()) if len(each) <= height), [])
        if lines != self.row_lines:
            self.row_lines = lines
            self._share()
            self.rows_replaced(self.cursor)

    def _lines(self, *, has_gaps: bool = False) -> list[tuple[int, int]]:
        """Return the lines of all groups, which may have a blank between them."""
        lines, before = list[tuple[int, int]](), None
        for at, entry in enumerate(self.entries):
            if (group := group_of(entry)) != before:
                lines += [(at, GROUP_GAP)] if has_gaps and lines else []
                lines.append((at, GROUP_HEAD))
            lines.append((at, ENTRY_LINE))
            before = group
        return lines

    @property
    def line_count(self) -> int:
        return len(self.row_lines) or self.row_count()

    def _share(self) -> None:
        """Give the names the cells of the longest one, and the changes the others, or half of a row with long ones."""
        entries, state_width = self.entries[:MEASURED], 0 if self.row_lines else STATE_WIDTH
        room = max(0, self.size.width - self._id_width - state_width - AGE_WIDTH - 8)
        longest = max((cell_len(summary_of(self._store, entry)) for entry in entries), default=0)
        name = max((cell_len(item_name_of(self._store, entry)) for entry in entries), default=0)
        self._change_width = min(longest, max(room - name, round(room * CHANGE_SHARE)))
        self._name_width = min(name, room - self._change_width)
        self.refresh()

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        if line == GROUP_GAP:
            return self.draw_parts([], is_cursor=False)
        return self._group_head(index) if line == GROUP_HEAD else self.render_row(index, is_cursor=is_cursor)

    def _group_head(self, index: int) -> Strip:
        group = group_of(self.entries[index])
        count = sum(group_of(entry) == group for entry in self.entries)
        return self.draw_parts([(GROUP_NAMES[group], BOLD), (f" {count:,}", "muted")], is_cursor=False)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        entry, width = self.entries[index], self.size.width
        sign, colour = STATE_SIGNS.get(entry.state, (" ", "muted"))
        is_said = bool(self.row_lines) and entry.state is not EntryState.SENDING
        state_width = 0 if is_said else STATE_WIDTH
        seconds = max(0.0, time.time() - entry.created_at)
        when = age(seconds) if seconds >= MINUTE else ""
        name_width = max(0, self._name_width - (state_width if self.row_lines else 0))
        parts = [
            (f"{sign} {fit(STATE_WORDS[entry.state], state_width)}", colour),
            (fit_right(number_or_noun(entry), self._id_width) + " ", "muted"),
            (fit(item_name_of(self._store, entry), name_width) + "  ", "foreground"),
            (fit(summary_of(self._store, entry), self._change_width), "muted"),
        ]
        free = width - 1 - sum(cell_len(text) for text, _ in parts)
        parts.append((fit_right(when, max(0, free - 1)), "muted"))
        return self.draw_parts(parts, is_cursor=is_cursor)


def item_name_of(store: Store, entry: OutboxEntry) -> str:
    item = store.item(entry.item_id)
    name = item.fields.get("Name") if item else entry.payload.get("name")
    return str(name or "") if item or name else "(deleted)"


def number_or_noun(entry: OutboxEntry) -> str:
    """Return the number of an item, the noun of a node, or "new"."""
    if entry.kind in ON_NODES:
        return noun_of(entry)
    return number_of(entry.item_id)


def summary_of(store: Store, entry: OutboxEntry) -> str:
    if (change := object_change(entry)) is not None:
        return change.summary()
    match entry.kind:
        case EntryKind.ADD:
            return f"new {str(entry.payload.get('type', 'item')).lower()}"
        case EntryKind.DELETE:
            return "delete permanently"
        case EntryKind.RECALL:
            return f"check whether {'its comment' if 'text' in entry.payload else 'it'} was deleted"
        case EntryKind.RANK:
            return f"rank: {moved_words(entry)}"
        case kind if kind in TRANSFORMS:
            return transform_words(entry)
        case EntryKind.EDIT:
            return _edit_words(store, entry)
        case _:
            return node_summary(entry)


def _edit_words(store: Store, entry: OutboxEntry) -> str:
    """Return the new values of an edit, a number after the one before it; of texts the labels alone."""

    def words(key: str, value: object) -> str:
        before = entry.base.get(key)
        if key == "Name":
            return "renamed"
        if is_long(key, before, value):
            return label_of(key)
        former, after = (short_words_of(store, key, each) for each in (before, value))
        return f"{label_of(key)} {f'{former} ' * former.isdecimal()}→ {after}"

    return ", ".join(words(key, value) for key, value in fields_of(entry).items())
