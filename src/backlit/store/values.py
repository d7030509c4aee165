"""Pure: when two values of a field mean the same."""


def is_same(one: object, other: object) -> bool:
    """Whether two values of a field mean the same; unset, empty text and no tags do (FEATURES rule 28)."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return one == other or (_is_empty(one) and _is_empty(other))


def _is_empty(value: object) -> bool:
    return value is None or value in ("", [])
