"""Items that are split into several."""

import argparse
from collections.abc import Sequence

from msgspec.structs import replace

from backlit.cli.changes import FieldChangeRow, ThingChange, carry_out, write_report
from backlit.cli.selection import item_numbered, need_number
from backlit.cli.synced import synced_store
from backlit.model.amounts import points_of
from backlit.model.errors import BadRequest, NotFound, UsageFault
from backlit.model.plain import plain
from backlit.store.edits.splits import SplitPart, points_text, rest_of_points
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item


def split_item(arguments: argparse.Namespace) -> int:
    """Split an item; write a row for it and for each new one, and return the exit code."""
    points = _points(arguments.points, len(arguments.names))
    if len(arguments.tasks) > len(arguments.names):
        raise UsageFault("Give --tasks at most once for each name.")
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        item = item_numbered(store, arguments.id)
        own = {task.id for task in store.batch.tasks_of(item.id)}
        given = [_tasks(words, own, item) for words in arguments.tasks]
        given += [()] * (len(arguments.names) - len(given))
        parts = [SplitPart(*each) for each in zip(arguments.names, points, given, strict=True)]
        estimate, rest = str(item.fields.get("Estimate") or ""), rest_of_points(item.fields.get("Estimate"), parts)
        after = estimate if rest is None else points_text(rest)
        things = [ThingChange(item.id, id_of(item.id), (FieldChangeRow("Estimate", estimate, after),), name=item.name)]
        things += [_new(number, part) for number, part in enumerate(parts, 1)]

        async def act(_planned: Sequence[ThingChange]) -> None:
            ids, _ = await store.splits.split(item.id, parts)
            things[1:] = [replace(thing, id=new_id) for thing, new_id in zip(things[1:], ids, strict=True)]

        return write_report(arguments, carry_out(arguments, store, things, act), store)


def _new(number: int, part: SplitPart) -> ThingChange:
    points = "" if part.points is None else points_text(part.points)
    row = FieldChangeRow("item", "", f"new, {points} points" if points else "new")
    return ThingChange(-number, "new", (row,), name=part.name)


def _points(text: str | None, count: int) -> list[float | None]:
    """Return the points of each part; raise BadRequest."""
    words = [each.strip() for each in text.split(",")] if text else []
    found = [points_of(each) for each in words]
    if any(each is None for each in found):
        raise BadRequest("--points takes numbers, such as 3,5.")
    if len(found) > count:
        raise UsageFault("--points has more numbers than there are names.")
    return [*found, *[None] * (count - len(found))]


def _tasks(words: str, own: set[int], item: Item) -> Sequence[int]:
    ids = [need_number(each.strip()) for each in words.split(",") if each.strip()]
    for each in ids:
        if each not in own:
            raise NotFound(f"{plain(str(each))} is no task of #{item.id}.")
    return ids
