"""Everything that can go wrong, each with its HTTP status and a sentence for the user."""

from collections.abc import Mapping
from types import MappingProxyType

from backlit.model.plain import plain


class BacklitError(Exception):
    """The root of the error tree; `str(error)` is one or more sentences fit to be shown.

    `errors` says what is wrong with single fields, by key (DECISIONS "Errors"). `status` is the HTTP
    status it has on the wire; 0 for errors that never travel.
    """

    status = 0

    def __init__(self, message: str, errors: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.errors: Mapping[str, str] = MappingProxyType(dict(errors or {}))


class ServiceRefused(BacklitError):
    """The service understood the request and said no; trying it again unchanged is of no use."""


class BadRequest(ServiceRefused):
    """Malformed or invalid input."""

    status = 400


class Unauthorized(ServiceRefused):
    """No token, or one that is no longer good."""

    status = 401


class Forbidden(ServiceRefused):
    """Signed in, but without the right to do this."""

    status = 403


class NotFound(ServiceRefused):
    """Unknown, or not visible to the caller; the two are never told apart."""

    status = 404


class MethodNotAllowed(ServiceRefused):
    """The address exists but does not take this method."""

    status = 405


class Conflict(ServiceRefused):
    """The change collides with what is there now."""

    status = 409


class PreconditionFailed(ServiceRefused):
    """If-Match named a version that is no longer the current one."""

    status = 412


class TooLarge(ServiceRefused):
    """The body is larger than the service takes."""

    status = 413


class UnsupportedMedia(ServiceRefused):
    """The body's content type is not one the address reads."""

    status = 415


class OtherOrigin(ServiceRefused):
    """The service wants a password or code sent elsewhere than to its own origin; the user has to approve that once."""

    def __init__(self, own: str, other: str) -> None:
        open_words = " without encryption" if own.startswith("https:") and other.startswith("http:") else ""
        super().__init__(
            f"The service at {own} wants sign-ins sent to {plain(other, 100)}{open_words}, which is another address;"
            " nothing was sent there."
        )
        self.other = other


class Trouble(BacklitError):
    """Something that may pass: the same request may succeed later; after `retry_after` seconds where that was said."""

    def __init__(
        self,
        message: str,
        errors: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, errors)
        self.retry_after = retry_after


class TooManyRequests(Trouble):
    """The caller is asked to slow down."""

    status = 429


class ServiceError(Trouble):
    """The service failed (5xx), or its answer made no sense."""

    status = 500


class Unavailable(ServiceError):
    """The service, or what stands before it, says that it cannot answer anything for the moment."""

    status = 503


class Offline(Trouble):
    """The request did not reach the service: nothing was changed there."""


class Unclear(Trouble):
    """The request was sent but no answer came back: it may or may not have taken effect."""


class SignInNeeded(BacklitError):
    """No usable token is left for this profile; the user has to sign in."""

    status = 401


class StorageError(BacklitError):
    """A local file could not be read or written."""


ERROR_BY_STATUS: Mapping[int, type[BacklitError]] = MappingProxyType(
    {
        kind.status: kind
        for kind in (
            BadRequest,
            Unauthorized,
            Forbidden,
            NotFound,
            MethodNotAllowed,
            Conflict,
            PreconditionFailed,
            TooLarge,
            UnsupportedMedia,
            TooManyRequests,
            ServiceError,
            Unavailable,
        )
    }
)
_PASSING = frozenset({408, 425, 502, 503, 504})


def error_for(
    status: int,
    message: str,
    errors: Mapping[str, str] | None = None,
    retry_after: float | None = None,
) -> BacklitError:
    """Make the error an HTTP status stands for; what gateways say is Unavailable, unknown 4xx are BadRequest."""
    if status in _PASSING:
        return Unavailable(message, errors, retry_after)
    kind = ERROR_BY_STATUS.get(status, ServiceError if status >= 500 else BadRequest)
    return kind(message, errors, retry_after) if issubclass(kind, Trouble) else kind(message, errors)
