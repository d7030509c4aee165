"""TLS trust and the reasons of failed connections."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path

import certifi
import httpx

from backlit.model.errors import Offline

_UNREACHABLE = "The server cannot be reached"
_REASONS: Mapping[type[BaseException], str] = {
    socket.gaierror: f"{_UNREACHABLE}: there is no address for {{host}}. Check the name and this machine's network.",
    ConnectionRefusedError: f"{_UNREACHABLE}: nothing listens at {{place}}. Check the port, or start the server.",
    ssl.SSLError: "{place} does not speak HTTPS. Check the port, or use http://.",
    httpx.RemoteProtocolError: (
        "{place} broke off its response or does not speak {scheme}. Check the port and the scheme."
    ),
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare.",
    httpx.ReadTimeout: "{place} did not respond in time.",
    httpx.ConnectTimeout: f"{_UNREACHABLE}: {{place}} did not answer in time. Check the address and the network.",
    OSError: f"{_UNREACHABLE}: {{error}} ({{place}}).",
}
"""Sentences by the kind of a failure; the first that fits the failure or one of its causes."""
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


def offline(error: BaseException, url: httpx.URL) -> Offline:
    """Return the reason of a missing response: certificate, name, port, scheme, time, or a malformed response."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Offline(f"{fault_of(cause, url.host)} No request was sent.")
    port = url.port or {"https": 443}.get(url.scheme, 80)
    names = {"host": url.host, "place": f"{url.host}:{port}", "scheme": url.scheme.upper()}
    for kind, words in _REASONS.items():
        for cause in causes:
            if isinstance(cause, kind):
                return Offline(words.format(**names, error=getattr(cause, "strerror", None) or cause))
    return Offline(f"{_UNREACHABLE}.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Return an error and its causes, those of a group included."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from _causes(each)
        error = error.__cause__ or error.__context__
