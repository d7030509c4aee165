"""What can be done with any noun of the service: list, page, get, create, update, delete."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, Unpack

from backlit.client.answers import read_model
from backlit.client.calls import Calls, QueryValue
from backlit.model.errors import BadRequest, ServiceError, Unclear
from backlit.model.lists import Envelope
from backlit.model.resources import Resource as Model

API = "api/v1/"
PAGE = 200
SAFE_PAGE = 100
"""What any service gives at once (SPEC 8)."""
ModelT = TypeVar("ModelT", bound=Model)
Document = dict[str, Any]


class Query(TypedDict, total=False):
    """What a list may be asked; `filter` and `order` are OData text, None means "not asked"."""

    top: int | None
    skip: int | None
    filter: str | None
    order: str | None


_OPTION_BY_NAME = {"top": "$top", "skip": "$skip", "filter": "$filter", "order": "$orderby"}


class Page(NamedTuple):
    """A page as received; `total` is a hint that may move while paging."""

    total: int
    results: list[Document]


class Fetched(NamedTuple):
    """A resource as received, and its version where the service names versions."""

    document: Document
    etag: str | None


class Listing(Generic[ModelT]):
    """One address that answers with a list envelope (SPEC 2.9)."""

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
        """Walk all pages, `top` results each, counting what came rather than what was promised (FEATURES rule 16)."""
        query.setdefault("top", PAGE)
        query["skip"] = query.get("skip") or 0
        page = await self._first_page(query)
        while page.results:
            yield page
            query["skip"] = (query["skip"] or 0) + len(page.results)
            if query["skip"] == page.total:
                return
            page = await self.documents(**query)

    async def _first_page(self, query: Query) -> Page:
        """The first page; where so many at once are refused, as many as SPEC 8 gives unasked (FEATURES rule 18)."""
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
    """One kind of resource; the variants named `document` give and take what travels, untouched."""

    async def fetch(self, identity: int) -> Fetched:
        """Read one as received, with its ETag; ServiceError where the answer is about something else."""
        answer = await self._calls.call("GET", f"{self._path}/{identity}")
        document = answer.document()
        if document.get("id") != identity:
            raise ServiceError("The service answered with something other than what it was asked for.")
        return Fetched(document, answer.etag())

    async def document(self, identity: int) -> Document:
        """Read one as received."""
        return (await self.fetch(identity)).document

    async def get(self, identity: int) -> ModelT:
        """Read one, checked; NotFound also where the caller may not see it."""
        return read_model(self._model, await self.document(identity))

    async def create_document(self, body: Mapping[str, Any]) -> Document:
        """Create one, never sent twice; Unclear when it may exist although no readable answer came."""
        answer = await self._calls.call("POST", self._path, body=dict(body))
        try:
            document = answer.document()
        except ServiceError as error:
            raise Unclear(f"{error.message} It may or may not have been created.") from None
        self._calls.clock.created(document.get("createdAt"))
        return document

    async def create(self, body: Mapping[str, Any]) -> ModelT:
        """Create one and read the answer, checked."""
        return read_model(self._model, await self.create_document(body))

    async def update_document(
        self, identity: int, changes: Mapping[str, Any], if_match: str | None = None, *, is_repeatable: bool = True
    ) -> Document:
        """Send only what changes, flat (SPEC 4.1); PreconditionFailed when `if_match` is no longer the version.

        What is not repeatable is not sent again after a lost answer: somebody may have changed the same meanwhile.
        """
        headers = {"If-Match": if_match} if if_match else None
        path = f"{self._path}/{identity}"
        answer = await self._calls.call("PUT", path, body=dict(changes), headers=headers, is_repeatable=is_repeatable)
        document = answer.document()
        self._calls.clock.changed(document.get("lastModifiedAt"))
        return document

    async def update(self, identity: int, changes: Mapping[str, Any]) -> ModelT:
        """Send only what changes and read the answer, checked."""
        return read_model(self._model, await self.update_document(identity, changes))

    async def delete(self, identity: int) -> None:
        """Delete one for good; what the answer says is not read (SPEC 4)."""
        await self._calls.call("DELETE", f"{self._path}/{identity}")


def _page_of(document: Document) -> Page:
    results = document.get("results")
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise ServiceError("The service's answer is not a list as its interface promises.")
    total = _count(document.get("totalResults"))
    return Page(len(results) if total is None else total, results)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
