"""An entry of the outbox in words: all of it, to be read or copied."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from textual.content import Content

from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.store.edits.conflicts import UNRESOLVED
from backlit.store.edits.rank_order import rank_neighbours
from backlit.store.object_changes.kinds import object_change, object_deletion
from backlit.store.records.entry import (
    DELETES,
    ON_NODES,
    RECALLS,
    TARGET_KEY,
    TRANSFORMS,
    EntryKind,
    OutboxEntry,
)
from backlit.store.records.item import id_in, number_of
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.tui.drawing.text import safe, safe_block
from backlit.tui.fields.values import label_of, words_of

UNDONE_DELETION = (
    "The deletion is undone. The server may have deleted the item already: backlit checks that, and makes the item"
    " again under a new number."
)


def content_of(store: Store, entry: OutboxEntry) -> str:
    """Return the content of the entry as plain text: an object below the item, else a line for each field."""
    if (change := object_change(entry)) is not None:
        return change.text
    if entry.kind is EntryKind.RANK:
        return moved_words(entry)
    if entry.kind in TRANSFORMS:
        return transform_words(entry)
    if entry.kind in RECALLS:
        return UNDONE_DELETION
    if entry.kind in ON_NODES:
        lines = (f"{label}: {mine}" for label, _, mine in node_lines(entry))
        return "\n".join([f"{name_of(entry)}: {node_summary(entry)}", *lines])
    fields = entry.base if entry.kind is EntryKind.DELETE else fields_of(entry)
    return "\n".join(
        f"{label_of(key)}:{_value_or_dash(value)}{words_of(store, key, value)}" for key, value in fields.items()
    )


def lines_of(store: Store, entry: OutboxEntry) -> Iterator[Content]:
    """Yield the reason, then each field: the value before, the new value and the service's value."""
    if entry.reason:
        yield Content.styled(safe(entry.reason), "$conflict")
    if (change := object_change(entry)) is not None:
        yield Content(safe_block(change.text))
    if entry.kind in RECALLS | TRANSFORMS or entry.kind is EntryKind.RANK:
        yield Content(content_of(store, entry))
        return
    if entry.kind in ON_NODES:
        yield Content(safe(node_summary(entry)))
        for label, was, mine in node_lines(entry):
            yield Content.assemble((safe(label), "bold"), f"  {safe(was)} → {safe(mine)}")
        return
    wanted = fields_of(entry)
    for key in wanted or entry.base:
        yield Content.styled(safe(label_of(key)), "bold")
        if key in entry.base:
            yield from _value(store, "was", key, entry.base[key])
        if key in wanted:
            yield from _value(store, "mine", key, wanted[key])
        if key in entry.theirs:
            yield from _value(store, "theirs", key, entry.theirs[key])


def cell(text: str, colour: str) -> Content:
    return Content.styled(safe(text), colour)


MINE_COLOUR = "$pending"
"""The colour of the user's own version; another one has that of its author."""

MAX_WORDS_MARKED_WHOLE = 4
"""Words up to which a version is marked as a whole."""


def version_cells(mine: tuple[str, str], theirs: tuple[str, str]) -> list[Content]:
    """Return the cells of two versions, each a text and its colour, with the words that differ bold.

    Their colours name the version. Long versions without a word in common have no marks.
    """
    cells = [cell(*mine), cell(*theirs)]
    words = [list(re.finditer(r"\S+", each.plain)) for each in cells]
    left, right = ([word[0] for word in each] for each in words)
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    is_short = left and right and max(len(left), len(right)) <= MAX_WORDS_MARKED_WHOLE
    for _, *places in changed if is_short or len(changed) < len(codes) else ():
        for at, (first, end) in enumerate((places[:2], places[2:])):
            if first < end:
                cells[at] = cells[at].stylize("bold", words[at][first].start(), words[at][end - 1].end())
    return cells


def table_lines(
    cells: Sequence[Content], widths: Sequence[int], sign: tuple[str, str] = (" ", ""), leads: Sequence[Content] = ()
) -> list[Content]:
    """Return a row of a table, its cells wrapped to the widths of the columns, behind a sign in a colour.

    `leads` stand before the first lines of the cells.
    """
    columns = []
    for each, width, lead in zip(cells, widths, leads or [Content("")] * len(cells), strict=True):
        room, blank = max(1, width - lead.cell_length), Content(" " * lead.cell_length)
        columns.append([(blank if at else lead) + line.rstrip() for at, line in enumerate(each.wrap(room))])
    lines = []
    for number, row in enumerate(zip_longest(*columns, fillvalue=Content(""))):
        parts = [Content.assemble((" " if number else sign[0], sign[1]), " ")]
        for text, width in zip(row, widths, strict=True):
            parts += [text, Content(" " * (width + 2 - text.cell_length))]
        lines.append(Content("").join(parts))
    return lines


def versions_beside(
    name: str, sign: tuple[str, str], both: Sequence[Content], before: str, widths: tuple[int, int]
) -> list[Content]:
    """Return mine and theirs beside each other behind a name, and below both the value before, if it is given.

    The widths are those of the name and of a version.
    """
    label, side = widths
    lines = table_lines([cell(name, "$foreground"), *both], [label, side, side], sign)
    below = table_lines([cell("", "$muted"), cell(before, "$muted")], [label, 2 * side + 2]) if before else []
    return [*lines, *below]


def deletion_state(entry: OutboxEntry) -> str:
    """Return the state of a deletion that the service did not make; empty for other entries."""
    if entry.state not in UNRESOLVED or entry.kind not in DELETES:
        return ""
    return f"The {deleted_noun(entry)} was not deleted and is in its place again."


def deleted_noun(entry: OutboxEntry) -> str:
    if (deletion := object_deletion(entry)) is not None:
        return deletion.noun
    return "item" if entry.kind is EntryKind.DELETE else noun_of(entry)


def moved_words(entry: OutboxEntry) -> str:
    (where, neighbour_id), *_ = rank_neighbours(entry.payload)
    if where == "top":
        return "to the top"
    return f"{where} #{neighbour_id}" if neighbour_id > 0 else f"{where} a new item"


def transform_words(entry: OutboxEntry) -> str:
    """Return what a conversion or a move does."""
    values, target = entry.transformed_values, number_of(id_in(entry.payload, TARGET_KEY))
    match entry.kind:
        case EntryKind.CONVERT:
            return f"convert to {values['type']}"
        case EntryKind.MOVE_TASK:
            return f"move below {target}"
        case EntryKind.MOVE_ALONG:
            return f"move along with {target}"
        case _:
            return "move to another project"


def fields_of(entry: OutboxEntry) -> Mapping[str, object]:
    if entry.kind is EntryKind.EDIT:
        return entry.payload
    fields = entry.payload.get("fields")
    return fields if isinstance(fields, Mapping) else {}


def _value(store: Store, whose: str, key: str, value: object) -> Iterator[Content]:
    for number, line in enumerate(safe_block(words_of(store, key, value)).split("\n")):
        colour = "$muted" if whose == "was" else "$foreground"
        yield Content.assemble((f"  {whose if number == 0 else '':7}", "$muted"), (line, colour))


def _value_or_dash(value: object) -> str:
    return "\n" if isinstance(value, str) and "\n" in value else " "


LABELS: Mapping[str, str] = {
    "name": "name",
    "startDate": "start",
    "endDate": "end",
    "minCapacity": "minimum points",
    "maxCapacity": "maximum points",
    "isRelease": "release flag",
    "parentId": "place",
    EVENT_KEYS[IterationEvent.START]: "start of its work",
    EVENT_KEYS[IterationEvent.CLOSE]: "close",
}


def noun_of(entry: OutboxEntry) -> str:
    return "area" if entry.payload.get("tree") == TreeKind.AREAS.value else "iteration"


def name_of(entry: OutboxEntry) -> str:
    return str(entry.payload.get("name") or "")


def node_summary(entry: OutboxEntry) -> str:
    match entry.kind:
        case EntryKind.NODE_ADD:
            return f"new {noun_of(entry)}"
        case EntryKind.NODE_DELETE:
            return f"delete the {noun_of(entry)}"
        case EntryKind.NODE_RECALL:
            return f"look whether the {noun_of(entry)} is deleted"
        case _:
            return f"{noun_of(entry)}: {node_labels(entry)}"


def node_labels(entry: OutboxEntry) -> str:
    """Return what an entry changes in an area or an iteration."""
    return ", ".join(LABELS.get(key, key) for key in entry.base)


def node_lines(entry: OutboxEntry) -> list[tuple[str, str, str]]:
    """For each value an entry sets: its label, and mine beside what it was, or beside theirs in a conflict."""
    values = entry.payload.get("values")
    shown = values if isinstance(values, dict) else {}
    return [(LABELS.get(key, key), _words(entry.base.get(key)), _words(value)) for key, value in shown.items()]


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)
