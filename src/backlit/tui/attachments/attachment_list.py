"""The rows of attached files: name, size, who, when, what about, and who may see it."""

from collections.abc import Callable, Sequence
from datetime import datetime

from rich.segment import Segment
from textual.strip import Strip

from backlit.model.resources import friendly_size_of
from backlit.store.views.items import AttachmentEntry
from backlit.tui.drawing.relative_times import age, moment
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.drawing.theme_styles import ThemeStyles
from backlit.tui.widgets.line_list import LineList

CUSTOMERS_SIGN = "»"
SIZE_WIDTH = 10
AUTHOR_WIDTH = 10
WHEN_WIDTH = 16
AGE_WIDTH = 4
SEEN_WIDTH = 9
NAME_SHARE = 0.4
"""Share of the remaining width that goes to the name where a description stands beside it."""
WIDE, MIDDLING = 100, 72
"""Cells from which there is room for who may see it and the whole time; for author and description."""


class AttachmentList(LineList):
    """A list of files, one to a row; `now` gives the server's time, for the ages."""

    HEADER_LINES = 1

    def __init__(self, now: Callable[[], datetime], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._now = now
        self.entries: Sequence[AttachmentEntry] = ()

    def show(self, entries: Sequence[AttachmentEntry]) -> None:
        """Show files, the cursor where it was: on the same one, else near its line."""
        current = self.current
        self.entries = entries
        ids = [entry.id for entry in entries]
        self.rows_replaced(ids.index(current.id) if current and current.id in ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current(self) -> AttachmentEntry | None:
        """The file under the cursor."""
        return self.entries[self.cursor] if self.cursor < len(self.entries) else None

    def row_count(self) -> int:
        """Return the number of files."""
        return len(self.entries)

    # Drawing

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw what the columns are."""
        titles = ("Name", fit_right("Size", SIZE_WIDTH), "By", "When", "Seen by", "Description")
        return self._row(titles, " ", is_cursor=False, is_header=True)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one file."""
        entry = self.entries[index]
        size = friendly_size_of(entry.size) if entry.size is not None else "–"
        since = age((self._now() - entry.created_at).total_seconds()) if entry.created_at else ""
        when = moment(entry.created_at) if self.size.width >= WIDE else since
        seen_by = "internal" if entry.is_internal else "customers"
        about = entry.description if entry.comment_id is None else f"(on a comment) {entry.description}"
        cells = (entry.name, fit_right(size, SIZE_WIDTH), entry.author, when, seen_by, " ".join(about.split()))
        return self._row(cells, " " if entry.is_internal else CUSTOMERS_SIGN, is_cursor=is_cursor)

    def _row(self, cells: Sequence[str], sign: str, *, is_cursor: bool, is_header: bool = False) -> Strip:
        theme, width = ThemeStyles.of(self.app), self.size.width
        on = "cursor-background" if is_cursor else None
        name, size, author, when, seen_by, about = cells
        is_wide, is_middling = width >= WIDE, width >= MIDDLING
        after = [(size, SIZE_WIDTH)]
        if is_middling:
            after.append((author, AUTHOR_WIDTH))
        after.append((when, WHEN_WIDTH if is_wide else AGE_WIDTH))
        if is_wide:
            after.append((seen_by, SEEN_WIDTH))
        room = max(8, width - 4 - sum(each + 2 for _, each in after))
        name_width = round(room * NAME_SHARE) if is_middling else room
        colour = "muted" if is_header else "foreground"
        segments = [
            Segment("▌" if is_cursor else " ", theme.style("accent", on=on)),
            Segment(f" {sign} ", theme.style("type-feedback", on=on)),
            Segment(fit(name, name_width), theme.style(colour, on=on, bold=is_cursor)),
            *(Segment("  " + fit(text, each), theme.style("muted", on=on)) for text, each in after),
        ]
        if is_middling:
            segments.append(Segment("  " + fit(about, room - name_width - 2), theme.style(colour, on=on)))
        return Strip(segments).adjust_cell_length(width, theme.style(on=on))
