"""The token endpoint and the challenge."""

from functools import partial

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from backlit.model.errors import BadRequest, Unauthorized
from backlit.model.wrap import TOKEN_PATH, Challenge, TokenGrant, write_challenge, write_grant
from backlit.service.auth.access_tokens import LIFETIME
from backlit.service.http.endpoint import Shared
from backlit.service.http.forms import read_form
from backlit.service.routes.sign_in import address_of, by_password, note_refusal
from backlit.service.tables import attempts, tokens, users

FORM_TYPE = "application/x-www-form-urlencoded; charset=utf-8"
CLIENT_ID = "wrap_client_id"


def challenge(request: Request, shared: Shared) -> str:
    """Return the WWW-Authenticate header for the address the caller used."""
    base = str(request.base_url).rstrip("/")
    asked = Challenge(f"{base}{TOKEN_PATH}", shared.settings.client_id)
    return write_challenge(asked, quoted=shared.settings.legacy_clients)


async def grant(request: Request) -> Response:
    """POST the token endpoint: by password, verification code or refresh token."""
    shared: Shared = request.app.state.shared
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
    return _granted(request, await shared.database.write.run(partial(_begin, shared, account.id)))


def must_know_client(client_id: str | None, shared: Shared) -> None:
    """Refuse a client id that is not this service's; raises BadRequest."""
    if client_id != shared.settings.client_id:
        raise BadRequest(f"{CLIENT_ID} is missing or unknown.", {CLIENT_ID: "Unknown client id."})


async def restrict(request: Request) -> Response:
    """GET /Authentication/Restrict: 401 with the challenge unless the caller is signed in."""
    shared: Shared = request.app.state.shared
    await shared.database.fast.run(lambda connection: shared.tokens.caller(connection, request))
    return Response(b"{}", media_type="application/json")


def _granted(request: Request, result: TokenGrant | None) -> Response:
    if result is None:
        note_refusal(request)
        raise _refusal()
    return Response(write_grant(result), media_type=FORM_TYPE, headers={"cache-control": "no-store"})


def _refusal() -> Unauthorized:
    return Unauthorized("Wrong user name, password, code or refresh token.")


def _by_code(shared: Shared, code: str, address: str, connection: Connection) -> TokenGrant | None:
    now = shared.clock.now()
    attempts.must_be_few(connection, [address], shared.settings.login_attempts, now)
    user_id = tokens.use_code(connection, code, shared.settings.client_id, now)
    if user_id is None:
        attempts.add(connection, [address], now)
        return None
    return _begin(shared, user_id, connection)


def _by_refresh_token(shared: Shared, token: str, connection: Connection) -> TokenGrant | None:
    # A refusal is returned, not raised: what it wrote (a revoked family) has to be committed.
    is_reusable = shared.settings.legacy_clients
    spent = tokens.use_refresh_token(connection, token, shared.clock.now(), is_reusable=is_reusable)
    return None if spent is None else _issue(shared, *spent, connection)


def _begin(shared: Shared, user_id: int, connection: Connection) -> TokenGrant | None:
    return _issue(shared, user_id, tokens.add_family(connection, user_id), connection)


def _issue(shared: Shared, user_id: int, family_id: int, connection: Connection) -> TokenGrant | None:
    account = users.account_by_id(connection, user_id)
    if account is None or not account.is_licensed:
        return None
    now = shared.clock.now()
    access_token = shared.tokens.issue(connection, account, family_id, now)
    return TokenGrant(access_token, tokens.add_refresh_token(connection, family_id, now), LIFETIME)
