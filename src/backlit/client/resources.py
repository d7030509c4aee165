"""Nouns of the service: list, page, get, create, update and delete, and operations of their own."""

from collections.abc import AsyncIterator, Mapping
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, Unpack

import orjson
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from backlit.client.answers import read_model
from backlit.client.calls import Calls, QueryValue
from backlit.model.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound, ServiceError, Unclear
from backlit.model.resources import Area, Attachment, Comment, Iteration, Project, TimeEntryType, User, WorkItem
from backlit.model.resources import Resource as Model

API = "api/v1/"
PAGE = 200
SAFE_PAGE = 100
"""The page size that every service allows."""
REPEATS = 3
"""Repeated pages allowed in one walk; a concurrent deletion moves the others."""
LONGEST_LIST = 1_000_000

ModelT = TypeVar("ModelT", bound=Model)
Document = dict[str, Any]


class Query(TypedDict, total=False):
    """Options of a list; `filter` and `order` are OData text, None leaves an option out."""

    top: int | None
    skip: int | None
    filter: str | None
    order: str | None


_OPTION_BY_NAME = {"top": "$top", "skip": "$skip", "filter": "$filter", "order": "$orderby"}


class Page(NamedTuple):
    """A page as received; `total` is a hint that may change while paging."""

    total: int
    results: list[Document]


class Fetched(NamedTuple):
    """A resource as received, with its version if the service has versions."""

    document: Document
    etag: str | None


class Envelope(BaseModel, Generic[ModelT]):
    """A page of a list; `top` is the requested or the returned count, and `total_results` may change."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="allow")

    total_results: int
    top: int | None = None
    skip: int | None = None
    results: list[ModelT]

    def wire(self) -> dict[str, Any]:
        """Write the JSON object; `skip` only in lists of work items."""
        document: dict[str, Any] = {"totalResults": self.total_results, "top": self.top}
        if self.skip is not None:
            document["skip"] = self.skip
        return document | {"results": [resource.wire() for resource in self.results]}


class Arrived:
    """The pages received in one walk; raises ServiceError for a list without end."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pages: set[bytes] = set()
        self._count = self._repeated = 0

    def note(self, results: list[Document]) -> None:
        """Count a page with results."""
        digest = sha256(orjson.dumps(results)).digest()
        self._repeated += digest in self._pages
        self._pages.add(digest)
        self._count += len(results)
        if self._repeated > REPEATS:
            raise ServiceError(f"The server repeats the same page endlessly ({self._path}).")
        if self._count > LONGEST_LIST:
            raise ServiceError(f"The server sends a list without end: more than {LONGEST_LIST:,} ({self._path}).")


class Listing(Generic[ModelT]):
    """An address that responds with a list envelope."""

    def __init__(self, calls: Calls, path: str, model: type[ModelT]) -> None:
        self._calls = calls
        self._path = path
        self._model = model

    async def documents(self, **query: Unpack[Query]) -> Page:
        """Read one page as received."""
        return _page_of(await self._envelope(query))

    async def list(self, **query: Unpack[Query]) -> Envelope[ModelT]:
        """Read one page, checked."""
        document = await self._envelope(query)
        page = _page_of(document)
        return Envelope[ModelT](
            total_results=page.total,
            top=_count(document.get("top")),
            skip=_count(document.get("skip")),
            results=[read_model(self._model, each) for each in page.results],
        )

    async def pages(self, **query: Unpack[Query]) -> AsyncIterator[Page]:
        """Walk all pages of `top` results, by received rather than promised counts.

        Raises ServiceError for endlessly repeated pages or a list without end.
        """
        query.setdefault("top", PAGE)
        query["skip"] = query.get("skip") or 0
        page = await self._first_page(query)
        arrived = Arrived(self._path)
        while page.results:
            arrived.note(page.results)
            yield page
            query["skip"] = (query["skip"] or 0) + len(page.results)
            if query["skip"] == page.total:
                return
            page = await self.documents(**query)

    async def _first_page(self, query: Query) -> Page:
        """Read the first page; if the service rejects its size, ask for the default size."""
        try:
            return await self.documents(**query)
        except BadRequest:
            if (query.get("top") or 0) <= SAFE_PAGE:
                raise
            query["top"] = SAFE_PAGE
            return await self.documents(**query)

    async def _envelope(self, query: Query) -> Document:
        options: dict[str, QueryValue] = {
            option: value for name, option in _OPTION_BY_NAME.items() if isinstance(value := query.get(name), str | int)
        }
        return (await self._calls.call("GET", self._path, options)).document()


class Resource(Listing[ModelT]):
    """A kind of resource; the variants named `document` pass JSON through unchanged."""

    async def fetch(self, identity: int) -> Fetched:
        """Read one as received, with its ETag; raise ServiceError for a response about another resource."""
        answer = await self._calls.call("GET", f"{self._path}/{identity}")
        document = answer.document()
        if document.get("id") != identity:
            raise ServiceError("The server responded with another resource than requested.")
        return Fetched(document, answer.etag())

    async def document(self, identity: int) -> Document:
        """Read one as received."""
        return (await self.fetch(identity)).document

    async def get(self, identity: int) -> ModelT:
        """Read one, checked; raise NotFound for a missing or invisible one."""
        return read_model(self._model, await self.document(identity))

    async def create_document(self, body: Mapping[str, Any]) -> Document:
        """Create one, sent once; raise Unclear without a readable response."""
        answer = await self._calls.call("POST", self._path, body=dict(body))
        try:
            document = answer.document()
        except ServiceError as error:
            raise Unclear(f"{error.message} The item may or may not have been created.") from None
        self._calls.clock.created(document.get("createdAt"))
        return document

    async def create(self, body: Mapping[str, Any]) -> ModelT:
        """Create one and return the checked response."""
        return read_model(self._model, await self.create_document(body))

    async def update_document(
        self, identity: int, changes: Mapping[str, Any], if_match: str | None = None, *, is_repeatable: bool = True
    ) -> Document:
        """Send only the changes, flat; raise PreconditionFailed if `if_match` is outdated.

        Does not repeat a non-repeatable change after a lost response, as others may have changed the same.
        """
        headers = {"If-Match": if_match} if if_match else None
        path = f"{self._path}/{identity}"
        answer = await self._calls.call("PUT", path, body=dict(changes), headers=headers, is_repeatable=is_repeatable)
        document = answer.document()
        self._calls.clock.changed(document.get("lastModifiedAt"))
        return document

    async def update(self, identity: int, changes: Mapping[str, Any]) -> ModelT:
        """Send only the changes and return the checked response."""
        return read_model(self._model, await self.update_document(identity, changes))

    async def delete(self, identity: int) -> None:
        """Delete one permanently; ignore the response's body."""
        await self._calls.call("DELETE", f"{self._path}/{identity}")


def _page_of(document: Document) -> Page:
    results = document.get("results")
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise ServiceError("The server's response is not a list as the interface requires.")
    total = _count(document.get("totalResults"))
    return Page(len(results) if total is None else total, results)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


NodeT = TypeVar("NodeT", bound=Model)


class WorkItems(Resource[WorkItem]):
    """Work items and their tasks, comments and attachments."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls, f"{API}workitems", WorkItem)

    async def tasks(self, identity: int, **query: Unpack[Query]) -> Envelope[WorkItem]:
        """List the tasks added to an item."""
        return await self.tasks_below(identity).list(**query)

    async def comments(self, identity: int, **query: Unpack[Query]) -> Envelope[Comment]:
        """List the comments on an item."""
        return await self.comments_below(identity).list(**query)

    async def attachments(self, identity: int, **query: Unpack[Query]) -> Envelope[Attachment]:
        """List the files attached to an item."""
        return await self.attachments_below(identity).list(**query)

    def tasks_below(self, identity: int) -> Listing[WorkItem]:
        """Return the list of an item's tasks, for paging or reading as received."""
        return Listing(self._calls, f"{self._path}/{identity}/tasks", WorkItem)

    def comments_below(self, identity: int) -> Listing[Comment]:
        """Return the list of an item's comments, for paging or reading as received."""
        return Listing(self._calls, f"{self._path}/{identity}/comments", Comment)

    def attachments_below(self, identity: int) -> Listing[Attachment]:
        """Return the list of an item's attachments, for paging or reading as received."""
        return Listing(self._calls, f"{self._path}/{identity}/attachments", Attachment)

    async def delete(self, identity: int, if_match: str | None = None) -> None:
        """Delete one permanently; raise PreconditionFailed if `if_match` is outdated."""
        headers = {"If-Match": if_match} if if_match else None
        await self._calls.call("DELETE", f"{self._path}/{identity}", headers=headers)

    async def rank(self, identity: int, place: Document) -> Document:
        """Move an item in the backlog: {before|after: id} or {top|bottom: true}; an extension."""
        answer = await self._calls.call("POST", f"{self._path}/{identity}/rank", body=place)
        return answer.document()


class Comments(Resource[Comment]):
    """Comments, which are immutable."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls, f"{API}comments", Comment)

    async def attachments(self, identity: int, **query: Unpack[Query]) -> Envelope[Attachment]:
        """List the files attached to a comment."""
        return await Listing(self._calls, f"{self._path}/{identity}/attachments", Attachment).list(**query)


class Attachments(Resource[Attachment]):
    """Attachments without their contents, which `transfers` moves."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls, f"{API}attachments", Attachment)

    async def delete(self, identity: int) -> None:
        """Delete one permanently; try the address's other spelling after a 404."""
        try:
            await super().delete(identity)
        except (NotFound, MethodNotAllowed) as error:
            try:
                await self._calls.call("DELETE", f"{API}attachment/{identity}")
            except (NotFound, MethodNotAllowed, BadRequest):
                raise error from None


class Nodes(Resource[NodeT]):
    """Areas or iterations: the nodes of a project's tree."""

    def __init__(self, calls: Calls, noun: str, model: type[NodeT]) -> None:
        super().__init__(calls, f"{API}{noun}", model)
        self._noun = noun

    async def of_project(self, project_id: int, **query: Unpack[Query]) -> Envelope[NodeT]:
        """List the nodes of one project."""
        return await self.in_project(project_id).list(**query)

    def in_project(self, project_id: int) -> Listing[NodeT]:
        """Return the list of a project's nodes, for paging or reading as received."""
        return Listing(self._calls, f"{API}projects/{project_id}/{self._noun}", self._model)

    async def delete(self, identity: int, reassignment_id: int | None = None) -> None:
        """Delete a node and its descendants; move their items to `reassignment_id`, or to the root for None."""
        query = {} if reassignment_id is None else {"reassignmentId": reassignment_id}
        await self._calls.call("DELETE", f"{self._path}/{identity}", query)


class Users(Resource[User]):
    """Licensed users, read-only."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls, f"{API}users", User)

    async def me(self) -> User:
        """Read the signed-in user."""
        return read_model(User, await self.my_document())

    async def my_document(self) -> Document:
        """Read the signed-in user, as received."""
        return (await self._calls.call("GET", f"{self._path}/me")).document()


class Projects(Resource[Project]):
    """Projects; the interface does not fix the address of their list, so the client looks for it."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls, f"{API}projects", Project)

    async def time_entry_types(self, project_id: int, **query: Unpack[Query]) -> Envelope[TimeEntryType]:
        """List the time entry types of a project."""
        return await self.time_entry_types_of(project_id).list(**query)

    def time_entry_types_of(self, project_id: int) -> Listing[TimeEntryType]:
        """Return the list of a project's time entry types, for paging or reading as received."""
        return Listing(self._calls, f"{self._path}/{project_id}/timeentrytypes", TimeEntryType)

    async def _envelope(self, query: Query) -> dict[str, Any]:
        """Return the list below the resource root, or below /api, or the projects of the root areas."""
        for path in (self._path, "api/projects"):
            try:
                return await Listing(self._calls, path, Project)._envelope(query)  # noqa: SLF001  the same class
            except (NotFound, MethodNotAllowed, BadRequest, Forbidden):
                continue
        return await self._from_root_areas()

    async def _from_root_areas(self) -> dict[str, Any]:
        found: dict[int, dict[str, Any]] = {}
        async for page in self._area_pages():
            for area in page.results:
                if area.get("parentId") == -1 and isinstance(area.get("projectId"), int):
                    found[area["projectId"]] = {"id": area["projectId"], "name": str(area.get("name") or "")}
        return {"totalResults": len(found), "top": len(found), "results": list(found.values())}

    def _area_pages(self) -> AsyncIterator[Page]:
        return Listing(self._calls, f"{API}areas", Area).pages()


def areas_of(calls: Calls) -> Nodes[Area]:
    """Return the areas of all visible projects."""
    return Nodes(calls, "areas", Area)


def iterations_of(calls: Calls) -> Nodes[Iteration]:
    """Return the iterations and releases of all visible projects."""
    return Nodes(calls, "iterations", Iteration)
