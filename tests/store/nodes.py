"""How the tests look at areas and iterations: in a store, and on the service."""

from typing import Any, cast

from tests.store.world import World

from backlit.model.trees import Node, Tree
from backlit.store import Store
from backlit.store.records.people import TreeKind
from backlit.store.remote.listing import read_all

AREAS, ITERATIONS = TreeKind.AREAS, TreeKind.ITERATIONS


def root_of(store: Store, kind: TreeKind) -> int:
    return store.lookups.tree(kind).roots[0].id


def named(store: Store, kind: TreeKind, name: str) -> Node:
    return next(node for node in store.lookups.tree(kind).walk() if node.name == name)


def leaf(store: Store, kind: TreeKind = ITERATIONS) -> Node:
    """A node below another one that items lie in."""
    totals = store.lookups.totals(kind)
    tree = store.lookups.tree(kind)
    return next(
        node for node in tree.walk() if tree.depth(node.id) and not tree.children(node.id) and node.id in totals
    )


async def on_service(world: World, kind: TreeKind) -> dict[int, dict[str, Any]]:
    resource = world.rival.areas if kind is AREAS else world.rival.iterations
    return {cast("int", each["id"]): dict(each) for each in await read_all(resource.of_project(1))}


async def shape(world: World, kind: TreeKind) -> list[tuple[int, str]]:
    """Depth and name of every node of the service, in order."""
    documents = (await on_service(world, kind)).values()
    tree = Tree(Node(each["id"], each["parentId"], each["name"], each["sequence"]) for each in documents)
    return [(tree.depth(node.id), node.name) for node in tree.walk()]


def shown(store: Store, kind: TreeKind) -> list[tuple[int, str]]:
    tree = store.lookups.tree(kind)
    return [(tree.depth(node.id), node.name) for node in tree.walk()]
