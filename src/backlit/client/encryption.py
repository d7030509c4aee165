"""TLS: whose certificates are trusted, and what is wrong with one that is not, in a sentence."""

import ssl
from pathlib import Path

import certifi

from backlit.model.errors import Offline

_UNREACHABLE = "The service cannot be reached."
_ENDED, _NOT_YET = 10, 9
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21, 24, 27})
_OTHER_NAME = frozenset({62, 63, 64})
"""OpenSSL's numbers of what can be wrong with a certificate (X509_V_ERR)."""


def trusted() -> ssl.SSLContext:
    """Trust whom this machine trusts, or whom SSL_CERT_FILE or SSL_CERT_DIR names; failing both, a usual list."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or (paths.capath and any(Path(paths.capath).iterdir()))):
        context.load_verify_locations(certifi.where())
    return context


def fault_of(error: ssl.SSLCertVerificationError, host: str) -> str:
    """What is wrong with a host's certificate, and what can be done about it."""
    match error.verify_code:
        case code if code == _ENDED:
            return f"The certificate of {host} has expired; it has to be renewed there."
        case code if code == _NOT_YET:
            return f"The certificate of {host} is not valid yet; is this machine's clock right?"
        case code if code in _UNKNOWN_AUTHORITY:
            return (
                f"The certificate of {host} is not signed by an authority that this machine trusts. If it is your own,"
                " name its authority: SSL_CERT_FILE=/path/to/authority.pem"
            )
        case code if code in _OTHER_NAME:
            return f"The certificate is not for {host} but for another name; is the address right?"
        case _:
            return f"The certificate of {host} is not good: {error.verify_message}."


def offline(error: BaseException, host: str) -> Offline:
    """Why nothing arrived at the service: its certificate where that is not good, else nothing that is known."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Offline(f"{fault_of(cause, host)} Nothing was sent.")
        cause = cause.__cause__ or cause.__context__
    return Offline(_UNREACHABLE)
