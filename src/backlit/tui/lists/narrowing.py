"""The values of a few matches as conditions that would narrow them further, below the rows while a query is typed."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from backlit.model.query.syntax import quoted_value
from backlit.store.store import Store
from backlit.store.views.groups import Facet
from backlit.store.views.view import View
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.lists.filtering import FILTER_FIELDS, NO_VALUE, FilterField, item_counts, node_word
from backlit.tui.widgets.line_list import BOLD
from backlit.tui.widgets.side_lines import Part

HEADING, GAP, MARGIN, END = "Narrow by", "  ", "  ", 3
"""The blanks between columns and before the first one, and the cells that stay free at the end of a line."""
LEAST_VALUES, MAX_VALUES = 2, 5
"""Values from which a field can tell matches apart, and those that are named."""
MIN_WIDTH, MAX_WIDTH, COUNT_WIDTH = 16, 26, 3
"""Cells of a column, and those of the number in it."""
HEAD_LINES = 2


async def read_conditions(store: Store, view: View, width: int, height: int) -> list[list[Part]]:
    """Return a head, and a column for each field that tells matches apart: its key, and values with their numbers."""
    columns: list[_Column] = []
    example = ""
    for by in FILTER_FIELDS:
        counts = _counts(store, by, await view.facets(by.field.key))
        values = sorted(((value, count) for value, count in counts.items() if count), key=lambda each: -each[1])
        if len(values) >= LEAST_VALUES:
            example = example or next(f"{by.key}:{quoted_value(each)}" for each, _ in values if each != NO_VALUE)
            columns.append(_Column(by, values))
    if not columns:
        return []
    about = f" such as {example} "
    words = f"{MARGIN}{HEADING}"
    about = about if cell_len(words + about) < width - END else " "
    rule = "─" * (width - END - cell_len(words + about))
    return [[], [(words, BOLD), (about, "muted"), (rule, "rule")], *_table(columns, width - END, height - HEAD_LINES)]


class _Column:
    """A field with the words of its values and their numbers, the most frequent first."""

    def __init__(self, by: FilterField, values: Sequence[tuple[str, int]]) -> None:
        self.key = f"{by.key}:"
        words = [safe(NO_VALUE if value == NO_VALUE else quoted_value(value)) for value, _ in values]
        self._cells = [(word, str(count)) for word, (_, count) in zip(words, values, strict=True)]

    @property
    def height(self) -> int:
        return min(len(self._cells), MAX_VALUES + 1)

    def cell(self, index: int, height: int, width: int) -> list[Part]:
        """Return a value with its number; the last line counts those that are not named."""
        if index >= len(self._cells):
            return [(" " * width, "muted")]
        if index == height - 1 and height < len(self._cells):
            return [(fit(f"{len(self._cells) - index} more", width), "muted")]
        word, count = self._cells[index]
        longest = max(cell_len(word) for word, _ in self._cells[:height])
        cells = min(longest, width - COUNT_WIDTH)
        number = fit(fit_right(count, COUNT_WIDTH), width - cells)
        return [(fit(word, cells), "foreground"), (number, "muted")]


def _table(columns: Sequence[_Column], width: int, height: int) -> list[list[Part]]:
    """Return equal columns side by side, in a second band below where the width ends."""
    number = min(len(columns), max(1, (width - len(MARGIN) + len(GAP)) // (MIN_WIDTH + len(GAP))))
    each = min(MAX_WIDTH, (width - len(MARGIN) + len(GAP)) // number - len(GAP))
    # A band takes a line for its keys and one that parts it from the band above.
    bands = [columns[at : at + number] for at in range(0, len(columns), number)]
    bands = bands[: max(1, height // (LEAST_VALUES + 2))]
    most = max(LEAST_VALUES, height // len(bands) - 2)
    lines: list[list[Part]] = []
    for band in bands:
        rows = min(most, max(column.height for column in band))
        lines += [[]] if lines else []
        lines.append(_spaced([[(fit(column.key, each), f"{BOLD} muted")] for column in band]))
        lines += [_spaced([column.cell(index, rows, each) for column in band]) for index in range(rows)]
    return lines


def _spaced(cells: Sequence[Sequence[Part]]) -> list[Part]:
    return [part for index, cell in enumerate(cells) for part in ((GAP if index else MARGIN, "muted"), *cell)]


def _counts(store: Store, by: FilterField, facets: Sequence[Facet]) -> Mapping[str, int]:
    """Return the number of matches with each value; those of a node are the ones right in it."""
    if by.tree is None:
        return item_counts(store, by, facets)
    tree, found = store.lookups.tree(by.tree), Counter[str]()
    for facet in facets:
        node = tree[facet.value] if isinstance(facet.value, int) and facet.value in tree else None
        is_set = node is not None and tree.parent(node.id) is not None
        found[node_word(tree, node) if node is not None and is_set else NO_VALUE] += facet.totals.count
    return found
