"""Nouns with operations of their own."""

from collections.abc import AsyncIterator
from typing import Any, TypeVar, Unpack

from backlit.client.answers import read_model
from backlit.client.calls import Calls
from backlit.client.envelope import Envelope
from backlit.client.resource import API, Document, Listing, Page, Query, Resource
from backlit.model.attachments import Attachment
from backlit.model.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound
from backlit.model.resources import Area, Comment, Iteration, Project, TimeEntryType, User, WorkItem
from backlit.model.resources import Resource as Model

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
    """Projects; the interface does not fix the address of their list, so the client theme for it."""

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
