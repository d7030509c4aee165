"""The token endpoint, the challenge, and sign-in by password, which the login page shares."""

import logging
from collections.abc import Mapping
from functools import partial

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from backlit.model.errors import BadRequest, Unauthorized
from backlit.model.wrap import TOKEN_PATH, Challenge, TokenGrant, write_challenge, write_grant
from backlit.service.auth.callers import ACCESS_TOKEN_LIFETIME
from backlit.service.http.bodies import read_form
from backlit.service.http.endpoint import REQUEST_ID_KEY, ServiceState
from backlit.service.http.proxies import share_of
from backlit.service.tables import sign_ins, users
from backlit.service.tables.users import Account

FORM_TYPE = "application/x-www-form-urlencoded; charset=utf-8"
TEXT_TYPE = "text/plain"
CLIENT_ID = "wrap_client_id"


def challenge(request: Request, shared: ServiceState) -> str:
    base = str(request.base_url).rstrip("/")
    asked = Challenge(f"{base}{TOKEN_PATH}", shared.settings.client_id)
    return write_challenge(asked, quoted=shared.settings.legacy_clients)


async def grant(request: Request) -> Response:
    """POST the token endpoint: by password, verification code or refresh token."""
    shared: ServiceState = request.app.state.shared
    form = await read_form(request)
    must_know_client(form.get(CLIENT_ID) or request.query_params.get(CLIENT_ID), shared)
    if "wrap_refresh_token" in form:
        refreshing = partial(_by_refresh_token, shared, form["wrap_refresh_token"])
        return _granted(request, await shared.database.write.run(refreshing))
    if "wrap_verification_code" in form:
        by_code = partial(_by_code, shared, form["wrap_verification_code"].strip(), address_of(request))
        return _granted(request, await shared.database.write.run(by_code))
    username, password = form.get("wrap_username"), form.get("wrap_password")
    if username is None or password is None:
        raise BadRequest("Send wrap_username and wrap_password, wrap_verification_code or wrap_refresh_token.")
    account = await by_password(request, username, password)
    if account is None:
        raise _refusal()
    return _granted(request, await shared.database.write.run(partial(_begin_family, shared, account.id)))


def must_know_client(client_id: str | None, shared: ServiceState) -> None:
    if client_id != shared.settings.client_id:
        raise BadRequest(f"{CLIENT_ID} is missing or unknown.", {CLIENT_ID: "Unknown client id."})


async def restrict(request: Request) -> Response:
    """GET /Authentication/Restrict: 401 with the challenge unless the caller is signed in."""
    shared: ServiceState = request.app.state.shared
    await shared.database.read(lambda connection: shared.tokens.caller(connection, request))
    return Response(b"{}", media_type="application/json")


def _granted(request: Request, result: TokenGrant | None) -> Response:
    if result is None:
        note_refusal(request)
        raise _refusal()
    return Response(write_grant(result), media_type=TEXT_TYPE if _reads_text_only(request) else FORM_TYPE)


def _reads_text_only(request: Request) -> bool:
    """Return True for a caller that accepts plain text and no form, as generated clients do."""
    accepted = {kind.partition(";")[0].strip().lower() for kind in request.headers.get("accept", "").split(",")}
    return "text/plain" in accepted and accepted.isdisjoint({"*/*", "application/*", FORM_TYPE.partition(";")[0]})


def _refusal() -> Unauthorized:
    return Unauthorized("Wrong user name, password, code or refresh token.")


def _by_code(shared: ServiceState, code: str, address: str, connection: Connection) -> TokenGrant | None:
    now = shared.clock.now()
    limits = {address: shared.settings.login_failures_per_address}
    sign_ins.must_have_few_failures(connection, limits, now)
    user_id = sign_ins.use_code(connection, code, shared.settings.client_id, now)
    if user_id is None:
        sign_ins.add_failures(connection, limits, now)
        return None
    return _begin_family(shared, user_id, connection)


def _by_refresh_token(shared: ServiceState, token: str, connection: Connection) -> TokenGrant | None:
    # Rejection by return, not by error, as the transaction must commit a revoked family.
    is_reusable = shared.settings.legacy_clients
    spent = sign_ins.use_refresh_token(connection, token, shared.clock.now(), is_reusable=is_reusable)
    return None if spent is None else _issue(shared, *spent, connection)


def _begin_family(shared: ServiceState, user_id: int, connection: Connection) -> TokenGrant | None:
    return _issue(shared, user_id, sign_ins.add_family(connection, user_id), connection)


def _issue(shared: ServiceState, user_id: int, family_id: int, connection: Connection) -> TokenGrant | None:
    account = users.account_by_id(connection, user_id)
    if account is None or not account.is_licensed:
        return None
    now = shared.clock.now()
    access_token = shared.tokens.issue(connection, account, family_id, now)
    return TokenGrant(access_token, sign_ins.add_refresh_token(connection, family_id, now), ACCESS_TOKEN_LIFETIME)


IN_PROCESS = "in process"
_log = logging.getLogger(__name__)


async def by_password(request: Request, username: str, password: str) -> Account | None:
    """Check a password; None for a wrong one. Raises TooManyRequests.

    Failures count, never attempts that are still being checked: a crowd behind one address may sign in at once.
    """
    shared: ServiceState = request.app.state.shared
    address = address_of(request)
    limits = {
        f"user {username.lower()} at {address}": shared.settings.login_failures,
        address: shared.settings.login_failures_per_address,
    }
    account = await shared.database.read(partial(_account_to_check, shared, limits, username))
    password_hash = account.password_hash if account is not None and account.is_licensed else None
    is_right = await shared.passwords.are_right(password, password_hash) and account is not None
    await shared.database.write.run(partial(_end_attempt, shared, limits, is_right))
    if not is_right:
        note_refusal(request)
        return None
    return account


def address_of(request: Request) -> str:
    """Return the name that the failures of an address are counted under."""
    return f"address {share_of(request.client.host if request.client else IN_PROCESS)}"


def note_refusal(request: Request) -> None:
    """Log a failed attempt without the name, as people sometimes type their password there."""
    client = request.client.host if request.client else IN_PROCESS
    _log.warning("A sign-in was rejected.", extra={"request_id": request.scope[REQUEST_ID_KEY], "client": client})


def _account_to_check(
    shared: ServiceState, limits: Mapping[str, int], username: str, connection: Connection
) -> Account | None:
    sign_ins.must_have_few_failures(connection, limits, shared.clock.now())
    return users.account(connection, username)


def _end_attempt(shared: ServiceState, limits: Mapping[str, int], is_right: bool, connection: Connection) -> None:
    sign_ins.end_attempt(connection, limits, shared.clock.now(), is_right=is_right)
