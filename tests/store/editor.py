"""A process that edits as fast as it can and says on its output what is on disk; it is killed by its test."""

import asyncio
import sys
from pathlib import Path

from tests.store.documents import no_service, places_in
from tests.store.world import World

from backlit.store import Store


async def edit_offline(folder: Path, item_ids: list[int]) -> None:
    store = Store(places_in(folder / "mine"), no_service)
    store.open()
    await edit_for_ever(store, item_ids)


async def edit_online(folder: Path, item_ids: list[int]) -> None:
    """Have the service in this process too, and send while editing."""
    world = World(folder)
    await world.start()
    await edit_for_ever(await world.online(), item_ids)


async def edit_for_ever(store: Store, item_ids: list[int]) -> None:
    number = 0
    while True:
        for item_id in item_ids:
            number += 1
            await store.items.edit([item_id], {"Name": f"Edit {number}"})
            acknowledge("edit", item_id, number)
        added = await store.items.add("Bug", {"Name": f"Bug {number}"})
        acknowledge("add", added, number)
        await store.items.comment(item_ids[0], f"Comment {number}")
        acknowledge("comment", item_ids[0], number)
        await store.drafts.save("note", {"text": f"Draft {number}"})
        acknowledge("draft", 0, number)


def acknowledge(kind: str, item_id: int, number: int) -> None:
    sys.stdout.write(f"{kind} {item_id} {number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    edit = edit_online if sys.argv[3] == "online" else edit_offline
    asyncio.run(edit(Path(sys.argv[1]), [int(each) for each in sys.argv[2].split(",")]))
