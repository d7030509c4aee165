"""Browser pages without scripts: sign-in, verification code and sign-out."""

import base64
import hashlib
import secrets
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest, Forbidden, TooManyRequests, Unauthorized
from backlit.model.wrap import LOGIN_PATH
from backlit.service.auth.callers import (
    FORM_COOKIE,
    LOGIN_COOKIE,
    drop_cookie,
    form_token,
    has_form_token,
    must_come_from_here,
    set_cookie,
    set_form_cookie,
)
from backlit.service.http.bodies import read_form
from backlit.service.http.endpoint import JSON_TYPE, ServiceState
from backlit.service.routes import tokens as token_routes
from backlit.service.routes.tokens import CLIENT_ID, by_password, must_know_client
from backlit.service.tables import sign_ins, users
from backlit.service.tables.sign_ins import CODE_LIFETIME

if TYPE_CHECKING:
    from jinja2 import Environment

LOGOUT_PATH = "/Authentication/Logout"
_WRONG = "Wrong user name or password."
_EXPIRED = "This form has expired. Please try again."


async def page(request: Request) -> Response:
    """GET and POST /Authentication/RichAppLogin: the form, or the code of whoever is signed in."""
    shared: ServiceState = request.app.state.shared
    try:
        must_know_client(request.query_params.get(CLIENT_ID, shared.settings.client_id), shared)
        if request.method == "POST":
            return await _sign_in(request, shared)
    except (BadRequest, Forbidden) as error:
        return _message(shared, "Sign-in failed", error)
    cookie = request.cookies.get(LOGIN_COOKIE)
    return (cookie and await _code_page(request, shared, cookie)) or _form_page(request, shared)


async def token_endpoint(request: Request) -> Response:
    """GET the token endpoint with the login cookie for the code page; POST it for tokens."""
    if request.method == "POST":
        return await token_routes.grant(request)
    shared: ServiceState = request.app.state.shared
    must_know_client(request.query_params.get(CLIENT_ID), shared)
    cookie = request.cookies.get(LOGIN_COOKIE)
    found = cookie and await _code_page(request, shared, cookie)
    if not found:
        raise Unauthorized(f"Sign in at {LOGIN_PATH} first.")
    return found


async def logout(request: Request) -> Response:
    """POST /Authentication/Logout: end the browser's session, or what a program's token says it holds.

    With `wrap_refresh_token` only that sign-in ends; with an access token alone, all sign-ins of its user.
    """
    shared: ServiceState = request.app.state.shared
    form = await read_form(request)
    cookie = request.cookies.get(LOGIN_COOKIE)
    if "wrap_refresh_token" in form:
        await shared.database.write.run(partial(_end_family, form["wrap_refresh_token"]))
    elif request.headers.get("authorization"):
        await shared.database.write.run(partial(_end_all, shared, request))
    elif cookie:
        return await _end_session(request, shared, form, cookie)
    else:
        raise Unauthorized("You are not signed in.")
    return Response(b"{}", media_type=JSON_TYPE)


async def _sign_in(request: Request, shared: ServiceState) -> Response:
    form = await read_form(request)
    must_come_from_here(request)
    username = form.get("username", "").strip()
    if not has_form_token(form, request.cookies.get(FORM_COOKIE)):
        return _form_page(request, shared, 403, username=username, problem=_EXPIRED)
    try:
        account = await by_password(request, username, form.get("password", ""))
    except TooManyRequests as error:
        wait = int((error.retry_after or 1) + 0.999)
        problem = f"Too many attempts. Wait {counted(wait, 'second')}, then try again."
        response = _form_page(request, shared, 429, username=username, problem=problem)
        response.headers["retry-after"] = str(wait)
        return response
    if account is None:
        # 200, as browsers report other statuses as errors of the page.
        return _form_page(request, shared, username=username, problem=_WRONG, is_wrong=True)
    old = request.cookies.get(LOGIN_COOKIE)
    secret = await shared.database.write.run(partial(_begin_session, shared, account.id, old))
    response = RedirectResponse(_address(request), 303)
    set_cookie(response, request, secret)
    return response


def _form_page(request: Request, shared: ServiceState, status: int = 200, **values: object) -> Response:
    secret = request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(24)
    notice = "You are signed out." if "signed-out" in request.query_params else ""
    shown = {"username": "", "problem": "", "is_wrong": False, "notice": notice} | values
    response = render(
        "login", status, service=shared.settings.name, action=_address(request), form_token=form_token(secret), **shown
    )
    set_form_cookie(response, request, secret)
    return response


async def _code_page(request: Request, shared: ServiceState, cookie: str) -> Response | None:
    made = await shared.database.write.run(partial(_new_code, shared, cookie))
    if made is None:
        return None
    username, code = made
    return render(
        "code",
        service=shared.settings.name,
        username=username,
        code=code,
        minutes=CODE_LIFETIME.seconds // 60,
        form_token=form_token(cookie),
        logout=LOGOUT_PATH,
        again=_address(request),
    )


def _new_code(shared: ServiceState, cookie: str, connection: Connection) -> tuple[str, str] | None:
    now = shared.clock.now()
    caller = users.caller_of_session(connection, cookie, now)
    if caller is None:
        return None
    return caller.name, sign_ins.add_code(connection, caller.id, shared.settings.client_id, now)


def _begin_session(shared: ServiceState, user_id: int, old: str | None, connection: Connection) -> str:
    if old:
        sign_ins.end_session(connection, old)
    return sign_ins.add_session(connection, user_id, shared.clock.now())


async def _end_session(request: Request, shared: ServiceState, form: dict[str, str], cookie: str) -> Response:
    must_come_from_here(request)
    if not has_form_token(form, cookie) and request.headers.get("sec-fetch-site"):
        return _message(shared, "You are still signed in", Forbidden(_EXPIRED))
    await shared.database.write.run(partial(sign_ins.end_session, secret=cookie))
    response = RedirectResponse(f"{LOGIN_PATH}?signed-out=", 303)
    drop_cookie(response, request)
    return response


def _end_family(refresh_token: str, connection: Connection) -> None:
    family_id = sign_ins.family_of(connection, refresh_token)
    if family_id is not None:
        sign_ins.revoke_family(connection, family_id)


def _end_all(shared: ServiceState, request: Request, connection: Connection) -> None:
    sign_ins.revoke_all(connection, shared.tokens.caller(connection, request).id)


def _message(shared: ServiceState, heading: str, error: BacklitError) -> Response:
    return render(
        "message", error.status, service=shared.settings.name, heading=heading, text=error.message, login=LOGIN_PATH
    )


def _address(request: Request) -> str:
    client_id = request.query_params.get(CLIENT_ID)
    return f"{LOGIN_PATH}?{CLIENT_ID}={quote(client_id, safe='')}" if client_id else LOGIN_PATH


_FOLDER = Path(__file__).parents[1] / "pages"


def render(template: str, status: int = 200, **values: object) -> HTMLResponse:
    """Render a template with escaped values; the page may load only its own style."""
    text = _environment().get_template(f"{template}.html").render(values)
    headers = {"content-security-policy": _policy(), "cross-origin-opener-policy": "same-origin"}
    return HTMLResponse(text, status, headers)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["style"] = Markup(_style())  # noqa: S704  our own file
    return environment


@cache
def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8")


@cache
def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
