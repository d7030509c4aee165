"""Items that were converted or moved, here and as the service has them."""

from typing import Any

from tests.store.world import World, sent

from backlit.store import Store


def here(store: Store, item_id: int) -> tuple[str, dict[str, object]]:
    """The type of an item, and its values that are set."""
    item = store.item(item_id)
    assert item is not None
    return item.type, set_values(item.fields)


async def there(world: World, item_id: int) -> tuple[str, dict[str, object]]:
    document = await world.rival.work_items.get(item_id)
    return str(document["type"]), set_values(document["fields"])


def set_values(fields: Any) -> dict[str, object]:
    beside = {"BacklogPriority", "CalculatedEstimate", "PertEstimate", "IsSyncable", "SyncID"}
    return {key: value for key, value in fields.items() if value not in (None, "", []) and key not in beside}


async def settled(world: World, store: Store) -> None:
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    await store.refresh()
