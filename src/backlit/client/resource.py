"""Operations on any noun of the service: list, page, get, create, update, delete."""

from collections.abc import AsyncIterator, Mapping
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, Unpack

import orjson

from backlit.client.answers import read_model
from backlit.client.calls import Calls, QueryValue
from backlit.client.envelope import Envelope
from backlit.model.errors import BadRequest, ServiceError, Unclear
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
