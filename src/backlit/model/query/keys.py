"""Keys of queries: short names for common questions, and every field by its own name."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from backlit.model.fields import (
    ALL_TYPES,
    FIELD_BY_KEY,
    FIELDS,
    PROPERTY_BY_LOWER_NAME,
    TOP_LEVEL,
    Field,
    Kind,
    Section,
    Settable,
    ValueType,
)
from backlit.model.filters import POINTS

ANYWHERE_KEY = "text"
LINT_KEY = "lint"

POINTS_FIELD = Field(
    POINTS,
    Kind.COMPUTED,
    tuple(each for each in ALL_TYPES if FIELD_BY_KEY["Estimate"].applies_to(each)),
    "Points",
    Section.COMPUTED,
    "The estimate as a number.",
    settable=Settable.NEVER,
    computed=ValueType.NUMBER,
)

SHORT_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "owner": "AssignedToID",
        "iter": "IterationID",
        "area": "AreaID",
        "team": "TeamID",
        "est": POINTS,
        "tag": "Tags",
        "changed": "lastModifiedAt",
        "created": "createdAt",
        "parent": "ParentID",
        "class": "PriorityClass",
        "blocking": "IsBlocking",
        "by": "createdBy",
    }
)
"""Short keys for common questions."""

_FIELD_BY_LOWER: Mapping[str, Field] = MappingProxyType(
    {
        **PROPERTY_BY_LOWER_NAME,
        POINTS.lower(): POINTS_FIELD,
        **{
            short: POINTS_FIELD if key == POINTS else PROPERTY_BY_LOWER_NAME[key.lower()]
            for short, key in SHORT_KEYS.items()
        },
    }
)


def field_named(key: str, custom: Collection[Field] = ()) -> Field | None:
    """Return the field of a key in any case; a custom one also without its suffix `_cf`."""
    lower = key.lower()
    own = {field.key.lower(): field for field in custom}
    return _FIELD_BY_LOWER.get(lower) or own.get(lower) or own.get(f"{lower}_cf")


def all_keys(custom: Collection[Field] = ()) -> dict[str, str]:
    """Return every key with its description, short ones first."""
    keys = {short: _FIELD_BY_LOWER[short].label for short in SHORT_KEYS}
    keys[ANYWHERE_KEY] = "Words in the name, the description or a comment"
    keys[LINT_KEY] = "Findings of the readiness check"
    shortened = set(SHORT_KEYS.values())
    return keys | {
        field.key.lower(): field.label for field in (*TOP_LEVEL, *FIELDS, *custom) if field.key not in shortened
    }
