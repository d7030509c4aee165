"""Conditions on relations, criteria and due dates, each against what the items are."""

from pathlib import Path

import pytest
from tests.store.documents import put_nouns
from tests.store.related import made, related
from tests.store.views.forest import forest
from tests.store.world import World

from backlit.model.errors import BadRequest
from backlit.store import Store, ViewSpec


async def found(store: Store, query: str) -> set[str]:
    """The names of the items of this module that a query finds."""
    view = store.view(ViewSpec(query=query, with_done=True))
    await view.reload()
    return {row.name for row in view.rows(0, 5_000) if row.name.startswith("Q ")}


async def test_each_key_finds_what_it_says(world: World) -> None:
    top, feature = await made(world, "Feature", "Q top"), await made(world, "Feature", "Q feature")
    story, bug = await made(world, "Story", "Q story"), await made(world, "Bug", "Q bug")
    done = await made(world, "Bug", "Q done", Status="Done")
    task = await made(world, "Task", "Q task", ParentID=story)
    for item_id, word, target in (
        (feature, "Parent", top),
        (story, "Parent", feature),
        (bug, "Blocks", story),
        (done, "Blocks", bug),
        (bug, "Related", top),
        (done, "Duplicates", bug),
    ):
        await related(world, item_id, word, target)
    criteria = world.rival.resource("acceptancecriteria")
    await criteria.create({"workItemId": story, "title": "One", "status": "Pass"})
    await criteria.create({"workItemId": story, "title": "Two"})
    await criteria.create({"workItemId": bug, "title": "One", "status": "Pass"})
    await criteria.create({"workItemId": top, "title": "One", "status": "Fail"})
    await world.rival.resource("links").create({"workItemId": top, "displayText": "A", "url": "https://a.example"})
    maya = await world.client("maya")
    await maya.resource("timeentries").create(
        {"taskId": task, "date": "2026-01-05", "hours": 1.5, "type": "Development"}
    )
    await maya.aclose()
    store = await world.online("fresh")

    expected = {
        f"parent:{story}": {"Q task"},
        f"feature:{top}": {"Q feature", "Q story", "Q task"},
        'feature:"Q top"': {"Q feature", "Q story", "Q task"},
        f"feature={top}": {"Q feature"},
        f"child:{story}": {"Q feature"},
        f"blocks:{story}": {"Q bug"},
        "blocks:any": {"Q bug"},
        f"blocked:{done}": {"Q bug"},
        "blocked:yes": {"Q story"},
        f"related:{bug}": {"Q top"},
        f"related:{top}": {"Q bug"},
        f"duplicates:{bug}": {"Q done"},
        "duplicated:any": {"Q bug"},
        "has:links": {"Q top"},
        "has:tasks": {"Q story"},
        "has:criteria -has:links": {"Q story", "Q bug"},
        "criteria:open": {"Q story"},
        "criteria:failed": {"Q top"},
        "criteria:passed": {"Q bug"},
        "logged:any": set(),
    }
    own = {query: await found(store, f"{query} Q") & {f"Q {name}" for name in _NAMES} for query in expected}

    assert own == expected
    assert {"Q top", "Q bug", "Q done"} <= await found(store, "blocked:no")
    assert {"Q top", "Q feature"}.isdisjoint(await found(store, "child:none"))
    assert "Q story" not in await found(store, "criteria:none")
    assert any("on this machine" in sentence for sentence in store.view(ViewSpec(query="blocked:yes")).explain())


_NAMES = ("top", "feature", "story", "bug", "done", "task")


async def test_a_list_follows_what_its_query_asks_for(world: World) -> None:
    story, bug = await made(world, "Story", "Q story"), await made(world, "Bug", "Q bug")
    store = await world.online()
    view = store.view(ViewSpec(query="blocked:yes Q"))
    await view.reload()
    before = [row.id for row in view.rows(0, 100)]

    await store.relation_edits.relate([bug], "Blocks", [story])
    await view.reload()

    assert before == []
    assert [row.id for row in view.rows(0, 100)] == [story]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("feature:x-nothing", "no item has"),
        ("blocked>3", "has no order"),
        ("has:money", "has takes"),
        ("logged:yesterday", "logged takes"),
        ("mentions:jon", "mentions takes me"),
        ("due>14d", "write due<14d"),
    ],
)
async def test_a_condition_that_means_nothing_is_refused(world: World, query: str, fault: str) -> None:
    world.take_loaded()
    store = world.store()

    with pytest.raises(BadRequest, match=fault):
        store.view(ViewSpec(query=query))


async def test_what_mentions_the_user_is_found_and_followed(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        put_nouns(store, user=[{"id": 1, "name": "maya"}])
        view = store.view(ViewSpec(query="mentions:me"))
        await view.load()
        before = view.count
        await store.items.edit([2], {"Description": "Ask @MAYA."})
        await store.items.edit([4], {"Description": "maya, maya@example.org, `@maya`, @mayas"})
        await store.items.comment(5, "As @maya says")
        await view.reload()

        assert before == 0
        assert sorted(row.id for row in view.rows(0, 9)) == [2, 5]
