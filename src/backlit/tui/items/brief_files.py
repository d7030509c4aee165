"""The files of an item in a few lines, where another tab of it leaves room."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.amounts import size_text
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry
from backlit.tui.drawing.text import Line, fit, fit_right, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.items.latest_changes import ruled_head
from backlit.tui.items.preview import author_colours
from backlit.tui.widgets.text_view import LinesView

GAP, MAX_FILE_NAME = 2, 30
"""Cells between columns, and of the name of a file at most."""


class BriefFiles(LinesView):
    """The files of an item below their head, one to a line: name, size, author and description."""

    MORE_KEY = ""

    def __init__(self, store: Store) -> None:
        super().__init__(id="brief-files")
        self._store = store
        self._files: Sequence[AttachmentEntry] = ()

    def show(self, files: Sequence[AttachmentEntry]) -> None:
        if files != self._files:
            self._files = files
            if self.is_mounted:
                self.lay_out()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        colours = author_colours(self._store.lookups.known_people())
        sizes = ["" if each.size is None else size_text(each.size) for each in self._files]
        authors = [each.author or "you" for each in self._files]
        name = min(MAX_FILE_NAME, max((cell_len(safe(each.name)) for each in self._files), default=0))
        size, author = (max(map(cell_len, cells), default=0) for cells in (sizes, authors))
        about = width - name - size - author - 3 * GAP
        lines: list[Line] = [
            [
                Segment(fit(entry.name, name), theme.style()),
                Segment(" " * GAP + fit_right(amount, size) + " " * GAP, theme.style("muted")),
                Segment(fit(who, author), theme.style(colours.get(who, "muted"))),
                Segment(
                    fit(" " * GAP + " ".join(entry.description.split()), max(0, about + GAP)), theme.style("muted")
                ),
            ]
            for entry, amount, who in zip(self._files, sizes, authors, strict=True)
        ]
        return [ruled_head("Files", width, theme), *lines]
