"""The plan with relations: blockers that come after what waits for them, Features, and sums that count once."""

from tests.store.plan_steps import add_sprints
from tests.store.related import made, related
from tests.store.world import World

from backlit.store import Store, ViewSpec
from backlit.store.edits.items import ItemWithTasks
from backlit.store.planning.preview import PlannedBlocker


async def points(store: Store, query: str) -> tuple[float, float]:
    view = store.view(ViewSpec(query=query, with_done=True))
    await view.load()
    assert view.totals is not None
    return view.totals.points, view.totals.left_out


async def test_an_item_comes_before_its_blocker_where_that_is_later_or_unplanned(world: World) -> None:
    waiting, blocker = await made(world, "Story", "Q waiting"), await made(world, "Story", "Q blocker")
    await related(world, blocker, "Blocks", waiting)
    store = await world.online("fresh")
    first, second = await add_sprints(store)
    preview, plan = store.plan_preview, store.plan

    assert preview.blockers([waiting]) == []
    await plan.move([waiting], first.id)
    assert preview.blockers([waiting]) == [PlannedBlocker(waiting, blocker, None)]
    await plan.move([blocker], second.id)
    assert preview.blockers_around([blocker]) == [PlannedBlocker(waiting, blocker, second.id)]
    assert preview.blockers_in(first.id) == [PlannedBlocker(waiting, blocker, second.id)]
    await plan.move([blocker], first.id)
    assert preview.blockers([waiting]) == [PlannedBlocker(waiting, blocker, first.id, is_beside=True)]
    assert preview.blockers_around([waiting]) == []
    await plan.move([waiting], second.id)
    assert preview.blockers([waiting]) == []


async def test_a_feature_counts_only_without_items_below_it(world: World) -> None:
    feature = await made(world, "Feature", "Q feature", Estimate="40")
    story = await made(world, "Story", "Q story", Estimate="5")
    deferred = await made(world, "Story", "Q deferred", Status="Deferred")
    await related(world, deferred, "Parent", feature)
    store = await world.online("fresh")
    first, _ = await add_sprints(store)
    await store.plan.move([feature, story], first.id)

    alone = await points(store, "Q type:feature,story")
    await store.relation_edits.set_parent([story], feature)

    assert alone == (45.0, 0.0)
    assert await points(store, "Q type:feature,story") == (5.0, 40.0)
    assert store.plan_preview.loads_now([first.id])[first.id].points == 5.0
    assert (await store.batch.totals([feature, story])).left_out == 40.0


async def test_a_feature_plans_its_open_items_without_a_sprint(world: World) -> None:
    feature, inner = await made(world, "Feature", "Q feature"), await made(world, "Feature", "Q inner")
    story, planned = await made(world, "Story", "Q story"), await made(world, "Story", "Q planned")
    done = await made(world, "Story", "Q done", Status="Done")
    for item_id, parent in ((inner, feature), (story, inner), (planned, feature), (done, feature)):
        await related(world, item_id, "Parent", parent)
    store = await world.online("fresh")
    first, _ = await add_sprints(store)
    await store.plan.move([planned], first.id)

    assert store.plan_preview.unplanned_below([feature]) == [story]
    assert store.plan_preview.counted_by_items([feature, inner, story]) == {feature, inner}


async def test_an_item_below_a_feature_and_a_feature_above_items_are_one_step(world: World) -> None:
    feature, story = await made(world, "Feature", "Q feature"), await made(world, "Story", "Q story")
    store = await world.online("fresh")

    below = await store.relation_edits.add_below(ItemWithTasks("Story", {"Name": "Q below"}), feature)
    above = await store.relation_edits.add_above(ItemWithTasks("Feature", {"Name": "Q above"}), [story])

    steps = [entry.step for entry in store.files.journal.entries.after(0)]
    assert len(set(steps)) == 2
    new, made_above = store.item(below), store.item(above)
    assert new is not None
    assert made_above is not None
    assert store.relations.parents([new.id, story]) == {new.id: feature, story: made_above.id}


async def test_a_deletion_counts_what_goes_and_what_stays(world: World) -> None:
    feature, story = await made(world, "Feature", "Q feature"), await made(world, "Story", "Q story")
    await related(world, story, "Parent", feature)
    await related(world, story, "Related", feature)
    await world.rival.resource("acceptancecriteria").create({"workItemId": feature, "title": "One"})
    store = await world.online("fresh")

    extent = store.deletions.extent([feature])

    assert extent.parts() == ["1 relation", "1 criterion"]
    assert extent.children == 1
