"""Pure: the user's changes against what the service has by now, field by field.

An edit is one act, so it goes through as a whole or waits as a whole: where one of its fields conflicts, nothing of it
is sent. The fields that would have merged keep their base, and are merged anew when the conflict is settled.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from backlit.model.fields import FIELD_BY_KEY, Kind
from backlit.store.merge_text import merge_text
from backlit.store.values import is_same


@dataclass(frozen=True, slots=True)
class Merged:
    """What is left to send, and what the service has for the fields that both sides changed."""

    changes: Mapping[str, object]
    conflicts: Mapping[str, object]


def merge(base: Mapping[str, object], mine: Mapping[str, object], theirs: Mapping[str, object]) -> Merged:
    """Compare field by field: what they did not touch is sent, what is as wanted is not.

    Tags that others touched too merge as sets, long texts by line.
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
    """Their tags, without those that were taken off here and with those that were put on, in a stable order."""
    before, wanted = _tags(base), _tags(mine)
    removed = set(before) - set(wanted)
    kept = [tag for tag in _tags(theirs) if tag not in removed]
    return [*kept, *(tag for tag in wanted if tag not in before and tag not in kept)]


def is_long(key: str, mine: object, theirs: object) -> bool:
    """Whether a field is merged by line: a long text, or a project's own text with more than one line in it."""
    if not all(value is None or isinstance(value, str) for value in (mine, theirs)):
        return False
    field = FIELD_BY_KEY.get(key)
    if field is not None:
        return field.kind is Kind.LONG_TEXT
    return any("\n" in _text(value) or "\r" in _text(value) for value in (mine, theirs))


def kept_otherwise(sent: Mapping[str, object], echo: Mapping[str, object]) -> list[str]:
    """The keys whose value the service did not take over, as its answer shows (FEATURES rule 12)."""
    return [key for key, value in sent.items() if not _is_taken(value, echo.get(key))]


def _is_taken(sent: object, kept: object) -> bool:
    if isinstance(sent, list) and isinstance(kept, list):
        return set(_tags(sent)) == set(_tags(kept))
    if isinstance(sent, str) and isinstance(kept, str):
        return sent.split() == kept.split()
    return is_same(sent, kept)


def _is_tags(key: str, *values: object) -> bool:
    """Whether values are lists of words; a project's own field may hold one too."""
    is_list = all(value is None or isinstance(value, list | tuple) for value in values)
    return key == "Tags" or (is_list and any(value is not None for value in values))


def _tags(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
