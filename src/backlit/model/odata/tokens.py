"""Tokens of `$filter` and `$orderby` with their places."""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NoReturn

from backlit.model.dates import parse_date, parse_datetime
from backlit.model.errors import BadRequest

TEXT_LIMIT = 8192
"""The most bytes of UTF-8 in an option."""

_INTEGER_LIMIT = 2**63 - 1


class Shape(StrEnum):
    """The shape of a token, independent of its context."""

    NAME = "name"
    LITERAL = "literal"
    SIGN = "sign"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its text and its place, counted in characters from 1; only literals have a `value`."""

    shape: Shape
    text: str
    at: int
    value: int | float | str | date | None = None

    def is_sign(self, sign: str) -> bool:
        """Return True for this punctuation sign."""
        return self.shape is Shape.SIGN and self.text == sign


_TOKEN = re.compile(
    r"""
    \s*+ (?:
      (?P<text>   '(?:[^']|'')*+' )
    | (?P<typed>  (?:datetimeoffset|datetime|date)'(?P<moment>[^']*+)' )
    | (?P<bare>   [0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]++(?:Z|[+-][0-9]{2}:[0-9]{2})?)?(?![\w.]) )
    | (?P<number> (?P<digits>[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?P<power>e[+-]?[0-9]++)?(?P<suffix>[lmfd])?(?![\w.]) )
    | (?P<name>   [^\W\d]\w*+ )
    | (?P<sign>   [(),:/-] )
    | (?P<end>    \Z )
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def refuse(reason: str, at: int, option: str = "$filter") -> NoReturn:
    """Raise the BadRequest for a place in the text."""
    sentence = f"{option} has an error at character {at}: {reason}."
    raise BadRequest(sentence, {option: sentence})


def tokens_of(text: str, option: str = "$filter") -> tuple[Token, ...]:
    """Split a text into tokens, the last of shape END. Raises BadRequest."""
    if len(text) > TEXT_LIMIT or len(text.encode("utf-8", "surrogatepass")) > TEXT_LIMIT:
        refuse(f"it is longer than {TEXT_LIMIT} bytes", TEXT_LIMIT, option)
    tokens = []
    at = 0
    while True:
        found = _TOKEN.match(text, at)
        if found is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            refuse(_why_not(text[start:]), start + 1, option)
        tokens.append(_token(found, option))
        if tokens[-1].shape is Shape.END:
            return tuple(tokens)
        at = found.end()


def _why_not(rest: str) -> str:
    if rest.startswith("'"):
        return "the quoted text has no closing quote"
    if rest[0].isdecimal():
        return f"{rest.split(maxsplit=1)[0][:20]!r} is not a number or a date"
    return f"{rest[0]!r} has no meaning here"


def _token(found: re.Match[str], option: str) -> Token:
    group = found.lastgroup or ""
    # lastgroup is the outermost group that closed last, which is the alternative itself.
    at, written = found.start(group) + 1, found[group]
    if group == "name":
        return Token(Shape.NAME, written, at)
    if group in {"sign", "end"}:
        return Token(Shape(group), written, at)
    return Token(Shape.LITERAL, written, at, _literal(group, found, at, option))


def _literal(group: str, found: re.Match[str], at: int, option: str) -> int | float | str | date:
    if group == "text":
        return _checked_text(found["text"][1:-1].replace("''", "'"), at, option)
    if group == "number":
        return _number(found, at, option)
    written = found["moment"] if group == "typed" else found["bare"]
    try:
        return parse_date(written) if re.fullmatch(r"\s*[\d-]+\s*", written) else parse_datetime(written)
    except BadRequest as error:
        refuse(error.message.rstrip("."), at, option)


def _checked_text(text: str, at: int, option: str) -> str:
    if "\0" in text:
        refuse("a text must not contain NUL", at, option)
    if any("\ud800" <= character <= "\udfff" for character in text):
        refuse("a text must not contain half a surrogate pair", at, option)
    return text


def _number(found: re.Match[str], at: int, option: str) -> int | float:
    digits, power, suffix = found["digits"], found["power"] or "", (found["suffix"] or "").lower()
    if suffix in {"", "l"} and digits.isdigit() and not power:
        if len(digits) > 30 or int(digits) > _INTEGER_LIMIT:
            refuse("the number has more than 64 bits", at, option)
        return int(digits)
    number = float(digits + power)
    if suffix == "l" or number == float("inf"):
        refuse(f"{found['number'][:20]!r} is not a number", at, option)
    return number
