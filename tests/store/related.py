"""Relations and other objects below items, as the service has them and as somebody else makes them."""

from typing import Any

from tests.store.world import World

from backlit.store import Store


async def made(world: World, item_type: str = "Story", name: str = "New", **fields: Any) -> int:
    """Have the rival make an item of project 1."""
    body = {"type": item_type, "projectId": 1, "fields": {"Name": name, **fields}}
    return int((await world.rival.work_items.create(body))["id"])


async def related(world: World, item_id: int, word: str, target_id: int) -> int:
    """Have the rival relate items; return the relation's id."""
    body = {"workItemId": item_id, "type": word, "targetId": target_id}
    return int((await world.rival.resource("relations").create(body))["id"])


async def relations_at(world: World, item_id: int) -> set[tuple[str, int]]:
    """The relations of an item at the service, from its own side."""
    page = await world.rival.work_items.below(item_id, "relations").page()
    return {(each["type"], each["targetId"]) for each in page.results}


def relations_in(store: Store, item_id: int) -> set[tuple[str, int]]:
    return {(each.word, each.other_id) for each in store.relations.of_item(item_id)}


async def criteria_at(world: World, item_id: int) -> list[tuple[str, str]]:
    page = await world.rival.work_items.below(item_id, "acceptancecriteria").page()
    return [(each["title"], each["status"]) for each in page.results]


def criteria_in(store: Store, item_id: int) -> list[tuple[str, str]]:
    return [(each.title, each.status) for each in store.criteria.of_item(item_id)]


async def links_at(world: World, item_id: int) -> list[str]:
    page = await world.rival.work_items.below(item_id, "links").page()
    return [each["url"] for each in page.results]
