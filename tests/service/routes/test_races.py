"""Requests that arrive at the same moment: one wins, the others are told, and nothing is counted twice."""

import asyncio
from collections import Counter
from typing import Any

import httpx

Client = httpx.AsyncClient
MANY = 6


async def created(client: Client, **fields: Any) -> httpx.Response:
    kind = "Task" if "ParentID" in fields else "Story"
    answer = await client.post("workitems", json={"type": kind, "projectId": 1, "fields": {"Name": "new", **fields}})
    assert answer.status_code == 201, answer.text
    return answer


async def test_one_of_the_changes_of_one_version_is_taken(maya: Client, jon: Client) -> None:
    read = await created(maya)
    path, version = f"workitems/{read.json()['id']}", {"if-match": read.headers["etag"]}

    answers = await asyncio.gather(
        *(
            client.put(path, json={"Name": f"{number}"}, headers=version)
            for number in range(MANY)
            for client in (maya, jon)
        ),
        maya.delete(path, headers={"if-match": '"old"'}),
    )

    taken = [answer for answer in answers if answer.status_code == 201]
    assert Counter(answer.status_code for answer in answers) == {201: 1, 412: 2 * MANY}
    now = await maya.get(path)
    assert (now.content, now.headers["etag"]) == (taken[0].content, taken[0].headers["etag"])


async def test_items_created_together_have_their_own_ids_and_ranks_and_count_once(maya: Client, jon: Client) -> None:
    before = (await maya.get("workitems?$top=0")).json()["totalResults"]
    story = (await created(maya)).json()["id"]

    made = await asyncio.gather(*(created(client) for client in (maya, jon) for _ in range(MANY)))
    tasks = await asyncio.gather(*(created(jon, ParentID=story, WorkRemaining=1.5) for _ in range(MANY)))

    found = [answer.json() for answer in (*made, *tasks)]
    assert (
        len({item["id"] for item in found}) == len({item["fields"]["BacklogPriority"] for item in found}) == len(found)
    )
    assert (await maya.get("workitems?$top=0")).json()["totalResults"] == before + 1 + len(found)
    assert (await maya.get(f"workitems/{story}")).json()["fields"]["CalculatedEstimate"] == 1.5 * MANY


async def test_what_is_attached_to_an_item_goes_with_it_or_is_refused(maya: Client, jon: Client) -> None:
    story = (await created(maya)).json()["id"]
    comment = {"projectId": 1, "workItemId": story, "description": "Seen"}
    task = {"type": "Task", "projectId": 1, "fields": {"Name": "new", "ParentID": story}}

    gone, *others = await asyncio.gather(
        maya.delete(f"workitems/{story}"),
        *(jon.post("comments", json=comment) for _ in range(MANY)),
        *(jon.post("workitems", json=task) for _ in range(MANY)),
        jon.put(f"workitems/{story}", json={"Name": "later"}),
    )

    assert gone.status_code == 200
    assert {answer.status_code for answer in others} <= {201, 400, 404}
    left = [
        (await jon.get(f"{answer.request.url.path}/{answer.json()['id']}"))
        for answer in others[:-1]
        if answer.is_success
    ]
    assert {answer.status_code for answer in left} <= {404}


async def test_nodes_made_and_moved_together_keep_their_numbers_and_paths(maya: Client) -> None:
    root = (await maya.get("projects/1/areas")).json()["results"][0]

    def new(name: str, **place: int) -> dict[str, Any]:
        return {"projectId": 1, "parentId": root["id"], "name": name, **place}

    made = await asyncio.gather(*(maya.post("areas", json=new(f"n{number}", sequence=1)) for number in range(MANY)))
    first, *rest = [answer.json()["id"] for answer in made]
    await asyncio.gather(*(maya.put(f"areas/{each}", json={"parentId": first, "sequence": 1}) for each in rest))

    nodes = (await maya.get("projects/1/areas")).json()["results"]
    for parent in {node["parentId"] for node in nodes}:
        numbers = [node["sequence"] for node in nodes if node["parentId"] == parent]
        assert numbers == list(range(1, len(numbers) + 1))
    assert {node["path"] for node in nodes if node["parentId"] == first} == {
        f"{root['name']}\\{answer.json()['name']}\\n{number}" for number in range(1, MANY) for answer in made[:1]
    }


async def test_items_ranked_together_keep_one_order(maya: Client, jon: Client) -> None:
    ids = [(await created(maya)).json()["id"] for _ in range(MANY)]

    answers = await asyncio.gather(
        *(client.post(f"workitems/{each}/rank", json={"after": ids[0]}) for each in ids[1:] for client in (maya, jon))
    )

    assert {answer.status_code for answer in answers} == {200}
    listed = (await maya.get("workitems?$filter=projectId eq 1&$top=1000")).json()["results"]
    ranks = [item["fields"]["BacklogPriority"] for item in listed]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
    order = [item["id"] for item in listed]
    at = order.index(ids[0])
    assert set(order[at + 1 : at + MANY]) == set(ids[1:])
