"""The parts of a query that ask for one field's values, read and replaced without touching the rest."""

from collections.abc import Sequence

from backlit.model.query.keys import field_named
from backlit.model.query.syntax import AllOf, Condition, Node, all_of, parse_query, write_query


def values_of(query: str, key: str) -> tuple[str, ...]:
    """The values that a query asks a field for, as they are written; none where it does not, or not for these only."""
    found = (part.values for part in parts_of(query) if isinstance(part, Condition) and _asks(part, key))
    return next(found, ())


def with_values(query: str, key: str, values: Sequence[str]) -> str:
    """The query with a field asked for other values, in the place where it was; for none it is not asked for."""
    parts = parts_of(query)
    at = next((place for place, part in enumerate(parts) if _asks(part, key)), len(parts))
    others = [[part for part in some if not _asks(part, key)] for some in (parts[:at], parts[at:])]
    asked: list[Node] = [Condition(key, ":", tuple(values))] if values else []
    return write_query(all_of([*others[0], *asked, *others[1]]))


def parts_of(query: str) -> tuple[Node, ...]:
    """What has to hold, each by itself. Raises BadRequest for what is no query."""
    tree = parse_query(query)
    return tree.parts if isinstance(tree, AllOf) else (tree,)


def _asks(part: Node, key: str) -> bool:
    return isinstance(part, Condition) and part.operator in ":=" and _is_same(part.key, key)


def _is_same(key: str, other: str) -> bool:
    field = field_named(key)
    return key.lower() == other.lower() if field is None else field is field_named(other)
