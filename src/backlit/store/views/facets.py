"""Facets: the number of a view's items with each value of a field, by one grouped query."""

import sqlite3
from dataclasses import dataclass

from backlit.model.trees import Totals
from backlit.store.views.query import Query, level_value


@dataclass(frozen=True, slots=True)
class Facet:
    """A value, None for no value, with the number of items other than tasks and their points."""

    value: object
    totals: Totals


def facets(mirror: sqlite3.Connection, query: Query, key: str) -> list[Facet]:
    """Return the values of a field in a view, the most frequent first. An item counts for each of its tags."""
    sql, values = query.counts(key)
    sums: dict[object, Totals] = {}
    for raw, count, points in mirror.execute(sql, values):
        found = level_value(key, raw)
        for value in found if isinstance(found, tuple) else (found,):
            sums[value] = sums.get(value, Totals()) + Totals(int(count), float(points))
    return sorted((Facet(value, totals) for value, totals in sums.items()), key=_by_count)


def _by_count(facet: Facet) -> tuple[int, str]:
    return -facet.totals.count, str(facet.value)
