"""The rules of each kind of field for its values: what JSON may hold, and how the interface describes it.

Both halves call these rules where a value comes in. What depends on a project, such as choices and references, and what
null or 0 means, is each half's own.
"""

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import LARGEST_NUMBER, NAME_LIMIT, Field, Kind

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


class KindRules(Struct, frozen=True):
    """The rules of one kind of field."""

    words: str
    """What a value has to be, as the rest of "must be"."""
    parse: Callable[[object, ValueLimits], object]
    """Return a JSON value as it is kept; raise Misfit."""
    schema: Callable[[ValueLimits], Schema]


def _text(value: object, limits: ValueLimits) -> str:
    return parse_text(value, limits.text)


def _tags_schema(limits: ValueLimits) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": limits.tag},
        "maxItems": limits.tags,
    }


_TEXT = KindRules("text", _text, lambda _: {"type": "string"})


def _integer(words: str) -> KindRules:
    return KindRules(
        words,
        lambda value, _: parse_integer(value),
        lambda _: {"type": "integer", "minimum": -INTEGER_LIMIT, "maximum": INTEGER_LIMIT},
    )


RULES: Mapping[Kind, KindRules] = {
    **dict.fromkeys((Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE, Kind.STATUS), _TEXT),
    Kind.INTEGER: _integer("a whole number"),
    Kind.AREA: _integer("the id of an area"),
    Kind.ITERATION: _integer("the id of an iteration"),
    Kind.TEAM: _integer("the id of a team"),
    Kind.USER: _integer("the id of a user"),
    Kind.ITEM: _integer("the id of an item"),
    Kind.NUMBER: KindRules("a number", lambda value, _: parse_number(value), lambda _: {"type": "number"}),
    Kind.BOOLEAN: KindRules("yes or no", lambda value, _: parse_boolean(value), lambda _: {"type": "boolean"}),
    Kind.TAGS: KindRules("a list of words", parse_tags, _tags_schema),
    Kind.COMPUTED: KindRules("set by the server", _computed, lambda _: {}),
}
