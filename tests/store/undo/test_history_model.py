"""Any sequence of edits, bulk edits, undo and redo leaves the service as a simple model has it."""

import random

import pytest
from tests.store.world import World, sent

from backlit.store import ViewSpec

Values = dict[int, dict[str, object]]
KEYS = ("Name", "Estimate", "Tags")


class Model:
    """The values of some items, with everything they have been before and after."""

    def __init__(self, values: Values) -> None:
        self.now = values
        self.undone: list[Values] = []
        self.done: list[Values] = []

    def edit(self, changes: Values) -> None:
        after = {item_id: {**each, **changes.get(item_id, {})} for item_id, each in self.now.items()}
        if after != self.now:
            self.done.append(self.now)
            self.undone.clear()
            self.now = after

    def undo(self) -> None:
        if self.done:
            self.undone.append(self.now)
            self.now = self.done.pop()

    def redo(self) -> None:
        if self.undone:
            self.done.append(self.now)
            self.now = self.undone.pop()


def some_change(chance: random.Random) -> dict[str, object]:
    every: dict[str, object] = {
        "Name": f"Name {chance.randrange(4)}",
        "Estimate": chance.choice(["1", "2", None]),
        "Tags": [tag for tag in ("a", "b", "c") if chance.random() < 0.5],
    }
    return {key: every[key] for key in chance.sample(KEYS, chance.randint(1, 3))}


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow if seed < 3 else pytest.mark.long) for seed in range(12)]
)
@pytest.mark.long_but("1")
async def test_edits_undo_and_redo_leave_the_service_as_the_model_has_it(world: World, seed: int) -> None:
    chance = random.Random(seed)
    store = await world.online()
    ids = [row.id for row in store.view(ViewSpec()).rows(0, 60) if row.type == "Story"][:3]
    start = {item_id: await on_service(world, item_id) for item_id in ids}
    model = Model(start)
    acts = []
    for _ in range(40):
        act = chance.choice(["edit", "edit", "bulk", "each", "undo", "undo", "redo", "wait", "down", "up", "restart"])
        acts.append(act)
        if act in {"edit", "bulk", "each"}:
            chosen = ids[:1] if act == "edit" else ids
            change = some_change(chance)
            changes = {each: some_change(chance) if act == "each" else change for each in chosen}
            await store.items.edit_each(changes)
            model.edit(changes)
        elif act == "undo":
            await store.history.undo()
            model.undo()
        elif act == "redo":
            await store.history.redo()
            model.redo()
        elif act == "wait" and not world.faults.is_down:
            await sent(store)
        elif act in {"down", "up"}:
            world.faults.is_down = act == "down"
        elif act == "restart":
            await world.close(store)
            store = world.store()
            store.start()
    world.faults.is_down = False
    await world.close(store)
    store = await world.online()
    await sent(store)

    assert store.outbox_entries() == (), acts
    assert {item_id: await on_service(world, item_id) for item_id in ids} == model.now, acts


async def on_service(world: World, item_id: int) -> dict[str, object]:
    fields = (await world.rival.work_items.get(item_id))["fields"]
    return {key: fields[key] for key in KEYS}
