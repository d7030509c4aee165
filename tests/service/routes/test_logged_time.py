"""The report of logged time, by its address."""

from typing import Any

import httpx
import pytest
from tests.service.routes.objects import new, task_of
from tests.service.routes.reported import item, report, sprint_from

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient
MONDAY, FRIDAY, LATER = "2026-03-09", "2026-03-13", "2026-03-16"
WEEK = {"week": "2026-W11"}


def totals(found: dict[str, Any]) -> dict[str, float]:
    return {row[0]: row[-1] for row in found["rows"]}


async def test_hours_of_a_week_are_summed_up_by_person_type_and_feature(maya: Client, jon: Client) -> None:
    feature, story = await item(maya, "Feature", Name="Search"), await item(maya)
    await maya.post("relations", json={"workItemId": story, "type": "Parent", "targetId": feature})
    below = [await item(maya, "Task", ParentID=parent) for parent in (feature, story)]
    alone = await task_of(maya)
    for client, task, day, hours, kind in (
        (maya, below[0], MONDAY, 1.5, "Testing"),
        (maya, below[1], FRIDAY, 2, "Development"),
        (jon, alone, MONDAY, 0.25, "Testing"),
        (jon, alone, LATER, 8, "Testing"),
    ):
        await new(client, "timeentries", task, date=day, hours=hours, type=kind)

    people = await report(maya, "time", **WEEK)

    assert people["columns"] == ["Person", *(f"2026-03-{day:02}" for day in range(9, 16)), "Total"]
    assert people["rows"] == [["jon", 0.25, *[0] * 6, 0.25], ["maya", 1.5, 0, 0, 0, 2, 0, 0, 3.5]]
    assert people["summary"] == {"hours": 3.75, "entries": 3, "people": 2}
    assert (people["source"], people["notes"]) == ("now", [])
    assert totals(await report(maya, "time", **WEEK, by="type")) == {"Development": 2, "Testing": 1.75}
    assert totals(await report(maya, "time", **WEEK, by="feature")) == {"Search": 3.5, "no feature": 0.25}


async def test_many_days_have_a_column_for_each_week(maya: Client) -> None:
    found = await report(maya, "time", days=15)

    assert len(found["columns"]) in {2 + 3, 2 + 4}
    assert all("-W" in column for column in found["columns"][1:-1])
    assert len((await report(maya, "time"))["columns"]) == 2 + 7


async def test_a_sprint_has_the_hours_of_its_tasks_on_its_days_and_names_the_others(maya: Client) -> None:
    sprint = await sprint_from(maya, -3, 3)
    days = (await report(maya, "burndown", iteration=sprint))["rows"]
    inside = await task_of(maya, IterationID=sprint)
    for task, day, hours in ((inside, days[0][0], 3), (inside, "2026-03-09", 4), (await task_of(maya), days[0][0], 5)):
        await new(maya, "timeentries", task, date=day, hours=hours)

    found = await report(maya, "time", iteration=sprint)

    assert found["columns"][1:-1] == [day for day, *_ in days]
    assert list(totals(found).values()) == [3]
    assert found["notes"] == ["4 h of its tasks are on other days, and not included."]


@pytest.mark.parametrize("query", [{"week": "2026-47"}, {"week": "2026-W54"}, {"by": "colour"}, {"unit": "points"}])
async def test_a_wrong_choice_is_named(maya: Client, query: dict[str, str]) -> None:
    answer = await maya.get("projects/1/reports/time", params=query)

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == set(query)
