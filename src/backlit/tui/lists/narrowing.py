"""The values of a few matches as conditions that would narrow them further, above the query while it is typed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from rich.cells import cell_len

from backlit.model.query.syntax import quoted_value
from backlit.store.store import Store
from backlit.store.views.groups import Facet
from backlit.store.views.view import View
from backlit.tui.drawing.charts import thin_bar
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.lists.filtering import FILTER_FIELDS, NO_VALUE, FilterField, item_counts, node_word
from backlit.tui.widgets.line_list import BOLD
from backlit.tui.widgets.side_lines import Part

HEADING, GAP, MARGIN, END = "Narrow by typing", "   ", "  ", 3
"""The blanks between columns and before the first one, and the cells that stay free at the end of a line."""
LEAST_VALUES, FEW_VALUES, MAX_VALUES = 2, 3, 5
"""Values from which a field can tell matches apart, those that are named even where each is of one match, and most."""
MIN_WIDTH, MAX_WORD_WIDTH, COUNT_WIDTH = 30, 24, 4
"""Cells of a column, and those of the words and the number in it; the rest is a bar."""
HEAD_LINES = 2
Line = list[Part]


async def read_conditions(store: Store, view: View, width: int, height: int) -> list[Line]:
    """Return a head, and for each field that tells matches apart its key, and values with numbers and bars.

    All bars have one scale: a full one is all matches.
    """
    fields: list[_FieldValues] = []
    example = ""
    for by in FILTER_FIELDS:
        counts = _counts(store, by, await view.facets(by.field.key))
        values = sorted(((value, count) for value, count in counts.items() if count), key=lambda each: -each[1])
        if len(values) >= LEAST_VALUES:
            example = example or next(f"{by.key}:{quoted_value(each)}" for each, _ in values if each != NO_VALUE)
            fields.append(_FieldValues(by, values))
    if not fields:
        return []
    about = f" a key and a value, such as {example} "
    words = f"{MARGIN}{HEADING}"
    about = about if cell_len(words + about) < width - END else " "
    rule = "─" * (width - END - cell_len(words + about))
    head: Line = [(words, BOLD), (about, "muted"), (rule, "rule")]
    return [[], head, *_table(fields, view.count or 1, width - END - len(MARGIN), height - HEAD_LINES)]


class _FieldValues:
    """A field with the words of its values and their numbers, the most frequent first."""

    def __init__(self, by: FilterField, values: Sequence[tuple[str, int]]) -> None:
        self.key = f"{by.key}:"
        words = [safe(NO_VALUE if value == NO_VALUE else quoted_value(value)) for value, _ in values]
        self._cells = [(word, count) for word, (_, count) in zip(words, values, strict=True)]
        named = sum(count > 1 for _, count in values)
        self._most_lines = min(max(FEW_VALUES, named), MAX_VALUES) + 1

    @property
    def longest(self) -> int:
        return max(cell_len(word) for word, _ in self._cells[: self._most_lines])

    def lines(self, most: int, width: int, words_width: int, every: int) -> list[Line]:
        """Return the key, and below it some values; where there are more, the last line counts them."""
        most = min(most, self._most_lines)
        shown = self._cells if len(self._cells) <= most else self._cells[: most - 1]
        lines: list[Line] = [[(fit(self.key, width), f"{BOLD} muted")]]
        for word, count in shown:
            bar = thin_bar(count, every, width - words_width - COUNT_WIDTH - 1)
            number = fit_right(str(count), COUNT_WIDTH)
            rest = width - words_width - COUNT_WIDTH
            lines.append([(fit(word, words_width), "foreground"), (number, "muted"), (fit(f" {bar}", rest), "bar")])
        if more := len(self._cells) - len(shown):
            lines.append([(fit(f"{more} more", width), "muted")])
        return lines


def _table(fields: Sequence[_FieldValues], every: int, width: int, height: int) -> list[Line]:
    """Return the fields in equal columns, with as many values as the height has room for."""
    number = min(len(fields), max(1, (width + len(GAP)) // (MIN_WIDTH + len(GAP))))
    each = (width + len(GAP)) // number - len(GAP)
    words_width = min(MAX_WORD_WIDTH, each // 2, max(field.longest for field in fields))
    columns: list[list[Line]] = []
    for kept, most in [(len(fields), most) for most in range(MAX_VALUES + 1, LEAST_VALUES, -1)] + [
        (kept, LEAST_VALUES) for kept in range(len(fields), 0, -1)
    ]:
        columns = [[] for _ in range(number)]
        for field in fields[:kept]:
            lowest = min(columns, key=len)
            lowest += [*([[]] if lowest else []), *field.lines(most, each, words_width, every)]
        if max(map(len, columns)) <= height:
            break
    blank: Line = [(" " * each, "muted")]
    rows = zip_longest(*columns, fillvalue=blank)
    return [
        [part for at, cell in enumerate(row) for part in ((GAP if at else MARGIN, "muted"), *(cell or blank))]
        for row in rows
    ]


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
