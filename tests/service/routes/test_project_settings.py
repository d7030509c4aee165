"""The settings that the members of a project share: who reads and writes them, and what they may be."""

from typing import Any

import httpx
import pytest
from tests.service.history_rows import rows_after
from tests.service.signed_in import SignIn

from backlit.service.admin.value_lists import set_values
from backlit.service.app import Service
from backlit.service.tables.changes import ChangeKind

Client = httpx.AsyncClient
PLACE = "projects/1/settings"
STATUSES = ["Not Done", "Blocked", "Limbo", "Accepted", "Done", "Deferred", "Deleted"]
RENAMES = ["In Progress=Blocked", "Ready For Test=Accepted"]


async def settings_in(client: Client) -> dict[str, Any]:
    answer = await client.get(PLACE)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


async def put(client: Client, **settings: Any) -> dict[str, Any]:
    answer = await client.put(PLACE, json=settings)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def have_statuses(service: Service) -> None:
    """Let stories have statuses whose meaning their names do not say."""
    service.shared.database.write.submit(
        lambda connection: set_values(connection, "1", "Story", "Status", STATUSES, renames=RENAMES)
    ).result()


async def test_a_project_has_the_usual_settings(maya: Client) -> None:
    found = await settings_in(maya)

    assert {**found, "statusGroups": {}} == {
        "timeZone": "UTC",
        "workingDays": ["mon", "tue", "wed", "thu", "fri"],
        "daysOff": [],
        "statusGroups": {},
        "estimateScale": None,
        "readyRules": None,
        "wipLimits": {},
    }
    assert found["statusGroups"] == {
        "Not Done": "not started",
        "In Progress": "in progress",
        "Ready For Test": "ready for test",
        "Done": "done",
        "Deferred": "excluded",
        "Deleted": "excluded",
        "Active": "in progress",
        "Closed": "done",
    }


@pytest.mark.postgresql
async def test_settings_are_kept_and_recorded_with_their_old_values(
    maya: Client, service: Service, sign_in: SignIn
) -> None:
    changes = {
        "timeZone": "Europe/Berlin",
        "workingDays": ["thu", "mon", "mon"],
        "daysOff": ["2026-12-26", "2026-12-25"],
        "statusGroups": {"Ready For Test": "in progress"},
        "estimateScale": [1, 2.5, 8],
        "readyRules": {"Story": ["estimate", "feature", "criteria", "blocked", "overdue"], "Bug": []},
        "wipLimits": {"In Progress": 4},
    }

    await put(maya, **changes)
    found = await settings_in(await sign_in("rex"))
    row = service.shared.database.write.submit(rows_after).result()[-1]

    assert found["statusGroups"]["Ready For Test"] == "in progress"
    assert {**found, "statusGroups": changes["statusGroups"]} == {
        **changes,
        "workingDays": ["mon", "thu"],
        "daysOff": ["2026-12-25", "2026-12-26"],
    }
    assert (row["kind"], row["user_id"]) == (ChangeKind.SETTINGS, 1)
    assert row["fields"]["timeZone"] == ["UTC", "Europe/Berlin"]
    assert row["fields"]["statusGroups.Ready For Test"] == [None, "in progress"]
    assert set(row["fields"]) == {*changes, "statusGroups.Ready For Test"} - {"statusGroups"}


async def test_what_is_not_named_stays(maya: Client) -> None:
    await put(maya, timeZone="Europe/Berlin", statusGroups={"Done": "excluded"}, wipLimits={"Done": 2})

    found = await put(maya, daysOff=["2026-12-25"], statusGroups={"Deferred": "not started"}, wipLimits=None)

    assert found["timeZone"] == "Europe/Berlin"
    assert (found["statusGroups"]["Done"], found["statusGroups"]["Deferred"]) == ("excluded", "not started")
    assert found["wipLimits"] == {}


async def test_group_follows_from_the_name_again(maya: Client) -> None:
    await put(maya, statusGroups={"Done": "excluded"})

    assert (await put(maya, statusGroups={"Done": None}))["statusGroups"]["Done"] == "done"


async def test_statuses_of_the_project_have_their_groups_and_an_unknown_one_none(
    maya: Client, service: Service
) -> None:
    have_statuses(service)
    before = (await settings_in(maya))["statusGroups"]

    after = (await put(maya, statusGroups={"Blocked": "in progress", "Limbo": "excluded"}))["statusGroups"]

    assert {status: before[status] for status in ("Not Done", "Blocked", "Limbo", "Accepted")} == {
        "Not Done": "not started",
        "Blocked": "in progress",
        "Limbo": "in progress",
        "Accepted": "in progress",
    }
    assert (after["Blocked"], after["Limbo"]) == ("in progress", "excluded")


async def test_capabilities_state_what_holds_for_everybody(maya: Client, service: Service) -> None:
    have_statuses(service)
    await put(maya, timeZone="Asia/Tokyo", daysOff=["2026-05-04"], estimateScale=[1, 2])

    project = (await maya.get("capabilities")).json()["projects"][0]

    assert (project["timeZone"], project["daysOff"], project["estimateScale"]) == ("Asia/Tokyo", ["2026-05-04"], [1, 2])
    assert "readyRules" not in project
    assert project["statusGroups"]["Limbo"] == "in progress"


async def test_only_managers_change_settings(jon: Client) -> None:
    answer = await jon.put(PLACE, json={"timeZone": "Europe/Berlin"})

    assert (answer.status_code, answer.json()["message"]) == (
        403,
        "Only managers of the project may change its settings.",
    )


async def test_change_after_that_of_somebody_else_is_refused(maya: Client) -> None:
    etag = (await maya.get(PLACE)).headers["etag"]
    changed = await maya.put(PLACE, json={"timeZone": "Europe/Berlin"}, headers={"if-match": etag})
    late = await maya.put(PLACE, json={"timeZone": "UTC"}, headers={"if-match": etag})

    assert (changed.status_code, late.status_code) == (200, 412)
    assert changed.headers["etag"] == (await maya.get(PLACE)).headers["etag"] != etag


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("timeZone", "Berlin", "such as Europe/Berlin, not 'Berlin'"),
        ("timeZone", "Europe", "such as Europe/Berlin"),
        ("timeZone", 7, "must be text"),
        ("workingDays", ["monday"], "cannot have 'monday'; the days are mon, tue"),
        ("workingDays", [], "must name at least one day"),
        ("workingDays", "mon", "must be a list of days"),
        ("daysOff", ["2026-13-01"], "such as 2026-03-01, not '2026-13-01'"),
        ("daysOff", ["25.12.2026"], "not '25.12.2026'"),
        ("statusGroups", {"Done": "nearly"}, "statusGroups of 'Done' must be one of not started, in progress"),
        ("statusGroups", {"Done": "unknown"}, "must be one of not started"),
        ("statusGroups", {"Nonsense": "done"}, "has 'Nonsense', which no type has as a status"),
        ("statusGroups", ["Done"], "must be an object"),
        ("estimateScale", [3, 2], "must be a list of rising numbers"),
        ("estimateScale", [], "must be a list of rising numbers"),
        ("estimateScale", [-1, 2], "must be a list of rising numbers"),
        ("estimateScale", ["1"], "must be a number"),
        ("readyRules", {"Epic": []}, "has no type 'Epic'; the types are Feature"),
        ("readyRules", {"Story": ["estimates"]}, "Unknown rule 'estimates'. Choose from: estimate"),
        ("readyRules", {"Task": ["maturity"]}, "does not apply to Task"),
        ("readyRules", {"Bug": ["criteria"]}, "does not apply to Bug"),
        ("readyRules", ["estimate"], "must be an object"),
        ("wipLimits", {"Done": 0}, "of 'Done' must be from 1 to 10,000"),
        ("wipLimits", {"Done": "4"}, "must be a whole number"),
        ("wipLimits", {"Nonsense": 4}, "which no type has as a status"),
        ("timezone", "UTC", "There is no setting 'timezone'; the settings are timeZone"),
    ],
    ids=str,
)
async def test_wrong_setting_is_named_with_the_way_out(maya: Client, key: str, value: Any, words: str) -> None:
    before = await settings_in(maya)

    answer = await maya.put(PLACE, json={"wipLimits": {"Done": 3}, key: value})

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {key}
    assert words in answer.json()["errors"][key]
    assert await settings_in(maya) == before
