"""Items as a table in text: tabs between columns, a line for each item."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import FIELD_BY_KEY
from backlit.store.rows import Item
from backlit.tui.field_text import NOTHING, FieldWords

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
