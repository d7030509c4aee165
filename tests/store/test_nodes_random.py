"""Random acts on a tree come out on the service as they do in a model."""

import random

from tests.store.nodes import AREAS, named, root_of, shape, shown
from tests.store.world import World, until

from backlit.store import Store
from backlit.store.entries import EntryState
from backlit.store.nodes import NewNode
from backlit.store.people import TreeKind

NODES = 1000
OPERATIONS = 500


class Model:
    """What a tree is to be after each act: lists of names below names."""

    def __init__(self, shape: list[tuple[int, str]]) -> None:
        self.below: dict[str, list[str]] = {}
        trail: list[str] = []
        for depth, name in shape:
            trail[depth:] = [name]
            self.below[name] = []
            if depth:
                self.below[trail[depth - 1]].append(name)
        self.root = shape[0][1]

    def subtree(self, name: str) -> list[str]:
        return [name, *(each for child in self.below[name] for each in self.subtree(child))]

    def parent(self, name: str) -> str:
        return next(each for each, children in self.below.items() if name in children)

    def shape(self, name: str = "", depth: int = 0) -> list[tuple[int, str]]:
        name = name or self.root
        return [(depth, name), *(each for child in self.below[name] for each in self.shape(child, depth + 1))]

    def put(self, name: str, parent: str, index: int) -> None:
        self.below.setdefault(name, [])
        for children in self.below.values():
            if name in children:
                children.remove(name)
        self.below[parent].insert(index, name)

    def rename(self, name: str, new: str) -> None:
        self.below = {
            new if each == name else each: [new if child == name else child for child in children]
            for each, children in self.below.items()
        }

    def delete(self, name: str) -> None:
        gone = self.subtree(name)
        self.below[self.parent(name)].remove(name)
        for each in gone:
            del self.below[each]


async def random_act(store: Store, model: Model, at: int, dice: random.Random) -> None:
    """One act on the store and on the model alike."""
    names = list(model.below)
    name, other = dice.choice(names), dice.choice(names)
    act = dice.choice(("add", "add", "rename", "move", "reorder", "delete"))
    if act == "add":
        index = dice.randint(0, len(model.below[other]))
        await store.nodes.add(AREAS, named(store, AREAS, other).id, NewNode(f"New {at}"), index)
        model.put(f"New {at}", other, index)
        return
    if name == model.root:
        return
    node_id = named(store, AREAS, name).id
    if act == "rename":
        await store.nodes.edit(AREAS, node_id, {"name": f"Named {at}"})
        model.rename(name, f"Named {at}")
    elif act == "reorder":
        siblings = model.below[model.parent(name)]
        steps = dice.choice((-2, -1, 1, 2))
        index = min(max(siblings.index(name) + steps, 0), len(siblings) - 1)
        await store.nodes.reorder(AREAS, node_id, steps)
        model.put(name, model.parent(name), index)
    elif other not in model.subtree(name):
        if act == "move":
            index = dice.randint(0, len([each for each in model.below[other] if each != name]))
            await store.nodes.move(AREAS, node_id, named(store, AREAS, other).id, index)
            model.put(name, other, index)
        else:
            await store.nodes.delete(AREAS, node_id, named(store, AREAS, other).id)
            model.delete(name)


async def plant(store: Store, kind: TreeKind) -> None:
    """Have a thousand nodes on the service, three levels deep."""
    tops = await store.nodes.add_all(kind, root_of(store, kind), [NewNode(f"Top {at}") for at in range(10)])
    for at, top in enumerate(tops):
        middle = await store.nodes.add_all(kind, top, [NewNode(f"Middle {at}.{each}") for each in range(9)])
        for each, node_id in enumerate(middle):
            await store.nodes.add_all(kind, node_id, [NewNode(f"Leaf {at}.{each}.{leaf}") for leaf in range(10)])
    await drained(store)


async def drained(store: Store) -> None:
    await store.refresh()
    while left := store.outbox.pending:
        await until(lambda: store.outbox.pending < left)  # awaited in the same turn


async def test_random_acts_with_and_without_a_network_end_with_the_tree_of_a_model(world: World) -> None:
    store = await world.online()
    await plant(store, AREAS)
    model = Model(shown(store, AREAS))
    dice = random.Random(49)  # no secret

    for at in range(OPERATIONS):
        if at % 25 == 0:
            world.faults.is_down = dice.random() < 0.5
        await random_act(store, model, at, dice)
        assert shown(store, AREAS) == model.shape()
    world.faults.is_down = False
    await drained(store)

    assert len(shown(store, AREAS)) > OPERATIONS
    assert [each for each in store.outbox_entries() if each.state is not EntryState.SENT] == []
    assert await shape(world, AREAS) == model.shape() == shown(store, AREAS)
