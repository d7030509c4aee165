"""The rules of each kind of field for its values: in JSON, in the interface's schema, and as people type and read them.

Both halves call these rules where a value comes in. What depends on a project, such as choices and references, and what
null or 0 means, is each half's own.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import partial
from typing import Any

from msgspec import Struct

from backlit.model.amounts import counted, plain_estimate, points_of
from backlit.model.dates import named_day, parse_date, written_day
from backlit.model.errors import BadRequest
from backlit.model.fields import LARGEST_NUMBER, NAME_LIMIT, Field, Kind, Section, choice_word
from backlit.model.statuses import status_word

INTEGER_LIMIT = 2**53 - 1
"""The largest integer on which all JSON readers agree."""
Schema = dict[str, Any]
"""A schema of OpenAPI."""


class ValueLimits(Struct, frozen=True):
    """The limits that a service states; None where it states none."""

    text: int | None = None
    """Characters of a text."""
    tag: int | None = None
    """Characters of a tag."""
    tags: int | None = None
    """Tags of an item."""


class Misfit(ValueError):
    """A value that does not fit; the text is the rest of a sentence that begins with the name of the value.

    `part` is the beginning of a sentence about a part of the value, such as a tag.
    """

    def __init__(self, rest: str, part: str = "") -> None:
        super().__init__(rest)
        self._part = part

    def sentence(self, name: str) -> str:
        return f"{self._part or name} {self}"

    def sentence_for_people(self, label: str) -> str:
        """Return the sentence in words of the screens, not of JSON."""
        return self.sentence(label)


class WrongShape(Misfit):
    """A value of another JSON type; `words` is what people call the right one."""

    def __init__(self, shape: str, words: str = "") -> None:
        super().__init__(f"must be {shape}.")
        self.shape = shape
        self._words = words or shape

    def sentence_for_people(self, label: str) -> str:
        return f"{label} must be {self._words}."


def parse_json(field: Field, value: object, limits: ValueLimits) -> Any:
    """Return a value other than null as the field keeps it; raise Misfit."""
    if field.key == "Name":
        return parse_name(value)
    if field.key == "Estimate" and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{parse_number(value):.15g}"
    rules = RULES[field.kind]
    try:
        return rules.parse(value, limits)
    except WrongShape as misfit:
        raise WrongShape(misfit.shape, rules.words) from None


def parse_text(value: object, limit: int | None, *, may_be_empty: bool = True) -> str:
    if not isinstance(value, str):
        raise WrongShape("text")
    if limit is not None and len(value) > limit:
        raise Misfit(f"may have {counted(limit, 'character')}; this has {len(value)}.")
    if "\0" in value:
        raise Misfit("may not contain NUL characters.")
    if not can_travel(value):
        raise Misfit("contains invalid characters.")
    if not (may_be_empty or value.strip()):
        raise Misfit("cannot be empty.")
    return value


def can_travel(text: str) -> bool:
    """Report whether a text is valid Unicode. Terminals can send lone surrogates, which JSON cannot hold."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


parse_name = partial(parse_text, limit=NAME_LIMIT, may_be_empty=False)


LINK_SCHEMES = ("http", "https", "ftp", "mailto")
LINK_LIMIT = 2000
_LINK = re.compile(r"(?:(?:https?|ftp)://[^/?#]|mailto:.).*", re.IGNORECASE)


def parse_link(value: object) -> str:
    """Return an absolute web address without blanks."""
    text = parse_text(value, LINK_LIMIT, may_be_empty=False)
    if any(letter.isspace() or unicodedata.category(letter) == "Cc" for letter in text):
        raise Misfit("may not contain blanks and control characters.")
    if not _LINK.fullmatch(text):
        raise Misfit(f"must be an absolute address that begins with one of: {', '.join(LINK_SCHEMES)}.")
    return text


def parse_whole(value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongShape("a whole number")
    return value


def parse_integer(value: object) -> int:
    number = parse_whole(value)
    if abs(number) > INTEGER_LIMIT:
        raise Misfit("is too large.")
    return number


def parse_number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise WrongShape("a number")
    if not abs(value) <= LARGEST_NUMBER:  # nan is not either
        raise Misfit("must be a finite number.")
    return float(value)


MAX_HOURS = 1000
"""Hours of one time entry."""


def parse_hours(value: object) -> float:
    hours = parse_number(value)
    if not 0 < hours <= MAX_HOURS:
        raise Misfit(f"must be above 0 and at most {MAX_HOURS:,}.")
    return hours


def parse_boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongShape("true or false")
    return value


def parse_day(value: object) -> date:
    """Return the day of a text; a time after it is dropped."""
    if not isinstance(value, str):
        raise WrongShape("a date such as 2026-03-01")
    try:
        return parse_date(value)
    except BadRequest:
        raise Misfit(f"must be a date such as 2026-03-01, not {value[:40]!r}.") from None


def parse_tags(value: object, limits: ValueLimits) -> list[str]:
    """Return the tags without blanks around them and without repeats."""
    if not isinstance(value, list | tuple) or not all(isinstance(tag, str) for tag in value):
        raise WrongShape("a list of texts")
    tags = list(dict.fromkeys(tag.strip() for tag in value))
    if limits.tags is not None and len(tags) > limits.tags:
        raise Misfit(f"may have {counted(limits.tags, 'tag')}; this has {len(tags)}.")
    for tag in tags:
        try:
            parse_text(tag, limits.tag, may_be_empty=False)
        except Misfit as misfit:
            raise Misfit(str(misfit), part="A tag") from None
    return tags


def _computed(_value: object, _limits: ValueLimits) -> None:
    raise Misfit("is read-only.")


# Texts that people type

NOTHING = "–"
"""How screens write a value that is not set."""
_SHOWN = 24
"""Characters of a text that a sentence about it repeats."""
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d{1,2})?", re.ASCII | re.IGNORECASE)
_YES_NO_WORDS = {"yes": True, "no": False, "true": True, "false": False}
_DAY_NAMES = re.compile(r"\b(?:date|day|due|deadline)\b", re.IGNORECASE)


def read_text(field: Field, text: str, today: date) -> object:
    """Return the value that a typed text means; empty is None, but for a text. Raises BadRequest with a sentence."""
    text = text.strip()
    read = RULES[field.kind].read
    if read is None:
        if field.key != "Estimate":
            return text
        if text.startswith("-") and points_of(text[1:]) is not None:
            raise BadRequest(f"{field.label}: a number below 0 is no estimate.")
        return plain_estimate(text)
    return read(field, text, today) if text else None


def read_typed(field: Field, text: str, value: object, today: date) -> object:
    """Return the same as `read_text`, but a date for words such as fri in a text field that holds days."""
    return day_text(text, today) if text.strip() and holds_days(field, value) else read_text(field, text, today)


def read_tags(text: str) -> list[str]:
    """Return the tags of a text; the inverse of `tags_text`."""
    import csv  # 3 ms, for tags as people type them

    found = next(csv.reader([" ".join(text.splitlines())], skipinitialspace=True), [])
    return list(dict.fromkeys(tag.strip() for tag in found if tag.strip() not in {"", NOTHING}))


def holds_days(field: Field, value: object) -> bool:
    """Return whether a custom text field holds days, judged by its value, else by its name."""
    if field.kind is not Kind.TEXT or field.section is not Section.CUSTOM:
        return False
    if isinstance(value, str) and value.strip():
        return _day_of(value) is not None
    return _DAY_NAMES.search(field.label) is not None


def day_text(text: str, today: date) -> str:
    """Return the day that a text means, as 2026-03-01; the text itself where it means none."""
    try:
        return named_day(text, today).isoformat()
    except BadRequest:
        return text.strip()


def _day_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _read_whole(field: Field, text: str, _today: date) -> int:
    text = text.removeprefix("#") if field.kind is Kind.ITEM else text
    if not _WHOLE.fullmatch(text):
        raise BadRequest(f"{field.label} is a whole number, such as 3; “{_shown(text)}” is not.")
    return int(text)


def _read_number(field: Field, text: str, _today: date) -> float:
    if not _NUMBER.fullmatch(text):
        raise BadRequest(f"{field.label} is a number, such as 2.5 or 2,5; “{_shown(text)}” is not.")
    return int(text) if _WHOLE.fullmatch(text) else float(text.replace(",", "."))


def _read_boolean(field: Field, text: str, _today: date) -> bool:
    if text.casefold() not in _YES_NO_WORDS:
        raise BadRequest(f"{field.label} is yes or no; “{_shown(text)}” is neither.")
    return _YES_NO_WORDS[text.casefold()]


# Texts that people read

NameOf = Callable[[Kind, int], str]
"""Returns the name of a user, team, item, area or iteration; what it is where it has no name."""


def show(field: Field, value: object, name_of: NameOf, today: date) -> str:
    """Return a value as screens write it; an unset one as –. It is not made safe."""
    return RULES[field.kind].show(write(field, value, name_of), today)


def write(field: Field, value: object, name_of: NameOf) -> str:
    """Return a value as `read_text` reads it, with a status and a choice in the server's own words.

    Foreign services may send a value of another kind, so that its own shape decides.
    """
    if value is None or value in ("", []):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return tags_text(map(str, value))
    if isinstance(value, int) and field.kind in REFERENCES:
        return name_of(field.kind, value)
    if isinstance(value, int | float):
        return number_text(round(value, 2)) if field.kind is Kind.COMPUTED else number_text(value)
    return str(value)


def value_word(field: Field, value: str) -> str:
    """Return a status or choice as screens write it; the text of another field as it is."""
    if field.kind is Kind.STATUS:
        return status_word(value)
    return choice_word(value) if field.kind is Kind.CHOICE else value


def number_text(value: float) -> str:
    """Return a number without a needless fraction."""
    return repr(value).removesuffix(".0")


def typed_text(value: object) -> str:
    """Return a value as an input holds it; empty for None."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    return str(value)


def tags_text(tags: Iterable[str]) -> str:
    """Return tags with commas between them, and quotes around a tag that contains a comma."""
    return ", ".join('"{}"'.format(tag.replace('"', '""')) if "," in tag or tag[:1] == '"' else tag for tag in tags)


def _show_day(text: str, today: date) -> str:
    day = _day_of(text)
    return text if day is None else written_day(day, today)


def _as_it_is(text: str, _today: date) -> str:
    return text


# The rows


class KindRules(Struct, frozen=True):
    """The rules of one kind of field."""

    words: str
    """What a value has to be, as the rest of "must be"."""
    parse: Callable[[object, ValueLimits], object]
    """Return a JSON value as it is kept; raise Misfit."""
    schema: Callable[[ValueLimits], Schema]
    read: Callable[[Field, str, date], object] | None = None
    """Return what a typed text means, which is not empty; raise BadRequest. None for the text itself."""
    show: Callable[[str, date], str] = _as_it_is
    """Return the text of a value as screens write it; the text of another kind of value as it is."""


def _text(value: object, limits: ValueLimits) -> str:
    return parse_text(value, limits.text)


def _tags_schema(limits: ValueLimits) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": limits.tag},
        "maxItems": limits.tags,
    }


def _text_kind(show: Callable[[str, date], str] = _as_it_is) -> KindRules:
    return KindRules("text", _text, lambda _: {"type": "string"}, show=show)


def _integer_kind(words: str, read: Callable[[Field, str, date], object] | None = None) -> KindRules:
    return KindRules(
        words,
        lambda value, _: parse_integer(value),
        lambda _: {"type": "integer", "minimum": -INTEGER_LIMIT, "maximum": INTEGER_LIMIT},
        read,
    )


REFERENCES = frozenset({Kind.USER, Kind.TEAM, Kind.ITEM, Kind.AREA, Kind.ITERATION})
RULES: Mapping[Kind, KindRules] = {
    Kind.TEXT: _text_kind(),
    Kind.LONG_TEXT: _text_kind(),
    Kind.CHOICE: _text_kind(lambda text, _today: choice_word(text)),
    Kind.STATUS: _text_kind(lambda text, _today: status_word(text)),
    Kind.INTEGER: _integer_kind("a whole number", _read_whole),
    Kind.AREA: _integer_kind("the id of an area"),
    Kind.ITERATION: _integer_kind("the id of an iteration"),
    Kind.TEAM: _integer_kind("the id of a team", _read_whole),
    Kind.USER: _integer_kind("the id of a user"),
    Kind.ITEM: _integer_kind("the id of an item", _read_whole),
    Kind.NUMBER: KindRules(
        "a number", lambda value, _: parse_number(value), lambda _: {"type": "number"}, _read_number
    ),
    Kind.BOOLEAN: KindRules(
        "yes or no", lambda value, _: parse_boolean(value), lambda _: {"type": "boolean"}, _read_boolean
    ),
    Kind.DATE: KindRules(
        "a date such as 2026-03-01",
        lambda value, _: parse_day(value).isoformat(),
        lambda _: {"type": "string", "format": "date"},
        lambda field, text, today: named_day(text, today, field.label).isoformat(),
        _show_day,
    ),
    Kind.TAGS: KindRules("a list of words", parse_tags, _tags_schema, lambda _field, text, _today: read_tags(text)),
    Kind.COMPUTED: KindRules("set by the server", _computed, lambda _: {}),
}
