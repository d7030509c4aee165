"""Three-way merge of an edit with the service's current values, field by field.

An edit is one act and is sent or held as a whole: one conflicting field holds all of it. The other fields keep their
base and merge again after the conflict is resolved.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from backlit.model.fields import FIELD_BY_KEY, Kind
from backlit.store.records.merge_text import merge_text
from backlit.store.records.values import is_same


@dataclass(frozen=True, slots=True)
class Merged:
    """The values left to send, and the service's values of the conflicting fields."""

    changes: Mapping[str, object]
    conflicts: Mapping[str, object]


def merge(base: Mapping[str, object], mine: Mapping[str, object], theirs: Mapping[str, object]) -> Merged:
    """Merge field by field.

    Fields unchanged on the service are sent, fields that already have the wanted value are not. Tags merge as sets
    and long texts by line.
    """
    changes: dict[str, object] = {}
    conflicts: dict[str, object] = {}
    for key, wanted in mine.items():
        before, found = base.get(key), theirs.get(key)
        if is_same(found, wanted):
            continue
        if is_same(found, before):
            changes[key] = wanted
        elif _is_tags(key, before, wanted, found):
            tags = merge_tags(before, wanted, found)
            if set(tags) != set(_tags(found)):
                changes[key] = tags
        else:
            text = merge_text(_text(before), _text(wanted), _text(found)) if is_long(key, wanted, found) else None
            if text is None:
                conflicts[key] = found
            elif text != found:
                changes[key] = text
    return Merged(changes, conflicts)


def merge_tags(base: object, mine: object, theirs: object) -> list[str]:
    """Return their tags without the ones removed here and with the ones added here, in a stable order."""
    before, wanted = _tags(base), _tags(mine)
    removed = set(before) - set(wanted)
    kept = [tag for tag in _tags(theirs) if tag not in removed]
    return [*kept, *(tag for tag in wanted if tag not in before and tag not in kept)]


def is_long(key: str, mine: object, theirs: object) -> bool:
    """Report whether a field merges by line: a long text, or a custom text of more than one line."""
    if not all(value is None or isinstance(value, str) for value in (mine, theirs)):
        return False
    field = FIELD_BY_KEY.get(key)
    if field is not None:
        return field.kind is Kind.LONG_TEXT
    return any("\n" in _text(value) or "\r" in _text(value) for value in (mine, theirs))


def kept_otherwise(sent: Mapping[str, object], echo: Mapping[str, object]) -> list[str]:
    """Return the keys whose values the service did not accept, judged by its response."""
    return [key for key, value in sent.items() if not _is_taken(value, echo.get(key))]


def _is_taken(sent: object, kept: object) -> bool:
    if isinstance(sent, list) and isinstance(kept, list):
        return set(_tags(sent)) == set(_tags(kept))
    if isinstance(sent, str) and isinstance(kept, str):
        return sent.split() == kept.split()
    return is_same(sent, kept)


def _is_tags(key: str, *values: object) -> bool:
    """Report whether values are lists of words. Custom fields can hold one too."""
    is_list = all(value is None or isinstance(value, list | tuple) for value in values)
    return key == "Tags" or (is_list and any(value is not None for value in values))


def _tags(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
