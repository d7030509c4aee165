"""What is around an item in a few lines, where one of its tabs leaves room: its files, and the items of its area."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.amounts import size_text
from backlit.model.fields import ItemType
from backlit.model.statuses import StatusGroup
from backlit.store.records.item import Item, ItemRow
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry
from backlit.store.views.query import ViewSpec
from backlit.tui.drawing.text import Line, fit, fit_right, safe
from backlit.tui.drawing.themes import ThemeStyles, status_colour, status_sign, type_colour, type_sign
from backlit.tui.items.preview import author_colours
from backlit.tui.widgets.text_view import LinesView

GAP = 2
MAX_FILE_NAME, MAX_NEIGHBOURS = 30, 12
"""Cells of the name of a file, and items of an area, at most."""
POINT_CELLS, MAX_OWNER = 4, 10


class BriefFiles(LinesView):
    """The files of an item, one to a line: name, size, author and description."""

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
        return [
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


class AreaNeighbours(LinesView):
    """The open items of an item's area in the order of the backlog, but the item itself, without tasks."""

    MORE_KEY = ""

    def __init__(self, store: Store) -> None:
        super().__init__(id="neighbours")
        self._store = store
        self.rows: Sequence[ItemRow] = ()

    async def read(self, item: Item) -> None:
        """Read the items of the area, the first ones alone."""
        area_id = item.fields.get("AreaID")
        if not isinstance(area_id, int):
            self.rows = ()
            return
        view = self._store.view(ViewSpec(area_ids=frozenset({area_id})))
        await view.load()
        found = [row for row in view.rows(0, 4 * MAX_NEIGHBOURS) if row.type != ItemType.TASK and row.id != item.id]
        self.rows = found[:MAX_NEIGHBOURS]
        if self.is_mounted:
            self.lay_out()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        lookups = self._store.lookups
        groups, people = lookups.status_groups(), lookups.known_people()
        colours = author_colours(people)
        numbers = [str(row.id) if row.id > 0 else "new" for row in self.rows]
        found = [people.get(row.owner_id or 0) for row in self.rows]
        owners = ["" if person is None else person.username for person in found]
        signs = [
            " " if groups.of(row.status) is StatusGroup.NOT_STARTED else status_sign(row.status, groups)
            for row in self.rows
        ]
        number, owner = (max(map(cell_len, cells), default=0) for cells in (numbers, owners))
        owner = min(MAX_OWNER, owner)
        name = width - number - 2 * GAP - 1 - POINT_CELLS - owner - GAP * bool(owner)
        return [
            [
                Segment(f"{shown:>{number}} ", theme.style("faint")),
                Segment(f"{type_sign(row.type)} ", theme.style(type_colour(row.type))),
                Segment(fit(row.name, max(0, name)), theme.style()),
                Segment(f" {sign}", theme.style(status_colour(row.status, groups))),
                Segment(fit_right(row.estimate or "", POINT_CELLS), theme.style(bold=True)),
                Segment((" " * GAP + fit(who, owner)) if owner else "", theme.style(colours.get(who, "muted"))),
            ]
            for shown, who, sign, row in zip(numbers, owners, signs, self.rows, strict=True)
        ]
