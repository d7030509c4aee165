"""Reports by their addresses: figures from the history that the service wrote."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from sqlalchemy import update
from tests.service.routes.reported import agree, item, let_days_pass, put, report, say, sprint_from, value_of
from tests.service.signed_in import SignIn

from backlit.service.admin.value_lists import set_values
from backlit.service.app import Service
from backlit.service.reports.reports import REPORTS
from backlit.service.storage.schema import changes, projects
from backlit.service.tables.changes import ChangeAct

Client = httpx.AsyncClient
STATUSES = ("Not Done", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted")


@pytest.mark.slow
@pytest.mark.postgresql
async def test_burndown_follows_the_changes_of_a_sprint(service: Service, maya: Client) -> None:
    sprint = await sprint_from(maya, -4, 4)
    first = await item(maya, Estimate="5", IterationID=sprint)
    gone = await item(maya, Estimate="3", IterationID=sprint)
    let_days_pass(service, 4)
    await put(maya, first, Status="Done")
    added = await item(maya, Estimate="2", IterationID=sprint)
    let_days_pass(service, 1)
    assert (await maya.delete(f"workitems/{gone}")).status_code == 200
    await put(maya, added, Estimate="8")

    found = await report(maya, "burndown", iteration=sprint)

    assert found["columns"] == ["Day", "Remaining", "Done", "Ideal"]
    assert found["source"] == "history"
    assert [row[1] for row in found["rows"][3:]] == [5, 8, *[None] * 4]
    assert [row[2] for row in found["rows"][3:]] == [5, 5, *[None] * 4]


@pytest.mark.slow
@pytest.mark.postgresql
async def test_scope_names_each_change_and_its_item(service: Service, maya: Client) -> None:
    sprint = await sprint_from(maya, -14, 4)
    item_ids = [await item(maya, Estimate="5", IterationID=sprint, Name=f"Item {number}") for number in range(3)]
    let_days_pass(service, 14)
    root = (await maya.get("projects/1/iterations")).json()["results"][0]["id"]
    await put(maya, item_ids[0], IterationID=root)
    await put(maya, item_ids[1], Status="Deferred")
    assert (await maya.delete(f"workitems/{item_ids[2]}")).status_code == 200

    found = await report(maya, "scope", iteration=sprint)

    assert found["summary"] == {
        "committed": 15,
        "scope": 0,
        "added": 0,
        "movedIn": 0,
        "movedOut": 5,
        "reestimated": 0,
        "deferred": 5,
        "deleted": 5,
    }
    causes = [(change["id"], change["item"], change["cause"]) for change in found["details"]]
    names = ("Moved out", "Deferred", "Deleted")
    assert causes == [(item_ids[number], f"Item {number}", cause) for number, cause in enumerate(names)]


@pytest.mark.slow
async def test_hours_remember_tasks_that_left_the_sprint(service: Service, maya: Client) -> None:
    sprint, other = await sprint_from(maya, -2, 5), await sprint_from(maya, 6, 12)
    parent = await item(maya, IterationID=other)
    tasks = [
        await item(maya, "Task", ParentID=parent, IterationID=sprint, WorkRemaining=hours) for hours in (1.0, 2.0, 4.0)
    ]
    let_days_pass(service, 1)
    await put(maya, tasks[0], IterationID=other)
    assert (await maya.delete(f"workitems/{tasks[1]}")).status_code == 200

    found = await report(maya, "burndown", iteration=sprint, unit="hours")

    assert [row[1] for row in found["rows"][:4]] == [0, 7, 4, None]


async def test_velocity_is_of_closed_sprints(service: Service, maya: Client) -> None:
    sprint = await sprint_from(maya, -40, -30)
    done = await item(maya, Estimate="5", IterationID=sprint)
    await put(maya, done, Status="Done")
    let_days_pass(service, 35)

    found = await report(maya, "velocity", iteration=sprint)

    assert found["summary"] == {"mean": 5, "median": 5, "low": 5, "high": 5, "sprints": 1}
    assert value_of(found, "Done", 0) == 5


async def test_renamed_status_is_no_change_of_status(service: Service, maya: Client) -> None:
    started = await item(maya, Status="In Progress")
    let_days_pass(service, 9)
    values = [("Doing" if status == "In Progress" else status) for status in STATUSES]
    service.shared.database.write.submit(
        lambda connection: set_values(connection, "Aurora", "Story", "Status", values, renames=["In Progress=Doing"])
    ).result()

    found = await report(maya, "age")

    ages = {row[1]: (row[0], row[3]) for row in found["rows"]}
    assert ages[started] == (9, "Doing")


async def test_history_that_begins_later_is_named(service: Service, maya: Client) -> None:
    sprint = await sprint_from(maya, -8, 3)
    await item(maya, Estimate="5", IterationID=sprint)
    let_days_pass(service, 8)
    as_of = datetime.fromisoformat((await report(maya, "age"))["asOf"])
    begins = update(projects).values(history_since=as_of - timedelta(2), history_from=10**6)
    service.shared.database.write.submit(lambda connection: connection.execute(begins)).result()

    found = await report(maya, "burndown", iteration=sprint)

    assert found["since"] is not None
    assert found["summary"]["committed"] is None
    assert [row[1] for row in found["rows"][:5]] == [None] * 5
    assert found["rows"][8][1] == 5
    assert any(note.startswith("The server's history begins on") for note in found["notes"])


def day_in(zone: str, at: str) -> str:
    return str(datetime.fromisoformat(at).replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).date())


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
async def test_today_is_that_of_the_project(maya: Client, zone: str) -> None:
    await agree(maya, timeZone=zone)

    found = await report(maya, "burnup", days=2)

    assert found["timeZone"] == zone
    assert found["rows"][-1][0] == day_in(zone, found["asOf"])


@pytest.mark.parametrize(("zone", "is_next_day"), [("UTC", False), ("Asia/Tokyo", True)])
@pytest.mark.slow
async def test_late_evening_is_the_next_day_farther_east(
    service: Service, maya: Client, zone: str, is_next_day: bool
) -> None:
    sprint = await sprint_from(maya, -8, 3)
    done = await item(maya, Estimate="5", IterationID=sprint)
    let_days_pass(service, 9)
    await put(maya, done, Status="Done")
    evening = datetime.fromisoformat((await report(maya, "age"))["asOf"]) - timedelta(4)
    evening = evening.replace(hour=23, minute=30)
    moved = update(changes).where(changes.c.item_id == done, changes.c.act == ChangeAct.CHANGED).values(at=evening)
    service.shared.database.write.submit(lambda connection: connection.execute(moved)).result()
    await agree(maya, timeZone=zone)

    rows = {row[0]: row[1] for row in (await report(maya, "burnup", iteration=sprint))["rows"]}

    assert rows[str(evening.date())] == (0 if is_next_day else 5)
    assert rows[str(evening.date() + timedelta(1))] == 5


async def test_ideal_line_is_level_on_a_day_off(maya: Client) -> None:
    sprint = await sprint_from(maya, 0, 3)
    await item(maya, Estimate="6", IterationID=sprint)
    await say(maya, sprint, "start")
    second = (await report(maya, "burndown", iteration=sprint))["rows"][1][0]
    await agree(maya, workingDays=["mon", "tue", "wed", "thu", "fri", "sat", "sun"], daysOff=[second])

    found = await report(maya, "burndown", iteration=sprint)

    assert [row[found["columns"].index("Ideal")] for row in found["rows"]] == [4, 4, 2, 0]


@pytest.mark.postgresql
async def test_start_commits_what_was_planned_before_it(maya: Client) -> None:
    sprint = await sprint_from(maya, -4, 4)
    await item(maya, Estimate="5", IterationID=sprint)
    before = await report(maya, "scope", iteration=sprint)
    await say(maya, sprint, "start")
    await item(maya, Estimate="3", IterationID=sprint)

    after = await report(maya, "scope", iteration=sprint)
    await maya.delete(f"iterations/{sprint}/start")
    withdrawn = await report(maya, "scope", iteration=sprint)

    assert (before["summary"]["committed"], before["summary"]["added"]) == (0, 5)
    assert (after["summary"]["committed"], after["summary"]["added"]) == (5, 3)
    assert (withdrawn["summary"]["committed"], withdrawn["summary"]["added"]) == (0, 8)


async def test_work_done_after_a_close_is_late(maya: Client) -> None:
    sprint = await sprint_from(maya, -4, 4)
    first, second = [await item(maya, Estimate=points, IterationID=sprint) for points in ("5", "3")]
    await put(maya, first, Status="Done")
    await say(maya, sprint, "close")
    await put(maya, second, Status="Done")

    found = await report(maya, "velocity", iteration=sprint)

    assert found["summary"]["sprints"] == 1
    assert [value_of(found, title, 0) for title in ("Done", "Remaining", "Late")] == [5, 3, 3]


@pytest.mark.parametrize(("is_closed", "figures"), [(False, [0, 5, 5]), (True, [5, 0, 0])])
async def test_late_close_prolongs_the_sprint(
    service: Service, maya: Client, is_closed: bool, figures: list[int]
) -> None:
    sprint = await sprint_from(maya, -10, -1)
    late = await item(maya, Estimate="5", IterationID=sprint)
    let_days_pass(service, 9)
    await put(maya, late, Status="Done")
    if is_closed:
        await say(maya, sprint, "close")

    found = await report(maya, "velocity", iteration=sprint)
    days = (await report(maya, "burndown", iteration=sprint))["rows"]

    assert [value_of(found, title, 0) for title in ("Done", "Remaining", "Late")] == figures
    assert len(days) == 10 + is_closed


async def test_statuses_count_by_the_groups_of_the_project(service: Service, maya: Client) -> None:
    statuses = [*STATUSES[:3], "Accepted", "Done", "Deferred", "Deleted", "Limbo"]
    service.shared.database.write.submit(
        lambda connection: set_values(connection, "Aurora", "Story", "Status", statuses)
    ).result()
    sprint = await sprint_from(maya, -4, 4)
    for status, points in (("Accepted", "5"), ("Limbo", "3")):
        await item(maya, Estimate=points, IterationID=sprint, Status=status)
    guessed = await report(maya, "burndown", iteration=sprint)

    await agree(maya, statusGroups={"Accepted": "done"})
    agreed = await report(maya, "burndown", iteration=sprint)
    await agree(maya, statusGroups={"Limbo": "excluded"})
    excluded = await report(maya, "burndown", iteration=sprint)

    assert [found["summary"]["done"] for found in (guessed, agreed, excluded)] == [0, 5, 5]
    assert [found["summary"]["remaining"] for found in (guessed, agreed, excluded)] == [8, 3, 0]
    note = "1 item in Limbo, a status without a meaning."
    assert [note in found["notes"] for found in (guessed, agreed, excluded)] == [True, True, False]


async def test_dates_that_changed_in_the_sprint_are_noted(maya: Client) -> None:
    sprint = await sprint_from(maya, -4, 4)
    before = await report(maya, "burndown", iteration=sprint)
    end = str(datetime.fromisoformat(before["asOf"]).date() + timedelta(6))
    await maya.put(f"iterations/{sprint}", json={"name": "Renamed"})
    renamed = await report(maya, "burndown", iteration=sprint)
    await maya.put(f"iterations/{sprint}", json={"endDate": end})

    after = await report(maya, "burndown", iteration=sprint)

    is_noted = [any(note.startswith("Dates changed on") for note in each["notes"]) for each in (before, renamed, after)]
    assert is_noted == [False, False, True]


@pytest.mark.parametrize("name", REPORTS)
async def test_every_report_answers_for_a_sprint_and_for_the_whole_project(maya: Client, name: str) -> None:
    sprint = await sprint_from(maya, -2, 5)
    await item(maya, Estimate="5", IterationID=sprint)

    for query in ({"iteration": sprint}, {}, {"days": 5}):
        found = await report(maya, name, **query)
        assert found["report"] == name
        assert all(len(row) == len(found["columns"]) for row in found["rows"])


@pytest.mark.slow
async def test_two_people_get_the_same_document(maya: Client, sign_in: SignIn) -> None:
    jon = await sign_in("jon")

    for name in REPORTS:
        one, other = await report(maya, name), await report(jon, name)
        assert {**one, "asOf": None} == {**other, "asOf": None}


@pytest.mark.parametrize(
    "query",
    [
        {"iteration": 987_654},
        {"iteration": "x"},
        {"team": 987_654},
        {"unit": "hours"},
        {"unit": "shirts"},
        {"days": 0},
        {"days": 4_000},
    ],
    ids=str,
)
async def test_wrong_choice_is_named(maya: Client, query: dict[str, Any]) -> None:
    answer = await maya.get("projects/1/reports/burnup", params=query)

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == set(query)


async def test_unknown_report_is_not_found(maya: Client) -> None:
    assert (await maya.get("projects/1/reports/horoscope")).status_code == 404
