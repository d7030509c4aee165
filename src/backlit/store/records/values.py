"""Equality of field values."""


def is_same(one: object, other: object) -> bool:
    """Report whether two values of a field mean the same. Unset, empty text and no tags do."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return one == other or (_is_empty(one) and _is_empty(other))


def _is_empty(value: object) -> bool:
    return value is None or value in ("", [])
