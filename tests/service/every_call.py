"""A complete and right call of each route of the table, for something made anew in one project."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from backlit.service.app import ROUTES
from backlit.service.storage.access import Role

Client = httpx.AsyncClient

BASE = "http://backlit.test"
HIDDEN = 1
OTHER = 2
UNKNOWN = 987_654
JON = 2
GRANTS = {
    "maya": (HIDDEN, Role.MANAGER),
    "jon": (HIDDEN, Role.CONTRIBUTOR),
    "rex": (HIDDEN, Role.READER),
    "ada": (OTHER, Role.READER),
}
SECRET = "Zephyrine"
"""A word that stands in everything of the hidden project, and nowhere else."""
CALLS = [(route.method, route.path) for route in ROUTES]


@dataclass(frozen=True)
class Sent:
    """What is sent to a route, complete and right, for something of the hidden project."""

    target: int
    options: Mapping[str, Any] = field(default_factory=dict)


async def made(manager: Client, noun: str, **body: Any) -> int:
    answer = await manager.post(noun, json={"projectId": HIDDEN, **body})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


async def item(manager: Client) -> int:
    return await made(manager, "workitems", type="Story", fields={"Name": SECRET})


async def comment(manager: Client) -> int:
    return await made(manager, "comments", workItemId=await item(manager), description=SECRET)


async def node(manager: Client, noun: str) -> int:
    root = (await manager.get(noun)).json()["results"][0]["id"]
    return await made(manager, noun, name=SECRET, parentId=root)


async def attachment(manager: Client) -> int:
    answer = await manager.post(f"workitems/{await item(manager)}/attachments", files=a_file())
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def a_file() -> dict[str, tuple[str, bytes, str]]:
    return {"files": (f"{SECRET}.txt", SECRET.encode(), "text/plain")}


async def view(manager: Client) -> int:
    answer = await manager.post(f"projects/{HIDDEN}/views", json=NEW_VIEW)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


async def activity(manager: Client) -> int:
    found = await manager.get(f"workitems/{await item(manager)}/activities")
    return int(found.json()["results"][0]["id"])


async def made_below(manager: Client, noun: str) -> int:
    return await made(manager, noun, **await MADE_BELOW[noun](manager))


async def relation_body(manager: Client) -> dict[str, Any]:
    return {"workItemId": await item(manager), "type": "Blocks", "targetId": await item(manager)}


async def link_body(manager: Client) -> dict[str, Any]:
    return {"workItemId": await item(manager), "displayText": SECRET, "url": "https://example.org"}


async def criterion_body(manager: Client) -> dict[str, Any]:
    return {"workItemId": await item(manager), "title": SECRET}


async def time_entry_body(manager: Client) -> dict[str, Any]:
    return {"taskId": await task(manager), "date": "2026-03-11", "hours": 1.5, "type": "Testing", "note": SECRET}


async def task(manager: Client) -> int:
    parent = {"Name": SECRET, "ParentID": await item(manager)}
    return await made(manager, "workitems", type="Task", fields=parent)


async def own_time_entry(manager: Client) -> int:
    """Return an entry of a contributor, who may change it."""
    return await made(manager, "timeentries", userId=JON, **await time_entry_body(manager))


async def team(manager: Client) -> int:
    return int((await manager.get("teams")).json()["results"][0]["id"])


async def project(_: Client) -> int:
    return HIDDEN


async def user(manager: Client) -> int:
    return int((await manager.get("users/me")).json()["id"])


MAKERS: dict[str, Callable[[Client], Awaitable[int]]] = {
    "activities": activity,
    "workitems": item,
    "comments": comment,
    "areas": lambda manager: node(manager, "areas"),
    "iterations": lambda manager: node(manager, "iterations"),
    "attachments": attachment,
    "attachment": attachment,
    "projects": project,
    "relations": lambda manager: made_below(manager, "relations"),
    "links": lambda manager: made_below(manager, "links"),
    "acceptancecriteria": lambda manager: made_below(manager, "acceptancecriteria"),
    "timeentries": own_time_entry,
    "tasks": task,
    "teams": team,
    "views": view,
    "users": user,
}
CHANGES: dict[str, dict[str, Any]] = {
    "activities": {"isRead": True},
    "workitems": {"Name": "changed"},
    "areas": {"name": "changed"},
    "iterations": {"name": "changed"},
    "attachments": {"description": "changed"},
    "views": {"name": "changed"},
    "links": {"displayText": "changed"},
    "acceptancecriteria": {"status": "Pass"},
    "timeentries": {"hours": 2},
}
MADE_BELOW: dict[str, Callable[[Client], Awaitable[dict[str, Any]]]] = {
    "relations": relation_body,
    "links": link_body,
    "acceptancecriteria": criterion_body,
    "timeentries": time_entry_body,
}
"""The bodies of new objects below items."""
NEW_VIEW = {"name": SECRET, "spec": {"query": "type:bug"}, "isShared": True}
EVENTS = ("/start", "/close")
CHANGES_BY_PATH: dict[str, dict[str, Any]] = {
    "/presence": {"mode": "edit", "field": "Description"},
    "/projects/{id}/settings": {"timeZone": "Europe/Berlin", "statusGroups": {"Deferred": "not started"}},
}
"""What is changed below a resource."""


async def _move(manager: Client) -> Sent:
    return Sent(await task(manager), {"json": {"ParentID": await item(manager)}})


async def _sent(target: int, **body: Any) -> Sent:
    return Sent(target, {"json": body})


POSTED: dict[str, Callable[[Client], Awaitable[Sent]]] = {
    "/workitems/{id}/rank": lambda manager: _of_item(manager, top=True),
    "/workitems/{id}/convert": lambda manager: _of_item(manager, type="Bug"),
    "/workitems/{id}/move": _move,
    "/activities/share": lambda _: _sent(0, message="Lunch is ready."),
}
"""Requests of one's own kind, by their address."""


async def _of_item(manager: Client, **body: Any) -> Sent:
    return Sent(await item(manager), {"json": body})


async def right_for(manager: Client, method: str, path: str) -> Sent:
    """A target made anew, and a body that is taken from whoever may send it."""
    noun = path.split("/")[1]
    if posted := POSTED.get(path):
        return await posted(manager)
    if path.endswith("/batch"):
        return Sent(0, {"json": {"items": [{"projectId": HIDDEN, **await new_body(manager, noun)}]}})
    if method == "POST" and path.endswith("/views"):
        return Sent(HIDDEN, {"json": NEW_VIEW})
    if path.endswith(EVENTS):
        target = await node(manager, "iterations")
        if method == "DELETE":
            await manager.post(path.replace("{id}", str(target)).removeprefix("/"))
        return Sent(target)
    if path.endswith("/capacities"):
        own = {"userId": JON, "points": 8}
        return Sent(await MAKERS[noun](manager), {"json": {"capacities": [own]}} if method == "PUT" else {})
    if method == "POST" and path.endswith("/attachments"):
        return Sent(await MAKERS[noun](manager), {"files": a_file()})
    if method == "POST":
        return Sent(0, {"json": {"projectId": HIDDEN, **await new_body(manager, noun)}})
    if "{id}" not in path:
        return await right_without_id(manager, path)
    return Sent(await MAKERS[noun](manager), {"json": await change_of(manager, path)} if method == "PUT" else {})


async def change_of(manager: Client, path: str) -> dict[str, Any]:
    noun = path.split("/")[1]
    return CHANGES_BY_PATH.get(path) or CHANGES.get(noun) or {"targetId": await item(manager)}


async def new_body(manager: Client, noun: str) -> dict[str, Any]:
    if noun in MADE_BELOW:
        return await MADE_BELOW[noun](manager)
    bodies: dict[str, dict[str, Any]] = {
        "workitems": {"type": "Story", "fields": {"Name": "new"}},
        "comments": {"workItemId": await item(manager), "description": "new"},
    }
    return bodies.get(noun) or {"name": "new", "parentId": await root_of(manager, noun)}


async def right_without_id(manager: Client, path: str) -> Sent:
    if path == "/presence":
        return Sent(0, {"json": {"itemId": await item(manager), **CHANGES_BY_PATH[path]}})
    if path == "/activities/unread":
        return Sent(0, {"json": {"readTo": await activity(manager)}})
    return Sent(0, {"params": {"wait": 0}} if path == "/changes/stream" else {})


async def root_of(manager: Client, noun: str) -> int:
    return int((await manager.get(noun)).json()["results"][0]["id"])


async def ask(client: Client, method: str, path: str, sent: Sent, target: int | None = None) -> httpx.Response:
    address = path.replace("{id}", str(sent.target if target is None else target)).removeprefix("/")
    return await client.request(method, address, **sent.options)
