"""The settings that a service states for a project hold before those of this machine."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns, state_project
from tests.store.world import World, until

from backlit.model.fields import ItemType
from backlit.model.ready_check import USUAL_RULES, ready_rules_of
from backlit.store import Store, ViewSpec

HONOLULU = timezone(timedelta(hours=-10))
NOW = datetime(2026, 3, 10, 15, 30, tzinfo=HONOLULU)
"""Still 10 March for the viewer; 11 March in UTC and in Berlin."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in Honolulu with a sprint that ends on 10 March and one that begins on 11 March."""
    items = [item(1, IterationID=21), item(2, IterationID=22) | {"createdAt": "2026-03-11T01:00:00.000"}]
    with offline_store(tmp_path, items, lambda: NOW) as store:
        sprints = [
            node(20, "Shop"),
            node(21, "Sprint 1", 20, startDate="2026-03-04", endDate="2026-03-10"),
            node(22, "Sprint 2", 20, startDate="2026-03-11", endDate="2026-03-17"),
        ]
        put_nouns(store, iterations=sprints)
        yield store


async def found(store: Store, query: str) -> list[int]:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return list(view.ids())


async def test_the_current_sprint_follows_the_projects_zone(store: Store) -> None:
    here = await found(store, "iter:current")
    state_project(store, timeZone="Europe/Berlin")

    assert here == [1]
    assert await found(store, "iter:current") == [2]
    assert store.today() == date(2026, 3, 11)
    assert store.local_today() == date(2026, 3, 10)


@pytest.mark.parametrize("stated", ["", "../Berlin", "Europe", "Nowhere/Land", 5, None])
def test_a_zone_that_cannot_be_read_leaves_the_days_to_this_machine(store: Store, stated: object) -> None:
    state_project(store, timeZone=stated, workingDays=["mon"])

    assert store.today() == date(2026, 3, 10)
    assert store.lookups.stated_settings().working_days == ("mon",)


def test_the_projects_rules_hold_before_those_of_this_machine(store: Store) -> None:
    store.names.own_rules = ready_rules_of({ItemType.STORY: ["owner"]})
    here = [rule.id for rule in store.names.rules.of("Story")]
    state_project(store, readyRules={"Story": ["estimate"], "Wish": ["owner"]})
    stated = [rule.id for rule in store.names.rules.of("Story")]
    state_project(store)

    assert (here, stated) == (["owner"], ["estimate"])
    assert [rule.id for rule in store.names.rules.of("Story")] == ["owner"]


@pytest.mark.parametrize("stated", [["estimate"], {"Story": 3}, "estimate"])
def test_rules_that_cannot_be_read_leave_the_check_to_this_machine(store: Store, stated: object) -> None:
    state_project(store, readyRules=stated)

    assert store.names.rules == USUAL_RULES


@pytest.mark.parametrize(
    ("limits", "statuses", "limit"),
    [
        ({"In Progress": 4}, ["In Progress", "Active"], 4),
        ({"In Progress": 4, "Active": 2}, ["In Progress", "Active"], 6),
        ({"In Progress": 4}, ["Done"], None),
        ({}, ["Done"], None),
        ({"Done": "many"}, ["Done"], None),
    ],
)
def test_a_limit_is_the_sum_of_those_of_the_statuses(
    store: Store, limits: Mapping[str, object], statuses: list[str], limit: int | None
) -> None:
    state_project(store, wipLimits=limits)

    assert store.lookups.stated_settings().limit_of(statuses) == limit


async def test_two_people_get_the_same_settings_from_the_service(world: World) -> None:
    settings = {"timeZone": "Pacific/Kiritimati", "estimateScale": [1, 2, 4], "daysOff": ["2026-12-25"]}
    async with await world.client("maya") as manager:
        await manager.projects.settings(1).update(settings)
    mine, other = await world.online("first"), await world.online("second")

    for store in (mine, other):
        await until(lambda store=store: store.lookups.stated_settings().estimate_scale == (1, 2, 4))  # type: ignore[misc] # bound now
        assert store.lookups.stated_settings().days_off == frozenset({date(2026, 12, 25)})
        assert str(store.lookups.stated_settings().zone) == "Pacific/Kiritimati"
