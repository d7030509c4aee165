"""The text of a query and its tree: `status:open @me -tag:x (est>5 or est:none) "exact words"`."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NoReturn

from msgspec import Struct

from backlit.model.errors import BadRequest, QueryFault

TEXT_LIMIT = 4096
"""The most characters of a query."""
DEPTH_LIMIT = 50


class NameText(Struct, frozen=True):
    """A text in the name, in any case."""

    text: str


class Condition(Struct, frozen=True):
    """A key in any case, compared with values; `at` is its place in the text, from 1."""

    key: str
    operator: str
    values: tuple[str, ...]
    at: int = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self._meaning() == other._meaning()

    def __hash__(self) -> int:
        return hash(self._meaning())

    def _meaning(self) -> tuple[str, str, tuple[str, ...]]:
        return self.key, self.operator, self.values


class AllOf(Struct, frozen=True):
    """A conjunction, which holds if it is empty. No part is an AllOf."""

    parts: "tuple[Node, ...]" = ()


class AnyOf(Struct, frozen=True):
    """A disjunction of at least two parts. No part is an AnyOf."""

    parts: "tuple[Node, ...]"


class NotThis(Struct, frozen=True):
    """A negation."""

    part: "Node"


Node = NameText | Condition | AllOf | AnyOf | NotThis


class _TokenShape(StrEnum):
    OPEN = "("
    CLOSE = ")"
    MINUS = "-"
    OR = "or"
    AND = "and"
    NOT = "not"
    TERM = "term"
    END = "end"


class _Token(Struct, frozen=True):
    shape: _TokenShape
    at: int
    node: NameText | Condition | None = None


_KEY = re.compile(r"([^\W\d]\w*)(<=|>=|[:=<>])")
_BARE = re.compile(r"[^\s()\"]+")
_VALUE = re.compile(r"[^\s()\",]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"#": "tag", "@": "owner"}
_LOGICAL_WORDS = {"or": _TokenShape.OR, "and": _TokenShape.AND, "not": _TokenShape.NOT}
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


def refuse(reason: str, at: int) -> NoReturn:
    sentence = f"The query has an error at character {at}: {reason}."
    raise QueryFault(sentence, {"query": sentence})


def parse_query(text: str) -> Node:
    """Read a query; an empty text gives an AllOf without parts. Raises BadRequest naming the place and the way out."""
    if len(text) > TEXT_LIMIT:
        refuse(f"the query has more than {TEXT_LIMIT} characters", TEXT_LIMIT)
    parser = _Parser(_tokens(text))
    node = parser.alternatives(0)
    token = parser.take()
    if token.shape is not _TokenShape.END:
        refuse("this ')' has no matching '('; remove it, or put it in double quotes", token.at)
    return node


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return [*tokens, _Token(_TokenShape.END, at + 1)]
        token, at = _token(text, at)
        tokens.append(token)


def accepted_conditions(text: str) -> list[tuple[int, int, int]]:
    """Return where the conditions of a text that is being typed begin, have their values, and end.

    A condition at the very end is not among them, as more of it may follow, and nothing after a fault is.
    """
    found: list[tuple[int, int, int]] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        begin = at
        try:
            token, at = _token(text, at)
        except BadRequest:
            break
        if isinstance(token.node, Condition) and at < len(text):
            key = _KEY.match(text, begin)
            found.append((begin, key.end() if key else begin + 1, at))
    return found


def _token(text: str, at: int) -> tuple[_Token, int]:
    sign = text[at]
    if sign in "()":
        return _Token(_TokenShape(sign), at + 1), at + 1
    if sign == "-" and at + 1 < len(text) and not text[at + 1].isspace():
        return _Token(_TokenShape.MINUS, at + 1), at + 1
    if sign in _SIGNS and at + 1 < len(text) and _value_begins(text, at + 1):
        values, end = _values(text, at + 1)
        is_id = sign == "#" and all(_NUMBER.fullmatch(value) for value in values) and text[at + 1] != '"'
        return _Token(_TokenShape.TERM, at + 1, Condition("id" if is_id else _SIGNS[sign], ":", values, at + 1)), end
    found = _KEY.match(text, at)
    if found:
        values, end = _values(text, found.end())
        return _Token(_TokenShape.TERM, at + 1, Condition(found[1], found[2], values, at + 1)), end
    return _word(text, at)


def _word(text: str, at: int) -> tuple[_Token, int]:
    if text[at] == '"':
        value, end = _quoted(text, at)
        return _Token(_TokenShape.TERM, at + 1, NameText(value)), end
    found = _BARE.match(text, at)
    assert found is not None, "what is no space, bracket or quote is part of a word"
    shape = _LOGICAL_WORDS.get(found[0].lower())
    return _Token(shape or _TokenShape.TERM, at + 1, None if shape else NameText(found[0])), found.end()


def _value_begins(text: str, at: int) -> bool:
    return at < len(text) and (text[at] == '"' or _VALUE.match(text, at) is not None)


def _values(text: str, at: int) -> tuple[tuple[str, ...], int]:
    values: list[str] = []
    while True:
        if not _value_begins(text, at):
            refuse('expected a value, such as "none"; or put the whole text in double quotes', at + 1)
        if text[at] == '"':
            value, at = _quoted(text, at)
        else:
            found = _VALUE.match(text, at)
            assert found is not None, "a value begins here"
            value, at = found[0], found.end()
        values.append(value)
        if at >= len(text) or text[at] != ",":
            return tuple(values), at
        at += 1


def _quoted(text: str, at: int) -> tuple[str, int]:
    found = _QUOTED.match(text, at)
    if found is None:
        refuse("this double quote has no closing one", at + 1)
    return _ESCAPE.sub(r"\1", found[1]), found.end()


class _Parser:
    def __init__(self, tokens: Iterable[_Token]) -> None:
        self._rest = list(tokens)[::-1]

    def take(self) -> _Token:
        return self._rest.pop()

    def alternatives(self, depth: int) -> Node:
        if depth > DEPTH_LIMIT:
            refuse(f"brackets and negations are nested deeper than {DEPTH_LIMIT}", self._rest[-1].at)
        parts = [self._conjunction(depth)]
        while self._rest[-1].shape is _TokenShape.OR:
            at = self.take().at
            parts.append(self._conjunction(depth))
            if AllOf() in (parts[0], parts[-1]):
                refuse('"or" needs a condition on both sides; to search for the word, put it in double quotes', at)
        return any_of(parts)

    def _conjunction(self, depth: int) -> Node:
        parts: list[Node] = []
        while self._rest[-1].shape not in {_TokenShape.OR, _TokenShape.CLOSE, _TokenShape.END}:
            if self._rest[-1].shape is _TokenShape.AND:
                self.take()
            else:
                parts.append(self._part(depth))
        return all_of(parts)

    def _part(self, depth: int) -> Node:
        token = self.take()
        if depth > DEPTH_LIMIT:
            refuse(f"brackets and negations are nested deeper than {DEPTH_LIMIT}", token.at)
        if token.node is not None:
            return token.node
        if token.shape is _TokenShape.OPEN:
            node = self.alternatives(depth + 1)
            if self.take().shape is not _TokenShape.CLOSE:
                refuse("this '(' has no closing ')'; add one, or put it in double quotes", token.at)
            return node
        if token.shape in {_TokenShape.MINUS, _TokenShape.NOT} and self._rest[-1].shape in {
            _TokenShape.TERM, _TokenShape.OPEN, _TokenShape.MINUS, _TokenShape.NOT,
        }:  # fmt: skip
            return NotThis(self._part(depth + 1))
        refuse(f'expected a condition after "{token.shape}"; to search for the word, put it in double quotes', token.at)


def all_of(parts: Iterable[Node]) -> Node:
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AllOf) else (part,))]
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(parts: Iterable[Node]) -> Node:
    """Join nodes, at least one, in a flat disjunction."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AnyOf) else (part,))]
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def write_query(node: Node) -> str:
    """Write a tree as text that parses to the same tree."""
    match node:
        case AllOf(parts):
            return " ".join(_bracketed(part, isinstance(part, AnyOf)) for part in parts)
        case AnyOf(parts):
            return " or ".join(write_query(part) for part in parts)
        case NotThis(part):
            return f"-{_bracketed(part, isinstance(part, AllOf | AnyOf))}"
        case NameText(text):
            is_plain = _BARE.fullmatch(text) and text[0] not in "-#@" and not _KEY.match(text)
            return text if is_plain and text.lower() not in _LOGICAL_WORDS else quoted(text)
        case Condition(key, operator, values):
            is_other = operator in {"<", ">"} and values[0].startswith("=")  # a "=" after it makes "<=" or ">="
            first = quoted(values[0]) if is_other else quoted_value(values[0])
            return f"{key}{operator}{','.join([first, *map(quoted_value, values[1:])])}"


def _bracketed(node: Node, needs: bool) -> str:
    return f"({write_query(node)})" if needs else write_query(node)


def quoted_value(value: str) -> str:
    """Write a value, in double quotes if needed."""
    return value if _VALUE.fullmatch(value) else quoted(value)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
