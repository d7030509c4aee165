"""The values of a few matches as conditions that would narrow them further, below the rows while a query is typed."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from backlit.model.query.syntax import quoted_value
from backlit.store.store import Store
from backlit.store.views.groups import Facet
from backlit.store.views.view import View
from backlit.tui.drawing.text import safe
from backlit.tui.lists.filtering import FILTER_FIELDS, NO_VALUE, FilterField, item_counts, node_word
from backlit.tui.widgets.line_list import BOLD
from backlit.tui.widgets.side_lines import Part

HEADING, KEY_WIDTH, GAP, MARGIN = "Narrow by", 9, "   ", "  "
LEAST_VALUES = 2
"""Values from which a field can tell matches apart."""


async def read_conditions(store: Store, view: View, width: int) -> list[list[Part]]:
    """Return a head, and a line for each field that tells matches apart: its key, and values with their numbers."""
    lines: list[list[Part]] = []
    example = ""
    for by in FILTER_FIELDS:
        counts = _counts(store, by, await view.facets(by.field.key))
        values = sorted(((value, count) for value, count in counts.items() if count), key=lambda each: -each[1])
        if len(values) >= LEAST_VALUES:
            example = example or next(f"{by.key}:{quoted_value(each)}" for each, _ in values if each != NO_VALUE)
            lines.append(_line(by, values, width - 2 * len(MARGIN)))
    if not lines:
        return []
    about, rule = f"add one, such as {example}; tab completes it ", width - cell_len(HEADING) - 5
    about = about if cell_len(about) <= rule else ""
    rule -= cell_len(about)
    return [[], [(f"{MARGIN}{HEADING} ", BOLD), (about, "muted"), ("─" * max(0, rule), "rule")], *lines]


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


def _line(by: FilterField, counts: Sequence[tuple[str, int]], room: int) -> list[Part]:
    """Return the key of a field as it is typed, and the most frequent values that fit."""
    parts: list[Part] = [(f"{MARGIN}{by.key + ':':{KEY_WIDTH}}", "foreground")]
    room -= KEY_WIDTH
    for value, count in counts:
        word = NO_VALUE if value == NO_VALUE else quoted_value(value)
        cells = cell_len(safe(word)) + len(str(count)) + 1 + len(GAP)
        if cells > room:
            break
        parts += [(safe(word), "muted"), (f" {count}{GAP}", "foreground")]
        room -= cells
    return parts
