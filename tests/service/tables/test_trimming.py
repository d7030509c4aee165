"""What a project keeps of its history, and what is removed."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, func, select, update
from tests.service.every_call import item

from backlit.service.admin.history_check import history_faults
from backlit.service.app import Service
from backlit.service.http.trimming import trim_all
from backlit.service.storage.schema import change_texts, changes, iteration_log, iterations, projects, workspace
from backlit.service.tables.changes import last_revision
from backlit.service.tables.trimming import trim

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient


def in_database(service: Service, work: Any) -> Any:
    return service.shared.database.write.submit(work).result()


def aged(days: int, since: int) -> Any:
    """Make the changes of project 1 after a revision older, and have the project keep 30 days."""

    def act(connection: Connection) -> None:
        mine = changes.c.project_id == 1, changes.c.revision > since
        at = connection.execute(select(func.max(changes.c.at))).scalar_one() - timedelta(days=days)
        connection.execute(update(changes).where(*mine).values(at=at))
        connection.execute(update(projects).where(projects.c.id == 1).values(history_days=30))

    return act


def revisions(connection: Connection) -> list[int]:
    mine = select(changes.c.revision).where(changes.c.project_id == 1)
    return list(connection.execute(mine.order_by(changes.c.revision)).scalars())


def everything_old(connection: Connection) -> None:
    """Make every change of project 1 older than its project keeps it."""
    long_ago = datetime(2020, 1, 1)
    connection.execute(update(changes).where(changes.c.project_id == 1).values(at=long_ago))
    connection.execute(update(projects).where(projects.c.id == 1).values(history_days=30))


async def test_old_changes_go_and_later_ones_stay(maya: Client, service: Service) -> None:
    story = await item(maya)
    in_database(service, everything_old)
    before = in_database(service, last_revision)
    await maya.put(f"workitems/{story}", json={"Name": "Later"})

    removed = await trim_all(service.shared.database, service.shared.clock)

    history = (await maya.get(f"workitems/{story}/history")).json()
    assert removed > 0
    assert in_database(service, revisions) == [before + 1]
    assert [row["act"] for row in history["results"]] == ["changed"]
    assert history["isComplete"] is False
    since = in_database(
        service, lambda c: c.execute(select(projects.c.history_from).where(projects.c.id == 1)).scalar()
    )
    assert since == before + 1
    assert not list(in_database(service, lambda c: list(history_faults(c))))


@pytest.mark.parametrize(("days", "stays"), [(6, True), (29, True), (31, False)])
async def test_the_age_decides(maya: Client, service: Service, days: int, stays: bool) -> None:
    first = in_database(service, last_revision)
    await item(maya)
    in_database(service, everything_old)
    in_database(service, lambda c: trim(c, service.shared.clock.now(), 10**6))
    await item(maya)
    in_database(service, aged(days, first))

    in_database(service, lambda c: trim(c, service.shared.clock.now()))

    assert bool(in_database(service, revisions)) is stays


async def test_a_project_without_days_keeps_all(maya: Client, service: Service) -> None:
    await item(maya)
    in_database(service, everything_old)
    in_database(service, lambda c: c.execute(update(projects).values(history_days=None)).rowcount)
    before = in_database(service, revisions)

    assert await trim_all(service.shared.database, service.shared.clock) == 0
    assert in_database(service, revisions) == before


async def test_no_revision_is_given_twice_after_the_last_was_removed(maya: Client, service: Service) -> None:
    await item(maya)
    last = in_database(service, last_revision)
    in_database(service, everything_old)
    await trim_all(service.shared.database, service.shared.clock)

    answer = await maya.post("workitems", json={"type": "Bug", "projectId": 1, "fields": {"Name": "x"}})

    assert int(answer.headers["backlit-revision"]) == last + 1
    assert in_database(service, lambda c: c.execute(select(workspace.c.last_revision)).scalar_one()) == last


async def test_a_cursor_before_what_was_removed_says_so(maya: Client, service: Service) -> None:
    cursor = (await maya.get("changes")).json()["cursor"]
    await item(maya)
    in_database(service, everything_old)
    await trim_all(service.shared.database, service.shared.clock)

    assert (await maya.get("changes", params={"after": cursor})).json()["reset"] == "trimmed"


async def test_a_cursor_given_after_the_newest_change_was_removed_holds(maya: Client, service: Service) -> None:
    await item(maya)
    in_database(service, everything_old)
    await trim_all(service.shared.database, service.shared.clock)
    cursor = (await maya.get("changes")).json()["cursor"]
    story = await item(maya)

    answer = (await maya.get("changes", params={"after": cursor})).json()

    assert [row["id"] for row in answer["changes"] if row["k"] == "item"] == [story]


async def test_texts_go_with_the_last_change_that_names_them(maya: Client, service: Service) -> None:
    story = await item(maya)
    await maya.put(f"workitems/{story}", json={"Description": "Goes. " * 200})
    await maya.put(f"workitems/{story}", json={"Description": "Stays. " * 200})
    in_database(service, everything_old)
    await maya.put(f"workitems/{story}", json={"Description": "New. " * 200})

    await trim_all(service.shared.database, service.shared.clock)

    assert in_database(service, lambda c: len(c.execute(select(change_texts)).all())) == 2
    (row,) = (await maya.get(f"workitems/{story}/history")).json()["results"]
    assert row["fields"]["Description"] == ["Stays. " * 200, "New. " * 200]


async def test_the_log_of_an_iteration_stays_long_after_its_end(maya: Client, service: Service) -> None:
    await item(maya)

    def logged(connection: Connection) -> set[int]:
        return set(connection.execute(select(iteration_log.c.iteration_id).distinct()).scalars())

    def act(connection: Connection) -> tuple[int, int]:
        now = service.shared.clock.now()
        ids = sorted(
            logged(connection)
            & set(connection.execute(select(iterations.c.id).where(iterations.c.project_id == 1)).scalars())
        )[:2]
        connection.execute(update(iteration_log).values(at=datetime(2020, 1, 1)))
        for iteration_id, days in zip(ids, (390, 410), strict=True):
            day = (now - timedelta(days=days)).date()
            connection.execute(
                update(iterations).where(iterations.c.id == iteration_id).values(start_date=day, end_date=day)
            )
        return ids[0], ids[1]

    in_database(service, everything_old)
    lately, long_ago = in_database(service, act)
    await trim_all(service.shared.database, service.shared.clock)

    left = in_database(service, logged)
    assert lately in left
    assert long_ago not in left
