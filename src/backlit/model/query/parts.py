"""Conditions of a query on one field, readable and replaceable apart from the rest."""

from collections.abc import Sequence

from backlit.model.query.keys import field_named
from backlit.model.query.syntax import AllOf, Condition, Node, all_of, parse_query, write_query


def values_of(query: str, key: str) -> tuple[str, ...]:
    """Return the values of a query's condition on a field, as written; empty without a plain one."""
    found = (part.values for part in parts_of(query) if isinstance(part, Condition) and _asks(part, key))
    return next(found, ())


def with_values(query: str, key: str, values: Sequence[str]) -> str:
    """Return the query with other values for a field, in the same place; no values remove the condition."""
    parts = parts_of(query)
    at = next((place for place, part in enumerate(parts) if _asks(part, key)), len(parts))
    others = [[part for part in some if not _asks(part, key)] for some in (parts[:at], parts[at:])]
    asked: list[Node] = [Condition(key, ":", tuple(values))] if values else []
    return write_query(all_of([*others[0], *asked, *others[1]]))


def parts_of(query: str) -> tuple[Node, ...]:
    """Return the conjuncts of a query. Raises BadRequest for a malformed one."""
    tree = parse_query(query)
    return tree.parts if isinstance(tree, AllOf) else (tree,)


def _asks(part: Node, key: str) -> bool:
    return isinstance(part, Condition) and part.operator in ":=" and _is_same(part.key, key)


def _is_same(key: str, other: str) -> bool:
    field = field_named(key)
    return key.lower() == other.lower() if field is None else field is field_named(other)
