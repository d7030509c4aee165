"""Client of the service: one attribute per noun, over the network or in this process."""

from collections.abc import Awaitable, Callable
from typing import Self

import httpx

from backlit.client.calls import USUAL, Calls, Pacing
from backlit.client.resources import (
    API,
    Attachments,
    Document,
    Nodes,
    Projects,
    Resource,
    Users,
    WorkItems,
)
from backlit.client.tokens import TokenCache
from backlit.client.transport import Application, InProcessTransport
from backlit.model.errors import BadRequest, MethodNotAllowed, NotFound


class Client:
    """A profile's connection to its service; `at` or `inside` opens it, `aclose` or `async with` closes it."""

    def __init__(self, calls: Calls, on_close: Callable[[], Awaitable[None]] | None = None) -> None:
        self._calls = calls
        self._on_close = on_close
        self.auth = calls.auth
        self.clock = calls.clock
        self.base_url = calls.base_url
        self.transfers = calls.transfers
        self.work_items = WorkItems(calls, "workitems")
        self.comments = Resource(calls, "comments")
        self.areas = Nodes(calls, "areas")
        self.iterations = Nodes(calls, "iterations")
        self.users = Users(calls, "users")
        self.projects = Projects(calls, "projects")
        self.attachments = Attachments(calls, "attachments")

    @classmethod
    def at(
        cls,
        base_url: str,
        tokens: TokenCache,
        pacing: Pacing = USUAL,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> Self:
        """Connect to the service at an address, with or without /api/v1; raise BadRequest for an invalid one."""
        return cls(Calls(root_of(base_url), tokens, transport, pacing))

    @classmethod
    def inside(
        cls,
        asgi: Application,
        tokens: TokenCache,
        base_url: str = "http://backlit.local",
        on_close: Callable[[], Awaitable[None]] | None = None,
        pacing: Pacing = USUAL,
    ) -> Self:
        """Connect to a started service in this process; `on_close` stops it with the client."""
        return cls(Calls(root_of(base_url), tokens, InProcessTransport(asgi), pacing), on_close)

    def watch(self, on_answer: Callable[[str, int, float], None]) -> None:
        """Observe each request: its method, the response's status (0 for none), and its seconds."""
        self._calls.on_answer = on_answer

    async def capabilities(self) -> Document | None:
        """Read the service's extensions; None from a service without any."""
        try:
            return (await self._calls.call("GET", f"{API}capabilities")).document()
        except (NotFound, MethodNotAllowed, BadRequest):
            return None

    async def aclose(self) -> None:
        """Close the connections and abandon running requests."""
        try:
            await self._calls.aclose()
        finally:
            if self._on_close is not None:
                await self._on_close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def root_of(base_url: str) -> httpx.URL:
    """Return the base address with one slash at its end; raise BadRequest for secrets or other schemes."""
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL:
        raise BadRequest("The address is not a web address. Use https://host.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise BadRequest("The address of a server must begin with https:// or http://.")
    if url.userinfo or url.query or url.fragment:
        raise BadRequest("The address of a server must not contain a user name, password, query or fragment.")
    path = url.path.rstrip("/").removesuffix("/api/v1").removesuffix("/api").rstrip("/")
    return url.copy_with(path=f"{path}/")
