"""Areas and iterations: list, make, change, move and delete."""

import argparse
from collections.abc import Awaitable, Callable
from datetime import date

from msgspec.structs import replace

from backlit.cli.assignments import parted
from backlit.cli.changes import (
    FieldChangeRow,
    ThingChange,
    carry_out,
    confirm_count,
    write_report,
)
from backlit.cli.listing import Column, Row, chosen_columns, is_table, write_rows
from backlit.cli.output import note
from backlit.cli.synced import synced_store
from backlit.model.amounts import counted
from backlit.model.dates import named_day, typed_end
from backlit.model.errors import BadRequest, NameNotFound, UnknownName, UsageFault
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.store.edits.iteration_series import proposed_series, series_of
from backlit.store.edits.nodes import NewNode
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.people import IterationEntry, TreeKind, current
from backlit.store.store import Store

_COUNTS = (
    Column("allItems", "Items with all below", is_right=True, is_usual=False),
    Column("allPoints", "Points with all below", is_right=True, is_usual=False),
)
_AREA_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("path", "Path"),
    Column("items", "Items", is_right=True),
    Column("points", "Points", is_right=True),
    *_COUNTS,
    Column("name", "Name", is_usual=False),
    Column("parentId", "Parent", is_right=True, is_usual=False),
)
_ITERATION_COLUMNS = (
    *_AREA_COLUMNS[:1],
    Column("start", "Start"),
    Column("end", "End"),
    Column("min", "Min", is_right=True),
    Column("max", "Max", is_right=True),
    *_AREA_COLUMNS[2:4],
    Column("path", "Path"),
    *_AREA_COLUMNS[4:],
    Column("release", "Release", is_usual=False),
    Column("started", "Started", is_usual=False),
    Column("closed", "Closed", is_usual=False),
)
_KEYS = {
    "name": "name",
    "start": "startDate",
    "end": "endDate",
    "min": "minCapacity",
    "max": "maxCapacity",
    "release": "isRelease",
}
"""The service's keys of the names of the command line."""
_TRUTHS = {"yes": True, "no": False, "true": True, "false": False}


def list_nodes(arguments: argparse.Namespace) -> None:
    kind = TreeKind(arguments.tree)
    columns = chosen_columns(arguments, _AREA_COLUMNS if kind is TreeKind.AREAS else _ITERATION_COLUMNS)
    if arguments.counts:
        columns += [each for each in _COUNTS if each not in columns]
    with synced_store(arguments, is_listing=True) as store:
        tree, totals = store.lookups.tree(kind), store.lookups.totals(kind)
        below = tree.roll_up(totals)
        entries = store.lookups.iterations() if kind is TreeKind.ITERATIONS else {}
        wanted = _wanted(store, arguments) if entries else None
        is_tree = wanted is None and not arguments.flat and is_table(arguments)
        rows: list[Row] = []
        for node in tree.walk():
            if wanted is not None and node.id not in wanted:
                continue
            own = totals.get(node.id)
            row: dict[str, object] = {
                "id": id_of(node.id),
                "path": f"{'  ' * tree.depth(node.id)}{node.name}" if is_tree else tree.path(node.id),
                "items": own.count if own else 0,
                "points": own.points if own else 0,
                "allItems": below[node.id].count,
                "allPoints": below[node.id].points,
                "name": node.name,
                "parentId": id_of(parent.id) if (parent := tree.parent(node.id)) else None,
            }
            rows.append(row | (_iteration_row(entries[node.id]) if node.id in entries else {}))
        write_rows(arguments, columns, rows, local=store.local)


def _wanted(store: Store, arguments: argparse.Namespace) -> set[int] | None:
    entries, today = store.lookups.iterations(), store.today()
    if arguments.current:
        return {each.id for each in current(entries.values(), today)}
    if arguments.ended:
        return {each.id for each in entries.values() if each.is_over(today)}
    return {each.id for each in entries.values() if each.is_release} if arguments.releases else None


def _iteration_row(entry: IterationEntry) -> dict[str, object]:
    return {
        "start": entry.start,
        "end": entry.end,
        "min": entry.min_capacity,
        "max": entry.max_capacity,
        "release": entry.is_release,
        "started": entry.started_at,
        "closed": entry.closed_at,
    }


def new_node(arguments: argparse.Namespace) -> int:
    kind = TreeKind(arguments.tree)
    with synced_store(arguments, is_writing=True) as store:
        parent_id = node_named(store, kind, arguments.parent) if arguments.parent else _root(store, kind)
        if getattr(arguments, "series", None) is not None:
            return _new_series(arguments, store, parent_id)
        given = {name: getattr(arguments, name, None) for name in ("start", "end", "min", "max")}
        values = {name: _value(store, name, text) for name, text in given.items() if text is not None}
        new = NewNode(
            arguments.name,
            values.get("start"),  # type: ignore[arg-type]  # `_value` reads a date
            values.get("end"),  # type: ignore[arg-type]
            values.get("min"),  # type: ignore[arg-type]
            values.get("max"),  # type: ignore[arg-type]
            getattr(arguments, "release", False),
        )
        index = _index(store, kind, parent_id, arguments)
        path = store.lookups.tree(kind).path(parent_id)
        rows = [FieldChangeRow("name", "", arguments.name), FieldChangeRow("parent", "", path)]
        rows += [FieldChangeRow(name, "", str(value)) for name, value in values.items()]
        return _write(arguments, store, 0, rows, lambda: store.nodes.add(kind, parent_id, new, index))


def _new_series(arguments: argparse.Namespace, store: Store, parent_id: int) -> int:
    """Make iterations one after another, continued from those that exist; raise BadRequest for what makes none."""
    if arguments.release:
        raise UsageFault("A release holds a series: make it first, and name it by --parent.")
    entries, tree, today = store.lookups.iterations(), store.lookups.tree(TreeKind.ITERATIONS), store.today()
    beside = [entries[each.id] for each in tree.children(parent_id) if not entries[each.id].is_release]
    below_root = [entries[each.id] for each in tree.walk() if each.parent_id in entries]
    begins = entries[parent_id].start if entries[parent_id].is_release else None
    lines = [line for _, line in proposed_series(beside, below_root, begins, today, arguments.name)]
    _, first, _, weeks, start = lines
    if arguments.start is not None:
        start = named_day(arguments.start, today).isoformat()
    if arguments.end is not None:
        first_day = date.fromisoformat(start)
        is_length = arguments.end.strip().startswith("+")
        end = typed_end(arguments.end, first_day) if is_length else named_day(arguments.end, today)
        days = (end - first_day).days + 1
        if days < 1 or days % 7:
            raise BadRequest("The iterations of a series last whole weeks: say the last day of the first one's week.")
        weeks = str(days // 7)
    series = [
        replace(
            each, min_capacity=_points(store, "min", arguments.min), max_capacity=_points(store, "max", arguments.max)
        )
        for each in series_of((arguments.name, first, str(arguments.series), weeks, start), today)
    ]
    things = [
        ThingChange(
            0, "new", (FieldChangeRow("name", "", each.name), FieldChangeRow("dates", "", f"{each.start} – {each.end}"))
        )
        for each in series
    ]
    index = _index(store, TreeKind.ITERATIONS, parent_id, arguments)
    made: list[int] = []

    async def run(_: object) -> None:
        made.extend(await store.nodes.add_all(TreeKind.ITERATIONS, parent_id, series, index))

    def finds(thing: ThingChange, entry: OutboxEntry) -> bool:
        return bool(thing.changes) and entry.payload.get("name") == thing.changes[0].after

    report = carry_out(arguments, store, things, run, finds=finds)
    ids = [store.nodes.real_id(each) for each in made] or [0] * len(things)
    report.things = [
        replace(each, key=id_of(real_id) if real_id else each.key)
        for each, real_id in zip(report.things, ids, strict=True)
    ]
    return write_report(arguments, report, store)


def _points(store: Store, name: str, text: str | None) -> float | None:
    found = None if text is None else _value(store, name, text)
    return found if isinstance(found, float) else None


def set_node(arguments: argparse.Namespace) -> int:
    kind = TreeKind(arguments.tree)
    words, assignments = parted(arguments.words)
    if words or not assignments:
        raise UsageFault(
            "Say what to change, such as: name=Search" + (" end=2026-03-13" if kind == "iterations" else "")
        )
    with synced_store(arguments, is_writing=True) as store:
        node_id = node_named(store, kind, arguments.node)
        document = store.lookups.node_documents(kind)[node_id]
        changes: dict[str, object] = {}
        rows = []
        for each in assignments:
            name = each.name.lower()
            if each.operator != "=" or name not in _KEYS or (kind is TreeKind.AREAS and name != "name"):
                raise UnknownName(f"There is no field “{plain(each.name, 40)}”.{did_you_mean(name, _KEYS)}")
            value = _value(store, name, each.text)
            changes[_KEYS[name]] = value
            before = document.get(_KEYS[name])
            rows.append(
                FieldChangeRow(name, "" if before is None else str(before), "" if value is None else str(value))
            )
        return _write(arguments, store, node_id, rows, lambda: store.nodes.edit(kind, node_id, changes))


def move_node(arguments: argparse.Namespace) -> int:
    kind = TreeKind(arguments.tree)
    with synced_store(arguments, is_writing=True) as store:
        tree = store.lookups.tree(kind)
        node_id = node_named(store, kind, arguments.node)
        above = tree.parent(node_id)
        before = above.id if above else _root(store, kind)
        parent_id = node_named(store, kind, arguments.parent) if arguments.parent else before
        index = _index(store, kind, parent_id, arguments, without=node_id)
        rows = [FieldChangeRow("parent", tree.path(before), tree.path(parent_id))]
        return _write(arguments, store, node_id, rows, lambda: store.nodes.move(kind, node_id, parent_id, index))


def delete_node(arguments: argparse.Namespace) -> int:
    """Delete a node with what is below it; its items go to another one."""
    kind = TreeKind(arguments.tree)
    with synced_store(arguments, is_writing=True) as store:
        node_id, target = node_named(store, kind, arguments.node), node_named(store, kind, arguments.to)
        extent, tree = store.nodes.extent(kind, node_id), store.lookups.tree(kind)
        moved = f"{extent.moved.words} go to {plain(tree.path(target))}"
        note(
            arguments,
            f"{counted(extent.nodes, str(kind.value)[:-1])} {'is' if extent.nodes == 1 else 'are'} deleted; {moved}",
        )
        confirm_count(arguments, extent.nodes, "Delete", noun=str(kind.value)[:-1], is_grave=True)
        rows = [FieldChangeRow("path", tree.path(node_id), "deleted")]
        return _write(arguments, store, node_id, rows, lambda: store.nodes.delete(kind, node_id, target))


def _write(
    arguments: argparse.Namespace,
    store: Store,
    node_id: int,
    rows: list[FieldChangeRow],
    act: Callable[[], Awaitable[object]],
) -> int:
    made: list[int] = []

    async def run(_: object) -> None:
        found = await act()
        if node_id == 0 and isinstance(found, int):
            made.append(found)

    def finds(_thing: ThingChange, _entry: OutboxEntry) -> bool:
        return True  # a command changes one node

    thing = ThingChange(0, id_of(node_id) if node_id else "new", tuple(rows))
    report = carry_out(arguments, store, [thing], run, finds=finds)
    if made:
        real_id = store.nodes.real_id(made[0])
        report.things = [replace(each, key=id_of(real_id)) for each in report.things]
    return write_report(arguments, report, store)


def _root(store: Store, kind: TreeKind) -> int:
    roots = store.lookups.tree(kind).roots
    if not roots:
        raise BadRequest(f"The {kind.value} are not loaded yet. Try again in a moment.")
    return roots[0].id


def node_named(store: Store, kind: TreeKind, text: str) -> int:
    """Return the node of a name, a path or a number; raise NameNotFound."""
    if kind is TreeKind.ITERATIONS:
        return store.names.iteration(text).id
    tree = store.lookups.tree(kind)
    found = [
        node.id for node in tree.walk() if text.casefold() in {node.name.casefold(), tree.path(node.id).casefold()}
    ]
    if not found and text.isascii() and text.isdigit() and int(text) in tree:
        found = [int(text)]
    if len(found) == 1:
        return found[0]
    if found:
        raise NameNotFound(f"“{plain(text, 60)}” may be several areas. Write the whole path.")
    names = [node.name for node in tree.walk()]
    raise NameNotFound(
        f"There is no area “{plain(text, 60)}”.{did_you_mean(text, names) or ' See: backlit areas list'}"
    )


def _index(
    store: Store, kind: TreeKind, parent_id: int, arguments: argparse.Namespace, without: int | None = None
) -> int | None:
    """Return the place among the parent's children; None for the last."""
    siblings = [node.id for node in store.lookups.tree(kind).children(parent_id) if node.id != without]
    if arguments.first:
        return 0
    if not arguments.after:
        return None
    sibling = node_named(store, kind, arguments.after)
    if sibling not in siblings:
        raise BadRequest(f"“{plain(arguments.after, 60)}” is not a sibling there. Name one, or use --first or --last.")
    return siblings.index(sibling) + 1


def _value(store: Store, name: str, text: str) -> date | float | bool | str | None:
    if name == "name":
        return text
    if not text.strip():
        return None
    if name in {"start", "end"}:
        return named_day(text, store.today())
    if name == "release":
        if text.casefold() not in _TRUTHS:
            raise BadRequest(f"release is yes or no; “{plain(text, 24)}” is neither.")
        return _TRUTHS[text.casefold()]
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise BadRequest(f"{name} is a number of points; “{plain(text, 24)}” is not.") from None
