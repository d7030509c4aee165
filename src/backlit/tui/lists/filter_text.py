"""A query in words, as the title of a list says it."""

from collections.abc import Sequence

from backlit.model.query import Condition, Node, write_query
from backlit.model.query.keys import LINT_KEY, field_named, parts_of
from backlit.model.ready_check import RULE_BY_ID
from backlit.tui.lists.filter_choices import FILTERED, NONE, OWNER

_LINT_WORDS = {"any": "not ready", "none": "ready"}


def filter_words(query: str) -> list[str]:
    """Return one phrase for each part that has to hold."""
    return [_phrase(part) for part in parts_of(query)] if query.strip() else []


def _phrase(part: Node) -> str:
    if not isinstance(part, Condition) or part.operator not in ":=":
        return write_query(part)
    if part.key.lower() == LINT_KEY:
        return _either([_LINT_WORDS.get(value.lower()) or RULE_BY_ID[value.lower()].label for value in part.values])
    by = next((each for each in FILTERED if each.field is field_named(part.key)), None)
    if by is None:
        return write_query(part)
    if by is OWNER and [value.casefold() for value in part.values] == ["me"]:
        return "mine"
    named = [value.rpartition("\\")[2] for value in part.values if value.casefold() != NONE]
    words = [_either([by.label, _either(named)], " ")] if named else []
    return _either([*words, *([by.nothing or f"no {by.label}"] if len(named) < len(part.values) else [])])


def _either(words: Sequence[str], between: str = " or ") -> str:
    return between.join(words)
