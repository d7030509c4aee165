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

HEADING, GAP, MARGIN = "Narrow by", "    ", "  "
LEAST_VALUES = 2
"""Values from which a field can tell matches apart."""
WIDEST_WORD = 16
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
    about = f"{MARGIN}such as {example}"
    about = about if cell_len(MARGIN + HEADING + about) <= width else ""
    return [[], [(f"{MARGIN}{HEADING}", BOLD), (about, "muted")], *_table(columns, width, height - HEAD_LINES)]


class _Column:
    """A field with the words of its values and their numbers, the most frequent first."""

    def __init__(self, by: FilterField, values: Sequence[tuple[str, int]]) -> None:
        self.key = f"{by.key}:"
        self.words = [(safe(NO_VALUE if value == NO_VALUE else quoted_value(value)), count) for value, count in values]
        self.word_width = min(
            WIDEST_WORD, max(cell_len(word) for word in (self.key, *(word for word, _ in self.words)))
        )
        self.width = self.word_width + 1 + max(len(str(count)) for _, count in self.words)

    def cell(self, index: int) -> list[Part]:
        if index >= len(self.words):
            return [(" " * self.width, "muted")]
        word, count = self.words[index]
        number = fit_right(str(count), self.width - self.word_width)
        return [(fit(word, self.word_width), "foreground"), (number, "muted")]


def _table(columns: Sequence[_Column], width: int, height: int) -> list[list[Part]]:
    """Return the columns side by side, in a second band below where the width ends."""
    bands: list[list[_Column]] = []
    room = 0
    for column in columns:
        if cell_len(GAP) + column.width > room:
            bands.append([])
            room = width
        bands[-1].append(column)
        room -= cell_len(GAP) + column.width
    # A band takes a line for its keys and one that parts it from the band above.
    bands = bands[: max(1, height // (LEAST_VALUES + 2))]
    most = max(LEAST_VALUES, height // len(bands) - 2)
    lines: list[list[Part]] = []
    for band in bands:
        lines += [[], _spaced([[(fit(column.key, column.width), "muted")] for column in band])]
        longest = min(most, max(len(column.words) for column in band))
        lines += [_spaced([column.cell(index) for column in band]) for index in range(longest)]
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
