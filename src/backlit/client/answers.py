"""Reading of the service's responses: bodies within limits, JSON checked against the model, errors by table."""

import email.utils
import time
import zlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing, suppress
from typing import Any

import httpx
import orjson

from backlit.client.network import server_of, speaking_proxy
from backlit.model.errors import BacklitError, ServiceError, SignInNeeded, Unauthorized, Unavailable, error_for
from backlit.model.plain import plain, redacted

TEXT_LIMIT = 300
MAY_HAVE_HAPPENED = frozenset({502, 504})
"""Statuses of gateways that do not know whether the server acted."""
# A gateway with a wrong clock must not silence the program for days.
_LONGEST_WAIT = 6 * 3600.0
"""Seconds; the longest Retry-After that the client obeys."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Section 7 of the interface leaves the form of errors open. These are the keys of common frameworks and of OAuth.
_MESSAGE_KEYS = ("message", "error", "exceptionmessage", "error_description", "detail", "title")
_SENTENCES: Mapping[int, str] = {
    400: "{server} rejected the request as invalid.",
    403: "You do not have permission for this.",
    404: "Not found, or you have no access to it.",
    405: "{server} does not support this here.",
    407: "A proxy on the way to {server} asks for a user name and a password (407).",
    409: "The change conflicts with the current data.",
    412: "Someone else changed the item in the meantime.",
    413: "The request is larger than {server} allows.",
    415: "{server} does not accept this kind of content.",
    429: "Too many requests. {server} asks to slow down.",
    502: "The gateway of {server} cannot reach it (502).",
    503: "{server} is unavailable (503).",
    504: "{server} did not answer its gateway in time (504).",
}
_REQUEST_ID = "x-request-id"
"""A header that the service sends with every response."""


def json_object(body: bytes, response_label: str) -> dict[str, Any]:
    """Read a JSON object with valid numbers; raise ServiceError for anything else.

    `response_label` names the response in the sentence, as the function of that name writes it.
    """
    try:
        value = orjson.loads(body.removeprefix(_BYTE_ORDER_MARK))
    except orjson.JSONDecodeError:
        raise ServiceError(f"{response_label} is not JSON. Check the address.") from None
    if not isinstance(value, dict):
        raise ServiceError(f"{response_label} does not match the interface.")
    check_numbers(value, response_label)
    return value


def error_of(request: httpx.Request, status: int, headers: Mapping[str, str], body: bytes) -> BacklitError:
    """Translate an error response; its text is cleaned of control characters and cut."""
    failure = failure_between(request, status, headers, body)
    if failure is not None:
        return failure
    server = server_of(request.url)
    message, errors = _parsed_error(server, status, body)
    if status == Unauthorized.status:
        return SignInNeeded(f"Your sign-in at {server} has expired. Sign in again.")
    if 300 <= status < 400:
        return ServiceError(
            f"{server} redirects to another address ({status}). backlit does not follow redirects: check the address."
        )
    return error_for(status, message, errors, retry_after(headers))


def failure_between(
    request: httpx.Request, status: int, headers: Mapping[str, str], body: bytes
) -> BacklitError | None:
    """Return the error of an answer that came through a proxy and not from the interface; None for any other.

    The interface answers with an object, and the service with an id of the request. Where a proxy says no, the server
    refused nothing: a change goes on waiting, and a sign-in is kept.
    """
    proxy = speaking_proxy(request)
    if proxy is None or _REQUEST_ID in headers or isinstance(_json_in(body), dict):
        return None
    return Unavailable(proxy.answer_of_others(status, request.url), None, retry_after(headers))


def refusal_of_sign_in(request: httpx.Request, status: int, headers: Mapping[str, str], body: bytes) -> BacklitError:
    """Translate the token endpoint's error; rejected credentials are Unauthorized."""
    failure = failure_between(request, status, headers, body)
    if failure is None and status in (400, 401, 403):
        server = server_of(request.url)
        message, errors = _parsed_error(server, status, body)
        fallback = "Wrong user name, password or code, or this kind of sign-in is not allowed."
        return Unauthorized(message if message != _sentence(server, status) else fallback, errors)
    return failure or error_of(request, status, headers, body)


def retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), _LONGEST_WAIT)
    try:
        moment = email.utils.parsedate_to_datetime(text)
        seconds = moment.timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), _LONGEST_WAIT)


def _sentence(server: str, status: int) -> str:
    return _SENTENCES.get(status, f"{{server}} responded with error {status}.").format(server=server)


def _parsed_error(server: str, status: int, body: bytes) -> tuple[str, dict[str, str]]:
    """Return the body's message for people: from the usual keys, or as plain text."""
    value, sentence = _json_in(body), _sentence(server, status)
    if value is _NO_JSON:
        return _plain_message(sentence, body.removeprefix(_BYTE_ORDER_MARK)), {}
    if isinstance(value, str):
        return _tidy(value) or sentence, {}
    if not isinstance(value, dict):
        return sentence, {}
    by_key = {key.lower(): text for key, text in value.items()}
    message = next((text for key in _MESSAGE_KEYS if isinstance(text := by_key.get(key), str) and text.strip()), "")
    return _tidy(message) or sentence, _field_errors(by_key.get("errors"))


_NO_JSON = object()


def _json_in(body: bytes) -> object:
    try:
        return orjson.loads(body.removeprefix(_BYTE_ORDER_MARK))
    except orjson.JSONDecodeError:
        return _NO_JSON


def _plain_message(sentence: str, body: bytes) -> str:
    text = body[: TEXT_LIMIT * 4].decode("utf-8", "replace").strip()
    # A page of a gateway or a framework says nothing to a person here.
    if not text or text.startswith("<"):
        return sentence
    return f"{sentence} {_tidy(text)}"[:TEXT_LIMIT]


def _field_errors(errors: object) -> dict[str, str]:
    if not isinstance(errors, dict):
        return {}
    texts = {key: text[0] if isinstance(text, list) and text else text for key, text in errors.items()}
    return {plain(key, 100): _tidy(text) for key, text in list(texts.items())[:100] if isinstance(text, str)}


def _tidy(text: str) -> str:
    return plain(redacted(text.strip()), TEXT_LIMIT)


LARGEST_SQLITE_INTEGER = 2**63 - 1
"""The largest whole number that SQLite can hold."""
_LARGEST_FRACTION = 1e300
"""The largest float of which some hundred thousand can be added up."""
_DEEPEST = 64
_LEAST_VALUES = {
    **dict.fromkeys(("projectId", "parentId", "workItemId", "commentId"), -1),
    **dict.fromkeys(("AreaID", "IterationID", "ParentID", "AssignedToID", "TeamID"), -1),
    **dict.fromkeys(("totalResults", "size", "revision"), 0),
}
"""The least value of a field; some services write -1 for null references."""
_Place = tuple[Any, ...]
"""The place of the container and the key or index in it; None for the response itself."""
_RESOURCES = frozenset({0, 2})
"""The depths of resources: the response itself, and the entries of its list."""


def check_numbers(document: dict[str, Any], response_label: str) -> None:
    """Raise ServiceError that names the field for an invalid number or too deep nesting.

    `response_label` names the response.
    """
    # Level by level and without recursion: a hostile nesting must not reach Python's own limit.
    level: list[tuple[_Place, Any]] = [((), document)]
    for depth in range(_DEEPEST):
        deeper: list[tuple[_Place, Any]] = []
        for place, holder in level:
            for key, value in _entries(holder):
                # Exact types: `True` is an `int` to isinstance, and this loop runs over every value of a page.
                kind = type(value)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    deeper.append(((place, key), value))
                elif (kind is int and not _least(key, depth) <= value <= LARGEST_SQLITE_INTEGER) or (
                    kind is float and not -_LARGEST_FRACTION <= value <= _LARGEST_FRACTION
                ):
                    fault = f"{_named((place, key))} is {value}, which is not a valid value"
                    raise ServiceError(f"{response_label} cannot be used: {fault}.")
        if not deeper:
            return
        level = deeper
    raise ServiceError(f"{response_label} cannot be used: it is nested too deep.")


def _named(place: _Place) -> str:
    parts: list[str] = []
    while place:
        place, key = place
        parts.append(str(key)[:80])
    return plain(".".join(reversed(parts)), 200)


def _entries(holder: Any) -> Iterable[tuple[Any, Any]]:
    return holder.items() if type(holder) is dict else enumerate(holder)


def _least(key: object, depth: int) -> int:
    if key == "id" and depth in _RESOURCES:
        return 1
    return _LEAST_VALUES.get(key, -LARGEST_SQLITE_INTEGER - 1) if type(key) is str else -LARGEST_SQLITE_INTEGER - 1


BODY_LIMIT = 64 * 1024 * 1024
"""Bytes of a JSON response after decompression: many times the largest page."""
ERROR_LIMIT = 64 * 1024
"""Bytes read of an error response."""
GRANT_LIMIT = 256 * 1024
"""Bytes of a sign-in response."""
FILE_LIMIT = 8 * 1024**3
"""Bytes of a file without a size from the service."""
# What Python 3.11 inflates by itself, and in bounded pieces: neither Brotli nor Zstandard.
ENCODINGS = "gzip, deflate"
"""The accepted content encodings, one at a time."""
# Shared by all attempts: with 120 s for each of four, a server that drips held a command for eight minutes. It is not
# less, so that a page still arrives over a slow line.
LONGEST_ANSWER = 120.0
"""Seconds for the whole response to a request, its repeats included, against a server that drips forever."""
_PIECE = 256 * 1024
_AUTOMATIC = 32 + zlib.MAX_WBITS


def response_label(request: httpx.Request) -> str:
    """Name a response by its service, address and proxy, as the subject of a sentence."""
    proxy = speaking_proxy(request)
    label = plain(f"The response of {server_of(request.url)} to {request.method} {request.url.path}", 200)
    return label if proxy is None else f"{label} through {proxy},"


async def read_body(response: httpx.Response, limit: int = BODY_LIMIT) -> bytes:
    """Read a streamed response whole, and an error response up to ERROR_LIMIT.

    Raises ServiceError past the limit, and httpx's errors for a broken response.
    """
    if response.status_code >= 300:
        return await _read_error(response)
    body = bytearray()
    async with aclosing(decoded(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                raise ServiceError(f"{response_label(response.request)} is too large: more than {limit:,} bytes.")
    return bytes(body)


async def _read_error(response: httpx.Response) -> bytes:
    body = bytearray()
    with suppress(ServiceError, httpx.RequestError):
        async with aclosing(decoded(response)) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) >= ERROR_LIMIT:
                    break
    return bytes(body[:ERROR_LIMIT])


async def decoded(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield a streamed body without its content encoding, at most 256 KiB at once.

    Raises ServiceError for an encoding outside Accept-Encoding, httpx's DecodingError for a malformed body.
    """
    given = response.headers.get("content-encoding", "")
    encodings = [each for part in given.split(",") if (each := part.strip().lower()) not in {"", "identity"}]
    if not encodings:
        async for piece in response.aiter_raw():
            for start in range(0, len(piece), _PIECE):
                yield piece[start : start + _PIECE]
        return
    if encodings not in (["gzip"], ["x-gzip"], ["deflate"]):
        raise ServiceError(f"{response_label(response.request)} uses an unsupported compression.")
    inflating = _Decompressor(response.request)
    async for piece in response.aiter_raw():
        inflating.take(piece)
        while part := inflating.part():
            yield part
    inflating.end()


# httpx inflates each received piece whole, and a kilobyte of deflate may hold a megabyte: past the limit on the body
# before anybody can count.
class _Decompressor:
    """Decompressor of gzip and deflate (with or without its header) in bounded pieces."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request
        self._inflate = zlib.decompressobj(_AUTOMATIC)
        self._left = b""
        self._is_empty = True
        self._is_begun = False

    def take(self, raw: bytes) -> None:
        self._left += raw
        self._is_empty = self._is_empty and not raw

    def part(self) -> bytes:
        """Return the next part of the body; empty until more bytes arrive."""
        if self._inflate.eof:
            return b""
        try:
            part = self._inflate.decompress(self._left, _PIECE)
        except zlib.error as error:
            if self._is_begun:
                raise self._failed() from error
            # Some servers send deflate without the zlib header that the standard asks for.
            self._is_begun, self._inflate = True, zlib.decompressobj(-zlib.MAX_WBITS)
            return self.part()
        self._is_begun = self._is_begun or bool(part)
        self._left = self._inflate.unconsumed_tail
        return part

    def end(self) -> None:
        """End the body; raise httpx's DecodingError if it is incomplete."""
        if not (self._is_empty or self._inflate.eof):
            raise self._failed()

    def _failed(self) -> httpx.DecodingError:
        return httpx.DecodingError("The body is not compressed as its headers declare.", request=self._request)
