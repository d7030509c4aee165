"""Client of the service and its nouns: list, page, get, create, update, delete, and operations of their own."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from typing import Any, NamedTuple, Self, TypedDict, Unpack

import httpx
import orjson

from backlit.client.calls import USUAL_RETRIES, QueryValue, RequestSender, RetryPolicy
from backlit.client.events import ServerEvent
from backlit.client.network import is_loopback
from backlit.client.tokens import TokenCache
from backlit.client.transport import Application, InProcessTransport
from backlit.config.connection import USUAL_CONNECTION, ConnectionSettings
from backlit.model.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound, OutcomeUnknown, ServiceError

API = "api/v1/"
# With 1,000 a walk over all items takes two thirds of the time. Smaller pages bound the memory of the documents on
# their way: smaller pages and caches of the database together took 40 MB off the first load of 100,000 items.
PAGE_SIZE = 200
SAFE_PAGE_SIZE = 100
"""The page size that every service allows."""
REPEATS = 3
"""Repeated pages allowed in one walk; a concurrent deletion moves the others."""
LONGEST_LIST = 1_000_000
LONG_POLL_SECONDS = 25
"""Seconds that a request for changes waits for one."""
CHANGE_HEADER = "Backlit-Change"
"""Header that says what a change is: `cause=undo; at=2026-03-11T09:30:00Z`; an extension that others ignore."""

Document = dict[str, Any]


class ListQuery(TypedDict, total=False):
    """Options of a list; `filter`, `order` and `select` are OData text, None leaves an option out."""

    top: int | None
    skip: int | None
    filter: str | None
    order: str | None
    select: str | None


# Section 4 of the interface.
_OPTION_BY_NAME = {"top": "$top", "skip": "$skip", "filter": "$filter", "order": "$orderby", "select": "$select"}


class ResultPage(NamedTuple):
    """A page as received; `total` is a hint that may change while paging."""

    total: int
    results: list[Document]


class FetchedResource(NamedTuple):
    """A resource as received, with its version if the service has versions."""

    document: Document
    etag: str | None


class EndlessListGuard:
    """The pages received in one walk; raises ServiceError for a list without end."""

    def __init__(self, server: str, path: str) -> None:
        self._server = server
        self._path = path
        self._pages: set[bytes] = set()
        self._count = self._repeated = 0

    def note(self, results: list[Document]) -> None:
        digest = sha256(orjson.dumps(results)).digest()
        self._repeated += digest in self._pages
        self._pages.add(digest)
        self._count += len(results)
        if self._repeated > REPEATS:
            raise ServiceError(f"{self._server} repeats the same page endlessly ({self._path}).")
        if self._count > LONGEST_LIST:
            raise ServiceError(f"{self._server} sends a list without end: more than {LONGEST_LIST:,} ({self._path}).")


class ListEndpoint:
    """An address that responds with a list envelope."""

    def __init__(self, calls: RequestSender, path: str) -> None:
        self._calls = calls
        self.server = calls.server
        self._path = path

    async def page(self, **query: Unpack[ListQuery]) -> ResultPage:
        options: dict[str, QueryValue] = {
            option: value for name, option in _OPTION_BY_NAME.items() if isinstance(value := query.get(name), str | int)
        }
        answer = await self._calls.call("GET", self._path, options)
        document = answer.document()
        results = document.get("results")
        if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
            raise ServiceError(f"{answer.response_label} is not a list as the interface requires.")
        total = document.get("totalResults")
        return ResultPage(total if isinstance(total, int) and not isinstance(total, bool) else len(results), results)

    async def pages(self, **query: Unpack[ListQuery]) -> AsyncIterator[ResultPage]:
        """Walk all pages of `top` results, by received rather than promised counts.

        Raises ServiceError for endlessly repeated pages or a list without end.
        """
        query.setdefault("top", PAGE_SIZE)
        query["skip"] = query.get("skip") or 0
        page = await self._first_page(query)
        arrived = EndlessListGuard(self._calls.server, self._path)
        while page.results:
            arrived.note(page.results)
            yield page
            query["skip"] = (query["skip"] or 0) + len(page.results)
            if query["skip"] == page.total:
                return
            page = await self.page(**query)

    async def _first_page(self, query: ListQuery) -> ResultPage:
        try:
            return await self.page(**query)
        except BadRequest:
            if (query.get("top") or 0) <= SAFE_PAGE_SIZE:
                raise
            query["top"] = SAFE_PAGE_SIZE
            return await self.page(**query)


class ResourceEndpoint(ListEndpoint):
    """A kind of resource; its answers are documents as received."""

    def __init__(self, calls: RequestSender, noun: str) -> None:
        super().__init__(calls, f"{API}{noun}")
        self._noun = noun

    async def fetch(self, identity: int) -> FetchedResource:
        """Read one as received, with its ETag; raise ServiceError for a response about another resource."""
        answer = await self._calls.call("GET", f"{self._path}/{identity}")
        document = answer.document()
        if document.get("id") != identity:
            raise ServiceError(f"{answer.response_label} is about another resource than requested.")
        return FetchedResource(document, answer.etag())

    async def get(self, identity: int) -> Document:
        return (await self.fetch(identity)).document

    async def create(self, body: Mapping[str, Any], note: str = "") -> Document:
        """Create one, sent once; raise OutcomeUnknown without a readable response.

        `note` of this and the other writes is the value of CHANGE_HEADER.
        """
        answer = await self._calls.call("POST", self._path, body=dict(body), headers=_headers(note))
        try:
            document = answer.document()
        except ServiceError as error:
            raise OutcomeUnknown(f"{error.message} The item may or may not have been created.") from None
        self._calls.clock.observe_created_at(document.get("createdAt"))
        return document

    async def create_batch(self, bodies: Sequence[Mapping[str, Any]], note: str = "") -> list[Document]:
        """Create several in one transaction, all or none; an extension. Raises OutcomeUnknown as `create` does."""
        body = {"items": [dict(each) for each in bodies]}
        answer = await self._calls.call("POST", f"{self._path}/batch", body=body, headers=_headers(note))
        try:
            results = answer.document().get("results")
        except ServiceError as error:
            raise OutcomeUnknown(f"{error.message} The items may or may not have been created.") from None
        return [each for each in results if isinstance(each, dict)] if isinstance(results, list) else []

    async def update(
        self,
        identity: int,
        changes: Mapping[str, Any],
        if_match: str | None = None,
        *,
        note: str = "",
        is_repeatable: bool = True,
    ) -> Document:
        """Send only the changes, flat; raise PreconditionFailed if `if_match` is outdated.

        Does not repeat a non-repeatable change after a lost response, as others may have changed the same.
        """
        path, headers = f"{self._path}/{identity}", _headers(note, if_match)
        # Section 4.1 of the interface: the keys to change, flat, without the object `fields` that responses have.
        answer = await self._calls.call("PUT", path, body=dict(changes), headers=headers, is_repeatable=is_repeatable)
        document = answer.document()
        self._calls.clock.observe_last_modified_at(document.get("lastModifiedAt"))
        return document

    async def delete(self, identity: int, *, note: str = "") -> None:
        await self._calls.call("DELETE", f"{self._path}/{identity}", headers=_headers(note))


def _headers(note: str, if_match: str | None = None) -> dict[str, str]:
    headers = {"If-Match": if_match} if if_match else {}
    return headers | ({CHANGE_HEADER: note} if note else {})


class DocumentEndpoint:
    """One document at an address of its own, such as the settings of a project; an extension."""

    def __init__(self, calls: RequestSender, path: str) -> None:
        self._calls = calls
        self._path = path

    async def fetch(self) -> FetchedResource:
        answer = await self._calls.call("GET", self._path)
        return FetchedResource(answer.document(), answer.etag())

    async def update(self, changes: Mapping[str, Any], if_match: str | None = None, note: str = "") -> FetchedResource:
        """Send only the changes; raise PreconditionFailed if `if_match` is outdated."""
        answer = await self._calls.call("PUT", self._path, body=dict(changes), headers=_headers(note, if_match))
        return FetchedResource(answer.document(), answer.etag())


class WorkItemEndpoint(ResourceEndpoint):
    """Work items and their tasks, comments and attachments."""

    def below(self, identity: int, resource: str) -> ListEndpoint:
        """Return the list of an item's own objects of a resource, such as `comments`."""
        return ListEndpoint(self._calls, f"{self._path}/{identity}/{resource}")

    def tasks(self, identity: int) -> ListEndpoint:
        return self.below(identity, "tasks")

    def comments(self, identity: int) -> ListEndpoint:
        return self.below(identity, "comments")

    def attachments(self, identity: int) -> ListEndpoint:
        return self.below(identity, "attachments")

    async def history(self, identity: int, before: int | None = None, top: int = 50) -> Document:
        """Read recorded changes, newest first, those before a revision; an extension."""
        query = {"$top": top} | ({} if before is None else {"before": before})
        answer = await self._calls.call("GET", f"{self._path}/{identity}/history", query)
        return answer.document()

    async def delete(self, identity: int, if_match: str | None = None, *, note: str = "") -> None:
        await self._calls.call("DELETE", f"{self._path}/{identity}", headers=_headers(note, if_match))

    async def act(
        self, identity: int, verb: str, body: Mapping[str, Any], if_match: str | None = None, note: str = ""
    ) -> Document:
        """Ask for something at an item's own address: `rank`, `convert` or `move`; extensions."""
        path, headers = f"{self._path}/{identity}/{verb}", _headers(note, if_match)
        return (await self._calls.call("POST", path, body=dict(body), headers=headers)).document()


class AttachmentEndpoint(ResourceEndpoint):
    """Attachments without their contents, which `transfers` moves."""

    async def delete(self, identity: int, *, note: str = "") -> None:
        """Delete one permanently; try the address's other spelling after a 404."""
        try:
            await super().delete(identity, note=note)
        except (NotFound, MethodNotAllowed) as error:
            try:
                # Section 4.5 of the interface has both spellings.
                await self._calls.call("DELETE", f"{API}attachment/{identity}", headers=_headers(note))
            except (NotFound, MethodNotAllowed, BadRequest):
                raise error from None


class NodeEndpoint(ResourceEndpoint):
    """Areas or iterations: the nodes of a project's tree."""

    def of_project(self, project_id: int) -> ListEndpoint:
        return ListEndpoint(self._calls, f"{API}projects/{project_id}/{self._noun}")

    def capacities(self, identity: int) -> DocumentEndpoint:
        return DocumentEndpoint(self._calls, f"{self._path}/{identity}/capacities")

    async def record(self, identity: int, event: str, note: str = "") -> Document:
        """Record the start or the close of an iteration now, unless it has one; an extension."""
        answer = await self._calls.call("POST", f"{self._path}/{identity}/{event}", body={}, headers=_headers(note))
        return answer.document()

    async def withdraw(self, identity: int, event: str, note: str = "") -> Document:
        answer = await self._calls.call("DELETE", f"{self._path}/{identity}/{event}", headers=_headers(note))
        return answer.document()

    async def delete(self, identity: int, reassignment_id: int | None = None, *, note: str = "") -> None:
        """Delete a node and its descendants; move their items to `reassignment_id`, or to the root for None."""
        query = {} if reassignment_id is None else {"reassignmentId": reassignment_id}
        await self._calls.call("DELETE", f"{self._path}/{identity}", query, headers=_headers(note))


class ViewEndpoint(ResourceEndpoint):
    """Views of a project's items, which their owners may share; an extension."""

    def of_project(self, project_id: int) -> ListEndpoint:
        return ListEndpoint(self._calls, f"{API}projects/{project_id}/{self._noun}")

    async def create_in(self, project_id: int, body: Mapping[str, Any]) -> Document:
        answer = await self._calls.call("POST", f"{API}projects/{project_id}/{self._noun}", body=dict(body))
        return answer.document()


class UserEndpoint(ResourceEndpoint):
    """Licensed users, read-only."""

    async def me(self) -> Document:
        return (await self._calls.call("GET", f"{self._path}/me")).document()


class ProjectEndpoint(ResourceEndpoint):
    """Projects; the interface does not fix the address of their list, so the client looks for it."""

    def time_entry_types(self, project_id: int) -> ListEndpoint:
        return ListEndpoint(self._calls, f"{self._path}/{project_id}/timeentrytypes")

    async def report(self, project_id: int, name: str, query: Mapping[str, QueryValue]) -> Document:
        """Read a report from the history of the service; an extension."""
        return (await self._calls.call("GET", f"{self._path}/{project_id}/reports/{name}", query)).document()

    def capacities(self, project_id: int) -> DocumentEndpoint:
        return DocumentEndpoint(self._calls, f"{self._path}/{project_id}/capacities")

    def settings(self, project_id: int) -> DocumentEndpoint:
        return DocumentEndpoint(self._calls, f"{self._path}/{project_id}/settings")

    async def page(self, **query: Unpack[ListQuery]) -> ResultPage:
        """Read a page of the list below the resource root, or below /api, or the projects of the root areas."""
        for path in (self._path, "api/projects"):
            try:
                return await ListEndpoint(self._calls, path).page(**query)
            # Section 2.8 of the interface names no list of projects, and services that have none answer in each of
            # these ways.
            except (NotFound, MethodNotAllowed, BadRequest, Forbidden):
                continue
        return await self._from_root_areas()

    async def _from_root_areas(self) -> ResultPage:
        found: dict[int, Document] = {}
        async for page in ListEndpoint(self._calls, f"{API}areas").pages():
            for area in page.results:
                # Section 2.3 of the interface: -1 is the parent of a root, and each project has one root area of the
                # project's name.
                if area.get("parentId") == -1 and isinstance(area.get("projectId"), int):
                    found[area["projectId"]] = {"id": area["projectId"], "name": str(area.get("name") or "")}
        return ResultPage(len(found), list(found.values()))


class Client:
    """A profile's connection to its service; `at` or `inside` opens it, `aclose` or `async with` closes it."""

    def __init__(self, calls: RequestSender, on_close: Callable[[], Awaitable[None]] | None = None) -> None:
        self._calls = calls
        self._on_close = on_close
        self.is_in_process = calls.is_in_process
        """Whether the service runs in this process, where nobody else changes anything through it."""
        self.auth = calls.auth
        self.clock = calls.clock
        self.base_url = calls.base_url
        self.server = calls.server
        self.transfers = calls.transfers
        self.own_writes = calls.own_writes
        self.work_items = WorkItemEndpoint(calls, "workitems")
        self.comments = ResourceEndpoint(calls, "comments")
        self.areas = NodeEndpoint(calls, "areas")
        self.iterations = NodeEndpoint(calls, "iterations")
        self.users = UserEndpoint(calls, "users")
        self.projects = ProjectEndpoint(calls, "projects")
        self.attachments = AttachmentEndpoint(calls, "attachments")
        self.views = ViewEndpoint(calls, "views")

    def resource(self, noun: str) -> ResourceEndpoint:
        return ResourceEndpoint(self._calls, noun)

    def below(self, noun: str, identity: int, resource: str) -> ListEndpoint:
        """Return the list of a resource's own objects, such as the `timeentries` of one of the `tasks`."""
        return ListEndpoint(self._calls, f"{API}{noun}/{identity}/{resource}")

    @classmethod
    def at(
        cls,
        base_url: str,
        tokens: TokenCache,
        pacing: RetryPolicy = USUAL_RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
        connection: ConnectionSettings = USUAL_CONNECTION,
    ) -> Self:
        """Connect to the service at an address, with or without /api/v1; raise BadRequest for an invalid one.

        `connection` holds what the profile says of certificates and proxies.
        """
        return cls(RequestSender(root_of(base_url), tokens, transport, pacing, connection))

    @classmethod
    def inside(
        cls,
        asgi: Application,
        tokens: TokenCache,
        base_url: str = "http://backlit.local",
        on_close: Callable[[], Awaitable[None]] | None = None,
        pacing: RetryPolicy = USUAL_RETRIES,
    ) -> Self:
        """Connect to a started service in this process; `on_close` stops it with the client."""
        return cls(RequestSender(root_of(base_url), tokens, InProcessTransport(asgi), pacing), on_close)

    def only_read(self, refusal: str) -> None:
        """Refuse all requests that change something, with a sentence; empty allows them."""
        self._calls.refusal = self.transfers.refusal = refusal

    def watch(self, on_answer: Callable[[str, int, float], None]) -> None:
        """Observe each request: its method, the response's status (0 for none), and its seconds."""
        self._calls.on_answer = on_answer

    async def capabilities(self) -> Document | None:
        """Read the service's extensions; None from a service without any."""
        try:
            return (await self._calls.call("GET", f"{API}capabilities")).document()
        except (NotFound, MethodNotAllowed, BadRequest):
            return None

    def changes(self, cursor: str | None) -> AbstractAsyncContextManager[AsyncIterator[ServerEvent]]:
        """Follow the changes after a cursor, or from now on; an extension."""
        headers = {} if cursor is None else {"Last-Event-ID": cursor}
        return self._calls.events(f"{API}changes/stream", headers)

    @asynccontextmanager
    async def polled_changes(self, cursor: str | None) -> AsyncIterator[AsyncIterator[ServerEvent]]:
        """Follow as `changes` does, by requests that wait for a change; an extension."""
        yield self._polled_changes(cursor)

    async def _polled_changes(self, cursor: str | None) -> AsyncIterator[ServerEvent]:
        wait = 0
        while True:
            query: dict[str, QueryValue] = {"wait": wait}
            if cursor is not None:
                query["after"] = cursor
            page = (await self._calls.call("GET", f"{API}changes", query)).document()
            is_first, wait = not wait, LONG_POLL_SECONDS
            before, cursor = cursor, str(page.get("cursor"))
            if "reset" in page:
                yield ServerEvent("hello", page, cursor)
                continue
            if is_first:
                yield ServerEvent("hello", {"revision": page.get("after"), "reset": None}, before or cursor)
            yield ServerEvent("changes" if page.get("changes") else "tick", page, cursor)

    async def tell_presence(self, item_id: int | None, field: str) -> None:
        """Say which item is edited here, for half a minute, or that none is any more; an extension."""
        body = {"itemId": item_id, "mode": "edit", "field": field or None}
        await self._calls.call("PUT", f"{API}presence", body={"itemId": None} if item_id is None else body)

    async def unread_activities(self, project_id: int, top: int) -> Document:
        """Read the newest activities of others that the user has not read; an extension."""
        query: dict[str, QueryValue] = {"projectId": project_id, "isRead": "false", "$top": top}
        return (await self._calls.call("GET", f"{API}activities", query)).document()

    async def mark_read(self, until: str, project_id: int | None, item_ids: Sequence[int] | None) -> None:
        """Note activities until a time as read: all, those of a project or those of items; an extension."""
        body: dict[str, object] = {"readUntil": until}
        if project_id is not None:
            body["projectId"] = project_id
        if item_ids is not None:
            body["workItemIds"] = list(item_ids)
        await self._calls.call("PUT", f"{API}activities/unread", body=body)

    async def aclose(self) -> None:
        try:
            await self._calls.aclose()
        finally:
            if self._on_close is not None:
                await self._on_close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


_HOST = re.compile(r"(\[[^\]\s]+\]|[^\s:/]+)(:[0-9]+)?(/\S*)?$")
"""A host without a scheme, with a port and a path or without."""


def root_of(base_url: str) -> httpx.URL:
    """Return the base address with one slash at its end; without a scheme, of https, and of http on this machine.

    Raises BadRequest for secrets or other schemes.
    """
    typed = base_url.strip()
    found = None if "://" in typed else _HOST.match(typed)
    scheme = "" if found is None else "http://" if is_loopback(found[1]) else "https://"
    try:
        url = httpx.URL(f"{scheme}{typed}")
    except httpx.InvalidURL:
        raise BadRequest("The address is not a web address. Use https://host.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise BadRequest("The address of a server is a host name, or begins with https:// or http://.")
    if url.userinfo or url.query or url.fragment:
        raise BadRequest("The address of a server must not contain a user name, password, query or fragment.")
    path = url.path.rstrip("/").removesuffix("/api/v1").removesuffix("/api").rstrip("/")
    return url.copy_with(path=f"{path}/")
