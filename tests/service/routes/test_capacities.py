"""Capacities of people: whose each may write, what stays, and what the workload report makes of them."""

from datetime import date, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import delete
from tests.service.every_call import node
from tests.service.history_rows import rows_after
from tests.service.signed_in import SignIn

from backlit.service.app import Service
from backlit.service.storage.schema import grants
from backlit.service.tables.changes import ChangeKind

Client = httpx.AsyncClient
MAYA, JON, ADA = 1, 2, 3
PLACE = "projects/1/capacities"


def row(user_id: int, points: float | None = None, hours: float | None = None, *days: str) -> dict[str, Any]:
    return {"userId": user_id, "points": points, "hours": hours, "daysOff": [*days]}


async def put(client: Client, place: str, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await client.put(place, json={"capacities": [*rows]})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["capacities"]
    return found


@pytest.fixture(params=["project", "iteration"])
async def place(request: pytest.FixtureRequest, maya: Client) -> str:
    return PLACE if request.param == "project" else f"iterations/{await node(maya, 'iterations')}/capacities"


@pytest.mark.postgresql
async def test_only_the_people_named_are_replaced_and_recorded(maya: Client, service: Service, place: str) -> None:
    empty = await put(maya, place)
    await put(maya, place, row(JON, 8, 60), row(MAYA, 10, None, "2026-03-12", "2026-03-11"))
    found = await put(maya, place, {"userId": JON, "points": 6}, row(MAYA, 10, None, "2026-03-11", "2026-03-12"))
    gone = await put(maya, place, {"userId": MAYA})

    last = service.shared.database.write.submit(rows_after).result()
    maya_row = row(MAYA, 10, None, "2026-03-11", "2026-03-12")
    assert empty == []
    assert found == [maya_row, row(JON, 6)]
    assert gone == (await maya.get(place)).json()["capacities"] == [row(JON, 6)]
    kind = ChangeKind.SETTINGS if place == PLACE else ChangeKind.ITERATION
    assert [each["kind"] for each in last[-3:]] == [kind] * 3
    jon_before: dict[str, Any] = {"points": 8, "hours": 60, "daysOff": []}
    jon_after: dict[str, Any] = {"points": 6, "hours": None, "daysOff": []}
    del maya_row["userId"]
    assert last[-2]["fields"] == {f"capacities.{JON}": [jon_before, jon_after]}
    assert last[-1]["fields"] == {f"capacities.{MAYA}": [maya_row, None]}


async def test_people_write_their_own_and_managers_all(maya: Client, jon: Client, rex: Client, place: str) -> None:
    own = await put(jon, place, row(JON, 8))
    others = await jon.put(place, json={"capacities": [row(JON, 9), row(ADA, 9)]})
    reader = await rex.put(place, json={"capacities": [row(4, 9)]})

    assert own == (await rex.get(place)).json()["capacities"] == [row(JON, 8)]
    assert (others.status_code, reader.status_code) == (403, 403)
    assert "You may change your own" in others.json()["message"]
    assert await put(maya, place, row(ADA, 9)) == [row(JON, 8), row(ADA, 9)]


async def test_change_after_that_of_somebody_else_is_refused(maya: Client, place: str) -> None:
    etag = {"if-match": (await maya.get(place)).headers["etag"]}
    body = {"capacities": [row(JON, 8)]}
    first, late = [await maya.put(place, json=body, headers=etag) for _ in range(2)]

    assert (first.status_code, late.status_code) == (200, 412)


@pytest.mark.parametrize(
    ("body", "key", "words"),
    [
        ([], "capacities", "must be a list of objects, as in"),
        ({"userId": 987_654}, "capacities[0].userId", "somebody who has a role in the project"),
        ({"points": 3}, "capacities[0].userId", "somebody who has a role in the project"),
        ({"userId": True}, "capacities[0].userId", "somebody who has a role in the project"),
        ({"userId": JON, "points": -1}, "capacities[0].points", "points of user 2 may not be negative"),
        ({"userId": JON, "hours": "60"}, "capacities[0].hours", "hours of user 2 must be a number"),
        ({"userId": JON, "daysOff": ["Monday"]}, "capacities[0].daysOff", "must be a date such as"),
        ({"userId": JON, "daysOff": "2026-03-11"}, "capacities[0].daysOff", "must be a list of dates"),
        ({"userId": JON, "story points": 3}, "capacities[0].story points", "it has userId, points, hours and daysOff"),
    ],
    ids=str,
)
async def test_wrong_capacity_is_named_with_its_place(maya: Client, body: Any, key: str, words: str) -> None:
    answer = await maya.put(PLACE, json={"capacities": [body]})

    assert answer.status_code == 400
    assert words in answer.json()["errors"][key]


async def test_nobody_is_named_twice(maya: Client) -> None:
    answer = await maya.put(PLACE, json={"capacities": [row(JON, 1), row(JON, 2)]})

    assert answer.json()["errors"] == {"capacities[1].userId": "User 2 is named twice; name each person once."}


async def sprint_of_ten_days(maya: Client) -> tuple[int, list[date]]:
    """Create a sprint of two weeks that begins on a Monday; return it with its working days."""
    today = datetime.fromisoformat((await maya.get("projects/1/reports/age")).json()["asOf"]).date()
    monday = today - timedelta(today.weekday())
    dates = {"startDate": str(monday), "endDate": str(monday + timedelta(13))}
    answer = await maya.post("iterations", json={"projectId": 1, "name": "Ten days", **dates})
    return answer.json()["id"], [monday + timedelta(days) for days in (*range(5), *range(7, 12))]


async def workload(maya: Client, sprint: int) -> dict[str, list[Any]]:
    """Return points, items and hours, capacity and hours capacity by person."""
    found = (await maya.get("projects/1/reports/people", params={"iteration": sprint})).json()
    return {person: cells for person, *cells in found["rows"]}


@pytest.mark.postgresql
async def test_workload_has_the_usual_amount_less_own_days_off_or_that_of_the_iteration(
    maya: Client, sign_in: SignIn
) -> None:
    sprint, days = await sprint_of_ten_days(maya)
    texts = [str(day) for day in days]
    await maya.put("projects/1/settings", json={"daysOff": [texts[0]]})
    extra = str(days[-1] + timedelta(3))
    await put(
        maya,
        PLACE,
        row(MAYA, 9, None, texts[1], texts[2], texts[3]),
        row(JON, None, 60, texts[0], extra),
        row(ADA, 10, None, *texts[:5]),
    )
    await put(await sign_in("ada"), f"iterations/{sprint}/capacities", row(ADA, 7))
    await put(maya, f"iterations/{sprint}/capacities", {"userId": MAYA, "daysOff": [texts[4], texts[1]]})

    found = await workload(maya, sprint)

    assert {name: cells[3:] for name, cells in found.items()} == {
        "maya": [5, None],
        "jon": [None, 60],
        "ada": [7, None],
    }


async def test_person_who_left_the_project_has_no_capacity(maya: Client, service: Service) -> None:
    sprint, _ = await sprint_of_ten_days(maya)
    await put(maya, PLACE, row(JON, 8), row(ADA, 8))
    leave = delete(grants).where(grants.c.user_id == JON, grants.c.project_id == 1)
    service.shared.database.write.submit(lambda connection: connection.execute(leave)).result()

    assert [*(await workload(maya, sprint))] == ["ada"]


async def test_deleted_iteration_takes_its_capacities_along(maya: Client) -> None:
    sprint = await node(maya, "iterations")
    await put(maya, f"iterations/{sprint}/capacities", row(JON, 8))

    assert (await maya.delete(f"iterations/{sprint}")).status_code == 200
