"""The quiet signs of a row: what the ready-check finds, what another tracker mirrors, and tasks that are not shown."""

from enum import IntFlag


class Badge(IntFlag):
    """What is quietly said of an item; any of them may be together."""

    NONE = 0
    UNREADY = 1
    SYNCED = 2
    FOLDED = 4


UNREADY = "¡"
"""The sign of an item that fails the ready-check."""
SYNCED = "⇄"
"""The sign of an item that is mirrored in another tracker (FEATURES rule 37)."""

FOLDED = "▸"
"""The sign of an item whose tasks are not shown below it."""


def unready_sign(badge: Badge) -> str:
    """The sign in the ready-check's own place."""
    return UNREADY if badge & Badge.UNREADY else " "


def state_sign(sign: str, badge: Badge) -> str:
    """The sign of a row's state; where that has none, whether another tracker mirrors it."""
    return SYNCED if sign == " " and badge & Badge.SYNCED else sign


def folded_sign(badge: Badge) -> str:
    """The sign between the type and the name."""
    return FOLDED if badge & Badge.FOLDED else " "
