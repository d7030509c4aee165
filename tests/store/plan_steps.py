"""What the tests of plans share."""

from datetime import date, timedelta

from tests.store.world import World, sent

from backlit.store import ItemRow, IterationEntry, Store, TreeKind, ViewSpec
from backlit.store.edits.nodes import NewNode

ITERATIONS = TreeKind.ITERATIONS


async def add_sprints(store: Store, count: int = 2, most: float | None = 30.0) -> list[IterationEntry]:
    """New iterations after today, each two weeks, on the service too."""
    start = date.today() + timedelta(days=400)
    days = [start + timedelta(days=14 * n) for n in range(count)]
    nodes = [NewNode(f"Plan {n + 1}", day, day + timedelta(days=13), 10.0, most) for n, day in enumerate(days)]
    await store.nodes.add_all(ITERATIONS, store.lookups.tree(ITERATIONS).roots[0].id, nodes)
    await sent(store)
    return [each for each in store.lookups.iterations().values() if each.name.startswith("Plan ")]


async def stories(store: Store, count: int) -> list[ItemRow]:
    """Some open stories and bugs in backlog order, none of which is pending."""
    view = store.view(ViewSpec())
    await view.load()
    return [row for row in view.rows(0, 500) if row.type in {"Story", "Bug"}][:count]


async def held(world: World, item_id: int, *keys: str) -> list[object]:
    """What the service has in some fields of an item."""
    fields = (await world.rival.work_items.get(item_id))["fields"]
    return [fields[key] for key in keys]


async def ended_sprint(store: Store, count: int) -> tuple[IterationEntry, IterationEntry, list[ItemRow]]:
    """An iteration that is over with open stories and bugs of 8 points in it, and one to come."""
    ended = next(each for each in store.plan.iterations.targets() if each.end and each.end < date.today())
    target, _ = await add_sprints(store)
    rows = (await stories(store, 99))[:count]
    await store.items.edit(
        [row.id for row in rows], {"IterationID": ended.id, "Estimate": "8", "Status": "In Progress"}
    )
    await sent(store)
    return ended, target, rows
