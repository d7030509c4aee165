"""Another service that speaks the interface, written from SPEC.md alone: none of backlit's extensions, many quirks."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import orjson
import uvicorn
from tests.store.world import until

from backlit.client.calls import RetryPolicy
from backlit.store import Store

Json = dict[str, Any]
_CLAUSE = re.compile(r"(\w+) (eq|ne|gt|ge|lt|le) (datetime'[^']*'|'(?:[^']|'')*'|\S+)$")
_NEW_ITEM = {"Status": "New", "AreaID": 11, "IterationID": 21, "AssignedToID": None, "Description": None, "Tags": None}
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a is not None and a > b,
    "ge": lambda a, b: a is not None and a >= b,
    "lt": lambda a, b: a is not None and a < b,
    "le": lambda a, b: a is not None and a <= b,
}


@dataclass(frozen=True)
class Quirks:
    """What this service does of what SPEC leaves open."""

    filtering: str = "works"
    dates: str = "v3"
    orders: bool = True
    cap: int = 1000
    refuses_more: bool = False
    quoted: bool = False
    zone: timedelta = timedelta()
    """How far its zoneless times are from UTC; they have whole seconds."""


class Refused(Exception):
    """An answer that is not a success; its body is no JSON."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ForeignServer:
    """An ASGI application; one user (pat), one project (7), everything in memory."""

    def __init__(self, quirks: Quirks, items: int = 120) -> None:
        self.quirks = quirks
        self.base = "http://backlit.local"
        self.items: dict[int, Json] = {}
        self.comments: dict[int, Json] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.unlisted: dict[str, str] = {}
        """Users who are not licensed, by id."""
        self.instead: dict[str, str] = {}
        """The user that it names instead of the one asked for."""
        self.lost_answers = 0
        """How many answers to POST never arrive."""
        self.is_down = False
        self._next = 100
        for number in range(items):
            made = self.add("pat", f"Item {number}", age=timedelta(hours=items - number))
            made["fields"]["BacklogPriority"] = float(items - number)

    # What its own users do

    def now(self) -> str:
        return self._stamp(timedelta())

    def _stamp(self, age: timedelta) -> str:
        return (datetime.now(UTC).replace(tzinfo=None) + self.quirks.zone - age).replace(microsecond=0).isoformat()

    def add(self, author: str, name: str, age: timedelta = timedelta(), **fields: Any) -> Json:
        self._next += 1
        stamp = self._stamp(age)
        made = {
            "id": self._next,
            "type": "Story",
            "projectId": 7,
            "fields": {**_NEW_ITEM, "BacklogPriority": float(self._next), "Name": name, **fields},
            "createdBy": author,
            "createdAt": stamp,
            "lastModifiedBy": author,
            "lastModifiedAt": stamp,
        }
        self.items[self._next] = made
        return made

    def change(self, author: str, item_id: int, changes: Json) -> Json:
        self.items[item_id]["fields"] |= changes
        self.items[item_id] |= {"lastModifiedBy": author, "lastModifiedAt": self.now()}
        return self.items[item_id]

    def comment(self, author: str, item_id: int, text: str) -> Json:
        self._next += 1
        audit = {"createdBy": author, "createdAt": self.now(), "lastModifiedBy": None, "lastModifiedAt": None}
        ids = {"id": self._next, "projectId": 7, "workItemId": item_id}
        self.comments[self._next] = {**ids, "description": text, "type": "Tracker", **audit}
        return self.comments[self._next]

    def names(self) -> dict[int, str]:
        return {item_id: each["fields"]["Name"] for item_id, each in self.items.items()}

    # The interface

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        query = dict(parse_qsl(scope["query_string"].decode()))
        self.requests.append((scope["method"], scope["path"], query))
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        if self.is_down:
            await send({"type": "http.response.start", "status": 503, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        status, extra, answer = self._answer(scope["method"], scope["path"], query, headers, body)
        if scope["method"] == "POST" and "/api/" in scope["path"] and self.lost_answers:
            self.lost_answers -= 1
            await send({"type": "http.response.start", "status": 504, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        named = [(name.encode(), value.encode()) for name, value in extra.items()]
        await send({"type": "http.response.start", "status": status, "headers": named})
        await send({"type": "http.response.body", "body": answer})

    def _answer(
        self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        if path == "/Authenticate/WRAPv0.9":
            return self._token(dict(parse_qsl(body.decode())))
        if not unquote(headers.get("authorization", "")).startswith("WRAP access_token=name=pat"):
            client = '"uri:tracker"' if self.quirks.quoted else "uri:tracker"
            location = f'WRAP location="{self.base}/Authenticate/WRAPv0.9", client_id={client}'
            return 401, {"WWW-Authenticate": location}, b""
        try:
            status, document = self._routed(method, path, query, body)
        except Refused as refusal:
            return refusal.status, {"Content-Type": "text/html"}, b"<html><h1>Server Error</h1></html>"
        content = b"" if document is None else orjson.dumps(document)
        return status, {"Content-Type": "application/json"}, content

    def _token(self, form: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if form.get("wrap_client_id") != "uri:tracker" or form.get("wrap_password", "secret") != "secret":
            return 401, {}, b"Wrong."
        told = {
            "wrap_access_token": "name=pat&TokenId=1&HMACSHA256=abc%3D",
            "wrap_refresh_token": "again",
            "wrap_access_token_expires_in": "3600",
        }
        return 200, {"Content-Type": "application/x-www-form-urlencoded"}, urlencode(told, quote_via=quote).encode()

    def _routed(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, Json | None]:
        if path == "/api/projects":
            return 200, _listed([{"id": 7, "name": "Tracker"}])
        *nouns, last = path.removeprefix("/api/v1/").split("/")
        if method == "GET":
            return 200, self._read(nouns, last, query)
        if nouns == [] and method == "POST":
            return 201, self._create(last, orjson.loads(body))
        if nouns == ["workitems"] and last.isdigit() and int(last) in self.items:
            if method == "PUT":
                return 201, self.change("pat", int(last), orjson.loads(body))
            if method == "DELETE":
                del self.items[int(last)]
                return 200, None
        raise Refused(404)

    def _create(self, noun: str, body: Json) -> Json:
        if noun == "workitems":
            fields = {key: value for key, value in body["fields"].items() if key != "Name"}
            made = self.add("pat", body["fields"]["Name"], **fields)
            made["type"] = body["type"]
            return made
        if noun == "comments" and body["workItemId"] in self.items:
            return self.comment("pat", body["workItemId"], body["description"])
        raise Refused(404)

    def _read(self, nouns: list[str], last: str, query: dict[str, str]) -> Json:
        node = {"projectId": 7, "parentId": -1, "name": "Tracker", "path": "Tracker", "sequence": None}
        area = {"id": 11, **node}
        iteration = {"id": 21, **node, "isRelease": None, "startDate": None, "endDate": None, "minCapacity": None}
        pat = {"id": 3, "name": "pat", "firstName": None, "lastName": None, "displayName": None, "email": None}
        match [*nouns, last]:
            case ["users", "me"]:
                return pat
            case ["users"]:
                return self._page([pat], query)
            case ["projects", "7", "areas"] | ["areas"]:
                return self._page([area], query)
            case ["projects", "7", "iterations"]:
                return self._page([iteration], query)
            case ["workitems"]:
                return self._page([*self.items.values()], query)
            case ["workitems", item_id] if int(item_id) in self.items:
                return self.items[int(item_id)]
            case ["comments"]:
                return self._page([*self.comments.values()], query)
            case ["workitems", item_id, "comments"]:
                return self._page(
                    [each for each in self.comments.values() if each["workItemId"] == int(item_id)], query
                )
            case [*_, "attachments"]:
                return self._page([], query)
        return self._unlisted(pat, last)

    def _unlisted(self, known: Json, user_id: str) -> Json:
        if user_id not in self.unlisted:
            raise Refused(404)
        return {**known, "id": int(self.instead.get(user_id, user_id)), "name": self.unlisted[user_id]}

    # Lists

    def _page(self, found: list[Json], query: dict[str, str]) -> Json:
        top = int(query.get("$top", 100))
        if top > self.quirks.cap and self.quirks.refuses_more:
            raise Refused(400)
        if "$filter" in query:
            found = self._filtered(found, query["$filter"])
        ordered = sorted(found, key=lambda each: _value(each, "BacklogPriority") or 0.0)
        if self.quirks.orders and "$orderby" in query:
            key, _, direction = query["$orderby"].partition(" ")
            ordered.sort(
                key=lambda each: (_value(each, key) is not None, _value(each, key)), reverse=direction == "desc"
            )
        skip = int(query.get("$skip", 0))
        results = ordered[skip : skip + min(top, self.quirks.cap)]
        return {"totalResults": len(found), "top": top, "skip": skip, "results": results}

    def _filtered(self, found: list[Json], text: str) -> list[Json]:
        if self.quirks.filtering == "ignored":
            return found
        if self.quirks.filtering == "refused":
            raise Refused(500)
        if self.quirks.filtering == "refused-as-bad":
            raise Refused(400)
        for clause in text.split(" and "):
            read = _CLAUSE.match(clause)
            if read is None:
                raise Refused(400)
            name, operator, literal = read.groups()
            wanted = self._literal(literal)
            found = [each for each in found if _OPERATORS[operator](_value(each, name), wanted)]
        return found

    def _literal(self, text: str) -> Any:
        date = {"v3": r"datetime'(.*)'", "v4": r"(\d+-.*)Z", "none": r"(?!)"}[self.quirks.dates]
        if read := re.fullmatch(date, text):
            return read[1]
        if re.match(r"'(?!\d{4}-)", text):
            return text[1:-1].replace("''", "'")
        if re.fullmatch(r"-?\d+(\.\d+)?", text):
            return float(text)
        raise Refused(400)


def _value(document: Json, name: str) -> Any:
    wanted = name.lower()
    places = (document, document.get("fields", {}))
    return next((value for each in places for key, value in each.items() if key.lower() == wanted), None)


def _listed(results: list[Json]) -> Json:
    return {"totalResults": len(results), "top": len(results), "results": results}


@asynccontextmanager
async def on_socket(server: ForeignServer) -> AsyncIterator[str]:
    """Serve on a free port of this machine; gives the address."""
    running = uvicorn.Server(uvicorn.Config(server, port=0, log_level="critical", lifespan="off"))
    task = asyncio.create_task(running.serve())
    await until(lambda: running.started)
    server.base = f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield server.base
    finally:
        running.should_exit = True
        await task


PACING = RetryPolicy(first_pause=0.001)


Online = Callable[..., Awaitable[Store]]
