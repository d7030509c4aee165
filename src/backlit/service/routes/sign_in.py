"""Signing in by password, for the token endpoint and the login page alike."""

import logging
from functools import partial

from sqlalchemy import Connection
from starlette.requests import Request

from backlit.service.http.endpoint import REQUEST_ID_KEY, Shared
from backlit.service.http.proxies import share_of
from backlit.service.tables import attempts, users
from backlit.service.tables.users import Account

IN_PROCESS = "in process"
_log = logging.getLogger(__name__)


async def by_password(request: Request, username: str, password: str) -> Account | None:
    """Check a password; None where it is not right. Raises TooManyRequests.

    The attempt is counted before it is made, so that many at once cannot slip through, and taken back
    when it succeeds.
    """
    shared: Shared = request.app.state.shared
    names = f"user {username.lower()}", address_of(request)
    attempt_ids = await shared.database.write.run(partial(_begin, shared, names))
    account = await shared.database.fast.run(lambda connection: users.account(connection, username))
    password_hash = account.password_hash if account is not None and account.is_licensed else None
    if not await shared.passwords.are_right(password, password_hash) or account is None:
        note_refusal(request)
        return None
    await shared.database.write.run(partial(attempts.forget, attempt_ids=attempt_ids))
    return account


def address_of(request: Request) -> str:
    """Return the address that attempts are counted under."""
    return f"address {share_of(request.client.host if request.client else IN_PROCESS)}"


def note_refusal(request: Request) -> None:
    """Put a failed attempt into the log, without the name: people type their password there at times."""
    client = request.client.host if request.client else IN_PROCESS
    _log.warning("A sign-in was rejected.", extra={"request_id": request.scope[REQUEST_ID_KEY], "client": client})


def _begin(shared: Shared, names: tuple[str, ...], connection: Connection) -> list[int]:
    now = shared.clock.now()
    attempts.must_be_few(connection, names, shared.settings.login_attempts, now)
    return attempts.add(connection, names, now)
