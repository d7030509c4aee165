"""Signing in by password, for the token endpoint and the login page alike."""

import ipaddress
import logging
from functools import partial

from sqlalchemy import Connection
from starlette.requests import Request

from backlit.service.endpoint import Shared
from backlit.service.front import REQUEST_ID_KEY
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
    """The address that attempts are counted under: whoever has one of IPv6 has its whole /64."""
    host = request.client.host if request.client else IN_PROCESS
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return f"address {host}"
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return f"address {mapped or ipaddress.ip_network((address, 64), strict=False)}"
    return f"address {address}"


def note_refusal(request: Request) -> None:
    """Put a failed attempt into the log, without the name: people type their password there at times."""
    client = request.client.host if request.client else IN_PROCESS
    _log.warning("A sign-in was refused.", extra={"request_id": request.scope[REQUEST_ID_KEY], "client": client})


def _begin(shared: Shared, names: tuple[str, ...], connection: Connection) -> list[int]:
    now = shared.clock.now()
    attempts.must_be_few(connection, names, shared.settings.login_attempts, now)
    return attempts.add(connection, names, now)
