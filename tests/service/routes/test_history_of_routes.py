"""The history of every writing route: as much as all tables differ before and after it, and no more."""

from collections import Counter
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, func, select
from tests.service.every_call import CALLS, ask, attachment, comment, item, made, node, right_for
from tests.service.history_rows import everything, expected, recorded, rows_after

from backlit.service.app import Service
from backlit.service.storage.schema import change_texts, changes, work_items
from backlit.service.tables.changes import ChangeCause, ChangeKind, last_revision

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient
WRITES = [
    (method, path) for method, path in CALLS if method != "GET" and not path.startswith(("/presence", "/activities"))
]
"""The routes that change what others see; what somebody edits or has read is no history."""


def in_database(service: Service, work: Any) -> Any:
    return service.shared.database.write.submit(work).result()


@pytest.mark.slow
@pytest.mark.long_but("sqlite")
async def test_every_writing_route_records_all_that_it_changes_and_no_more(maya: Client, service: Service) -> None:
    wrong = {}
    for method, path in WRITES:
        sent = await right_for(maya, method, path)
        before, last = in_database(service, everything), in_database(service, last_revision)
        answer = await ask(maya, method, path, sent)
        due = expected(before, in_database(service, everything))
        told = in_database(service, lambda connection, last=last: recorded(connection, last))
        revision = int(answer.headers.get("backlit-revision", 0))
        if not due or told != due or revision != in_database(service, last_revision):
            wrong[f"{method} {path}"] = (answer.status_code, revision, told ^ due)

    assert wrong == {}


async def test_a_whole_subtree_and_an_item_with_all_that_is_its_own_are_recorded(
    maya: Client, service: Service
) -> None:
    parent, other = await node(maya, "areas"), await node(maya, "areas")
    below = await made(maya, "areas", name="Below", parentId=parent)
    story = await made(maya, "workitems", type="Story", fields={"Name": "x", "AreaID": below})
    task = {"Name": "t", "ParentID": story, "WorkRemaining": 3}
    tasks = [await made(maya, "workitems", type="Task", fields=task) for _ in range(2)]
    said = await made(maya, "comments", workItemId=tasks[0], description="y" * 2000)
    file = {"files": ("a.txt", b"a", "text/plain")}
    for place in (f"workitems/{story}", f"comments/{said}"):
        await maya.post(f"{place}/attachments", files=file)
    acts: list[tuple[str, str, dict[str, Any]]] = [
        ("PUT", f"areas/{parent}", {"name": "Other name", "sequence": 0}),
        ("PUT", f"areas/{below}", {"parentId": other}),
        ("PUT", f"workitems/{tasks[0]}", {"WorkRemaining": 5}),
        ("DELETE", f"areas/{other}", {}),
        ("DELETE", f"workitems/{story}", {}),
    ]

    for method, path, body in acts:
        before, last = in_database(service, everything), in_database(service, last_revision)
        assert (await maya.request(method, path, json=body)).is_success
        due = expected(before, in_database(service, everything))
        assert in_database(service, lambda connection, last=last: recorded(connection, last)) == due, (method, path)
    causes = Counter(row["cause"] for row in in_database(service, rows_after))

    assert {ChangeCause.ROLLED_UP, ChangeCause.RENUMBERED, ChangeCause.REASSIGNED} <= causes.keys()
    assert causes[ChangeCause.REMOVED_WITH_ANOTHER] == 6


async def test_a_write_that_changes_nothing_writes_nothing(maya: Client, service: Service) -> None:
    story, attached = await item(maya), await attachment(maya)
    area, iteration = await node(maya, "areas"), await node(maya, "iterations")
    await maya.post(f"workitems/{story}/rank", json={"top": True})
    last = in_database(service, last_revision)

    answers = [await maya.post(f"workitems/{story}/rank", json={"top": True})]
    for path in (f"workitems/{story}", f"areas/{area}", f"iterations/{iteration}", f"attachments/{attached}"):
        document = (await maya.get(path)).json()
        answers.append(await maya.put(path, json=document.get("fields", document)))
    answers.append(await maya.put("projects/1/settings", json=(await maya.get("projects/1/settings")).json()))
    refused = await maya.put(f"workitems/{story}", json={"Name": ""})

    assert [answer.is_success for answer in (*answers, refused)] == [True] * 6 + [False]
    assert in_database(service, last_revision) == last
    assert not any("backlit-revision" in answer.headers for answer in answers)


async def test_revisions_are_dense_and_rows_of_one_request_name_its_first(maya: Client, service: Service) -> None:
    story = await item(maya)
    await made(maya, "workitems", type="Task", fields={"Name": "t", "ParentID": story, "WorkRemaining": 3})
    await maya.put(f"workitems/{story}", json={"Nonsense": 1})
    await comment(maya)
    await maya.delete(f"workitems/{story}")

    rows = in_database(service, rows_after)
    first = {row["request"] for row in rows} - {None}
    assert [row["revision"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["request"] for row in rows if row["revision"] in first} == {None}
    assert all(row["request"] is None or row["request"] < row["revision"] for row in rows)


async def test_a_row_tells_who_when_why_and_which_values(maya: Client, service: Service) -> None:
    story = await item(maya)
    header = {"backlit-change": "cause=undo; at=2026-03-11T09:30:00+01:00"}

    changed = (await maya.put(f"workitems/{story}", json={"Status": "Done"}, headers=header)).json()

    row = in_database(service, rows_after)[-1]
    assert (row["kind"], row["object_id"], row["item_id"], row["project_id"]) == (ChangeKind.ITEM, story, story, 1)
    assert row["fields"] == {"Status": ["Not Done", "Done"]}
    assert (row["user_id"], row["cause"], str(row["made_at"])) == (1, ChangeCause.UNDO, "2026-03-11 08:30:00")
    assert row["at"].isoformat(timespec="milliseconds") == changed["lastModifiedAt"]


@pytest.mark.parametrize("text", ["", "cause=banana", "at=yesterday", ";;=", "cause=7; at=", "undo"])
@pytest.mark.long_but("sqlite", "postgresql-undo")
async def test_an_unknown_cause_is_an_ordinary_change(maya: Client, service: Service, text: str) -> None:
    await maya.put(f"workitems/{await item(maya)}", json={"Name": "y"}, headers={"backlit-change": text})

    row = in_database(service, rows_after)[-1]
    assert (row["cause"], row["made_at"]) == (ChangeCause.ASKED, None)


@pytest.mark.slow
async def test_an_order_is_not_an_edit(maya: Client, jon: Client, service: Service) -> None:
    """Ranked 70 times into one gap, so that neighbours are renumbered: no stamp and no ETag of any item moves."""

    def stamps(connection: Connection) -> list[Any]:
        audit = work_items.c.id, work_items.c.last_modified_by, work_items.c.last_modified_at
        return list(connection.execute(select(*audit).order_by(work_items.c.id)))

    async def revisions() -> dict[int, int]:
        told = (await maya.get("capabilities")).json()["projects"]
        return {each["id"]: each["orderRevision"] for each in told}

    listed = (await maya.get("workitems", params={"$filter": "projectId eq 1", "$top": "1000"})).json()["results"]
    first, *_, last, other = sorted(each["id"] for each in listed if each["type"] != "Task")
    before, etag, orders = (
        in_database(service, stamps),
        (await maya.get(f"workitems/{last}")).headers["etag"],
        await revisions(),
    )

    for moved in [last, other] * 35:
        assert (await jon.post(f"workitems/{moved}/rank", json={"after": first})).is_success
    edited = await maya.put(f"workitems/{last}", json={"Name": "Edited meanwhile"}, headers={"if-match": etag})

    after = in_database(service, stamps)
    causes = Counter(row["cause"] for row in in_database(service, rows_after) if "BacklogPriority" in row["fields"])
    assert edited.status_code == 201
    assert [row for row in after if row.id != last] == [row for row in before if row.id != last]
    assert causes[ChangeCause.RENUMBERED] > 20
    assert causes[ChangeCause.ASKED] >= 69
    assert {key for key, value in (await revisions()).items() if value != orders[key]} == {1}


async def test_a_long_text_is_stored_once(maya: Client, service: Service) -> None:
    long = "A text that is long. " * 200
    one, other = await item(maya), await item(maya)
    for each in (one, other):
        for text in (long, "short", long):
            await maya.put(f"workitems/{each}", json={"Description": text})

    def count(connection: Connection) -> tuple[int, int]:
        longest = func.max(func.length(changes.c.fields))
        return (
            connection.execute(select(func.count()).select_from(change_texts)).scalar_one(),
            connection.execute(select(longest).where(changes.c.item_id.in_([one, other]))).scalar_one(),
        )

    texts, longest = in_database(service, count)
    assert texts == 1
    assert longest < 1500
