"""From what a server answers to what the program understands: bounded bodies, JSON where promised, errors by table."""

import email.utils
import time
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx
import orjson
import pydantic

from backlit.model.errors import BacklitError, ServiceError, SignInNeeded, Unauthorized, error_for
from backlit.model.plain import plain
from backlit.model.secrets import redacted

BODY_LIMIT = 64 * 1024 * 1024
"""Bytes, after decompression: many times the largest page, and little enough to survive a lying server."""
TEXT_LIMIT = 300
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MESSAGE_KEYS = ("message", "error", "exceptionmessage", "error_description", "detail", "title")
_SENTENCES: Mapping[int, str] = {
    400: "The service refused the request as invalid.",
    403: "You may not do this here.",
    404: "Not there, or not visible to you.",
    405: "The service does not do this here.",
    409: "The change collides with what is there now.",
    412: "It was changed meanwhile.",
    413: "That is larger than the service takes.",
    415: "The service does not read this kind of content.",
    429: "The service asks to slow down.",
    502: "The service cannot be reached behind its gateway (502).",
    503: "The service is not available right now (503).",
    504: "The service did not answer its gateway in time (504).",
}

ModelT = TypeVar("ModelT", bound=pydantic.BaseModel)


async def read_body(response: httpx.Response) -> bytes:
    """Read a streamed answer whole; raises ServiceError past the limit, and httpx's errors when it breaks off."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > BODY_LIMIT:
            raise ServiceError("The service's answer is too large to be read.")
        parts.append(part)
    return b"".join(parts)


def json_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object; anything else is an answer that makes no sense (ServiceError)."""
    try:
        value = orjson.loads(body.removeprefix(_BYTE_ORDER_MARK))
    except orjson.JSONDecodeError:
        raise ServiceError("The service's answer is not JSON; is this the right address?") from None
    if not isinstance(value, dict):
        raise ServiceError("The service's answer is not what its interface promises.")
    return value


def read_model(model: type[ModelT], document: Mapping[str, Any]) -> ModelT:
    """Check a received document against its model; ServiceError names the first place that does not fit."""
    try:
        return model.model_validate(document)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = plain(".".join(str(part) for part in first["loc"]), 60)
        raise ServiceError(f"The service's answer is not what its interface promises ({place}).") from None


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> BacklitError:
    """Translate an answer that is not a success; its text is made harmless and short (FEATURES rule 8)."""
    message, errors = _told(status, body)
    if status == Unauthorized.status:
        return SignInNeeded("The service does not accept the sign-in any more. Sign in again.")
    if 300 <= status < 400:
        return ServiceError(f"The service points to another address ({status}); that is not followed.")
    return error_for(status, message, errors, retry_after(headers))


def refusal_of_sign_in(status: int, headers: Mapping[str, str], body: bytes) -> BacklitError:
    """Translate the token endpoint's answer: credentials that are not good are Unauthorized."""
    if status in (400, 401, 403):
        message, errors = _told(status, body)
        fallback = "The name, password or code is not right, or this kind of sign-in is not open to you."
        return Unauthorized(message if message != _sentence(status) else fallback, errors)
    return error_of(status, headers, body)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the service asks to wait, from either form of Retry-After; None where it says nothing usable."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _sentence(status: int) -> str:
    return _SENTENCES.get(status, f"The service answered with error {status}.")


def _told(status: int, body: bytes) -> tuple[str, dict[str, str]]:
    """What the body says for people, by the keys that servers of this kind use, else by plain text."""
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
