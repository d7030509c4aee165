"""A browser's login cookie in place of a token, for the life of its session."""

import re
import time
from dataclasses import dataclass, field

from backlit.model.errors import BadRequest

NAME = ".ASPXAUTH"
LONGEST_SESSION = 12 * 3600.0
"""Seconds after which the client forgets a cookie, as it cannot renew it."""
_VALUE = re.compile(r"[!#-+\--:<>-\[\]-~]+")
"""The characters of a cookie's value by RFC 6265, without `=`."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """The cookie of one profile; `granted_at` is this machine's clock, when it was taken over."""

    value: str = field(repr=False)
    granted_at: float
    lifetime: float = LONGEST_SESSION

    @property
    def secret(self) -> str:
        """The secret that identifies this sign-in."""
        return self.value

    def remaining(self) -> float:
        """Seconds left; a clock set back does not lengthen them."""
        return min(self.lifetime, self.granted_at + self.lifetime - time.time())

    def header(self) -> tuple[str, str]:
        """The request header of the sign-in."""
        return "Cookie", f"{NAME}={self.value}"


def cookie_value(text: str) -> str:
    """Find the login cookie's value: alone, as `name=value`, or in a whole Cookie header.

    Raises BadRequest, which never repeats the input.
    """
    pairs = re.sub(r"(?i)^\s*cookie:", "", text).strip().split(";")
    values = [
        value for name, equals, value in (pair.strip().partition("=") for pair in pairs) if equals and name == NAME
    ]
    value = values[0] if values else text.strip()
    if not _VALUE.fullmatch(value):
        raise BadRequest(f"The input is not a value of the cookie {NAME}. No request was sent.")
    return value
