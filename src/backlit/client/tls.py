"""TLS trust and the reasons of failed connections."""

import ssl
from collections.abc import Mapping
from pathlib import Path

import certifi
import httpx

from backlit.model.errors import Offline

_UNREACHABLE = "The server cannot be reached."
_BROKEN: Mapping[type[httpx.RequestError], str] = {
    httpx.RemoteProtocolError: "{host} broke off its response or does not speak HTTP.",
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare.",
    httpx.ReadTimeout: "{host} did not respond in time.",
}
_ENDED, _NOT_YET = 10, 9
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21, 24, 27})
_OTHER_NAME = frozenset({62, 63, 64})
"""OpenSSL's numbers of certificate errors (X509_V_ERR)."""


def trusted() -> ssl.SSLContext:
    """Trust the system's authorities, or those of SSL_CERT_FILE or SSL_CERT_DIR; without both, certifi's list."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or (paths.capath and any(Path(paths.capath).iterdir()))):
        context.load_verify_locations(certifi.where())
    return context


def fault_of(error: ssl.SSLCertVerificationError, host: str) -> str:
    """Return the fault of a host's certificate and the way out."""
    match error.verify_code:
        case code if code == _ENDED:
            return f"The certificate of {host} has expired. Its owner has to renew it."
        case code if code == _NOT_YET:
            return f"The certificate of {host} is not valid yet. Check this machine's clock."
        case code if code in _UNKNOWN_AUTHORITY:
            return (
                f"The certificate of {host} is not signed by an authority that this machine trusts. If it is your own,"
                " name its authority: SSL_CERT_FILE=/path/to/authority.pem"
            )
        case code if code in _OTHER_NAME:
            return f"The certificate is for another name than {host}. Check the address."
        case _:
            return f"The certificate of {host} is invalid: {error.verify_message}."


def offline(error: BaseException, host: str) -> Offline:
    """Return the reason of a missing response: an invalid certificate, a malformed response, or unknown."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Offline(f"{fault_of(cause, host)} No request was sent.")
        cause = cause.__cause__ or cause.__context__
    words = next((words for kind, words in _BROKEN.items() if isinstance(error, kind)), _UNREACHABLE)
    return Offline(words.format(host=host))
