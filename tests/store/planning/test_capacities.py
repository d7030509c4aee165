"""Capacities of people: the same on every machine, less days off, and changed where nobody else changed them."""

from collections.abc import AsyncIterator
from datetime import date, timedelta

import pytest
from tests.store.world import World, raised

from backlit.client.client import Client
from backlit.model.errors import Conflict
from backlit.model.planning import PersonalCapacity
from backlit.store import IterationEntry, Store

MAYA, JON = 1, 2


@pytest.fixture
async def boss(world: World) -> AsyncIterator[Client]:
    """Another manager at work on the service itself."""
    client = await world.client("maya")
    yield client
    await client.aclose()


def sprint_of(store: Store) -> IterationEntry:
    """Return a sprint with dates."""
    return next(each for each in store.plan.iterations.targets() if each.start and each.end)


def weekdays_of(sprint: IterationEntry) -> list[date]:
    assert sprint.start is not None
    assert sprint.end is not None
    days = [sprint.start + timedelta(days=number) for number in range((sprint.end - sprint.start).days + 1)]
    return [day for day in days if day.weekday() < 5]


async def test_usual_capacities_shrink_with_days_off_and_those_of_a_sprint_hold(store: Store, boss: Client) -> None:
    sprint = sprint_of(store)
    days = weekdays_of(sprint)
    rows = [{"userId": MAYA, "points": 10, "daysOff": [days[0].isoformat()]}, {"userId": JON, "hours": 60}]
    await boss.projects.capacities(1).update({"capacities": rows})
    await boss.iterations.capacities(sprint.id).update({"capacities": [{"userId": JON, "points": 7}]})

    await store.capacities.read([sprint.id])

    found = store.capacities.of(sprint)
    assert found[MAYA].points == pytest.approx(10 * (len(days) - 1) / len(days))
    assert found[JON] == PersonalCapacity(7.0, 60.0)
    assert found.keys() == {MAYA, JON}


async def test_days_off_of_the_project_are_no_days_off_of_a_person(store: Store, boss: Client) -> None:
    sprint = sprint_of(store)
    days = weekdays_of(sprint)
    await boss.projects.settings(1).update({"daysOff": [days[0].isoformat()]})
    rows = [{"userId": MAYA, "points": 9, "daysOff": [days[0].isoformat()]}]
    await boss.projects.capacities(1).update({"capacities": rows})
    await store.refresh()

    await store.capacities.read([sprint.id])

    assert store.capacities.of(sprint)[MAYA].points == 9


async def test_what_was_read_last_holds_on_the_next_start_without_a_connection(
    world: World, store: Store, boss: Client
) -> None:
    sprint = sprint_of(store)
    await boss.projects.capacities(1).update({"capacities": [{"userId": MAYA, "points": 10}]})
    await store.capacities.read([sprint.id])
    await world.close(store)

    offline = world.store()

    assert offline.capacities.is_offered
    assert offline.capacities.of(sprint) == {MAYA: PersonalCapacity(10.0)}


async def test_a_capacity_that_was_changed_meanwhile_is_replaced_only_when_it_was_seen(
    store: Store, boss: Client
) -> None:
    sprint, mine = sprint_of(store), PersonalCapacity(5.0)
    await boss.iterations.capacities(sprint.id).update({"capacities": [{"userId": MAYA, "points": 9}]})

    refused = await raised(store.capacities.change(MAYA, mine, PersonalCapacity(), sprint.id))
    seen = store.capacities.said(MAYA, sprint.id)
    await store.capacities.change(MAYA, mine, seen, sprint.id)

    assert isinstance(refused, Conflict)
    assert seen == PersonalCapacity(9.0)
    found = (await boss.iterations.capacities(sprint.id).fetch()).document["capacities"]
    assert [(row["userId"], row["points"]) for row in found] == [(MAYA, 5)]
