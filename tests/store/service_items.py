"""Items as the service has them."""

from tests.store.world import World

from backlit.model.errors import NotFound


async def of_type(world: World, item_type: str = "Story") -> int:
    page = await world.rival.work_items.page(
        filter=f"projectId eq 1 and type eq '{item_type}' and Status ne 'Done'", order="id", top=1
    )
    return int(page.results[0]["id"])


async def fields(world: World, item_id: int) -> dict[str, object]:
    return dict((await world.rival.work_items.get(item_id))["fields"])


async def with_task(world: World) -> tuple[int, int]:
    """An item that has a task, and the task."""
    page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Task'", order="id", top=1)
    return int(page.results[0]["fields"]["ParentID"]), int(page.results[0]["id"])


async def exists(world: World, item_id: int) -> bool:
    try:
        await world.rival.work_items.get(item_id)
    except NotFound:
        return False
    return True


async def on_service(world: World) -> dict[int, str]:
    page = await world.rival.work_items.page(filter="projectId eq 1", top=1000)
    return {each["id"]: each["fields"]["Name"] for each in page.results}
