"""Completion of queries: keys, and values of the key before the cursor."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backlit.model.query.syntax import quoted, written

_UNDER_CURSOR = re.compile(r'(?:[^\s()"]|"(?:[^"\\]|\\.)*(?:"|\Z))+\Z')
_PARTS = re.compile(r"(?P<sign>[#@])|(?P<key>[^\W\d]\w*)(?:<=|>=|[:=<>])")
_VALUES_BEFORE = re.compile(r'(?:(?:"(?:[^"\\]|\\.)*"|[^",])*,)*')
_SIGN_KEYS = {"#": "tag", "@": "owner"}
MOST = 50


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The keys with their help, and the known values of a key."""

    keys: Mapping[str, str]
    values: Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A replacement for `text[start:stop]`."""

    text: str
    start: int
    stop: int
    help: str = ""


def complete(text: str, cursor: int, vocabulary: Vocabulary) -> list[Candidate]:
    """List candidates at the cursor, those with the typed prefix first; none inside free words."""
    under = _UNDER_CURSOR.search(text[:cursor])
    start = under.start() if under else cursor
    while start < cursor and text[start] == "-":
        start += 1
    typed = text[start:cursor]
    found = _PARTS.match(typed)
    if found is None:
        return [
            Candidate(f"{key}:", start, cursor, words)
            for key, words in vocabulary.keys.items()
            if key.startswith(typed.lower())
        ][:MOST]
    key = _SIGN_KEYS[found["sign"]] if found["sign"] else found["key"]
    before = _VALUES_BEFORE.match(typed, found.end())
    start += before.end() if before else found.end()
    return _values(text[start:cursor], start, cursor, vocabulary.values(key))


def _values(typed: str, start: int, stop: int, values: Sequence[str]) -> list[Candidate]:
    wanted = typed.strip('"').casefold()
    begin = [value for value in values if value.casefold().startswith(wanted)]
    within = [value for value in values if wanted in value.casefold() and value not in begin]
    write = quoted if typed.startswith('"') else written
    return [Candidate(write(value), start, stop) for value in (*begin, *within)][:MOST]
