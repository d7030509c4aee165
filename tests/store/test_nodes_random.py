"""Random acts on a tree come out on the service as they do in a model.

With `BACKLIT_SOAK` the tree has a thousand nodes to begin with, which takes some minutes.
"""

import os
import random
import sqlite3
from contextlib import closing
from typing import Any

from tests.store.nodes import AREAS, named, shape, shown
from tests.store.world import World, until

from backlit.store import Store
from backlit.store.entries import EntryState
from backlit.store.nodes import NewNode

IS_SOAK = "BACKLIT_SOAK" in os.environ
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


async def random_act(store: Store, model: Model, at: int, dice: random.Random, act: str = "") -> None:
    """One act on the store and on the model alike."""
    names = list(model.below)
    name, other = dice.choice(names), dice.choice(names)
    act = act or dice.choice(("add", "add", "rename", "move", "reorder", "delete"))
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


def plant(world: World) -> None:
    """Have a thousand areas more on the service, three levels deep."""
    (database,) = world.folder.glob("service.sqlite")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.row_factory = sqlite3.Row
        root = dict(connection.execute("SELECT * FROM areas WHERE project_id = 1 AND parent_id < 0").fetchone())

        def add(above: dict[str, Any], name: str, sequence: int) -> dict[str, Any]:
            path = f"{above['path']}\\{name}"
            node = {**above, "parent_id": above["id"], "name": name, "path": path, "sequence": sequence, "id": None}
            marks = ", ".join("?" * len(node))
            made = connection.execute(f"INSERT INTO areas ({', '.join(node)}) VALUES ({marks})", (*node.values(),))
            return {**node, "id": made.lastrowid}

        for at in range(10):
            top = add(root, f"Top {at}", 100 + at)
            for each in range(9):
                middle = add(top, f"Middle {at}.{each}", each + 1)
                for leaf in range(10):
                    add(middle, f"Leaf {at}.{each}.{leaf}", leaf + 1)


async def drained(store: Store) -> None:
    await store.refresh()
    while left := store.outbox.pending:
        await until(lambda: store.outbox.pending < left)  # awaited in the same turn


async def test_random_acts_with_and_without_a_network_end_with_the_tree_of_a_model(world: World) -> None:
    if IS_SOAK:
        plant(world)
    store = await world.online()
    model = Model(shown(store, AREAS))
    dice = random.Random(49)  # no secret

    for at in range(OPERATIONS):
        if at % 25 == 0:
            world.faults.is_down = dice.random() < 0.5
        await random_act(store, model, at, dice)
        assert shown(store, AREAS) == model.shape()
    world.faults.is_down = False
    await drained(store)

    assert [each for each in store.outbox_entries() if each.state is not EntryState.SENT] == []
    assert await shape(world, AREAS) == model.shape() == shown(store, AREAS)


async def test_every_act_works_on_a_tree_of_a_thousand_nodes(world: World) -> None:
    plant(world)
    store = await world.online()
    model = Model(shown(store, AREAS))
    dice = random.Random(7)  # no secret

    for at, act in enumerate(("add", "rename", "move", "reorder", "delete")):
        await random_act(store, model, at, dice, act)
        await drained(store)

    assert len(model.shape()) > 1000 - 100
    assert await shape(world, AREAS) == model.shape() == shown(store, AREAS)
