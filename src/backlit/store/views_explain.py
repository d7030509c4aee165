"""What a view did, in sentences: by which index, what was read one by one, and what the service was asked."""

import sqlite3

from backlit.store.filter_sql import COVERED, has_column
from backlit.store.views_query import Query, ViewSpec

ASKED = (
    "All of this ran on the copy on this machine. Filters are never sent to the service: it is asked for the project's"
    " items by number and by the time of their last change, nothing else."
)


def explained(query: Query, spec: ViewSpec, mirror: sqlite3.Connection, count: int | None) -> list[str]:
    """The sentences, the plan of the database last."""
    sentences = [_order(query), *_filters(query, spec)]
    if query.levels and spec.group:
        sentences.append(f"Groups by {', then '.join(spec.group)}: counted and summed by one query.")
    if count is not None:
        sentences.append(f"{count:,} items: their numbers are held, 8 bytes each, and rows are read as they are seen.")
    return [*sentences, ASKED, *(f"Plan: {step}" for step in plan_of(mirror, query.ids()))]


def plan_of(mirror: sqlite3.Connection, statement: tuple[str, tuple[object, ...]]) -> list[str]:
    """How the database answers a statement, step by step."""
    sql, values = statement
    return [str(step[3]) for step in mirror.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


def _order(query: Query) -> str:
    if not query.sort and not query.levels:
        return "Order: the backlog's own, read off an index."
    if not query.levels and query.is_by_change:
        return "Order: the last change first, read off an index."
    names = ", ".join([*query.levels, *(key.name for key in query.sort)])
    return f"Order: by {names}, sorted once while loading, beside what is on the screen."


def _filters(query: Query, spec: ViewSpec) -> list[str]:
    found = []
    reads = sorted(query.filtered)
    covered = [key for key in reads if key in COVERED]
    columns = [key for key in reads if has_column(key) and key not in COVERED]
    custom = [key for key in reads if key.endswith("_cf")]
    words = ["Description"] if "Description" in reads and query.has_words else []
    documents = [key for key in reads if key not in {*covered, *columns, *custom, *words}]
    if spec.text or query.has_name:
        found.append("Names are searched in the index of the order, each of them.")
    if covered:
        found.append(f"{', '.join(covered)}: compared in the index of the order.")
    if columns:
        found.append(f"{', '.join(columns)}: compared in the table of items, each of them.")
    if custom:
        found.append(f"{', '.join(custom)}: looked up by key in the table of the project's own fields.")
    if words:
        found.append("Words: found by the full text index of names, descriptions and comments.")
    if documents:
        found.append(f"{', '.join(documents)}: read out of every item's document, the slowest way.")
    return found
