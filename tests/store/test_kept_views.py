"""Views that the service keeps: shared with the project's members, taken back, kept offline."""

import pytest
from tests.store.foreign_server import ForeignServer, Online, Quirks
from tests.store.world import World, raised, until

from backlit.model.errors import BadRequest
from backlit.model.filters import SortKey
from backlit.model.settings.view_settings import ChosenColumn
from backlit.store import Store, ViewSpec
from backlit.store.kept_views import KeptView
from backlit.store.views.saved import SavedView

BUGS = SavedView(
    "Bugs",
    ViewSpec(query="type:bug @me", with_done=True, sort=(SortKey("Points", descending=True),), group=("Status",)),
    (ChosenColumn("Tags", 14, grows=True),),
)


def views_of(store: Store) -> list[tuple[str, str]]:
    return [(each.view.name, each.view.shared_by) for each in store.kept_views.all()]


async def of_jon(world: World, name: str = "Of jon", **more: object) -> int:
    return int((await world.rival.views.create_in(1, {"name": name, "spec": {}, "isShared": True, **more}))["id"])


async def test_a_shared_view_is_the_same_for_others(world: World, store: Store) -> None:
    await store.kept_views.share(BUGS)
    (kept,) = store.kept_views.all()
    (document,) = (await world.rival.views.of_project(1).page()).results

    assert (kept.is_own, kept.view.shared_by) == (True, "you")
    assert (kept.view.spec, kept.view.columns) == (BUGS.spec, BUGS.columns)
    assert (document["name"], document["isShared"]) == ("Bugs", True)


async def test_a_view_is_shared_again_in_place_of_the_one_before(world: World, store: Store) -> None:
    await store.kept_views.share(BUGS)
    await store.kept_views.share(SavedView("Bugs", ViewSpec(query="type:bug")))

    (document,) = (await world.rival.views.of_project(1).page()).results
    assert document["spec"] == {"query": "type:bug"}


async def test_a_view_of_somebody_else_is_named_with_its_owner_and_stays_without_a_connection(
    world: World, store: Store
) -> None:
    await of_jon(world)
    await of_jon(world, "Private of jon", isShared=False)
    await store.refresh()
    seen = views_of(store)
    world.faults.is_down = True
    await world.close(store)
    again = world.store()

    assert seen == views_of(again) == [("Of jon", "jon")]


async def test_sharing_by_the_name_of_anothers_view_is_refused(world: World, store: Store) -> None:
    await of_jon(world, "Bugs")

    with pytest.raises(BadRequest, match="Somebody else shares a view “Bugs”"):
        await store.kept_views.share(BUGS)
    assert views_of(store) == [("Bugs", "jon")]


async def test_ending_takes_ones_own_from_the_server_and_leaves_anothers_to_its_owner(
    world: World, store: Store
) -> None:
    await of_jon(world)
    await store.kept_views.share(BUGS)
    for kept in store.kept_views.all():
        await store.kept_views.end_sharing(kept)

    (left,) = (await world.rival.views.of_project(1).page()).results
    assert views_of(store) == []
    assert (left["name"], left["isShared"]) == ("Of jon", False)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"lanes": ["status"]}, "It has “lanes”, which this version of backlit does not know. Update backlit."),
        ({"sort": 7}, "Its specification is of another form"),
        ({"group": ["nonsense"]}, "There is no field 'nonsense'."),
        ({"group": ["status", "owner", "iter"]}, "A list has at most 2 levels of groups."),
        ({"query": "("}, "cannot be shown"),
    ],
)
async def test_what_this_version_does_not_know_of_a_view_is_its_fault(
    world: World, store: Store, spec: dict[str, object], fault: str
) -> None:
    await of_jon(world, spec=spec)
    await store.refresh()

    (kept,) = store.kept_views.all()
    assert kept.view.fault.startswith("The view “Of jon” of jon cannot be shown. ")
    assert fault in kept.view.fault


async def test_views_of_another_project_are_not_shown(world: World, store: Store) -> None:
    await of_jon(world)
    await store.refresh()
    other = next(each.id for each in store.lookups.projects() if each.id != 1)

    store.choose_project(other)

    assert views_of(store) == []


async def test_a_foreign_server_says_that_nothing_can_be_shared_and_is_not_asked(online: Online) -> None:
    server = ForeignServer(Quirks(), items=3)
    store = await online(server)

    error = await raised(store.kept_views.share(BUGS))
    await raised(store.kept_views.end_sharing(KeptView(1, BUGS, is_own=True, owner="you")))

    assert "This server keeps no views, so yours cannot be shared there." in str(error)
    assert not [path for _, path, _ in server.requests if "views" in path]


async def test_a_view_is_not_shared_without_a_connection(world: World, store: Store) -> None:
    world.faults.is_down = True

    await raised(store.kept_views.share(BUGS))

    assert views_of(store) == []


async def test_a_view_whose_answer_was_lost_is_not_there_twice(world: World, store: Store) -> None:
    world.faults.lost_answers = {"POST": 1}
    await raised(store.kept_views.share(BUGS))
    await store.kept_views.share(BUGS)

    assert len((await world.rival.views.of_project(1).page()).results) == 1
    await until(lambda: views_of(store) == [("Bugs", "you")])
