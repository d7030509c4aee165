"""Errors of drivers and disks as sentences with an HTTP status."""

import errno
import sqlite3
from collections.abc import Mapping

from sqlalchemy.exc import DBAPIError, OperationalError

from backlit.model.errors import ServiceError, StorageFull, Unavailable

RETRY_AFTER = 2
"""Seconds after which a refused request may be tried again."""

_LOCKED = Unavailable, "Another program has locked the database. No changes were made; try again in a moment."
_FULL = StorageFull, "The service's disk is full. No changes were made; free some space there and try again."
_BROKEN = Unavailable, "The service could not read or write its database. Its log has the cause; try again in a moment."
_AWAY = Unavailable, "The service cannot reach its database. No changes were made; try again in a moment."
_BUSY = Unavailable, "The database took too long. No changes were made; try again in a moment."

_Trouble = tuple[type[ServiceError], str]
_BY_ERRNO: Mapping[int, _Trouble] = {errno.ENOSPC: _FULL, errno.EDQUOT: _FULL, errno.EFBIG: _FULL}
_BY_SQLITE_CODE: Mapping[int, _Trouble] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _BROKEN,
    sqlite3.SQLITE_READONLY: _BROKEN,
    sqlite3.SQLITE_CANTOPEN: _BROKEN,
    sqlite3.SQLITE_INTERRUPT: _BUSY,
}
_BY_SQLSTATE: Mapping[str, _Trouble] = {
    # By code, else by class (its first two characters).
    "08": _AWAY,
    "53": _BROKEN,
    "53100": _FULL,
    "57": _AWAY,
    "57014": _BUSY,
    "40": _BUSY,
    "55P03": _LOCKED,
    "25006": _BROKEN,
    "25P03": _BUSY,
    "58": _BROKEN,
}


def trouble_of(error: BaseException) -> ServiceError | None:
    """Translate an error that may pass; None for one that stands for a defect."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    found = _found(cause)
    if found is None and isinstance(error, OperationalError) and not isinstance(cause, sqlite3.Error):
        found = _AWAY if getattr(cause, "sqlstate", None) is None else None
    return None if found is None else found[0](found[1], retry_after=RETRY_AFTER)


def _found(error: BaseException) -> _Trouble | None:
    if isinstance(error, sqlite3.Error):
        return _BY_SQLITE_CODE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if isinstance(error, OSError):
        return _BY_ERRNO.get(error.errno or 0)
    state = getattr(error, "sqlstate", None) or ""
    return _BY_SQLSTATE.get(state) or _BY_SQLSTATE.get(state[:2])
