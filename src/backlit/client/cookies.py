"""A browser's login cookie in place of a token, for as long as its session lasts (SPEC 1 and 5; DECISIONS, Names)."""

import re
import time
from dataclasses import dataclass, field

from backlit.model.errors import BadRequest

NAME = ".ASPXAUTH"
LONGEST_SESSION = 12 * 3600.0
"""Seconds after which a cookie is forgotten in any case; there is nothing to renew it with."""
_VALUE = re.compile(r"[!#-+\--:<>-\[\]-~]+")
"""What RFC 6265 lets a value be made of, without `=`."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """The cookie of one profile; `granted_at` is this machine's clock, when it was taken over."""

    value: str = field(repr=False)
    granted_at: float
    lifetime: float = LONGEST_SESSION

    @property
    def secret(self) -> str:
        """What tells one sign-in from another."""
        return self.value

    def remaining(self) -> float:
        """Seconds for which it is kept; a clock that was set back does not lengthen that."""
        return min(self.lifetime, self.granted_at + self.lifetime - time.time())

    def header(self) -> tuple[str, str]:
        """What a request says who sends it by."""
        return "Cookie", f"{NAME}={self.value}"


def cookie_value(text: str) -> str:
    """The value of the login cookie: alone, as `name=value`, or among others as a browser shows the header.

    Raises BadRequest, which never repeats what was given.
    """
    pairs = re.sub(r"(?i)^\s*cookie:", "", text).strip().split(";")
    values = [
        value for name, equals, value in (pair.strip().partition("=") for pair in pairs) if equals and name == NAME
    ]
    value = values[0] if values else text.strip()
    if not _VALUE.fullmatch(value):
        raise BadRequest(f"That is no value of the cookie {NAME}; nothing was sent.")
    return value
