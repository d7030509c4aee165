"""Items as a table in text: tabs between columns, a line for each item."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import FIELD_BY_KEY
from backlit.store.records.item import Item
from backlit.tui.fields.parser import FieldReading, TextFault
from backlit.tui.fields.values import NOTHING, FieldWords

COLUMNS = ("Name", "Status", "Estimate", "AssignedToID", "IterationID", "AreaID", "Tags")
"""The fields that have a column; the id and the type stand before them."""
_TO_BLANKS = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


def heading() -> Sequence[str]:
    """The names of the columns."""
    return ("id", "type", *(FIELD_BY_KEY[key].label for key in COLUMNS))


def table_of(items: Sequence[Item], words: FieldWords) -> str:
    """A heading and a line for each item."""
    lines = [heading(), *((str(item.id), item.type, *cells_of(item, words).values()) for item in items)]
    return "\n".join("\t".join(line) for line in lines) + "\n"


def cells_of(item: Item, words: FieldWords) -> Mapping[str, str]:
    """What stands in the columns, by key; nothing where a field is not set, or not one of the type's."""
    return {key: _cell(item, key, words) for key in COLUMNS}


def _cell(item: Item, key: str, words: FieldWords) -> str:
    text = words.shown(FIELD_BY_KEY[key], item.fields.get(key))
    return "" if text == NOTHING else text.translate(_TO_BLANKS)


def read_table(
    text: str, items: Sequence[Item], words: FieldWords, reading: FieldReading
) -> dict[int, dict[str, object]]:
    """What was changed in a table, by id; items whose line is gone stay as they are. Raises TextFault."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].split("\t") != list(heading()):
        raise TextFault(1, 1, "The first line names the columns; it has to stay as it was.")
    known = {str(item.id): item for item in items}
    changes: dict[int, dict[str, object]] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        item = known.get(cells[0].strip())
        if item is None or (len(cells) > 1 and cells[1] != item.type):
            raise TextFault(number, 1, "Each line begins with the id and the type of an item that was chosen.")
        if len(cells) != len(COLUMNS) + 2:
            raise TextFault(number, len(line) + 1, f"There are {len(COLUMNS) + 2} columns; this line has {len(cells)}.")
        changed = _changed_cells(item, cells[2:], (number, len(cells[0]) + len(cells[1]) + 3), words, reading)
        if changed:
            changes[item.id] = changed
    return changes


def _changed_cells(
    item: Item, cells: Sequence[str], place: tuple[int, int], words: FieldWords, reading: FieldReading
) -> dict[str, object]:
    line, column = place
    changed = {}
    for (key, shown), text in zip(cells_of(item, words).items(), cells, strict=True):
        if text.strip() != shown.strip():
            changed[key] = reading.read_at(FIELD_BY_KEY[key], item, text, line, column)
        column += len(text) + 1
    return changed
