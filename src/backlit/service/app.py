"""The service: its route table and the translation of errors."""

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property, partial

import orjson
from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as PathRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backlit.model.errors import BacklitError, BadRequest, NotFound, ServiceError, TransientError, error_for
from backlit.model.wrap import LOGIN_PATH, TOKEN_PATH
from backlit.service.files.uploads import OVERHEAD
from backlit.service.front import RequestGuardMiddleware
from backlit.service.http.bodies import BODY_KEY, FORM_LIMIT
from backlit.service.http.endpoint import ERROR_KEY, JSON_TYPE, READS, REQUEST_ID_KEY, Endpoint, Route, ServiceState
from backlit.service.http.trimming import trim_regularly
from backlit.service.routes import (
    activities,
    attachments,
    capacities,
    change_stream,
    comments,
    conversions,
    criteria,
    directory,
    history,
    iteration_events,
    links,
    login,
    moves,
    presence,
    project_settings,
    relations,
    reports,
    time_entries,
    tokens,
    trees,
    views,
    work_items,
)
from backlit.service.routes.directory import BODY_LIMIT
from backlit.service.storage.database import transient_error_of
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import sign_ins
from backlit.service.tables import users as user_table

_log = logging.getLogger(__name__)
_LEGACY = (
    "Legacy clients are let in: client_id is quoted in the challenge, refresh tokens may be used again until"
    " they expire, PUT under the unversioned /api/ answers 200, and the type of comments and attachments is the"
    " service's name."
)


_RESTRICT_PATH = "/Authentication/Restrict"


class _Ids(IntegerConvertor):
    """Convertor of ids in addresses, limited to 4000 digits, as Python reads no more than 4300."""

    regex = "[0-9]{1,4000}"


register_url_convertor("int", _Ids())

ROUTES = (
    *work_items.routes,
    *conversions.routes,
    *moves.routes,
    *comments.routes,
    *attachments.routes,
    *relations.routes,
    *links.routes,
    *criteria.routes,
    *time_entries.routes,
    *trees.routes,
    *iteration_events.routes,
    *capacities.routes,
    *reports.routes,
    *directory.routes,
    *project_settings.routes,
    *views.routes,
    *history.routes,
    *change_stream.routes,
    *presence.routes,
    *activities.routes,
)
_EXTENSIONS = {"etag", "healthz", "openapi", "orderRevision", "readyz"}
"""Extensions beside the routes of the resource root."""


# Starlette, and no framework over it: the client starts a service inside its own process, which with Textual takes 246
# ms of CPU, with FastAPI 437 and with Litestar, which also writes to the root's log, 489.
class Service:
    """A complete service: the ASGI application with its threads and files."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        extensions = _EXTENSIONS.union(route.extension for route in ROUTES if route.extension)
        if not settings.has_presence:
            extensions.discard("presence")
        self.shared = ServiceState(settings, tuple(sorted(extensions)))
        self._is_open = False
        self._tasks: list[asyncio.Task[None]] = []
        endpoints = {path: Endpoint(self.shared, routes) for path, routes in _routes_by_path().items()}
        self.asgi: ASGIApp = RequestGuardMiddleware(_Direct(partial(self._build, endpoints), endpoints), settings)

    async def start(self) -> None:
        """Open the database and start the threads; raise StorageError. A second call has no effect."""
        if not self._is_open:
            if self.settings.legacy_clients:
                _log.warning(_LEGACY)
            await asyncio.to_thread(self.shared.open)
            self._is_open = True
            jobs = (
                trim_regularly(self.shared.database, self.shared.clock),
                self.shared.database.listen(self.shared.receive),
            )
            self._tasks = [asyncio.create_task(job) for job in jobs]

    async def stop(self) -> None:
        """Finish queued writes and release threads and files, permanently."""
        if self._is_open:
            self._is_open = False
            running = [task for task in self._tasks if not task.done()]  # others ended with the loop of the start
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            self.shared.waiters.stop()
            self.shared.presence.close()
            await asyncio.to_thread(self.shared.close)

    def invite(self, username: str) -> str:
        """Create a single-use verification code for a licensed user; blocks. Raises NotFound."""
        return self.shared.database.write.submit(partial(_invite, self.shared, username)).result()

    def _build(self, endpoints: Mapping[str, Endpoint]) -> Starlette:
        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            await self.start()
            yield
            await self.stop()

        application = Starlette(
            routes=[  # tried in this order, so that those asked for most come first
                *(self._route(path, endpoint) for path, endpoint in endpoints.items()),
                PathRoute("/healthz", _healthz),
                PathRoute("/readyz", _readyz),
                PathRoute("/openapi.json", _openapi),
                PathRoute(f"{attachments.STREAM_PATH}/{{id:int}}/{{name}}", attachments.stream),
                PathRoute(f"{attachments.DOWNLOAD_PATH}/{{id:int}}/{{name}}", attachments.download),
                PathRoute(TOKEN_PATH, login.token_endpoint, methods=["GET", "POST"], max_body_size=FORM_LIMIT),
                PathRoute(LOGIN_PATH, login.page, methods=["GET", "POST"], max_body_size=FORM_LIMIT),
                PathRoute(login.LOGOUT_PATH, login.logout, methods=["POST"], max_body_size=FORM_LIMIT),
                PathRoute(_RESTRICT_PATH, tokens.restrict),
            ],
            exception_handlers={
                BacklitError: _on_error,
                HTTPException: _on_http_error,
                DBAPIError: _on_transient_error,
                OSError: _on_transient_error,
                ClientDisconnect: _on_disconnect,
                Exception: _on_crash,
            },
            middleware=[Middleware(_PlainPaths, has_legacy_clients=self.settings.legacy_clients)],
            lifespan=lifespan,
            max_body_size=BODY_LIMIT,
        )
        # A redirect would lose the body of a change, and our own client follows none; `_PlainPaths` reads such an
        # address.
        application.router.redirect_slashes = False
        application.state.shared = self.shared
        return application

    def _route(self, path: str, endpoint: Endpoint) -> PathRoute:
        limit = self.settings.max_upload + OVERHEAD if endpoint.is_streamed else None
        return PathRoute(_ROOT + path.replace("{id}", "{id:int}"), endpoint, max_body_size=limit)


def _routes_by_path() -> Mapping[str, Mapping[str, Route]]:
    found: dict[str, dict[str, Route]] = defaultdict(dict)
    for route in ROUTES:
        found[route.path][route.method] = route
    return found


_ROOT = "/api/v1"
# 18 digits are less than 63 bits; a longer id goes through Starlette's table, which answers that there is no such
# resource.
_ID_IN_PATH = re.compile(f"({_ROOT}/[a-z]+/)([0-9]{{1,18}})(/[a-z]+)?")


# Starlette passes each request through its errors, the middleware, the router and the exceptions, each with a wrapped
# `send`. Through them, one item takes 1.1 to 1.2 times the CPU, a page of 100 1.1 times; for filters and writes that is
# lost in their own work (`python -m benchmarks service`).


class _Direct:
    """Entry that serves requests past Starlette's layers, whose cost is that of reading an item.

    It takes addresses spelled as the routes are, with a short body or none, and leaves errors to Starlette's table.
    """

    def __init__(self, build: Callable[[], ASGIApp], endpoints: Mapping[str, Endpoint]) -> None:
        self._build = build
        found = {_ROOT + path: endpoint for path, endpoint in endpoints.items()}
        self._plain = {path: endpoint for path, endpoint in found.items() if "{" not in path}
        self._with_id = {tuple(path.split("{id}")): endpoint for path, endpoint in found.items() if "{" in path}

    @cached_property
    def _app(self) -> ASGIApp:
        """Starlette's table; its 63 patterns take 4.5 ms, and a client with the service inside asks for none."""
        return self._build()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._endpoint(scope)
        if endpoint is not None:
            try:
                response = await endpoint.response(Request(scope, receive))
            except Exception as error:  # noqa: BLE001 - not swallowed: Starlette raises it from the endpoint
                scope[ERROR_KEY] = error
            else:
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _endpoint(self, scope: Scope) -> Endpoint | None:
        """Return the endpoint of an address, with its id in the scope; None for what Starlette has to serve."""
        if scope["type"] != "http" or not _is_short(scope):
            return None
        match = _ID_IN_PATH.fullmatch(scope["path"])
        if match is None:
            endpoint = self._plain.get(scope["path"])
        else:
            scope["path_params"] = {"id": int(match[2])}
            endpoint = self._with_id.get((match[1], match[3] or ""))
        is_upload = endpoint is not None and endpoint.is_streamed and scope["method"] not in READS
        return None if is_upload else endpoint


def _is_short(scope: Scope) -> bool:
    """Return True for a body whose length is given and within the limit, and for none."""
    return BODY_KEY not in scope or 0 <= int(Headers(scope=scope).get("content-length", -1)) <= BODY_LIMIT


class _PlainPaths:
    """Middleware that maps every spelling of an address to its route."""

    def __init__(self, app: ASGIApp, has_legacy_clients: bool) -> None:
        self._app = app
        self._has_legacy_clients = has_legacy_clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = _spelt(_folded(scope["path"]))
            scope["path"] = _versioned(path)
            if self._has_legacy_clients and scope["method"] == "PUT" and scope["path"] != path:
                send = _changed_is_ok(send)
        await self._app(scope, receive, send)


def _changed_is_ok(send: Send) -> Send:
    """Return 200 for a change, as the unversioned addresses did, instead of the interface's 201."""

    async def send_ok(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 201:
            message["status"] = 200
        await send(message)

    return send_ok


def _folded(path: str) -> str:
    """Fold repeated slashes and drop a trailing one."""
    if "//" in path or path.endswith("/"):
        return re.sub(r"/{2,}", "/", path).rstrip("/") or "/"
    return path


def _spelt(path: str) -> str:
    """Return the routes' spelling of an address in any case."""
    lower = path.lower()
    if lower.startswith("/api/"):
        return lower
    for prefix in (attachments.STREAM_PATH, attachments.DOWNLOAD_PATH):
        if lower.startswith(f"{prefix}/"):
            return prefix + path[len(prefix) :]
    return _SPELLINGS.get(lower, path)


_SPELLINGS = {
    path.lower(): path
    for path in ("/healthz", "/readyz", "/openapi.json", TOKEN_PATH, LOGIN_PATH, login.LOGOUT_PATH, _RESTRICT_PATH)
}


def _versioned(path: str) -> str:
    """Read `/api/x` as `/api/v1/x`."""
    if path.startswith("/api/") and not path.startswith("/api/v1/"):
        return f"/api/v1/{path.removeprefix('/api/')}"
    return path


async def _healthz(_: Request) -> Response:
    return Response(b'{"status":"ok"}', media_type=JSON_TYPE)


async def _readyz(request: Request) -> Response:
    """Return 200 if the database responds and the store of files takes an object, else 503."""
    shared: ServiceState = request.app.state.shared
    try:
        await shared.database.read(lambda connection: connection.execute(select(1)).scalar_one())
        is_ready = await asyncio.to_thread(shared.contents.are_usable)
    except (DBAPIError, ServiceError):
        is_ready = False
    if not is_ready:
        return Response(b'{"status":"not ready"}', 503, media_type=JSON_TYPE)
    return Response(b'{"status":"ready"}', media_type=JSON_TYPE)


async def _openapi(request: Request) -> Response:
    from backlit.service.openapi.document import document

    made = await asyncio.to_thread(document, ROUTES, request.app.state.shared.settings.name)
    return Response(orjson.dumps(made), media_type=JSON_TYPE)


def _invite(shared: ServiceState, username: str, connection: Connection) -> str:
    account = user_table.account(connection, username)
    if account is None or not account.is_licensed:
        raise NotFound(f"There is no licensed user {username!r}.")
    return sign_ins.add_code(connection, account.id, shared.settings.client_id, shared.clock.now())


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, BacklitError)
    headers = {}
    if error.status == 401:
        headers["www-authenticate"] = tokens.challenge(request, request.app.state.shared)
    if isinstance(error, TransientError) and error.retry_after is not None:
        headers["retry-after"] = str(int(error.retry_after + 0.999))
    body = orjson.dumps({"message": error.message, "errors": dict(error.errors)})
    return Response(body, error.status or 500, headers, JSON_TYPE)


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = _SENTENCES.get(error.status_code, f"{error.detail}.")
    response = await _on_error(request, error_for(error.status_code, sentence))
    response.status_code = error.status_code
    response.headers.update(error.headers or {})
    return response


async def _on_disconnect(request: Request, _: Exception) -> Response:
    return await _on_error(request, BadRequest("The request's body is incomplete."))


_SENTENCES = {404: "No resource has this address.", 405: "This address does not support the method."}


async def _on_transient_error(request: Request, error: Exception) -> Response:
    """Return a response for a temporary error of database or disk; raise other errors as defects."""
    transient_error = transient_error_of(error)
    if transient_error is None:
        raise error
    said = {"request_id": request.scope[REQUEST_ID_KEY], "method": request.method, "path": request.url.path}
    _log.warning("A request was refused (%s): %s", said["request_id"], error, extra=said)
    return await _on_error(request, transient_error)


async def _on_crash(request: Request, error: Exception) -> Response:
    request_id = request.scope[REQUEST_ID_KEY]
    said = {"request_id": request_id, "method": request.method, "path": request.url.path}
    _log.error("A request failed (%s).", request_id, exc_info=error, extra=said)
    return await _on_error(request, ServiceError(f"The service failed; its log has the cause under {request_id}."))
