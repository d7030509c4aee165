"""What is read of a tree when one of its nodes is written: its level, or all of it where the service cannot tell."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from tests.store.nodes import AREAS, shape, shown
from tests.store.world import World, sent

from backlit.client.transport import Application
from backlit.store import Store
from backlit.store.edits.nodes import NewNode

Answer = Callable[[str, bytes], bytes | None]
"""The query that reaches the service instead of another, None where the list is refused."""


class Asked:
    """Notes the filters of lists of nodes on their way to a service, and does to them what another one would."""

    def __init__(self, application: Application, answer: Answer) -> None:
        self.application = application
        self._answer = answer
        self.filters: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "GET" and scope["path"].endswith(("/areas", "/iterations")):
            wanted = dict(parse_qsl(scope["query_string"].decode())).get("$filter", "")
            self.filters.append(unquote(wanted))
            query = self._answer(wanted, scope["query_string"])
            if query is None:
                await send({"type": "http.response.start", "status": 400, "headers": []})
                await send({"type": "http.response.body", "body": b"{}"})
                return
            scope = scope | {"query_string": query}
        await self.application(scope, receive, send)


async def every_act(store: Store) -> None:
    """Add, rename, move, reorder and delete, each sent before the next."""
    nodes = store.nodes
    root = store.lookups.tree(AREAS).roots[0].id
    (top, *_) = store.lookups.tree(AREAS).children(root)
    made = nodes.real_id(await nodes.add(AREAS, top.id, NewNode("Made"), 0))
    await sent(store)
    for act in (
        nodes.edit(AREAS, nodes.real_id(made), {"name": "Called"}),
        nodes.move(AREAS, nodes.real_id(made), root, 1),
        nodes.reorder(AREAS, nodes.real_id(made), 1),
        nodes.delete(AREAS, top.id, nodes.real_id(made)),
    ):
        await act
        await sent(store)


async def test_of_a_tree_only_the_level_is_read_where_something_was_written(world: World) -> None:
    asked = Asked(world.asgi, lambda _wanted, query: query)
    world.faults.application = asked
    store = await world.online()
    asked.filters.clear()

    await every_act(store)

    assert asked.filters
    assert all(each.startswith("parentId eq ") for each in asked.filters)
    assert shown(store, AREAS) == await shape(world, AREAS)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda wanted, query: None if wanted else query, id="refused"),
        pytest.param(lambda _wanted, _query: b"$top=500", id="ignored"),
        pytest.param(lambda wanted, query: b"$filter=id%20eq%20-7" if wanted else query, id="misunderstood"),
    ],
)
async def test_the_tree_is_right_where_the_service_does_not_filter_nodes(world: World, answer: Answer) -> None:
    world.faults.application = Asked(world.asgi, answer)
    store = await world.online()

    await every_act(store)

    assert store.outbox.pending == 0
    assert shown(store, AREAS) == await shape(world, AREAS)


async def test_a_node_that_somebody_made_meanwhile_is_shown_after_a_write_beside_it(world: World) -> None:
    store = await world.online()
    boss = await world.online("boss")
    root = store.lookups.tree(AREAS).roots[0].id
    await boss.nodes.add(AREAS, root, NewNode("Theirs"), 0)
    await sent(boss)

    await store.nodes.add(AREAS, root, NewNode("Mine"), 0)
    await sent(store)

    assert shown(store, AREAS) == await shape(world, AREAS)
    assert "Theirs" in [name for _, name in shown(store, AREAS)]


async def test_a_new_node_goes_beside_those_that_are_left_after_one_moved_away(world: World) -> None:
    store = await world.online()
    nodes, root = store.nodes, store.lookups.tree(AREAS).roots[0].id
    top = store.lookups.tree(AREAS).children(root)[-1].id
    mover = nodes.real_id(await nodes.add(AREAS, root, NewNode("Mover"), 0))
    await sent(store)
    await nodes.move(AREAS, nodes.real_id(mover), top, 0)
    await sent(store)

    await nodes.add(AREAS, root, NewNode("Second"), 1)
    await sent(store)

    assert [name for depth, name in await shape(world, AREAS) if depth == 1].index("Second") == 1
    assert shown(store, AREAS) == await shape(world, AREAS)
