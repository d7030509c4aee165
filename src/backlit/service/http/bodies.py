"""Bodies of requests on arrival, with limits of time, rate and waiting requests, and HTML forms."""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import TypeVar
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from backlit.model.errors import BadRequest, TooManyRequests, UnsupportedMedia
from backlit.service.storage.settings import ServiceLimits

BODY_KEY = "backlit.body"
"""Key of the body in a request's scope."""
RETRY_AFTER = 2
DRAINED_BYTES = 1024 * 1024
"""Bytes of an unread body that are drained so that a sending caller can read the response."""

Result = TypeVar("Result")


class RequestSlots:
    """Slots of running requests, and the shares of addresses among requests that wait for their bodies."""

    def __init__(self, most: int, limits: ServiceLimits) -> None:
        self.limits = limits
        self._free = asyncio.Semaphore(most)
        self._waiting: Counter[str | None] = Counter()

    @property
    def are_taken(self) -> bool:
        return self._free.locked()

    def enter_waiting(self, address: str | None) -> None:
        """Count a request that waits for its body; raise TooManyRequests. The address None has no limit."""
        if address is not None and self._waiting[address] >= self.limits.bodies_per_address:
            sentence = "Too many requests from your address wait for their bodies. Try again in a moment."
            raise TooManyRequests(sentence, retry_after=RETRY_AFTER)
        self._waiting[address] += 1

    def leave_waiting(self, address: str | None) -> None:
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address]

    async def take(self) -> None:
        """Take a slot, after those who wait for one already."""
        await self._free.acquire()

    def give_back(self) -> None:
        self._free.release()


class RequestSlot:
    """The slot of one request, which it gives back while it waits for its caller."""

    def __init__(self, slots: RequestSlots) -> None:
        self._slots = slots
        self._is_held = False

    async def take(self) -> None:
        await self._slots.take()
        self._is_held = True

    def give_back(self) -> None:
        if self._is_held:
            self._is_held = False
            self._slots.give_back()

    async def given_back_during(self, waiting: Awaitable[Result]) -> Result:
        """Wait for the caller without the slot; a failed wait ends the request, which then needs none."""
        was_held = self._is_held
        self.give_back()
        result = await waiting
        if was_held:
            await self.take()
        return result


class RequestBody:
    """The body of one request on arrival."""

    def __init__(
        self, scope: Scope, receive: Receive, slots: RequestSlots, slot: RequestSlot, address: str | None
    ) -> None:
        self.is_whole = False
        # With `Expect: 100-continue` the caller sends nothing until it is asked, and reading is what asks it.
        self._is_held_back = any(name == b"expect" for name, _ in scope["headers"])
        self._receive = receive
        self._slots = slots
        self._limits = slots.limits
        self._slot = slot
        self._address = address
        self._is_waiting = False
        self._coming: asyncio.Task[Message] | None = None
        self._size = 0
        self._waited = 0.0

    async def has_arrived(self) -> bool:
        """Return True if the rest of the body has arrived; neither waits for it nor asks the caller for it."""
        if self.is_whole or self._is_held_back:
            return self.is_whole
        # Whether a body is here decides whether its sender has to be signed in first, and the common request has all of
        # it in the same bytes as its head.
        coming = self._next()
        if not coming.done():
            # One turn of the loop lets a body that is already here arrive.
            await asyncio.sleep(0)
        return coming.done() and not coming.exception() and not coming.result().get("more_body", False)

    async def receive(self) -> Message:
        """Return the next piece, as ASGI has it; raises the answer 408 when it comes too slowly."""
        if self.is_whole:
            return await self._receive()
        self._is_held_back = False
        coming = self._next()
        if not coming.done():
            await asyncio.sleep(0)
        if not coming.done():
            if not self._is_waiting:
                self._slots.enter_waiting(self._address)
                self._is_waiting = True
            # A slow sender must not hold a slot that a request with its body could use.
            await self._slot.given_back_during(self._wait(coming))
        self._coming = None
        message = coming.result()
        self._size += len(message.get("body", b""))
        if not message.get("more_body", False):
            self.is_whole = True
            self._end_waiting()
        return message

    async def drop(self) -> None:
        """Drain the rest for a moment: unread bytes would cut off the response."""
        until = asyncio.get_running_loop().time() + self._limits.linger
        dropped = 0
        self._slot.give_back()
        while not self.is_whole and dropped < DRAINED_BYTES:
            coming = self._next()
            await asyncio.wait([coming], timeout=until - asyncio.get_running_loop().time())
            if not coming.done():
                break
            self._coming = None
            message = coming.result()
            dropped += len(message.get("body", b""))
            self.is_whole = not message.get("more_body", False)

    def close(self) -> None:
        self._end_waiting()
        if self._coming is not None:
            self._coming.cancel()

    def _next(self) -> "asyncio.Task[Message]":
        """Return the task of the next piece; a cancelled wait would lose the piece."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(self._receive())
        return self._coming

    async def _wait(self, coming: "asyncio.Task[Message]") -> None:
        loop, limits = asyncio.get_running_loop(), self._limits
        began = loop.time()
        allowed = min(limits.body, limits.body_grace + self._size / limits.body_rate)
        # Only waits count, not the time in which the service itself is busy: a caller must not be refused for the
        # server's load.
        await asyncio.wait([coming], timeout=min(limits.stall, allowed - self._waited))
        self._waited += loop.time() - began
        if not coming.done():
            raise HTTPException(408, "The body came too slowly. Send it again", {"connection": "close"})

    def _end_waiting(self) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._slots.leave_waiting(self._address)


FORM_FIELD_LIMIT = 4096
FORM_FIELDS = 20
FORM_LIMIT = 256 * 1024
"""Bytes of a form, which is sent before sign-in."""
_FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


async def read_form(request: Request) -> dict[str, str]:
    """Read a form's fields, url-encoded (also without a type) or multipart; raises BadRequest or UnsupportedMedia."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind:
        values = _form_in(await request.body())
    elif kind in _FORM_TYPES:
        async with request.form(max_files=0, max_fields=FORM_FIELDS, max_part_size=FORM_FIELD_LIMIT) as form:
            values = {name: value for name, value in form.items() if not isinstance(value, UploadFile)}
    else:
        raise UnsupportedMedia("Send a form: application/x-www-form-urlencoded or multipart/form-data.")
    if any(len(value) > FORM_FIELD_LIMIT for value in values.values()):
        raise BadRequest("A field of the form is too long.")
    if not all(_is_text(value) for value in values.values()):
        raise BadRequest("A field of the form is not text.")
    return values


def _form_in(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FORM_FIELDS))
    except ValueError:
        raise BadRequest("The body is not a form.") from None


def _is_text(value: str) -> bool:
    """Return True for storable text, without NUL or half surrogate pairs."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
