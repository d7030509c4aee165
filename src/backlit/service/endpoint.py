"""From ASGI to plain functions and back: body, thread, transaction, caller, JSON."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from sqlalchemy import Connection
from starlette.datastructures import Headers, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backlit.model.errors import BadRequest, MethodNotAllowed, NotFound, UnsupportedMedia
from backlit.model.resources import Resource
from backlit.service.access import Caller
from backlit.service.auth import Tokens
from backlit.service.database import Database
from backlit.service.etags import etag_of
from backlit.service.passwords import Passwords
from backlit.service.settings import Clock, ServiceSettings
from backlit.service.tables import projects
from backlit.service.tables.projects import ProjectSettings
from backlit.service.totals import Totals

ID_LIMIT = 2**63 - 1
JSON_TYPE = "application/json"
USER_KEY = "backlit.user"
"""Where a request's scope says for the log who sent it."""


class Shared:
    """What all requests of one service share."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.clock = Clock()
        self.database = Database(settings.database, self.clock)
        self.clock = Clock()
        self.tokens = Tokens(settings, self.clock)
        self.passwords = Passwords()
        self.project_settings: dict[tuple[int, int], ProjectSettings] = {}
        self.totals = Totals()

    def open(self) -> None:
        """Open what needs threads or files."""
        self.database.open()

    def close(self) -> None:
        """Release what `open` and the requests since took."""
        self.database.close()
        self.passwords.close()


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back; `body` is JSON."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class NeedsSlowLane(Exception):
    """Raised on the fast lane by work that may take long, before it begins; it is then done on the slow one."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a signed-in user, inside its transaction."""

    connection: Connection
    caller: Caller
    shared: Shared
    request: Request
    body: bytes
    is_slow: bool

    @property
    def path(self) -> Mapping[str, int]:
        """The numbers in the address."""
        return self.request.path_params

    @property
    def query(self) -> QueryParams:
        """What stands after the question mark."""
        return self.request.query_params

    @property
    def headers(self) -> Headers:
        """The headers of the request."""
        return self.request.headers

    @property
    def root(self) -> str:
        """The resource root, as the caller addressed it."""
        return f"{str(self.request.base_url).rstrip('/')}/api/v1"

    def json(self) -> dict[str, Any]:
        """Read the body, which has to be a JSON object; raises BadRequest or UnsupportedMedia."""
        kind = self.headers.get("content-type", JSON_TYPE).partition(";")[0].strip().lower()
        if kind != JSON_TYPE and not kind.endswith("+json"):
            raise UnsupportedMedia(f"Send {JSON_TYPE}, not {kind[:80]}.")
        try:
            read = orjson.loads(self.body)
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"The body is not JSON: {error}.") from None
        if not isinstance(read, dict):
            raise BadRequest("The body must be a JSON object.")
        return read

    def settings_of(self, project_id: int) -> ProjectSettings:
        """The settings of a project the caller may see, from memory while they do not change."""
        key = project_id, self.caller.revisions[project_id]
        known = self.shared.project_settings
        if key not in known:
            known[key] = projects.settings(self.connection, project_id)
        return known[key]

    def may_take_long(self) -> None:
        """Go on in the slow lane only."""
        if not self.is_slow:
            raise NeedsSlowLane


Handler = Callable[[Call], Answer]


def json_answer(document: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Answer with one JSON document."""
    return Answer(orjson.dumps(document), status, headers or {})


def resource_answer(resource: Resource, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Answer with one resource and its version."""
    body = orjson.dumps(resource.wire())
    return Answer(body, status, {"etag": etag_of(body), **(headers or {})})


class Endpoint:
    """One path of the resource root: a plain function for each method, run in one hop to a database thread.

    GET runs on a reader, everything else in the writer's transaction.
    """

    def __init__(self, shared: Shared, handlers: Mapping[str, Handler]) -> None:
        self._shared = shared
        self._handlers = {**handlers, **({"HEAD": handlers["GET"]} if "GET" in handlers else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; errors are raised, and translated by the application's table."""
        request = Request(scope, receive)
        handler = self._handlers.get(request.method)
        if handler is None:
            raise HTTPException(MethodNotAllowed.status, headers={"allow": ", ".join(self._handlers)})
        body = b"" if request.method in {"GET", "HEAD"} else await request.body()
        work = partial(self._work, request, handler, body)
        database = self._shared.database
        if request.method not in {"GET", "HEAD"}:
            answer = await database.write.run(partial(work, is_slow=True))
        else:
            try:
                answer = await database.fast.run(partial(work, is_slow=False))
            except NeedsSlowLane:
                answer = await database.slow.run(partial(work, is_slow=True))
        response = Response(answer.body, answer.status, answer.headers, JSON_TYPE)
        await response(scope, receive, send)

    def _work(
        self, request: Request, handler: Handler, body: bytes, connection: Connection, *, is_slow: bool
    ) -> Answer:
        caller = self._shared.tokens.caller(connection, request)
        request.scope[USER_KEY] = caller.id
        if any(value > ID_LIMIT for value in request.path_params.values()):
            raise NotFound("There is nothing with such an id.")
        return handler(Call(connection, caller, self._shared, request, body, is_slow))
