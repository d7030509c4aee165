"""Pure: the user's changes against what the service has by now, field by field."""

from collections.abc import Mapping
from dataclasses import dataclass

from backlit.store.values import is_same


@dataclass(frozen=True, slots=True)
class Merged:
    """What is left to send, and what the service has for the fields that both sides changed."""

    changes: Mapping[str, object]
    conflicts: Mapping[str, object]


def merge(base: Mapping[str, object], mine: Mapping[str, object], theirs: Mapping[str, object]) -> Merged:
    """Compare field by field: what they did not touch is sent, what is as wanted is not, tags merge as sets."""
    changes: dict[str, object] = {}
    conflicts: dict[str, object] = {}
    for key, wanted in mine.items():
        found = theirs.get(key)
        if key == "Tags":
            tags = merge_tags(base.get(key), wanted, found)
            if set(tags) != set(_tags(found)):
                changes[key] = tags
        elif is_same(found, wanted):
            continue
        elif is_same(found, base.get(key)):
            changes[key] = wanted
        else:
            conflicts[key] = found
    return Merged(changes, conflicts)


def merge_tags(base: object, mine: object, theirs: object) -> list[str]:
    """Their tags, without those that were taken off here and with those that were put on, in a stable order."""
    before, wanted = _tags(base), _tags(mine)
    removed = set(before) - set(wanted)
    kept = [tag for tag in _tags(theirs) if tag not in removed]
    return [*kept, *(tag for tag in wanted if tag not in before and tag not in kept)]


def kept_otherwise(sent: Mapping[str, object], echo: Mapping[str, object]) -> list[str]:
    """The keys whose value the service did not take over, as its answer shows (FEATURES rule 12)."""
    return [key for key, value in sent.items() if not _is_taken(value, echo.get(key))]


def _is_taken(sent: object, kept: object) -> bool:
    if isinstance(sent, list) and isinstance(kept, list):
        return set(_tags(sent)) == set(_tags(kept))
    if isinstance(sent, str) and isinstance(kept, str):
        return sent.split() == kept.split()
    return is_same(sent, kept)


def _tags(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []
