"""What the store says to those who watch it: changes, the connection's state, the outbox's state."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from backlit.store.people import Person


class Subject(StrEnum):
    """What a change is about."""

    ITEMS = "items"
    COMMENTS = "comments"
    ATTACHMENTS = "attachments"
    TREES = "trees"
    PEOPLE = "people"
    CONNECTION = "connection"
    OUTBOX = "outbox"
    INBOX = "inbox"
    PLAN = "plan"
    TIMER = "timer"


ABOUT_JOURNAL = (Subject.OUTBOX, Subject.INBOX, Subject.PLAN, Subject.TIMER)
ABOUT_MIRROR = tuple(each for each in Subject if each not in {Subject.CONNECTION, *ABOUT_JOURNAL})
"""What the files hold: when another process has written one, any of this may be another."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something in the store is no longer as it was.

    Empty `ids` mean many or all; for comments and attachments they are the ids of the items. Empty `fields` mean any,
    or that items came or went. `renamed` maps temporary ids to the real ones that the service gave. `sentence` is what
    the user is told of it, wherever they are.
    """

    kind: Subject
    ids: frozenset[int] = frozenset()
    fields: frozenset[str] = frozenset()
    renamed: Mapping[int, int] = field(default_factory=dict)
    sentence: str = ""


class ConnectionState(StrEnum):
    """How the store stands with the service."""

    IDLE = "idle"
    PREPARING = "preparing"
    SIGNED_OUT = "signed out"
    LOADING = "loading"
    ONLINE = "online"
    OFFLINE = "offline"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Connection:
    """The connection at one moment; `sentence` is fit to be shown, `synced_at` is this machine's time."""

    state: ConnectionState = ConnectionState.IDLE
    sentence: str = ""
    done: int = 0
    total: int = 0
    synced_at: float | None = None
    user: Person | None = None
    server: str = ""


@dataclass(frozen=True, slots=True)
class OutboxState:
    """How many journalled changes have not reached the service, by what holds them."""

    pending: int = 0
    refused: int = 0
    conflicts: int = 0


class Signal:
    """Calls every listener with every change, on the thread that made the change."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Change], None]] = []
        self._lock = threading.Lock()

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Add a listener; what is returned takes it away again and may be called twice."""
        with self._lock:
            self._listeners = [*self._listeners, listener]

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = [each for each in self._listeners if each is not listener]

        return unsubscribe

    def publish(self, change: Change) -> None:
        """Tell the listeners, in the order in which they came."""
        for listener in self._listeners:
            listener(change)
