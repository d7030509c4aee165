"""From ASGI to plain functions and back: body, thread, transaction, caller, JSON and ETag."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import orjson
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from starlette.datastructures import Headers, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from backlit.model.dates import parse_utc
from backlit.model.errors import (
    BadRequest,
    MethodNotAllowed,
    NotFound,
    PreconditionFailed,
    StorageError,
    TransientError,
    UnsupportedMedia,
)
from backlit.model.resources import Resource
from backlit.service.auth.callers import Passwords, TokenIssuer
from backlit.service.files.contents import AttachmentContents
from backlit.service.http.bodies import BODY_KEY, RequestBody, RequestSlot
from backlit.service.http.change_log import ChangeLog
from backlit.service.http.options import (
    LIST_OPTIONS,
    NO_OPTIONS,
    ONE_OPTIONS,
    TOP_LIMIT,
    must_be_taken,
    selected,
)
from backlit.service.http.presence import Presence
from backlit.service.http.totals import TotalCache
from backlit.service.http.waiting import SLOT_KEY, ChangeWaiters
from backlit.service.storage.access import Caller
from backlit.service.storage.bounded_cache import BoundedCache
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import Database
from backlit.service.storage.notifications import PRESENCE_CHANNEL, READER_CHANNEL, Notification
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import projects
from backlit.service.tables.changes import ChangeCause, Revisions, Stamp, revisions
from backlit.service.tables.projects import ProjectSettings

MAX_CACHED_PROJECTS = 4096
"""More projects than a caller is expected to see: a list needs the settings of all of them."""
ID_LIMIT = 2**63 - 1
JSON_TYPE = "application/json"
REQUEST_ID_KEY = "backlit.request_id"
USER_KEY = "backlit.user"
"""Key of the user's id in a request's scope, for the log."""
UNLOGGED_KEY = "backlit.unlogged"
"""Key in the scope of a request that the log must not have."""
ERROR_KEY = "backlit.error"
"""Key of the error in the scope of a request that has failed already."""
ROUTE_KEY = "backlit.route"
"""Key of the route in the scope of a request below the resource root."""


class ServiceState:
    """State shared by all requests of one service."""

    def __init__(self, settings: ServiceSettings, extensions: tuple[str, ...]) -> None:
        self.settings = settings
        self.extensions = extensions
        self.clock = Clock()
        self.database = Database(settings.database, self.clock)
        self.tokens = TokenIssuer(settings, self.clock)
        self.passwords = Passwords()
        self.project_settings: BoundedCache[int, tuple[int, ProjectSettings]] = BoundedCache(MAX_CACHED_PROJECTS)
        """The settings of each project with their revision."""
        self.totals = TotalCache()
        self.contents = AttachmentContents(settings.files, self.database, settings.limits.probe)
        self.waiters = ChangeWaiters(settings.limits, self._revisions)
        self.change_log = ChangeLog(self.waiters, self.database)
        self.database.on_commit = self.waiters.committed
        self.presence = Presence(partial(self.database.notify, PRESENCE_CHANNEL))

    async def _revisions(self) -> Revisions | None:
        try:
            return await self.database.read(revisions)
        except (DBAPIError, TransientError):
            return None

    def receive(self, notification: Notification) -> None:
        """Take what another process on the database told."""
        if notification.channel == PRESENCE_CHANNEL:
            self.presence.receive(notification.payload)
        elif notification.channel == READER_CHANNEL:
            self.waiters.tell_reader(int(notification.payload))
        else:
            self.waiters.look_now()

    def tell_reader(self, user_id: int) -> None:
        """Tell the streams of a user that something was read by one of them."""
        self.waiters.tell_reader(user_id)
        self.database.notify(READER_CHANNEL, str(user_id).encode())

    def open(self) -> None:
        self.database.open()
        try:
            self.contents.open()
        except StorageError:
            self.database.close()
            raise

    def close(self) -> None:
        self.contents.close()
        self.database.close()
        self.passwords.close()


class HandlerResponse(Struct, frozen=True):
    """Response of a handler; `body` is JSON, `freed` holds digests of contents that lost an attachment.

    `extras` are values of keys that the answer has only where `$select` names them.
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    freed: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    reader: int | None = None
    """The user who has read something by this request."""


class RequestContext(Struct, frozen=True):
    """A request of a signed-in user, inside its transaction."""

    connection: Connection
    caller: Caller
    shared: ServiceState
    request: Request
    body: bytes
    stamp: Stamp

    @property
    def path(self) -> Mapping[str, int]:
        return self.request.path_params

    @property
    def query(self) -> QueryParams:
        return self.request.query_params

    @property
    def headers(self) -> Headers:
        return self.request.headers

    @property
    def default_top(self) -> int:
        route: Route = self.request.scope[ROUTE_KEY]
        return route.default_top

    @property
    def root(self) -> str:
        """The resource root in the form that the caller used."""
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
        """Return the settings of a project visible to the caller, from memory while they do not change."""
        revision = self.caller.revisions[project_id]
        known = self.shared.project_settings.get(project_id)
        if known is None or known[0] != revision:
            found = projects.settings(self.connection, project_id)
            known = self.shared.project_settings.put(project_id, (revision, found))
        return known[1]


# A handler asks for the slow queue once it has read who asks and for what. A read that only times out has cost its
# limit first: 0.66 of the 3.5 ms of CPU of a filtered page went into the attempt on the fast queue.
class ContinueOnSlowQueue(Exception):
    """Signal of a reading handler that the rest of its work belongs on the slow queue."""

    def __init__(self, call: RequestContext, rest: Callable[[RequestContext], HandlerResponse]) -> None:
        super().__init__()
        self._call = call
        self._rest = rest

    @property
    def user_id(self) -> int:
        return self._call.caller.id

    def go_on(self, connection: Connection) -> HandlerResponse:
        return self._rest(replace(self._call, connection=connection))


class NothingYet(Exception):
    """Signal of a reading handler that found no change, and would wait for one before it gives its answer."""

    def __init__(self, answer: HandlerResponse, seconds: float) -> None:
        super().__init__()
        self.answer = answer
        self.seconds = seconds


class StreamingHandler(Struct, frozen=True):
    """A handler that reads its body as a stream and opens its own transactions."""

    respond: Callable[[ServiceState, Request], Awaitable[HandlerResponse]]


class InMemoryHandler(Struct, frozen=True):
    """A handler that is given the body, opens its own transactions, and writes nothing to the database."""

    respond: Callable[[ServiceState, Request, bytes], Awaitable[HandlerResponse]]


class EventHandler(Struct, frozen=True):
    """A handler that answers with a stream of events, as an application of its own."""

    respond: Callable[[ServiceState, Request], Awaitable[ASGIApp]]


Handler = Callable[[RequestContext], HandlerResponse]
EventsT = TypeVar("EventsT", bound=Callable[[ServiceState, Request], Awaitable[ASGIApp]])
HandlerT = TypeVar("HandlerT", bound=Handler)
InMemoryT = TypeVar("InMemoryT", bound=Callable[[ServiceState, Request, bytes], Awaitable[HandlerResponse]])
StreamedT = TypeVar("StreamedT", bound=Callable[[ServiceState, Request], Awaitable[HandlerResponse]])


class Route(Struct, frozen=True):
    """A method of a path below the resource root; `resource` is the model that it returns, or a schema's name.

    The first line of the handler's docstring summarizes it in the OpenAPI document; `{noun}` there stands for the
    last word of the path, and the handler's name tells a list, a creation, a change and a removal apart.
    """

    method: str
    path: str
    handler: Handler | StreamingHandler | InMemoryHandler | EventHandler
    resource: type[Resource] | str
    tag: str | None = None
    extension: str | None = None
    default_top: int = TOP_LIMIT
    """The most results of a list unless `$top` is given."""
    own_options: frozenset[str] | None = None
    """The options with `$` of an address that takes others than its kind."""

    @property
    def function(self) -> Callable[..., object]:
        handler = self.handler
        return handler.respond if isinstance(handler, StreamingHandler | InMemoryHandler | EventHandler) else handler

    @property
    def is_list(self) -> bool:
        return self.function.__name__.startswith("list")

    @property
    def options(self) -> frozenset[str]:
        if self.own_options is not None:
            return self.own_options
        if self.method != "GET" or isinstance(self.resource, str):
            return NO_OPTIONS
        return LIST_OPTIONS if self.is_list else ONE_OPTIONS


class Routes(list[Route]):
    """The routes of a module, each declared by a call above its handler."""

    def __call__(
        self,
        method: str,
        path: str,
        resource: type[Resource] | str,
        *,
        tag: str | None = None,
        extension: str | None = None,
        default_top: int = TOP_LIMIT,
        options: frozenset[str] | None = None,
    ) -> Callable[[HandlerT], HandlerT]:
        """Declare a route; `tag` groups it in the OpenAPI document, unless its resource does."""

        def declare(handler: HandlerT) -> HandlerT:
            self.append(Route(method, path, handler, resource, tag, extension, default_top, options))
            return handler

        return declare

    def streamed(
        self, path: str, resource: type[Resource], *, extension: str | None = None
    ) -> Callable[[StreamedT], StreamedT]:
        """Declare a POST whose handler reads the body as a stream."""

        def declare(handler: StreamedT) -> StreamedT:
            self.append(Route("POST", path, StreamingHandler(handler), resource, extension=extension))
            return handler

        return declare

    def in_memory(
        self, method: str, path: str, schema: str, *, tag: str, extension: str
    ) -> Callable[[InMemoryT], InMemoryT]:
        """Declare a route whose handler writes nothing to the database."""

        def declare(handler: InMemoryT) -> InMemoryT:
            self.append(Route(method, path, InMemoryHandler(handler), schema, tag, extension))
            return handler

        return declare

    def events(self, path: str, schema: str, *, tag: str, extension: str) -> Callable[[EventsT], EventsT]:
        """Declare a GET whose answer is a stream of events."""

        def declare(handler: EventsT) -> EventsT:
            self.append(Route("GET", path, EventHandler(handler), schema, tag, extension))
            return handler

        return declare


def etag_of(document: bytes) -> str:
    # The tag is of the document and not of its stamp, so that a restored database has the tags of what it holds.
    return f'"{hashlib.blake2b(document, digest_size=12).hexdigest()}"'


def must_match(headers: Headers, document: bytes) -> None:
    """Raise PreconditionFailed unless If-Match is absent, `*` or names this version."""
    wanted = headers.get("if-match")
    # Clients of the interface know no versions; without the header the last writer wins, as they expect.
    if wanted is None or wanted.strip() == "*":
        return
    versions = {version.strip() for version in wanted.split(",")}
    if etag_of(document) not in versions:
        raise PreconditionFailed("Someone else changed it after you read it.")


def json_answer(document: object, status: int = 200, headers: Mapping[str, str] | None = None) -> HandlerResponse:
    return HandlerResponse(orjson.dumps(document), status, headers or {})


def resource_answer(resource: Resource, status: int = 200, headers: Mapping[str, str] | None = None) -> HandlerResponse:
    body = orjson.dumps(resource.wire())
    return HandlerResponse(body, status, {"etag": etag_of(body), **(headers or {})})


class Endpoint:
    """A path of the resource root: a plain function for each method, run on a database thread.

    GET runs on a reader, other methods in the writer's transaction.
    """

    def __init__(self, shared: ServiceState, routes: Mapping[str, Route]) -> None:
        self._shared = shared
        self._routes = {**routes, **({"HEAD": routes["GET"]} if "GET" in routes else {})}
        self.is_streamed = any(isinstance(route.handler, StreamingHandler) for route in routes.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if ERROR_KEY in scope:
            raise scope[ERROR_KEY]
        response = await self.response(Request(scope, receive))
        await response(scope, receive, send)

    async def response(self, request: Request) -> ASGIApp:
        route = self._routes.get(request.method)
        if route is None:
            raise HTTPException(MethodNotAllowed.status, headers={"allow": ", ".join(self._routes)})
        request.scope[ROUTE_KEY] = route
        handler = route.handler
        if isinstance(handler, EventHandler):
            return await handler.respond(self._shared, request)
        if isinstance(handler, StreamingHandler):
            answer = await handler.respond(self._shared, request)
        elif isinstance(handler, InMemoryHandler):
            answer = await handler.respond(self._shared, request, await self._body(request))
        else:
            answer = await self._answer(request, handler)
        if answer.reader is not None:
            self._shared.tell_reader(answer.reader)
        # After the commit: contents that were removed before it would be missing where the transaction rolled back.
        if answer.freed:
            await asyncio.to_thread(self._shared.contents.release, answer.freed)
        return Response(answer.body, answer.status, answer.headers, JSON_TYPE if answer.body else None)

    async def _answer(self, request: Request, handler: Handler) -> HandlerResponse:
        database = self._shared.database
        if request.method not in READS:
            body = await self._body(request)
            return await database.write.run(partial(self._write, request, handler, body))
        count = self._shared.waiters.count
        try:
            answer = await database.read(partial(self._read, request, handler), lambda: request.scope.get(USER_KEY))
        except ContinueOnSlowQueue as long:
            answer = await database.slow.run(long.go_on, long.user_id)
        except NothingYet as nothing:
            answer = await self._wait(request, handler, nothing, count)
        if "etag" not in answer.headers:
            return answer
        return replace(answer, body=selected(answer.body, request.query_params, answer.extras))

    async def _wait(self, request: Request, handler: Handler, nothing: NothingYet, count: int) -> HandlerResponse:
        """Ask a handler again after each change, until it has an answer or the time is over.

        The request is authenticated each time, so that nobody waits for what was taken from them.
        """
        loop, waiters = asyncio.get_running_loop(), self._shared.waiters
        slot: RequestSlot | None = request.scope.get(SLOT_KEY)
        deadline = loop.time() + nothing.seconds
        with waiters.place(request.scope[USER_KEY], request.scope) as place:
            while not place.is_ended and (left := deadline - loop.time()) > 0:
                waiting = place.woken(count, left)
                await (waiting if slot is None else slot.given_back_during(waiting))
                if not place.is_ended:
                    count = waiters.count
                    try:
                        return await self._shared.database.read(partial(self._read, request, handler))
                    except NothingYet as again:
                        nothing = again
        return nothing.answer

    async def _body(self, request: Request) -> bytes:
        """Read the body; one that is still on its way only from somebody who is signed in."""
        body: RequestBody | None = request.scope.get(BODY_KEY)
        if body is not None and not await body.has_arrived():
            await self._shared.database.read(
                lambda connection: authenticated_context(self._shared, request, connection)
            )
        return await request.body()

    def _write(self, request: Request, handler: Handler, body: bytes, connection: Connection) -> HandlerResponse:
        call = authenticated_context(self._shared, request, connection, body)
        return with_revision(handler(call), call.stamp)

    def _read(self, request: Request, handler: Handler, connection: Connection) -> HandlerResponse:
        return handler(authenticated_context(self._shared, request, connection))


def authenticated_context(
    shared: ServiceState, request: Request, connection: Connection, body: bytes = b""
) -> RequestContext:
    """Authenticate a request; raise Unauthorized, BadRequest for its options, and NotFound for ids beyond the limit."""
    caller = shared.tokens.caller(connection, request)
    request.scope[USER_KEY] = caller.id
    route: Route | None = request.scope.get(ROUTE_KEY)
    if route is not None and request.scope["query_string"]:
        must_be_taken(request.query_params, route.options)
    # The databases raise for a number over 64 bits, which would be an answer of 500.
    if any(isinstance(value, int) and value > ID_LIMIT for value in request.path_params.values()):
        raise NotFound("No resource has such an id.")
    if request.method in READS:
        return RequestContext(connection, caller, shared, request, body, _READING)
    cause, made_at = _declared(request.headers.get(CHANGE_HEADER))
    stamp = Stamp(caller.id, caller.name, shared.clock.now(), cause, made_at)
    return RequestContext(connection, caller, shared, request, body, stamp)


READS = frozenset({"GET", "HEAD"})
_READING = Stamp(None, "", datetime(1970, 1, 1))
"""The stamp of all reads, which change nothing: the time alone takes a twentieth of the CPU of one item."""
CHANGE_HEADER = "backlit-change"
"""Header in which a client says what a change is: `cause=undo; at=2026-03-11T09:30:00`."""
REVISION_HEADER = "backlit-revision"
"""Header of the answer to a write: the last revision of the request, if it changed anything."""
_CAUSES = {"undo": ChangeCause.UNDO, "restore": ChangeCause.RESTORE, "import": ChangeCause.IMPORT}
_NOT_DECLARED = ChangeCause.ASKED, None


def _declared(text: str | None) -> tuple[ChangeCause, datetime | None]:
    """Read the cause and the client's time; what is unknown or malformed says nothing, as both only inform."""
    if not text:
        return _NOT_DECLARED
    given = {key.strip().lower(): value.strip() for key, _, value in (part.partition("=") for part in text.split(";"))}
    cause, made_at = _CAUSES.get(given.get("cause", ""), ChangeCause.ASKED), None
    with suppress(BadRequest):
        made_at = parse_utc(given.get("at", ""))
    return cause, made_at


def with_revision(answer: HandlerResponse, stamp: Stamp) -> HandlerResponse:
    if stamp.last_revision is None:
        return answer
    return replace(answer, headers={**answer.headers, REVISION_HEADER: str(stamp.last_revision)})
