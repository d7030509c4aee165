"""Deletions that the service did not do: why, and what can be done, in the outbox."""

from collections.abc import Awaitable, Callable

import pytest
from tests.store.world import Said, World, until
from tests.tui.bare_app import missing, text_of
from tests.tui.opened import Open
from tests.tui.outbox.outbox_screens import outbox_of, story

from backlit.store import Store, TreeKind, ViewSpec

REFUSAL = Said(403, [(b"content-type", b"application/json")], b'{"message": "Only managers delete that."}')
Ask = Callable[[World, Store], Awaitable[object]]


async def an_item(_world: World, store: Store) -> None:
    await store.deletions.delete_items([await story(store)])


async def a_comment(world: World, store: Store) -> None:
    item_id = await story(store)
    made = await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Jon's"})
    await store.refresh()
    await store.look_at(item_id)
    await until(lambda: any(each.id == made["id"] for each in store.comments.of_item(item_id)))
    await store.deletions.delete_comment(int(made["id"]))


async def an_area(_world: World, store: Store) -> None:
    tree = store.lookups.tree(TreeKind.AREAS)
    root = tree.roots[0]
    *_, leaf = tree.walk()
    await store.nodes.delete(TreeKind.AREAS, leaf.id, root.id)


async def refused(world: World, store: Store, ask: Ask) -> None:
    world.faults.says = lambda method, _path: REFUSAL if method == "DELETE" else None
    await ask(world, store)
    await until(lambda: store.outbox.refused == 1, store.outbox_entries)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (an_item, "The item was not deleted"),
        (a_comment, "The comment was not deleted"),
        (an_area, "The area was not deleted"),
    ],
)
async def test_it_says_why_and_is_done_after_all_or_given_up(
    world: World, store: Store, opened: Open, ask: Ask, words: str
) -> None:
    await refused(world, store, ask)
    async with outbox_of(opened, store) as pilot:
        assert missing(pilot.app, ["Only managers delete that.", words]) == []
        await pilot.press("y", "y")
        await pilot.pause()
        assert pilot.app.clipboard
        await pilot.press("enter")
        await until(lambda: not missing(pilot.app, ["delete it anyway", "keep it", "copy as text"]))
        world.faults.says = lambda _method, _path: None
        await pilot.press("r")
        await until(lambda: not store.outbox_entries(), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_an_item_that_is_let_stay_is_in_its_place_again(world: World, store: Store, opened: Open) -> None:
    before = [row.id for row in store.view(ViewSpec()).rows(0, 999)]
    await refused(world, store, an_item)
    async with outbox_of(opened, store) as pilot:
        await pilot.press("e", "d")
        await until(lambda: not store.outbox_entries(), lambda: text_of(pilot.app))

        assert [row.id for row in store.view(ViewSpec()).rows(0, 999)] == before


async def test_one_that_is_taken_back_before_it_is_clear_says_what_is_done(
    world: World, store: Store, opened: Open
) -> None:
    world.faults.says = lambda method, _path: Said(504) if method == "DELETE" else None
    await an_item(world, store)
    await until(lambda: world.faults.count("DELETE"))

    async with outbox_of(opened, store) as pilot:
        await pilot.press("u")
        await until(lambda: "if the server has deleted it already" in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: "check whether it was deleted" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert "The deletion is undone." in " ".join(text_of(pilot.app).split())
