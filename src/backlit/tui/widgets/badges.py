"""The quiet signs of a row, beside that of its state: what the ready-check finds, and what another tracker mirrors."""

from enum import IntFlag


class Badge(IntFlag):
    """What is quietly said of an item; both may be."""

    NONE = 0
    UNREADY = 1
    SYNCED = 2


UNREADY = "¡"
"""The sign of an item that fails the ready-check."""
SYNCED = "⇄"
"""The sign of an item that is mirrored in another tracker (FEATURES rule 37)."""


def unready_sign(badge: Badge) -> str:
    """The sign in the ready-check's own place."""
    return UNREADY if badge & Badge.UNREADY else " "


def state_sign(sign: str, badge: Badge) -> str:
    """The sign of a row's state; where that has none, whether another tracker mirrors it."""
    return SYNCED if sign == " " and badge & Badge.SYNCED else sign
