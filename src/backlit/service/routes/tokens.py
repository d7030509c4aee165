"""The token endpoint and the challenge (SPEC 5; DECISIONS "Tokens and login")."""

from collections.abc import Mapping
from functools import partial

from sqlalchemy import Connection
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from backlit.model.errors import BadRequest, Unauthorized
from backlit.model.wrap import TOKEN_PATH, Challenge, TokenGrant, write_challenge, write_grant
from backlit.service.auth import LIFETIME
from backlit.service.endpoint import Shared
from backlit.service.tables import tokens, users

FORM_TYPE = "application/x-www-form-urlencoded; charset=utf-8"
_FIELD_LIMIT = 4096


def challenge(request: Request, shared: Shared) -> str:
    """The WWW-Authenticate header for the address the caller used."""
    base = str(request.base_url).rstrip("/")
    return write_challenge(Challenge(f"{base}{TOKEN_PATH}", shared.settings.client_id))


async def grant(request: Request) -> Response:
    """POST the token endpoint: by password, verification code or refresh token."""
    shared: Shared = request.app.state.shared
    form = await _form(request)
    if form.get("wrap_client_id") != shared.settings.client_id:
        raise BadRequest("wrap_client_id is missing or unknown.", {"wrap_client_id": "Unknown client id."})
    if "wrap_refresh_token" in form:
        refreshing = partial(_by_refresh_token, shared, form["wrap_refresh_token"])
        return _granted(await shared.database.write.run(refreshing))
    address = request.client.host if request.client else "in process"
    if "wrap_verification_code" in form:
        found = await shared.database.write.run(partial(_by_code, shared, form["wrap_verification_code"]))
        if found is None:
            shared.login_limit.attempt(f"address {address}")
        return _granted(found)
    username, password = form.get("wrap_username"), form.get("wrap_password")
    if username is None or password is None:
        raise BadRequest("Send wrap_username and wrap_password, wrap_verification_code or wrap_refresh_token.")
    shared.login_limit.attempt(f"user {username.lower()}", f"address {address}")
    return _granted(await _by_password(shared, username, password))


async def restrict(request: Request) -> Response:
    """GET /Authentication/Restrict: 401 with the challenge unless the caller is signed in."""
    shared: Shared = request.app.state.shared
    header = request.headers.get("authorization")
    await shared.database.fast.run(lambda connection: shared.tokens.caller(connection, header))
    return Response(b"{}", media_type="application/json")


async def _form(request: Request) -> Mapping[str, str]:
    values = {}
    if "wrap_client_id" in request.query_params:
        values["wrap_client_id"] = request.query_params["wrap_client_id"]
    async with request.form(max_files=0, max_fields=20, max_part_size=_FIELD_LIMIT) as form:
        values |= {name: value for name, value in form.items() if not isinstance(value, UploadFile)}
    if any(len(value) > _FIELD_LIMIT for value in values.values()):
        raise BadRequest("A field of the form is too long.")
    return values


def _granted(result: TokenGrant | None) -> Response:
    if result is None:
        raise Unauthorized("The user name, password, code or refresh token is not right, or no longer good.")
    return Response(write_grant(result), media_type=FORM_TYPE, headers={"cache-control": "no-store"})


async def _by_password(shared: Shared, username: str, password: str) -> TokenGrant | None:
    account = await shared.database.fast.run(lambda connection: users.account(connection, username))
    password_hash = account.password_hash if account is not None and account.is_licensed else None
    if not await shared.passwords.are_right(password, password_hash) or account is None:
        return None
    return await shared.database.write.run(partial(_begin, shared, account.id))


def _by_code(shared: Shared, code: str, connection: Connection) -> TokenGrant | None:
    user_id = tokens.use_code(connection, code, shared.settings.client_id, shared.clock.now())
    return None if user_id is None else _begin(shared, user_id, connection)


def _by_refresh_token(shared: Shared, token: str, connection: Connection) -> TokenGrant | None:
    # A refusal is returned, not raised: what it wrote (a revoked family) has to be committed.
    spent = tokens.use_refresh_token(connection, token, shared.clock.now())
    return None if spent is None else _issue(shared, *spent, connection)


def _begin(shared: Shared, user_id: int, connection: Connection) -> TokenGrant | None:
    return _issue(shared, user_id, tokens.add_family(connection, user_id), connection)


def _issue(shared: Shared, user_id: int, family_id: int, connection: Connection) -> TokenGrant | None:
    account = users.account_by_id(connection, user_id)
    if account is None or not account.is_licensed:
        return None
    now = shared.clock.now()
    access_token = shared.tokens.issue(connection, account, now)
    return TokenGrant(access_token, tokens.add_refresh_token(connection, family_id, now), LIFETIME)
