"""Positions of keys and values in the text of a TOML document, which tomllib does not tell."""

import re
import tomllib
from typing import NamedTuple

KeyPath = tuple[str | int, ...]
"""The way to a value: keys of tables, and numbers of list elements from 0."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BASIC = r'"(?:[^"\\]|\\.)*"'
_LITERAL = r"'[^']*'"
_KEY = re.compile(rf"[A-Za-z0-9_-]+|{_BASIC}|{_LITERAL}")
# A closing of a multi-line string may have two more of its quotes before it, which belong to the text.
_STRING = re.compile(rf'"""(?:[^\\]|\\.)*?"{{3,5}}|\'\'\'.*?\'{{3,5}}|{_BASIC}|{_LITERAL}', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\r\n]+")


class TomlPosition(NamedTuple):
    """A place in a text, both numbers from 1."""

    line: int
    column: int


class TomlPositions:
    """Where each key and each value of a document begins; the text has passed tomllib."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._keys: dict[KeyPath, int] = {}
        self._values: dict[KeyPath, int] = {}
        self._tables_in_array: dict[KeyPath, int] = {}
        self._scan()

    def of_key(self, path: KeyPath) -> TomlPosition:
        """Return the position of a key, or of the nearest table around one that is not written."""
        return self._position(self._keys, path)

    def of_value(self, path: KeyPath) -> TomlPosition:
        """Return the position of a value, or of the nearest table around one that is not written."""
        return self._position(self._values, path)

    def _position(self, offsets: dict[KeyPath, int], path: KeyPath) -> TomlPosition:
        while path and path not in offsets:
            path = path[:-1]
        offset = offsets.get(path, 0)
        return TomlPosition(self._text.count("\n", 0, offset) + 1, offset - self._text.rfind("\n", 0, offset))

    def _scan(self) -> None:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text.startswith("[", self._at):
                table = self._read_header()
            else:
                self._read_pair(table)
            self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        """Go on behind what matches here, and return it."""
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _read_header(self) -> KeyPath:
        start, is_array = self._at, self._text.startswith("[[", self._at)
        self._at += 1 + is_array
        table: KeyPath = ()
        keys = self._read_keys()
        for key, _ in keys[:-1]:
            table = self._with_last_element((*table, key))
        table = (*table, keys[-1][0])
        self._note(table, start, start)
        if is_array:
            number = self._tables_in_array.get(table, -1) + 1
            self._tables_in_array[table] = number
            table = (*table, number)
            self._note(table, start, start)
        self._at = self._text.index("]", self._at) + 1 + is_array
        return table

    def _with_last_element(self, path: KeyPath) -> KeyPath:
        number = self._tables_in_array.get(path)
        return path if number is None else (*path, number)

    def _read_keys(self) -> list[tuple[str, int]]:
        """Read `a."b c".d` as keys with their offsets."""
        keys = []
        while True:
            self._skip(_SPACE)
            start = self._at
            key = self._skip(_KEY)
            keys.append((_unquoted(key), start))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _read_pair(self, table: KeyPath) -> None:
        path, keys = table, self._read_keys()
        self._at = self._text.index("=", self._at) + 1
        self._skip(_SPACE)
        for key, start in keys:
            path = (*path, key)
            self._note(path, start, self._at)
        self._read_value(path)

    def _note(self, path: KeyPath, key: int, value: int) -> None:
        self._keys.setdefault(path, key)
        self._values.setdefault(path, value)

    def _read_value(self, path: KeyPath) -> None:
        opening = self._text[self._at]
        if opening in "[{":
            self._at += 1
            self._read_parts(path, "]" if opening == "[" else "}")
        elif opening in "\"'":
            self._skip(_STRING)
        else:
            self._skip(_SCALAR)

    def _read_parts(self, path: KeyPath, closing: str) -> None:
        number = 0
        while True:
            self._skip(_BLANK)
            if self._text.startswith(closing, self._at):
                self._at += 1
                return
            if self._text.startswith(",", self._at):
                self._at += 1
            elif closing == "}":
                self._read_pair(path)
            else:
                self._note((*path, number), self._at, self._at)
                self._read_value((*path, number))
                number += 1


def _unquoted(key: str) -> str:
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[:1] in "\"'" else key
