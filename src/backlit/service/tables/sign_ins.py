"""Sign-ins: signing keys, tokens, codes, browser sessions and attempts; of secrets only digests are kept."""

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import Connection, delete, func, insert, select, update

from backlit.model.errors import TooManyRequests
from backlit.service.storage.dialects import Lock, hold_lock
from backlit.service.storage.schema import (
    login_attempts,
    login_sessions,
    refresh_families,
    refresh_tokens,
    signing_keys,
    verification_codes,
)
from backlit.service.tables import read_marks
from backlit.service.tables.changes import raise_access_revision

REFRESH_LIFETIME = timedelta(days=30)
# Two processes of a user may renew at once; only one of them gets the newest token.
REFRESH_GRACE = timedelta(seconds=60)
"""Time for which an exchanged refresh token still works, for racing processes."""
CODE_LIFETIME = timedelta(minutes=10)
CODE_LENGTH = 16
# 31 letters and 16 places are 79 bits: the code may be guessed at for ten minutes, and needs no slow hash.
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits that are hard to confuse in a copied code."""

_KEYS = (
    select(signing_keys.c.id, signing_keys.c.secret, signing_keys.c.created_at)
    .order_by(signing_keys.c.id.desc())
    .limit(2)
)
NEWEST_KEY = func.coalesce(select(func.max(signing_keys.c.id)).scalar_subquery(), 0)
"""The id of the newest key, 0 where there is none."""


class SigningKey(Struct, frozen=True):
    """A key that signs access tokens."""

    id: int
    secret: bytes
    created_at: datetime


# A plain hash will do for random secrets, which nobody can try out. Argon2 is for passwords: it takes 0.15 s of CPU.
def digest(secret: str) -> bytes:
    """Return the stored digest of a random secret, or of a name under which attempts are counted."""
    return hashlib.sha256(secret.encode()).digest()


def keys(connection: Connection) -> Sequence[SigningKey]:
    return [SigningKey(row.id, row.secret, row.created_at) for row in connection.execute(_KEYS)]


def add_key(connection: Connection, secret: bytes, now: datetime) -> None:
    """Make a key the current one and keep one predecessor; a second call thus revokes a leaked key."""
    # The predecessor still verifies the tokens that it signed, which live for an hour; without it all would sign in
    # again.
    raise_access_revision(connection)
    kept = [row[0] for row in connection.execute(select(signing_keys.c.id).order_by(signing_keys.c.id.desc()).limit(1))]
    connection.execute(delete(signing_keys).where(signing_keys.c.id.not_in(kept)))
    connection.execute(insert(signing_keys).values(secret=secret, created_at=now))


def add_family(connection: Connection, user_id: int) -> int:
    """Start a family of refresh tokens for a sign-in, and delete the user's expired families."""
    live = select(refresh_tokens.c.family_id).where(refresh_tokens.c.family_id == refresh_families.c.id).exists()
    connection.execute(delete(refresh_families).where(refresh_families.c.user_id == user_id, ~live))
    read_marks.begin(connection, user_id)
    family = insert(refresh_families).values(user_id=user_id, is_revoked=False).returning(refresh_families.c.id)
    return int(connection.execute(family).scalar_one())


def add_refresh_token(connection: Connection, family_id: int, now: datetime) -> str:
    """Add a token to its family and delete expired ones; return the token, of which only a digest is stored."""
    secret = secrets.token_urlsafe(32)
    row = {"digest": digest(secret), "family_id": family_id, "expires_at": now + REFRESH_LIFETIME}
    connection.execute(insert(refresh_tokens).values(row))
    connection.execute(
        delete(refresh_tokens).where(refresh_tokens.c.family_id == family_id, refresh_tokens.c.expires_at < now)
    )
    return secret


def use_refresh_token(
    connection: Connection, secret: str, now: datetime, *, is_reusable: bool = False
) -> tuple[int, int] | None:
    """Use a refresh token; return user and family, or None for an invalid token.

    Use after the grace period revokes the family, as one of the two users has stolen the token. Reusable tokens, as
    clients of the original service expect them, are exempt.
    """
    token = connection.execute(
        select(refresh_tokens, refresh_families.c.user_id)
        .join(refresh_families)
        .where(refresh_tokens.c.digest == digest(secret), ~refresh_families.c.is_revoked)
    ).first()
    if token is None or token.expires_at <= now:
        return None
    if token.used_at is None:
        this = refresh_tokens.c.digest == token.digest
        connection.execute(update(refresh_tokens).where(this).values(used_at=now))
    elif token.used_at + REFRESH_GRACE < now and not is_reusable:
        revoke_family(connection, token.family_id)
        return None
    return token.user_id, token.family_id


def family_of(connection: Connection, secret: str) -> int | None:
    of_token = select(refresh_tokens.c.family_id).where(refresh_tokens.c.digest == digest(secret))
    return connection.execute(of_token).scalar_one_or_none()


def revoke_family(connection: Connection, family_id: int) -> None:
    raise_access_revision(connection)
    connection.execute(update(refresh_families).where(refresh_families.c.id == family_id).values(is_revoked=True))


def revoke_all(connection: Connection, user_id: int) -> None:
    """Revoke all sign-ins of a user: tokens, browser sessions and unused codes."""
    raise_access_revision(connection)
    connection.execute(update(refresh_families).where(refresh_families.c.user_id == user_id).values(is_revoked=True))
    for table in (login_sessions, verification_codes):
        connection.execute(delete(table).where(table.c.user_id == user_id))


def add_code(connection: Connection, user_id: int, client_id: str, now: datetime) -> str:
    secret = "".join(secrets.choice(_CODE_LETTERS) for _ in range(CODE_LENGTH))
    # Each sign-in clears what expired; no job of its own has to.
    connection.execute(delete(verification_codes).where(verification_codes.c.expires_at < now))
    row = {"digest": digest(secret), "user_id": user_id, "client_id": client_id, "expires_at": now + CODE_LIFETIME}
    connection.execute(insert(verification_codes).values(row))
    return secret


def use_code(connection: Connection, secret: str, client_id: str, now: datetime) -> int | None:
    """Use a verification code, in one statement against concurrent use; None for an invalid code."""
    mine = (verification_codes.c.digest == digest(secret), verification_codes.c.client_id == client_id)
    columns = verification_codes.c.user_id, verification_codes.c.expires_at
    code = connection.execute(delete(verification_codes).where(*mine).returning(*columns)).first()
    return int(code.user_id) if code is not None and code.expires_at > now else None


SESSION_LIFETIME = timedelta(hours=12)


def add_session(connection: Connection, user_id: int, now: datetime) -> str:
    """Start a session and delete expired ones; return the cookie's value, of which only a digest is stored."""
    secret = secrets.token_urlsafe(32)
    read_marks.begin(connection, user_id)
    connection.execute(delete(login_sessions).where(login_sessions.c.expires_at <= now))
    row = {"digest": digest(secret), "user_id": user_id, "expires_at": now + SESSION_LIFETIME}
    connection.execute(insert(login_sessions).values(row))
    return secret


def end_session(connection: Connection, secret: str) -> None:
    raise_access_revision(connection)
    connection.execute(delete(login_sessions).where(login_sessions.c.digest == digest(secret)))


ATTEMPT_WINDOW = timedelta(seconds=60)


def must_have_few_failures(connection: Connection, limits: Mapping[str, int], now: datetime) -> None:
    """Raise TooManyRequests, with the seconds to wait, where one of the names has as many failures as its limit."""
    columns = func.count(), func.min(login_attempts.c.at)
    is_recent = login_attempts.c.at > now - ATTEMPT_WINDOW
    for name, most in limits.items():
        of_name = select(*columns).where(login_attempts.c.digest == digest(name), is_recent)
        count, first = connection.execute(of_name).one()
        if count >= most:
            wait = max(1.0, (first + ATTEMPT_WINDOW - now).total_seconds()) if first is not None else 1.0
            raise TooManyRequests("Too many attempts to sign in. Wait a moment and try again.", retry_after=wait)


def end_attempt(connection: Connection, limits: Mapping[str, int], now: datetime, *, is_right: bool) -> None:
    """Count a checked attempt that failed; raise TooManyRequests, whatever its outcome, beyond a limit.

    Attempts that were checked at the same time reach this one after another, so that no more of them than the limit
    learn whether they were right.
    """
    # Otherwise attempts in several processes would all read the count before any of them adds to it.
    hold_lock(connection, Lock.ATTEMPTS)
    must_have_few_failures(connection, limits, now)
    if not is_right:
        add_failures(connection, limits, now)


def add_failures(connection: Connection, names: Iterable[str], now: datetime) -> None:
    connection.execute(delete(login_attempts).where(login_attempts.c.at <= now - ATTEMPT_WINDOW))
    connection.execute(insert(login_attempts), [{"digest": digest(name), "at": now} for name in names])
