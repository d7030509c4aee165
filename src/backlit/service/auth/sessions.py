"""The login cookie: who carries it, and which requests may rest on it."""

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from backlit.model.errors import Forbidden
from backlit.service.tables.sign_ins import SESSION_LIFETIME

COOKIE = ".ASPXAUTH"
FORM_COOKIE = "backlit-form"
FORM_FIELD = "form_token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})
_PORTS = {"http": 80, "https": 443}


def must_come_from_here(request: Request) -> None:
    """Refuse what a page of another site made a browser send; raises Forbidden.

    A browser says where a request comes from; a program that says nothing is none, and nobody's cookie
    is sent along by it unawares.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_own = site in _OWN_SITES if site is not None else origin is None or _is_origin_of(request, origin)
    if not is_own:
        raise Forbidden("The request comes from a page of another site.")


def _is_origin_of(request: Request, origin: str) -> bool:
    try:
        given, own = urlsplit(origin), urlsplit(str(request.base_url))
        return _origin(given.scheme, given.hostname, given.port) == _origin(own.scheme, own.hostname, own.port)
    except ValueError:
        return False


def _origin(scheme: str, host: str | None, port: int | None) -> tuple[str, str | None, int | None]:
    return scheme, host, port or _PORTS.get(scheme)


def form_token(secret: str) -> str:
    """Return the form token that proves that the page was made for the holder of a cookie."""
    return hmac.new(secret.encode(), b"form", "sha256").hexdigest()


def has_form_token(form: Mapping[str, str], secret: str | None) -> bool:
    """Return True for a form from a page made for the holder of the cookie."""
    given = form.get(FORM_FIELD, "")
    return bool(secret) and hmac.compare_digest(given.encode(), form_token(secret or "").encode())


def set_cookie(response: Response, request: Request, secret: str) -> None:
    """Give the browser its session; out of reach of scripts, and of other sites' forms."""
    response.set_cookie(
        COOKIE, secret, int(SESSION_LIFETIME.total_seconds()), httponly=True, samesite="lax", secure=_is_secure(request)
    )


def set_form_cookie(response: Response, request: Request, secret: str) -> None:
    """Give the browser what the login form is checked against before there is a session."""
    response.set_cookie(
        FORM_COOKIE, secret, path="/Authentication", httponly=True, samesite="strict", secure=_is_secure(request)
    )


def drop_cookie(response: Response, request: Request) -> None:
    """Have the browser forget its session."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=_is_secure(request))


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
