"""Mentions, and what each user has read: on two machines, at the same cost whatever there is."""

from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, func, select
from tests.service.every_call import item, made
from tests.service.followed import following
from tests.service.signed_in import SignIn

from backlit.service.admin.users import license_, remove_grant
from backlit.service.app import Service
from backlit.service.storage.schema import mentions, read_activities
from backlit.service.tables import read_marks
from backlit.service.tables.changes import ChangeAct, ChangeKind, RecordedChange, Stamp, note

Client = httpx.AsyncClient
MAYA, JON = 1, 2


def in_database(service: Service, work: Any) -> Any:
    return service.shared.database.write.submit(work).result()


async def activities(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get("activities")).json()["results"]
    return found


async def unread(client: Client) -> tuple[int, int]:
    found = (await client.get("activities/unread")).json()
    return found["unread"], found["flagged"]


async def say(client: Client, text: str, item_id: int) -> list[int]:
    """Comment, and return who is mentioned."""
    await made(client, "comments", workItemId=item_id, description=text)
    mentioned: list[int] = (await activities(client))[0]["mentions"]
    return mentioned


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("@jon look", [JON]),
        ("see (@JON).", [JON]),
        ("thanks, @jon.", [JON]),
        ("@jon and @maya", [JON]),
        ("mail jon@jon", []),
        ("https://x/@jon", []),
        ("@@jon", []),
        ("run `@jon` now", []),
        ("```\n@jon\n```", []),
        ("``` @jon", []),
        ("@jonathan", []),
        ("@nobody", []),
        ("@", []),
    ],
)
async def test_a_comment_mentions_members_by_their_names(maya: Client, text: str, mentioned: list[int]) -> None:
    assert await say(maya, text, await item(maya)) == mentioned


async def test_only_what_is_new_in_a_description_mentions(maya: Client, jon: Client) -> None:
    story = await made(maya, "workitems", type="Story", fields={"Name": "x", "Description": "for @jon"})
    first = (await activities(maya))[0]["mentions"]
    await maya.put(f"workitems/{story}", json={"Description": "for @jon and @Rex"})
    second = (await activities(maya))[0]["mentions"]
    await maya.put(f"workitems/{story}", json={"Name": "@jon"})

    assert (first, second, (await activities(maya))[0]["mentions"]) == ([JON], [4], [])
    assert [each["isFlagged"] for each in (await activities(jon))[:3]] == [False, False, True]


async def test_nobody_without_licence_or_grant_is_mentioned(maya: Client, service: Service) -> None:
    story = await item(maya)
    in_database(service, lambda connection: remove_grant(connection, "jon", "1"))
    in_database(service, lambda connection: license_(connection, "rex", is_licensed=False))

    assert await say(maya, "@jon @rex", story) == []


async def test_what_is_imported_mentions_nobody(maya: Client) -> None:
    body = {"projectId": 1, "workItemId": await item(maya), "description": "@jon"}
    await maya.post("comments", json=body, headers={"backlit-change": "cause=import"})

    assert (await activities(maya))[0]["mentions"] == []


@pytest.mark.postgresql
async def test_the_unread_are_those_of_others_since_the_first_sign_in(maya: Client, sign_in: SignIn) -> None:
    await item(maya)
    jon = await sign_in("jon")
    before = await unread(jon)
    own = await item(jon)
    await maya.put(f"workitems/{own}", json={"Status": "Done"})
    story = await item(maya)
    await say(maya, "@jon", story)
    await maya.post(f"workitems/{story}/rank", json={"top": True})

    assert (before, await unread(jon)) == ((0, 0), (3, 2))
    assert [each["isRead"] for each in (await activities(jon))[:5]] == [False, False, False, True, True]
    assert await unread(await sign_in("jon")) == (3, 2)


@pytest.mark.postgresql
async def test_one_that_is_read_is_read_on_the_other_machine(
    maya: Client, jon: Client, sign_in: SignIn, service: Service
) -> None:
    for _ in range(3):
        await item(maya)
    newest, middle, oldest = [each["id"] for each in (await activities(jon))[:3]]
    other = await sign_in("jon")
    async with following(service, other) as follower, following(service, maya) as hers:
        await follower.next("hello")
        await hers.next("hello")
        answer = await jon.put(f"activities/{middle}", json={"isRead": True, "content": "x"})
        told = await follower.next("you")
        service.shared.waiters.stop()
        assert "you" not in [event.name for event in await hers.rest()]

    assert (answer.status_code, answer.json()["isRead"], told.data) == (200, True, {"unread": True})
    assert await unread(other) == (2, 0)
    for activity_id in (oldest, newest):
        await jon.put(f"activities/{activity_id}", json={"isRead": True})
    assert await unread(other) == (0, 0)
    assert in_database(service, kept_exceptions) == 0


def kept_exceptions(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(read_activities)).scalar_one())


async def test_all_up_to_one_are_read_at_once(maya: Client, jon: Client) -> None:
    for _ in range(3):
        await item(maya)
    second = (await activities(jon))[1]["id"]

    answer = await jon.put("activities/unread", json={"readTo": second})

    assert answer.json() == {"unread": 1, "flagged": 0}
    assert [each["isRead"] for each in (await activities(jon))[:3]] == [False, True, True]


@pytest.mark.postgresql
async def test_what_is_unread_is_listed_and_noted_by_item_and_time(maya: Client, jon: Client) -> None:
    one, other = await item(maya), await item(maya)
    await item(jon)
    listed = (await jon.get("activities", params={"isRead": "false", "projectId": 1})).json()["results"]
    assert [(each["workItemId"], each["objectId"]) for each in listed] == [(other, other), (one, one)]
    later = await made(maya, "comments", workItemId=one, description="later")

    await jon.put("activities/unread", json={"readUntil": listed[1]["createdAt"], "workItemIds": [one]})

    listed = (await jon.get("activities", params={"isRead": "false"})).json()["results"]
    assert [each["objectId"] for each in listed] == [later, other]
    await jon.put("activities/unread", json={"readUntil": listed[0]["createdAt"], "projectId": 2})
    assert (await unread(jon))[0] == 2
    await jon.put("activities/unread", json={"readUntil": listed[0]["createdAt"], "projectId": 1})
    assert (await unread(jon))[0] == 0


@pytest.mark.parametrize(
    ("path", "body", "key"),
    [
        ("activities/1", {"isRead": False}, "isRead"),
        ("activities/unread", {}, "readTo"),
        ("activities/unread", {"readUntil": "soon"}, "readUntil"),
        ("activities/unread", {"readTo": 1, "projectId": "a"}, "projectId"),
        ("activities/unread", {"readTo": 1, "workItemIds": [0]}, "workItemIds"),
    ],
)
async def test_what_cannot_be_noted_is_refused_by_name(maya: Client, path: str, body: dict[str, Any], key: str) -> None:
    answer = await maya.put(path, json=body)

    assert (answer.status_code, [*answer.json()["errors"]]) == (400, [key])


async def test_a_request_of_many_changes_counts_once(maya: Client, jon: Client) -> None:
    story = await item(maya)
    for name in ("a", "b"):
        await made(maya, "workitems", type="Task", fields={"Name": name, "ParentID": story})
    before = await unread(jon)
    await maya.delete(f"workitems/{story}")

    assert (await unread(jon))[0] == before[0] + 1


async def test_what_lies_far_back_counts_as_read(maya: Client, jon: Client, service: Service) -> None:
    await item(maya)
    assert await unread(jon) == (1, 0)
    now = service.shared.clock.now()
    rows = [
        RecordedChange(ChangeKind.ITEM, ChangeAct.CHANGED, 1, 3, {"Name": ("a", "b")}, now, item_id=1)
        for _ in range(read_marks.MAX_UNREAD_CHANGES)
    ]
    in_database(service, lambda connection: note(connection, Stamp(MAYA, "maya", now), *rows))
    in_database(service, lambda connection: remove_grant(connection, "jon", "3"))

    assert await unread(jon) == (0, 0)


async def test_mentions_go_with_the_changes_that_are_trimmed(maya: Client, service: Service) -> None:
    await say(maya, "@jon", await item(maya))
    revisions = in_database(
        service, lambda connection: connection.execute(select(mentions.c.activity_id)).scalars().all()
    )

    in_database(service, lambda connection: read_marks.forget_trimmed(connection, revisions))

    assert (await activities(maya))[0]["mentions"] == []
