"""What a view did, in sentences: by which index, what was read one by one, and what the service was asked."""

import sqlite3
from collections.abc import Sequence

from backlit.store.filter_sql import COVERED, has_column
from backlit.store.views_query import Query, ViewSpec

ASKED = (
    "All of this ran on the copy on this machine. Filters are never sent to the service: it is asked for the project's"
    " items by number and by the time of their last change, nothing else."
)


def explained(query: Query, spec: ViewSpec, mirror: sqlite3.Connection, count: int | None) -> list[str]:
    """The sentences, the plan of the database last."""
    plan = plan_of(mirror, query.ids())
    is_walk = any("items_in_order" in step for step in plan)
    sentences = [_order(query, plan), *_filters(query, spec, is_walk=is_walk)]
    if query.levels and spec.group:
        sentences.append(f"Groups by {', then '.join(spec.group)}: counted and summed by one query.")
    if count is not None:
        rows = "1 row: its number is" if count == 1 else f"{count:,} rows, tasks among them: their numbers are"
        sentences.append(f"{rows} held, 8 bytes each, and what stands in them is read as it is seen.")
    return [*sentences, ASKED, *(f"Plan: {step}" for step in plan)]


def plan_of(mirror: sqlite3.Connection, statement: tuple[str, tuple[object, ...]]) -> list[str]:
    """How the database answers a statement, step by step."""
    sql, values = statement
    return [str(step[3]) for step in mirror.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


def _order(query: Query, plan: Sequence[str]) -> str:
    is_sorted = any("ORDER BY" in step for step in plan)
    if is_sorted and not query.sort and not query.levels:
        return "Order: the backlog's own, sorted once while loading: what is found is less than all."
    if not query.sort and not query.levels:
        return "Order: the backlog's own, read off an index."
    if not query.levels and query.is_by_change:
        return "Order: the last change first, read off an index."
    names = ", ".join([*query.levels, *(key.name for key in query.sort)])
    return f"Order: by {names}, sorted once while loading, beside what is on the screen."


def _filters(query: Query, spec: ViewSpec, *, is_walk: bool) -> list[str]:
    place = "in the index of the order" if is_walk else "in the rows of what another condition finds"
    found = []
    reads = sorted(query.filtered)
    covered = [key for key in reads if key in COVERED]
    columns = [key for key in reads if has_column(key) and key not in COVERED]
    custom = [key for key in reads if key.endswith("_cf")]
    words = ["Description"] if "Description" in reads and query.has_words else []
    documents = [key for key in reads if key not in {*covered, *columns, *custom, *words}]
    if spec.text or query.has_name:
        found.append(f"Names are searched {place}, each of them.")
    if covered:
        found.append(f"{', '.join(covered)}: compared {place}.")
    if columns:
        found.append(f"{', '.join(columns)}: compared in the table of items, each of them.")
    if custom:
        found.append(f"{', '.join(custom)}: looked up by key in the table of the project's own fields.")
    if words:
        found.append("Words: found by the full text index of names, descriptions and comments.")
    if documents:
        found.append(f"{', '.join(documents)}: read out of every item's document, the slowest way.")
    return found
