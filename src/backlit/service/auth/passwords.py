"""Password hashes, computed in a small pool so that a flood of sign-ins cannot exhaust the memory."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from backlit.model.errors import TooManyRequests

WORKERS = 2
WAITING = 32
"""Maximum number of sign-ins that wait for a worker."""


def hash_password(password: str) -> str:
    """Return the hash of a password, including its parameters."""
    return _hasher().hash(password)


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys_hash() -> str:
    return hash_password("the hash that unknown users are checked against")


class Passwords:
    """Pool of threads that verify passwords."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="backlit-password")
        self._places = threading.BoundedSemaphore(WAITING)

    async def are_right(self, password: str, password_hash: str | None) -> bool:
        """Verify a password, in equal time without a hash; raise TooManyRequests under a flood."""
        if not self._places.acquire(blocking=False):
            raise TooManyRequests("Too many people are signing in at once; try again in a moment.", retry_after=5)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, _is_right, password, password_hash)
        finally:
            self._places.release()

    def close(self) -> None:
        """Release the threads."""
        self._pool.shutdown()


def _is_right(password: str, password_hash: str | None) -> bool:
    try:
        return _hasher().verify(password_hash or _nobodys_hash(), password) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False
