"""Reading of the service's responses: JSON checked against the model, errors by table."""

import email.utils
import time
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import orjson
import pydantic

from backlit.model.errors import BacklitError, ServiceError, SignInNeeded, Unauthorized, error_for
from backlit.model.plain import plain, redacted

TEXT_LIMIT = 300
_LONGEST_WAIT = 24 * 3600.0
"""Seconds; the longest Retry-After that the client obeys."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MESSAGE_KEYS = ("message", "error", "exceptionmessage", "error_description", "detail", "title")
_SENTENCES: Mapping[int, str] = {
    400: "The server rejected the request as invalid.",
    403: "You do not have permission for this.",
    404: "Not found, or you have no access to it.",
    405: "The server does not support this here.",
    409: "The change conflicts with the current data.",
    412: "Someone else changed the item in the meantime.",
    413: "The request is larger than the server allows.",
    415: "The server does not accept this kind of content.",
    429: "Too many requests. The server asks to slow down.",
    502: "The gateway cannot reach the server (502).",
    503: "The server is not available right now (503).",
    504: "The server did not answer its gateway in time (504).",
}

ModelT = TypeVar("ModelT", bound=pydantic.BaseModel)


def json_object(body: bytes, said_by: str) -> dict[str, Any]:
    """Read a JSON object with valid numbers; raise ServiceError for anything else.

    `said_by` names the response, as `bodies.said_by` does.
    """
    try:
        value = orjson.loads(body.removeprefix(_BYTE_ORDER_MARK))
    except orjson.JSONDecodeError:
        raise ServiceError("The server's response is not JSON. Check the address.") from None
    if not isinstance(value, dict):
        raise ServiceError("The server's response does not match the interface.")
    check_numbers(value, said_by)
    return value


def read_model(model: type[ModelT], document: Mapping[str, Any]) -> ModelT:
    """Check a received document against its model; ServiceError names the first mismatch."""
    try:
        return model.model_validate(document)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = plain(".".join(str(part) for part in first["loc"]), 60)
        raise ServiceError(f"The server's response does not match the interface ({place}).") from None


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> BacklitError:
    """Translate an error response; its text is cleaned of control characters and cut."""
    message, errors = _told(status, body)
    if status == Unauthorized.status:
        return SignInNeeded("Your sign-in has expired. Sign in again.")
    if 300 <= status < 400:
        return ServiceError(
            f"The server redirects to another address ({status}). backlit does not follow redirects: check the address."
        )
    return error_for(status, message, errors, retry_after(headers))


def refusal_of_sign_in(status: int, headers: Mapping[str, str], body: bytes) -> BacklitError:
    """Translate the token endpoint's error; rejected credentials are Unauthorized."""
    if status in (400, 401, 403):
        message, errors = _told(status, body)
        fallback = "Wrong user name, password or code, or this kind of sign-in is not allowed."
        return Unauthorized(message if message != _sentence(status) else fallback, errors)
    return error_of(status, headers, body)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait from either form of Retry-After; None without a usable value."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), _LONGEST_WAIT)
    try:
        moment = email.utils.parsedate_to_datetime(text)
        seconds = moment.timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), _LONGEST_WAIT)


def _sentence(status: int) -> str:
    return _SENTENCES.get(status, f"The server responded with error {status}.")


def _told(status: int, body: bytes) -> tuple[str, dict[str, str]]:
    """Return the body's message for people: from the usual keys, or as plain text."""
    body = body.removeprefix(_BYTE_ORDER_MARK)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _plain_told(status, body), {}
    if isinstance(value, str):
        return _tidy(value) or _sentence(status), {}
    if not isinstance(value, dict):
        return _sentence(status), {}
    by_key = {key.lower(): text for key, text in value.items()}
    told = next((text for key in _MESSAGE_KEYS if isinstance(text := by_key.get(key), str) and text.strip()), "")
    return _tidy(told) or _sentence(status), _field_errors(by_key.get("errors"))


def _plain_told(status: int, body: bytes) -> str:
    text = body[: TEXT_LIMIT * 4].decode("utf-8", "replace").strip()
    if not text or text.startswith("<"):
        return _sentence(status)
    return f"{_sentence(status)} {_tidy(text)}"[:TEXT_LIMIT]


def _field_errors(errors: object) -> dict[str, str]:
    if not isinstance(errors, dict):
        return {}
    texts = {key: text[0] if isinstance(text, list) and text else text for key, text in errors.items()}
    return {plain(key, 100): _tidy(text) for key, text in list(texts.items())[:100] if isinstance(text, str)}


def _tidy(text: str) -> str:
    return plain(redacted(text.strip()), TEXT_LIMIT)


LARGEST = 2**63 - 1
"""The largest whole number that SQLite can hold."""
_LARGEST_FRACTION = 1e300
"""The largest float of which some hundred thousand can be added up."""
_DEEPEST = 64
_LEAST = {
    **dict.fromkeys(("projectId", "parentId", "workItemId", "commentId"), -1),
    **dict.fromkeys(("AreaID", "IterationID", "ParentID", "AssignedToID", "TeamID"), -1),
    **dict.fromkeys(("totalResults", "size", "revision"), 0),
}
"""The least value of a field; some services write -1 for null references."""
_Place = tuple[Any, ...]
"""The place of the container and the key or index in it; None for the response itself."""
_RESOURCES = frozenset({0, 2})
"""The depths of resources: the response itself, and the entries of its list."""


def check_numbers(document: dict[str, Any], said_by: str) -> None:
    """Raise ServiceError that names the field for an invalid number or too deep nesting.

    `said_by` names the response.
    """
    level: list[tuple[_Place, Any]] = [((), document)]
    for depth in range(_DEEPEST):
        deeper: list[tuple[_Place, Any]] = []
        for place, holder in level:
            for key, value in _entries(holder):
                kind = type(value)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    deeper.append(((place, key), value))
                elif (kind is int and not _least(key, depth) <= value <= LARGEST) or (
                    kind is float and not -_LARGEST_FRACTION <= value <= _LARGEST_FRACTION
                ):
                    raise ServiceError(
                        f"{said_by} cannot be used: {_named((place, key))} is {value}, which is not a valid value."
                    )
        if not deeper:
            return
        level = deeper
    raise ServiceError(f"{said_by} cannot be used: it is nested too deep.")


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
    return _LEAST.get(key, -LARGEST - 1) if type(key) is str else -LARGEST - 1
