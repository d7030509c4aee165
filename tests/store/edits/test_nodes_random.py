"""Random acts on the trees of areas and iterations come out on the service as they do in a model.

With `BACKLIT_SOAK` both trees have a thousand nodes to begin with, which takes some minutes.
"""

import os
import random
import sqlite3
from contextlib import closing
from copy import deepcopy
from datetime import date, timedelta
from typing import Any

import pytest
from tests.store.nodes import AREAS, ITERATIONS, named, on_service, shape, shown
from tests.store.world import World, until

from backlit.store import Store, TreeKind
from backlit.store.edits.nodes import NewNode
from backlit.store.records.entry import EntryState

IS_SOAK = "BACKLIT_SOAK" in os.environ
UNDONE = 0.1
"""The share of acts that are taken back."""
PLANNED = ("startDate", "endDate", "maxCapacity")
ACTS = {
    AREAS: ("add", "add", "rename", "move", "reorder", "delete"),
    ITERATIONS: ("add", "add", "rename", "plan", "move", "reorder", "delete"),
}


ROOT_SQL = {
    AREAS: "SELECT * FROM areas WHERE project_id = 1 AND parent_id < 0",
    ITERATIONS: "SELECT * FROM iterations WHERE project_id = 1 AND parent_id < 0",
}


class Model:
    """What a tree is to be after each act: lists of names below names."""

    def __init__(self, store: Store, kind: TreeKind) -> None:
        self.kind = kind
        shape = shown(store, kind)
        self.values: dict[str, tuple[str, str, float]] = {}
        """Both dates and the most points of the iterations that were given some."""
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
        if name in self.values:
            self.values[new] = self.values.pop(name)

    def delete(self, name: str) -> None:
        gone = self.subtree(name)
        self.below[self.parent(name)].remove(name)
        for each in gone:
            del self.below[each]
            self.values.pop(each, None)


async def random_act(store: Store, model: Model, at: int, dice: random.Random, act: str = "") -> None:
    """One act on the store and on the model alike."""
    kind, names = model.kind, list(model.below)
    name, other = dice.choice(names), dice.choice(names)
    act = act or dice.choice(ACTS[kind])
    if act == "add":
        index = dice.randint(0, len(model.below[other]))
        await store.nodes.add(kind, named(store, kind, other).id, NewNode(f"New {at}"), index)
        model.put(f"New {at}", other, index)
        return
    if name == model.root:
        return
    node_id = named(store, kind, name).id
    if act == "rename":
        await store.nodes.edit(kind, node_id, {"name": f"Named {at}"})
        model.rename(name, f"Named {at}")
    elif act == "plan":
        start = date(2026, 1, 5) + timedelta(days=at)
        values = (start.isoformat(), (start + timedelta(days=at)).isoformat(), 100.0 + at)
        await store.nodes.edit(kind, node_id, dict(zip(PLANNED, values, strict=True)))
        model.values[name] = values
    elif act == "reorder":
        siblings = model.below[model.parent(name)]
        steps = dice.choice((-2, -1, 1, 2))
        index = min(max(siblings.index(name) + steps, 0), len(siblings) - 1)
        await store.nodes.reorder(kind, node_id, steps)
        model.put(name, model.parent(name), index)
    elif other not in model.subtree(name):
        await random_place(store, model, (name, other), dice, act)


async def random_place(store: Store, model: Model, names: tuple[str, str], dice: random.Random, act: str) -> None:
    """Put a node somewhere under another, or delete it, its items going to that."""
    kind, (name, other) = model.kind, names
    node_id, other_id = named(store, kind, name).id, named(store, kind, other).id
    if act == "move":
        index = dice.randint(0, len([each for each in model.below[other] if each != name]))
        await store.nodes.move(kind, node_id, other_id, index)
        model.put(name, other, index)
    else:
        await store.nodes.delete(kind, node_id, other_id)
        model.delete(name)


def plant(world: World, kind: TreeKind) -> None:
    """Have a thousand nodes more on the service, three levels deep."""
    (database,) = world.folder.glob("service.sqlite")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.row_factory = sqlite3.Row
        root = dict(connection.execute(ROOT_SQL[kind]).fetchone())

        def add(above: dict[str, Any], name: str, sequence: int) -> dict[str, Any]:
            path = f"{above['path']}\\{name}"
            node = {**above, "parent_id": above["id"], "name": name, "path": path, "sequence": sequence, "id": None}
            marks = ", ".join("?" * len(node))
            made = connection.execute(
                f"INSERT INTO {kind.value} ({', '.join(node)}) VALUES ({marks})", (*node.values(),)
            )
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


def is_other(was: Model, model: Model) -> bool:
    """Whether an act changed something."""
    return (was.shape(), was.values) != (model.shape(), model.values)


async def has_values(world: World, model: Model) -> bool:
    """Whether the service has the dates and capacities that the model has."""
    found = {each["name"]: each for each in (await on_service(world, model.kind)).values()}
    return all(tuple(found[name][key] for key in PLANNED) == values for name, values in model.values.items())


@pytest.mark.slow
@pytest.mark.parametrize("operations", [100, pytest.param(500, marks=pytest.mark.long)])
async def test_random_acts_with_and_without_a_network_end_with_the_trees_of_a_model(
    world: World, operations: int
) -> None:
    if IS_SOAK:
        plant(world, AREAS)
        plant(world, ITERATIONS)
    store = await world.online()
    models = [Model(store, AREAS), Model(store, ITERATIONS)]
    dice, undone = random.Random(49), 0  # no secret

    for at in range(operations):
        if at % 25 == 0:
            world.faults.is_down = dice.random() < 0.5
        which = dice.randint(0, 1)
        was = deepcopy(models[which])
        await random_act(store, models[which], at, dice)
        if dice.random() < UNDONE and is_other(was, models[which]):
            assert await store.history.undo() is not None
            models[which] = was
            undone += 1
        assert shown(store, models[which].kind) == models[which].shape()
    world.faults.is_down = False
    await drained(store)

    assert [each for each in store.outbox_entries() if each.state is not EntryState.SENT] == []
    for model in models:
        assert await shape(world, model.kind) == model.shape() == shown(store, model.kind)
        assert await has_values(world, model)
    assert models[1].values
    assert undone > operations * UNDONE / 2


@pytest.mark.long
@pytest.mark.parametrize("kind", [AREAS, ITERATIONS])
async def test_every_act_works_on_a_tree_of_a_thousand_nodes(world: World, kind: TreeKind) -> None:
    plant(world, kind)
    store = await world.online()
    model = Model(store, kind)
    dice = random.Random(7)  # no secret

    for at, act in enumerate(dict.fromkeys(ACTS[kind])):
        await random_act(store, model, at, dice, act)
        await drained(store)

    assert len(model.shape()) > 1000 - 100
    assert await shape(world, kind) == model.shape() == shown(store, kind)
    assert await has_values(world, model)
