"""Announcements of the store: changes, the connection's state, the outbox's state."""

import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from backlit.store.records.people import Person


class Subject(StrEnum):
    """The subject of a change."""

    ITEMS = "items"
    COMMENTS = "comments"
    ATTACHMENTS = "attachments"
    RELATIONS = "relations"
    CRITERIA = "criteria"
    LINKS = "links"
    TIME_ENTRIES = "time entries"
    RECORDED = "recorded"
    """The service's histories of items."""
    TREES = "trees"
    PEOPLE = "people"
    VIEWS = "views"
    """The views that the service keeps."""
    CONNECTION = "connection"
    OTHERS = "others"
    """What others did just now, of which lists tell for a while."""
    OUTBOX = "outbox"
    INBOX = "inbox"
    PLAN = "plan"
    TIMER = "timer"
    DRAFTS = "drafts"
    """Which items have unfinished texts, not the texts."""
    HISTORY = "history"
    """The velocity, as the service answers it."""


ABOUT_JOURNAL = (Subject.OUTBOX, Subject.INBOX, Subject.PLAN, Subject.TIMER, Subject.DRAFTS, Subject.HISTORY)
ABOUT_MIRROR = tuple(each for each in Subject if each not in {Subject.CONNECTION, Subject.OTHERS, *ABOUT_JOURNAL})
"""The subjects that a write by another process to the mirror may change."""


class StoreChange(Struct, frozen=True):
    """A change in the store.

    Empty `ids` mean many or all. For objects below items and histories they are the ids of the items. Empty
    `fields` mean any field, or new or deleted items. `renamed` maps temporary ids to real ones, and ids of deleted
    items to those of the items created again in their place. `sentence` is a message for the user, on any screen.
    `is_own` is true for an act of the user in this process.
    """

    kind: Subject
    ids: frozenset[int] = frozenset()
    fields: frozenset[str] = frozenset()
    renamed: Mapping[int, int] = field(default_factory=dict)
    sentence: str = ""
    is_own: bool = False


class ConnectionState(StrEnum):
    """The state of the connection to the service."""

    IDLE = "idle"
    PREPARING = "preparing"
    SIGNED_OUT = "signed out"
    LOADING = "loading"
    ONLINE = "online"
    OFFLINE = "offline"
    FAILED = "failed"


class ConnectionStatus(Struct, frozen=True):
    """The connection at a moment. `sentence` is a message for the user, `synced_at` this machine's time."""

    state: ConnectionState = ConnectionState.IDLE
    sentence: str = ""
    done: int = 0
    total: int = 0
    synced_at: float | None = None
    user: Person | None = None
    server: str = ""
    is_live: bool = False
    """Whether the service tells of each change as it is made."""
    is_polling: bool = False
    """Whether it offers that, and the way to it does not let it through."""
    is_locked: bool = False
    """Whether the server has ended the user's sign-in: nobody sees the local copy until the user signs in again."""
    tried_at: datetime | None = None
    """When the last try to reach it failed, to the second of this machine's clock; None while it answers."""
    next_try: datetime | None = None
    """When the next one comes, where that is known."""


class OutboxState(Struct, frozen=True):
    """The number of undelivered changes by state."""

    pending: int = 0
    refused: int = 0
    conflicts: int = 0


class Signal:
    """A publisher that calls every listener with every change, on the thread of the change."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[StoreChange], None]] = []
        self._lock = threading.Lock()

    def subscribe(self, listener: Callable[[StoreChange], None]) -> Callable[[], None]:
        """Add a listener. Returns a function that removes it and can be called twice."""
        with self._lock:
            self._listeners = [*self._listeners, listener]

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = [each for each in self._listeners if each is not listener]

        return unsubscribe

    def publish(self, change: StoreChange) -> None:
        for listener in self._listeners:
            listener(change)
