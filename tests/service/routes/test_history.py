"""The history of an item, and the changes after a cursor: what is told, to whom, and when a cursor is refused."""

from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, delete, select, update
from tests.service.every_call import a_file, comment, item, made
from tests.service.signed_in import SignIn

from backlit.service.admin.users import set_grant
from backlit.service.app import Service
from backlit.service.storage.access import Role
from backlit.service.storage.migrations import renew_cursors
from backlit.service.storage.schema import changes, grants, projects
from backlit.service.tables import history

Client = httpx.AsyncClient


def in_database(service: Service, work: Any) -> Any:
    return service.shared.database.write.submit(work).result()


async def history_of(client: Client, item_id: int, **query: Any) -> dict[str, Any]:
    answer = await client.get(f"workitems/{item_id}/history", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def changes_after(client: Client, cursor: str | None, **query: Any) -> dict[str, Any]:
    answer = await client.get("changes", params={**({} if cursor is None else {"after": cursor}), **query})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_an_items_history_tells_who_when_and_from_what_to_what(maya: Client, jon: Client) -> None:
    story = await item(maya)
    long = "A long text. " * 100
    await jon.put(f"workitems/{story}", json={"Status": "Done", "Description": long})
    said = (await maya.post("comments", json={"projectId": 1, "workItemId": story, "description": "Seen"})).json()
    await maya.post(f"workitems/{story}/attachments", files=a_file())

    found = await history_of(jon, story)

    kinds = [(each["kind"], each["act"], each["by"]["name"]) for each in found["results"]]
    assert kinds == [
        ("file", "created", "maya"),
        ("comment", "created", "maya"),
        ("item", "changed", "jon"),
        ("item", "created", "maya"),
    ]
    assert found["results"][2]["fields"] == {"Status": ["Not Done", "Done"], "Description": ["", long]}
    assert found["results"][1]["objectId"] == said["id"]
    assert (found["next"], found["isComplete"]) == (None, True)


@pytest.mark.postgresql
async def test_pages_of_a_history_leave_nothing_out(maya: Client) -> None:
    story = await item(maya)
    for number in range(6):
        await maya.put(f"workitems/{story}", json={"Name": f"{number}", "Estimate": str(number // 3)})
    every = (await history_of(maya, story))["results"]

    paged: list[dict[str, Any]] = []
    before: int | None = None
    while before is not None or not paged:
        page = await history_of(maya, story, **{"$top": 3}, **({} if before is None else {"before": before}))
        paged += page["results"]
        before = page["next"]
    estimates = (await history_of(maya, story, fields="Estimate"))["results"]

    assert paged == every
    assert len(every) == 7
    assert [each["fields"]["Estimate"] for each in estimates] == [["0", "1"], [None, "0"]]


async def test_an_item_from_before_the_history_has_none_yet(maya: Client, service: Service) -> None:
    in_database(service, lambda connection: connection.execute(delete(changes).where(changes.c.item_id == 1)))

    assert await history_of(maya, 1) == {"results": [], "next": None, "isComplete": False}


async def test_a_deleted_items_history_stays_with_those_who_see_the_project(
    maya: Client, sign_in: SignIn, service: Service
) -> None:
    story = await item(maya)
    await maya.delete(f"workitems/{story}")
    in_database(service, lambda connection: connection.execute(delete(grants).where(grants.c.user_id == 3)))
    stranger = await sign_in("ada")

    assert [each["act"] for each in (await history_of(maya, story))["results"]] == ["removed", "created"]
    for item_id in (story, 1, 987_654):
        assert (await stranger.get(f"workitems/{item_id}/history")).status_code == 404


@pytest.mark.postgresql
async def test_changes_go_on_from_a_cursor_oldest_first(maya: Client) -> None:
    begin = (await changes_after(maya, None))["cursor"]
    story = await item(maya)
    await maya.put(f"workitems/{story}", json={"Status": "Done"})
    said = await made(maya, "comments", workItemId=story, description="Seen")
    await maya.delete(f"comments/{said}")

    found = await changes_after(maya, begin)
    told = [(each["k"], each["a"], each["id"], each.get("item"), each.get("f")) for each in found["changes"]]
    assert told == [
        ("item", "created", story, None, None),
        ("item", "changed", story, None, ["Status"]),
        ("comment", "created", said, story, None),
        ("comment", "removed", said, story, None),
    ]
    assert {each["by"] for each in found["changes"]} == {1}
    assert (await changes_after(maya, found["cursor"]))["changes"] == []
    one = await changes_after(maya, begin, **{"$top": 3})
    rest = await changes_after(maya, one["cursor"], **{"$top": 3})
    assert (one["isMore"], rest["isMore"]) == (True, False)
    assert one["changes"] + rest["changes"] == found["changes"]
    assert [each["k"] for each in (await changes_after(maya, begin, kind="comment"))["changes"]] == ["comment"] * 2
    assert (await changes_after(maya, begin, projectId="2"))["changes"] == []


async def test_no_change_of_an_invisible_project_is_told(maya: Client, sign_in: SignIn, service: Service) -> None:
    in_database(service, lambda connection: connection.execute(delete(grants).where(grants.c.user_id == 3)))
    stranger = await sign_in("ada")
    begin = (await changes_after(stranger, None))["cursor"]
    await comment(maya)

    found = await changes_after(stranger, begin)

    assert found["changes"] == []
    assert found["cursor"] != begin


async def test_grants_are_told_to_managers_and_to_whom_they_concern(
    maya: Client, jon: Client, rex: Client, service: Service
) -> None:
    begin = (await changes_after(maya, None))["cursor"]
    in_database(service, lambda connection: set_grant(connection, "rex", "1", Role.CONTRIBUTOR))

    told = [len((await changes_after(client, begin))["changes"]) for client in (maya, jon, rex)]
    assert told == [1, 0, 1]


async def test_a_cursor_that_no_longer_fits_is_refused_with_the_reason(maya: Client, service: Service) -> None:
    begin = (await changes_after(maya, None))["cursor"]
    await item(maya)
    cursor = (await changes_after(maya, begin))["cursor"]
    revision = int(cursor.split(".")[0])

    def trim(connection: Connection) -> None:
        connection.execute(update(projects).where(projects.c.id == 1).values(history_from=revision + 2))

    def move(connection: Connection) -> None:
        at = connection.execute(select(changes.c.object_id).where(changes.c.revision == revision)).scalar_one()
        connection.execute(update(changes).where(changes.c.revision == revision).values(object_id=at + 1))

    lost = await changes_after(maya, f"{revision + 5}.{'0' * 8}")
    in_database(service, move)
    other = await changes_after(maya, cursor)
    present = other["cursor"]
    in_database(service, trim)
    trimmed = await changes_after(maya, present)
    in_database(service, renew_cursors)
    restored = await changes_after(maya, present)

    assert [each["reset"] for each in (lost, other, trimmed, restored)] == ["other", "other", "trimmed", "other"]


async def test_a_client_too_far_behind_reads_everything_anew(maya: Client, service: Service) -> None:
    begin = (await changes_after(maya, None))["cursor"]

    def many(connection: Connection) -> None:
        row = dict(connection.execute(select(changes).order_by(changes.c.revision.desc()).limit(1)).mappings().one())
        first = row["revision"] + 1
        rows = [row | {"revision": first + number} for number in range(history.LONGEST_WAY + 1)]
        connection.execute(changes.insert(), rows)

    in_database(service, many)

    assert (await changes_after(maya, begin))["reset"] == "far"


@pytest.mark.parametrize(
    ("address", "query"),
    [
        ("changes", {"after": "banana"}),
        ("changes", {"after": "1"}),
        ("changes", {"kind": "banana"}),
        ("changes", {"projectId": "987654"}),
        ("changes", {"$top": "0"}),
        ("changes", {"$skip": "1"}),
        ("workitems/1/history", {"before": "x"}),
        ("workitems/1/history", {"$top": "-1"}),
        ("workitems/1/history", {"$filter": "id eq 1"}),
    ],
)
async def test_an_option_that_makes_no_sense_is_named(maya: Client, address: str, query: dict[str, str]) -> None:
    answer = await maya.get(address, params=query)

    assert (answer.status_code, set(answer.json()["errors"])) == (400, set(query))
