"""`backlit admin` teams, custom fields, value lists and time entry types; items and caches follow."""

import os
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from tests.cli.admin_world import Served, Workspace
from tests.terminal import terminal

from backlit.service.storage.schema import project_totals, projects, status_groups, teams

SAMPLE = "lantern"
STATUSES = ("Not Done", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted")


def revisions(workspace: Workspace) -> tuple[int, int]:
    with workspace.rows() as connection:
        settings = connection.execute(select(projects.c.settings_revision).where(projects.c.id == 1)).scalar_one()
        mine = project_totals.c.project_id == 1
        return settings, connection.execute(select(project_totals.c.revision).where(mine)).scalar_one()


async def items_of(client: httpx.AsyncClient, filter_: str) -> list[dict[str, Any]]:
    answer = await client.get("workitems", params={"$filter": f"projectId eq 1 and {filter_}", "$top": "1000"})
    assert answer.status_code == 200, answer.text
    return [found["fields"] for found in answer.json()["results"]]


async def create(client: httpx.AsyncClient, **fields: object) -> httpx.Response:
    body = {"type": "Story", "projectId": 1, "fields": {"Name": "new"} | fields}
    return await client.post("workitems", json=body)


async def test_a_custom_field_is_in_every_document_of_its_types_at_once(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    unknown = await create(maya, Risk_cf=3.0)
    before = revisions(workspace)
    words = ["fields", "add", "Aurora", "Risk_cf", "--kind", "number", "--types", "Story,Bug", "--default", "2.5"]
    added = workspace.good(*words)
    stories, tasks = await items_of(maya, "type eq 'Story'"), await items_of(maya, "type eq 'Task'")
    created = (await create(maya)).json()["fields"]

    assert unknown.status_code == 400
    assert [after > old for after, old in zip(revisions(workspace), before, strict=True)] == [True, True]
    assert added["itemsRendered"] == len(stories) + len(await items_of(maya, "type eq 'Bug'"))
    assert {item["Risk_cf"] for item in stories} == {None}
    assert not any("Risk_cf" in item for item in tasks)
    assert created["Risk_cf"] == 2.5
    assert [item["Risk_cf"] for item in await items_of(maya, "Risk_cf gt 2")] == [2.5]
    assert workspace.problems() == []


async def test_a_removed_custom_field_takes_its_values_along_and_says_how_many(
    workspace: Workspace, served: Served
) -> None:
    maya = await served.client("maya", SAMPLE)
    having = len(await items_of(maya, "Channel_cf ne null"))
    dry = workspace.good("fields", "remove", "Aurora", "Channel_cf", "--dry-run")
    still = len(await items_of(maya, "Channel_cf ne null"))
    gone = workspace.good("fields", "remove", "Aurora", "Channel_cf")
    stories = await items_of(maya, "type eq 'Story'")
    unknown = await maya.get("workitems", params={"$filter": "Channel_cf eq 'Web'"})

    assert having == still == dry["itemsChanged"] == gone["itemsChanged"] > 0
    assert not any("Channel_cf" in item for item in stories)
    assert unknown.status_code == 400
    assert workspace.problems() == []


async def test_values_of_a_custom_field_are_renamed_in_items_or_the_change_is_refused(
    workspace: Workspace, served: Served
) -> None:
    maya = await served.client("maya", SAMPLE)
    store = len(await items_of(maya, "Channel_cf eq 'Store'"))
    words = ["fields", "change", "Aurora", "Channel_cf", "--choice", "Web", "--choice", "Shop", "--choice", "Phone"]
    refused = workspace.admin(*words)
    changed = workspace.good(*words, "--rename", "Store=Shop")

    assert refused.returncode == 7
    assert "--rename 'Store=NEW'" in refused.stderr
    assert changed["itemsChanged"] == store == len(await items_of(maya, "Channel_cf eq 'Shop'"))
    assert await items_of(maya, "Channel_cf eq 'Store'") == []
    assert workspace.problems() == []


async def test_types_that_lose_a_custom_field_lose_its_values(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    bugs = len(await items_of(maya, "Channel_cf ne null and type eq 'Bug'"))
    words = ["fields", "change", "Aurora", "Channel_cf", "--types", "Feature,Story,Issue,Risk,Feedback"]
    changed = workspace.good(*words)

    assert changed["itemsChanged"] == bugs > 0
    assert not any("Channel_cf" in item for item in await items_of(maya, "type eq 'Bug'"))
    assert workspace.problems() == []


async def test_a_project_has_its_own_statuses_and_their_first_is_preset(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    usual = (await create(maya)).json()["fields"]["Status"]
    statuses = ["Ideas", "Not Done", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted"]
    listed = workspace.good("values", "set", "Aurora", "Story", "Status", *statuses)
    created = (await create(maya)).json()["fields"]["Status"]
    refused = await create(maya, Status="Nonsense")
    document = (await maya.get("capabilities")).json()["projects"][0]

    assert (usual, created) == ("Not Done", "Ideas")
    assert listed["values"] == statuses == document["values"]["Story"]["Status"]
    assert "Ideas" in refused.json()["errors"]["Status"]
    own = [row for row in workspace.good("values", "list", "Aurora") if row["isOwn"]]
    assert own == [{"type": "Story", "key": "Status", "values": statuses, "isOwn": True}]


async def test_a_project_says_what_its_statuses_mean(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    workspace.good("values", "set", "Aurora", "Task", "Status", "Not Done", "In Progress", "Limbo", "Done", "Deleted")
    told = workspace.good("values", "groups", "Aurora", "Limbo=excluded", "In Progress=not started")
    workspace.good("values", "groups", "Aurora", "In Progress=")
    document = (await maya.get("capabilities")).json()["projects"][0]

    assert told["statusGroups"] == {"Limbo": "excluded", "In Progress": "not started"}
    assert (document["statusGroups"]["Limbo"], document["statusGroups"]["In Progress"]) == ("excluded", "in progress")
    assert workspace.problems() == []


async def test_a_project_has_a_calendar_of_its_own(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    zone = ["--time-zone", "Europe/Berlin", "--working-days", "tue, mon"]
    changed = workspace.good("projects", "change", "Aurora", *zone, "--days-off", "2026-12-25")
    workspace.good("projects", "change", "Aurora", "--days-off", "2026-12-26,2026-12-25")
    found = (await maya.get("projects/1/settings")).json()
    workspace.good("projects", "change", "Aurora", "--days-off", "none")
    emptied = (await maya.get("projects/1/settings")).json()
    workspace.good("projects", "create", "Cellar", "--time-zone", "Asia/Tokyo", "--manager", "maya")
    capabilities = (await maya.get("capabilities")).json()["projects"]

    assert changed["changed"] == ["days_off", "time_zone", "working_days"]
    assert (found["timeZone"], found["workingDays"]) == ("Europe/Berlin", ["mon", "tue"])
    assert found["daysOff"] == ["2026-12-25", "2026-12-26"]
    assert emptied == {**found, "daysOff": []}
    assert [each["timeZone"] for each in capabilities] == ["Europe/Berlin", "UTC", "UTC", "Asia/Tokyo"]
    assert workspace.problems() == []


async def test_new_statuses_have_the_group_that_is_named_or_follows_from_the_name(
    workspace: Workspace, served: Served
) -> None:
    maya = await served.client("maya", SAMPLE)
    statuses = ["Not Done", "In Progress", "Blocked", "Ready For Test", "Done", "Deferred", "Deleted", "Limbo"]
    words = ["values", "set", "Aurora", "Story", "Status", *statuses]
    told = workspace.admin(*words, "--group", "Blocked=ready for test").stdout
    again = workspace.good(*words, "--group", "Limbo=excluded")
    groups = (await maya.get("projects/1/settings")).json()["statusGroups"]

    meanings = "Blocked (ready for test), Limbo (unknown, counts as not started; set it with --group)"
    assert told.rstrip().endswith(f"Meanings: {meanings}.")
    assert again["newGroups"] == {"Limbo": "excluded"}
    assert (groups["Blocked"], groups["Limbo"]) == ("ready for test", "excluded")


@pytest.mark.slow
def test_a_terminal_asks_for_the_meaning_of_a_new_status_that_its_name_does_not_tell(workspace: Workspace) -> None:
    words = ["values", "set", "Aurora", "Task", "Status", *STATUSES, "Limbo", "Attic"]
    with terminal(["admin", *words, "--database", workspace.settings.database], os.environ) as shown:
        shown.wait_for("Meaning of Limbo .*none\\):")
        shown.press("somewhere", "enter")
        shown.wait_for("somewhere is no meaning of a status")
        shown.press("excl", "enter")
        shown.wait_for("Meaning of Attic .*none\\):")
        shown.press("enter")
        status = shown.ended()

    with workspace.rows() as connection:
        rows = connection.execute(select(status_groups.c.status, status_groups.c.meaning))
        groups = {row.status: row.meaning for row in rows}
    assert status == 0
    assert groups["Limbo"] == "excluded"
    assert "Attic" not in groups


async def test_renamed_status_keeps_its_group_and_its_limit(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    first = ["Not Done", "Blocked", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted"]
    workspace.good("values", "set", "Aurora", "Story", "Status", *first, "--group", "Blocked=excluded")
    await maya.put("projects/1/settings", json={"wipLimits": {"Blocked": 3, "In Progress": 4}})
    second = ["Stuck" if status == "Blocked" else status for status in first]
    workspace.good("values", "set", "Aurora", "Story", "Status", *second, "--rename", "Blocked=Stuck")
    found = (await maya.get("projects/1/settings")).json()
    workspace.good("values", "reset", "Aurora", "Story", "Status", "--rename", "Stuck=In Progress")
    reset = (await maya.get("projects/1/settings")).json()

    assert found["statusGroups"]["Stuck"] == "excluded"
    assert found["wipLimits"] == {"Stuck": 3, "In Progress": 4}
    assert reset["statusGroups"]["In Progress"] == "in progress"
    assert reset["wipLimits"] == {"In Progress": 4}
    assert workspace.problems() == []


async def test_a_status_that_items_have_does_not_vanish_under_them(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    done = await items_of(maya, "type eq 'Story' and Status eq 'Done'")
    before = await maya.get("workitems", params={"$filter": "Status eq 'Done' and projectId eq 1 and type eq 'Story'"})
    words = ["values", "set", "Aurora", "Story", "Status", "Not Done", "In Progress", "Ready For Test", "Finished"]
    renames = ["--rename", "Done=Finished", "--rename", "Deferred=Not Done", "--rename", "Deleted=Not Done"]
    refused = workspace.admin(*words)
    dry = workspace.good(*words, *renames, "--dry-run")
    still = await items_of(maya, "type eq 'Story' and Status eq 'Finished'")
    real = workspace.good(*words, *renames)
    first = before.json()["results"][0]
    after = (await maya.get(f"workitems/{first['id']}")).json()
    back = workspace.good("values", "reset", "Aurora", "Story", "Status", "--rename", "Finished=Done")

    assert refused.returncode == 7
    assert "nothing was changed" in refused.stderr
    assert dry["itemsChanged"] == real["itemsChanged"] >= len(done) == back["itemsChanged"] > 0
    assert still == []
    assert (after["fields"]["Status"], after["lastModifiedBy"]) == ("Finished", "backlit")
    assert after["lastModifiedAt"] > first["lastModifiedAt"]
    assert workspace.problems() == []


async def test_teams_are_added_renamed_and_removed_from_their_items(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    added = workspace.good("teams", "add", "Aurora", "Night shift")
    created = await create(maya, TeamID=added["id"])
    workspace.good("teams", "rename", "Aurora", "Night shift", "Day shift")
    named = (await maya.get("capabilities")).json()["projects"][0]["teams"]
    removed = workspace.good("teams", "remove", "Aurora", "Day shift")
    item = (await maya.get(f"workitems/{created.json()['id']}")).json()

    assert created.status_code == 201
    assert {"id": added["id"], "name": "Day shift"} in named
    assert removed["itemsChanged"] == 1
    assert item["fields"]["TeamID"] is None
    assert workspace.problems() == []


@pytest.mark.parametrize("noun", ["teams", "time-entry-types"])
def test_names_that_could_be_ids_are_refused(workspace: Workspace, noun: str) -> None:
    made = workspace.good(noun, "add", "Aurora", "Owls")
    added = workspace.admin(noun, "add", "Aurora", "7")
    renamed = workspace.admin(noun, "rename", "Aurora", "Owls", "7")
    by_id = workspace.good(noun, "rename", "Aurora", str(made["id"]), "7 owls")

    assert (added.returncode, renamed.returncode, by_id["name"]) == (6, 6, "7 owls")
    assert "may not be a number" in added.stderr
    assert "may not be a number" in renamed.stderr


async def test_time_entry_types_are_listed_by_the_service(workspace: Workspace, served: Served) -> None:
    maya = await served.client("maya", SAMPLE)
    before = [found["name"] for found in (await maya.get("projects/1/timeentrytypes")).json()["results"]]
    for name in ("Building", "Driving", "Soldering"):
        workspace.good("time-entry-types", "add", "Aurora", name)
    workspace.good("time-entry-types", "rename", "Aurora", "Driving", "Riding")
    workspace.good("time-entry-types", "remove", "Aurora", "Soldering", "--dry-run")
    workspace.good("time-entry-types", "remove", "Aurora", "Soldering")
    answer = await maya.get("projects/1/timeentrytypes")

    assert [found["name"] for found in answer.json()["results"]] == [*before, "Building", "Riding"]
    listed = [found["name"] for found in workspace.good("time-entry-types", "list") if found["project"] == "Aurora"]
    assert listed == [*before, "Building", "Riding"]


def test_a_dry_run_leaves_no_trace(workspace: Workspace) -> None:
    before = revisions(workspace)
    workspace.good("teams", "remove", "Aurora", "1", "--dry-run")
    said = workspace.admin("fields", "remove", "Aurora", "Channel_cf", "--dry-run").stdout

    assert revisions(workspace) == before
    assert said.startswith("Dry run, nothing was changed: Removed Channel_cf; ")
    with workspace.rows() as connection:
        assert connection.execute(select(teams.c.id).where(teams.c.id == 1)).scalar() == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fields", "add", "Aurora", "Risk"], "end in _cf: Risk_cf"),
        (["fields", "add", "Aurora", "channel_cf"], "already has a field channel_cf"),
        (["fields", "add", "Aurora", "X_cf", "--kind", "choice"], "add --choice for each"),
        (["fields", "add", "Aurora", "X_cf", "--choice", "a"], "takes no --choice"),
        (["fields", "add", "Aurora", "X_cf", "--kind", "integer", "--default", "x"], "cannot be the default"),
        (["fields", "add", "Aurora", "X_cf", "--kind", "number", "--default", "nan"], "cannot be the default"),
        (["fields", "add", "Aurora", "X_cf", "--kind", "choice", "--choice", "a", "--default", "b"], "not among"),
        (["fields", "remove", "Aurora", "X_cf"], "it has: BusinessValue_cf, Channel_cf"),
        (["values", "set", "Aurora", "Story", "Status", "a", "a"], "'a' twice"),
        (["values", "groups", "Aurora", "Nonsense=done"], "No type has the status 'Nonsense'"),
        (["values", "groups", "Aurora", "Done=nearly"], "STATUS=GROUP"),
        (
            ["values", "set", "Aurora", "Story", "Status", *STATUSES, "--group", "Nonsense=done"],
            "No type has the status",
        ),
        (["values", "set", "Aurora", "Bug", "Severity", "High", "--group", "High=done"], "Only statuses have a group"),
        (["projects", "change", "Aurora", "--time-zone", "Berlin"], "--time-zone must be the IANA name of a time zone"),
        (["projects", "change", "Aurora", "--working-days", "monday"], "--working-days cannot have 'monday'"),
        (["projects", "change", "Aurora", "--days-off", "25.12.2026"], "--days-off must be a date such as 2026-03-01"),
        (["values", "set", "Aurora", "Story", "Status", " "], "1 to 100 characters"),
        (["values", "set", "Aurora", "Story", "Severity", "a"], "these have: Bug, Issue, Risk"),
        (["values", "set", "Aurora", "Story", "Name", "a"], "these have: Status"),
        (["values", "set", "Aurora", "Story", "Channel_cf", "a"], "backlit admin fields change"),
        (["values", "set", "Aurora", "Story", "Status", "a", "--rename", "b"], "OLD=NEW"),
        (["values", "set", "Aurora", "Story", "Status", "a", "--rename", "b=c"], "has only a"),
        (["values", "reset", "Aurora", "Story", "Status"], "no list of its own"),
        (["teams", "add", "Aurora", "storefront"], "already"),
        (["teams", "remove", "Aurora", "Nobody"], "it has: "),
    ],
)
def test_settings_that_cannot_be_are_refused_with_the_way_out(
    workspace: Workspace, words: list[str], sentence: str
) -> None:
    before = revisions(workspace)
    done = workspace.admin(*words)

    assert done.returncode in {4, 6, 7}
    assert done.stdout == ""
    assert sentence in done.stderr
    assert revisions(workspace) == before
