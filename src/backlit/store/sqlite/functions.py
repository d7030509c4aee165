"""Functions of ours that statements call."""

import re
import sqlite3
from collections.abc import Callable, Mapping
from unicodedata import normalize

from backlit.model.filters.matching import SQL_FUNCTIONS, SYLLABIC


def _searchable(text: object) -> str:
    """Prepare a text for the tokenizer, which would read a text without spaces as one word."""
    folded = str(text or "").casefold()
    return folded if folded.isascii() else re.sub(SYLLABIC, r" \g<0> ", normalize("NFC", folded))


def _mentions(text: object, name: object) -> float:
    from backlit.model.mentions import is_mentioned  # asked for by few lists, and by none of the first rows

    return float(is_mentioned(str(name), str(text or "")))


# The triggers of the mirror and the filters on it call these.
_FUNCTIONS: Mapping[str, Callable[..., str | float | None]] = {
    **SQL_FUNCTIONS,
    "backlit_words": _searchable,
    "backlit_lower": lambda text: text.lower() if isinstance(text, str) else None,
    "backlit_mentions": _mentions,
    "backlit_upper": lambda text: text.upper() if isinstance(text, str) else None,
}


def add_functions(connection: sqlite3.Connection) -> None:
    for name, act in _FUNCTIONS.items():
        connection.create_function(name, -1, act, deterministic=True)
