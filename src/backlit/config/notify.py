"""What the terminal is told outside the screens: the table `[notify]`."""

from enum import StrEnum

from msgspec import Struct


class NoticeKind(StrEnum):
    """What can be worth a notice, in the order in which a notice counts it."""

    MENTION = "mention"
    ASSIGNED = "assigned"
    REFUSED = "refused"
    CONFLICT = "conflict"
    OFFLINE = "offline"
    SYNC = "sync"


USUAL_NOTICES = (NoticeKind.REFUSED, NoticeKind.CONFLICT)
"""What only the user can put right."""


class NotifySettings(Struct, frozen=True):
    """The contents of `[notify]`. `text`: a desktop notice names the items."""

    bell: bool = False
    desktop: bool = False
    text: bool = False
    when: tuple[NoticeKind, ...] = USUAL_NOTICES

    @property
    def is_on(self) -> bool:
        return (self.bell or self.desktop) and bool(self.when)


NO_NOTICES = NotifySettings()
