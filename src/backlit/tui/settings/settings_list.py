"""The list of the project's settings, with the heads of sections and the sentences about refused values."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from backlit.tui.drawing.text import fit, wrapped
from backlit.tui.settings.setting_rows import SettingRow, ValueSource
from backlit.tui.widgets.headed_list import HeadedList
from backlit.tui.widgets.side_lines import HEADING

MIN_LABEL_WIDTH, MAX_LABEL_WIDTH = 14, 24
LABEL_SHARE = 0.3
"""Largest share of the width for the names of settings."""
SOURCE_WIDTH = max(len(each) for each in ValueSource)
INDENT = 2
FAULT_SIGN = "! "


class SettingNote(Struct, frozen=True):
    """A line that the cursor passes over: the head of a section, or a part of a sentence about the row above."""

    id: int
    text: str
    colour: str


class SettingsList(HeadedList[SettingRow | SettingNote]):
    """The settings below the heads of their sections; what the service refused stands below its setting."""

    def __init__(self) -> None:
        super().__init__(id="settings")
        self._rows: Sequence[SettingRow] = ()
        self._faults: Mapping[int, str] = {}

    @property
    def row(self) -> SettingRow | None:
        return self.current if isinstance(self.current, SettingRow) else None

    def is_head(self, entry: SettingRow | SettingNote) -> bool:
        return isinstance(entry, SettingNote)

    def show_rows(self, rows: Sequence[SettingRow], faults: Mapping[int, str]) -> None:
        """Show rows, and below them the sentences about what was refused, by the ids of the rows."""
        self._rows, self._faults = rows, faults
        self.show(list(self._with_notes()))

    def on_resize(self) -> None:
        super().on_resize()
        if self._faults:
            self.show(list(self._with_notes()))

    def _with_notes(self) -> Iterator[SettingRow | SettingNote]:
        note_id, section = -1, ""
        for row in self._rows:
            texts = [] if row.section == section else [(row.section, HEADING)]
            yield from (SettingNote(note_id - at, *text) for at, text in enumerate(texts))
            note_id, section = note_id - len(texts), row.section
            yield row
            lines = wrapped(f"{FAULT_SIGN}{self._faults[row.id]}", max(1, self._room)) if row.id in self._faults else []
            yield from (SettingNote(note_id - at, " " * INDENT + text, "conflict") for at, text in enumerate(lines))
            note_id -= len(lines)

    @property
    def _room(self) -> int:
        return self.size.width - 1 - 2 * INDENT

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        entry = self.entries[index]
        if isinstance(entry, SettingNote):
            return self.draw_parts([(fit(entry.text, max(0, self.size.width - 1)), entry.colour)], is_cursor=False)
        longest = max(cell_len(row.label) for row in self._rows)
        label = max(MIN_LABEL_WIDTH, min(longest, MAX_LABEL_WIDTH, round(self.size.width * LABEL_SHARE)))
        sign = f"{entry.sign} " if entry.sign else ""
        room = max(0, self._room - label - SOURCE_WIDTH - 2 - len(sign))
        parts = [
            (" " * INDENT + fit(entry.label, label) + "  ", "foreground"),
            (sign, entry.colour),
            (fit(entry.words, room), "bold" if entry.source is ValueSource.PROJECT else "foreground"),
            ("  " + fit(entry.source, SOURCE_WIDTH), "muted"),
        ]
        return self.with_scrollbar(self.draw_parts(parts, is_cursor=is_cursor), index)
