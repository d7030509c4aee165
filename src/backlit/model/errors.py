"""Error tree: each error has its HTTP status and a sentence for the user."""

from collections.abc import Mapping
from types import MappingProxyType

from backlit.model.plain import plain


class BacklitError(Exception):
    """Root of the error tree; `str(error)` is one or more sentences for the user.

    `errors` maps keys of fields to sentences. `status` is the HTTP status, 0 for errors that never
    travel.
    """

    status = 0

    def __init__(self, message: str, errors: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.errors: Mapping[str, str] = MappingProxyType(dict(errors or {}))


class ServiceRefused(BacklitError):
    """A request that the service understood and rejected; a retry without change is useless."""


class BadRequest(ServiceRefused):
    """Malformed or invalid input."""

    status = 400


class Unauthorized(ServiceRefused):
    """A request without a valid token."""

    status = 401


class Forbidden(ServiceRefused):
    """A request beyond the rights of the signed-in user."""

    status = 403


class NotFound(ServiceRefused):
    """An unknown or invisible resource; callers cannot distinguish the two."""

    status = 404


class MethodNotAllowed(ServiceRefused):
    """A method that the address does not support."""

    status = 405


class Conflict(ServiceRefused):
    """A change in conflict with the current data."""

    status = 409


class PreconditionFailed(ServiceRefused):
    """An outdated version in If-Match."""

    status = 412


class TooLarge(ServiceRefused):
    """A body over the service's limit."""

    status = 413


class UnsupportedMedia(ServiceRefused):
    """A content type that the address does not accept."""

    status = 415


class OtherOrigin(ServiceRefused):
    """A sign-in address on another origin than the service's own, which the user has to approve once."""

    def __init__(self, own: str, other: str) -> None:
        open_words = " without encryption" if own.startswith("https:") and other.startswith("http:") else ""
        super().__init__(
            f"The server at {own} wants sign-ins sent to {plain(other, 100)}{open_words}, which is another address."
            " No credentials were sent."
        )
        self.other = other


class TransientError(BacklitError):
    """A passing failure: the same request may succeed later, after `retry_after` seconds if known."""

    def __init__(self, message: str, errors: Mapping[str, str] | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, errors)
        self.retry_after = retry_after


class TooManyRequests(TransientError):
    """A request over the rate limit."""

    status = 429


class ServiceError(TransientError):
    """A failure of the service (5xx), or a malformed response."""

    status = 500


class Unavailable(ServiceError):
    """A service, or a proxy before it, that is unavailable for now."""

    status = 503


class StorageFull(ServiceError):
    """A change that the service could not store for lack of space."""

    status = 507


class Offline(TransientError):
    """A request that did not reach the service and changed nothing."""


class UntrustedServer(Offline):
    """A server whose certificate is signed by no authority that this machine trusts; nothing was sent.

    `fingerprint` is that of its key where the certificate was looked at, with its `details` in lines.
    """

    fingerprint = ""
    details = ""


class OutcomeUnknown(TransientError):
    """A request without a response, which may or may not have taken effect."""


class SignInNeeded(BacklitError):
    """A profile without a usable token; the user has to sign in."""

    status = 401


class AnswerNeeded(BadRequest):
    """A question that cannot be asked, as there is no terminal; the sentence names the option that answers it."""


class UsageFault(BadRequest):
    """Words of a command line that do not go together, or that one is missing of."""


class QueryFault(BadRequest):
    """A query or a filter that cannot be read."""


class UnknownName(BadRequest):
    """A name of a field, a column or a topic that does not exist."""


class NameNotFound(BadRequest):
    """A project, iteration, person, team, view or profile that is unknown here, or a name of several."""


class PartlyDone(BacklitError):
    """An act on several things of which some were not done."""


class StorageError(BacklitError):
    """A failure to read or write a local file."""


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
            StorageFull,
        )
    }
)
EXIT_BY_ERROR: Mapping[type[BacklitError], int] = MappingProxyType(
    {
        AnswerNeeded: 2,
        UsageFault: 2,
        QueryFault: 2,
        UnknownName: 2,
        SignInNeeded: 3,
        Unauthorized: 3,
        NotFound: 4,
        NameNotFound: 4,
        Offline: 5,
        OutcomeUnknown: 5,
        Unavailable: 5,
        BadRequest: 6,
        Forbidden: 6,
        MethodNotAllowed: 6,
        OtherOrigin: 6,
        TooLarge: 6,
        TooManyRequests: 6,
        UnsupportedMedia: 6,
        Conflict: 7,
        PreconditionFailed: 7,
        PartlyDone: 8,
    }
)
"""The exit codes of commands, of an error and those below it; any other error ends with 1."""
EXIT_MEANINGS: Mapping[int, str] = MappingProxyType(
    {
        0: "done, and the server confirmed it; with --offline or --no-wait: kept for sending",
        1: "any other failure: the disk, a failure of the server, a fault of backlit; a check that found something",
        2: "wrong usage: a command, an option, a query, a field name, an answer that only an option can give",
        3: "not signed in, or no workspace yet",
        4: "not found, or not visible: an item, iteration, person, team, project, profile or view",
        5: "offline: a change is kept but not confirmed, or --fresh is not possible",
        6: "refused or invalid: a value, a right, a size, a rate limit",
        7: "conflict: somebody changed the same; the change waits in the outbox",
        8: "partly done: some of several items, rows or files were not done; standard error lists them",
        130: "interrupted by ctrl+c; 128 + n by another signal n",
        141: "the reader of the output has gone",
    }
)
_PASSING = frozenset({408, 425, 502, 503, 504})


def error_for(
    status: int, message: str, errors: Mapping[str, str] | None = None, retry_after: float | None = None
) -> BacklitError:
    """Return the error of an HTTP status; gateway errors are Unavailable, unknown 4xx are BadRequest."""
    if status in _PASSING:
        return Unavailable(message, errors, retry_after)
    kind = ERROR_BY_STATUS.get(status, ServiceError if status >= 500 else BadRequest)
    return kind(message, errors, retry_after) if issubclass(kind, TransientError) else kind(message, errors)


def sentence_of(error: Exception) -> str:
    fields = error.errors.values() if isinstance(error, BacklitError) else ()
    return " ".join(dict.fromkeys([str(error), *fields]))


def exit_code_of(error: BacklitError) -> int:
    return next((EXIT_BY_ERROR[kind] for kind in type(error).__mro__ if kind in EXIT_BY_ERROR), 1)
