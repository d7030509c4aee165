"""Notices of the terminal: its bell, or a message of the desktop, for what concerns the user in person."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from backlit.config.notify import NoticeKind, NotifySettings
from backlit.model.amounts import counted
from backlit.store.inbox import NewsReason
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.entry import EntryState
from backlit.store.store import Store
from backlit.tui.drawing.text import safe
from backlit.tui.shell.status_text import project_name
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen

if TYPE_CHECKING:
    from textual.timer import Timer

    from backlit.tui.shell.chord_app import ChordApp

NOTICE_PAUSE = 5.0
"""Seconds between two notices; what comes within them is one."""
TYPING_SECONDS = 30.0
"""Seconds after a key for which the user counts as sitting at the inbox on the screen."""
MAX_NOTICE_CHARACTERS, MAX_NOTICE_NAMES = 200, 5
_OF_NEWS = {NewsReason.MENTION: NoticeKind.MENTION, NewsReason.ASSIGNMENT: NoticeKind.ASSIGNED}
_OF_ENTRY = {EntryState.REFUSED: NoticeKind.REFUSED, EntryState.CONFLICT: NoticeKind.CONFLICT}
_NOUNS = {
    NoticeKind.MENTION: "mention",
    NoticeKind.ASSIGNED: "assignment",
    NoticeKind.REFUSED: "rejected change",
    NoticeKind.CONFLICT: "conflict",
}
_STATES = {NoticeKind.OFFLINE: "the server is out of reach", NoticeKind.SYNC: "the server is reached again"}


class _Notice(Struct, frozen=True):
    """What can be told once. `object_id` is the comment or the entry of the outbox."""

    kind: NoticeKind
    item_id: int
    object_id: int


class TerminalNotices:
    """Compares the inbox and the outbox with what they were, and tells the terminal what came to them."""

    def __init__(self, app: "ChordApp", store: Store, settings: NotifySettings) -> None:
        self._app, self._store, self._settings = app, store, settings
        self._place: tuple[int | None, int] = (None, 0)
        self._news: frozenset[_Notice] = frozenset()
        self._stuck: frozenset[_Notice] = frozenset()
        self._stuck_counts = (0, 0)
        self._waiting: frozenset[_Notice] = frozenset()
        self._pause: Timer | None = None
        self._reached: ConnectionState | None = None
        self._follow_outbox()
        self._has_moved()
        self._waiting = frozenset()  # what waited before the start is no news

    def take(self, changes: ChangeBatch) -> None:
        if not self._has_moved() and Subject.INBOX in changes:
            self._follow_inbox(changes.ids(Subject.INBOX))
        if Subject.OUTBOX in changes:
            self._follow_outbox()
        if Subject.CONNECTION in changes:
            self._follow_connection()
        if self._pause is None:
            self._send()

    def _has_moved(self) -> bool:
        """Return whether another project or user is shown, whose inbox is no news then."""
        me = self._store.lookups.me()
        place = (self._store.project_id, me.id if me else 0)
        if place == self._place:
            return False
        self._place, self._news = place, self._personal(None)
        self._waiting &= self._stuck
        return True

    def _personal(self, item_ids: Iterable[int] | None) -> frozenset[_Notice]:
        personal = self._store.inbox.personal(item_ids)
        return frozenset(_Notice(_OF_NEWS[each.reason], each.item_id, each.comment_id) for each in personal)

    def _follow_inbox(self, item_ids: set[int] | None) -> None:
        found = self._personal(item_ids)
        before = frozenset(each for each in self._news if item_ids is None or each.item_id in item_ids)
        self._news = (self._news - before) | found
        self._waiting -= before - found  # read meanwhile
        if not self._is_at_inbox():
            self._wait(found - before)

    def _is_at_inbox(self) -> bool:
        screen = self._app.screen
        is_inbox = isinstance(screen, StoreScreen) and screen.PLACE == "app.inbox"
        return is_inbox and asyncio.get_running_loop().time() - self._app.input.typed_at < TYPING_SECONDS

    def _follow_outbox(self) -> None:
        state = self._store.outbox
        if (counts := (state.refused, state.conflicts)) == self._stuck_counts:
            return  # an outbox may hold thousands of entries: they are not read for each that is sent
        self._stuck_counts, before = counts, self._stuck
        entries = self._store.outbox_entries() if any(counts) else ()
        self._stuck = frozenset(
            _Notice(_OF_ENTRY[each.state], each.item_id, each.id) for each in entries if each.state in _OF_ENTRY
        )
        self._waiting -= before - self._stuck
        self._wait(self._stuck - before)

    def _follow_connection(self) -> None:
        """Tell a lost connection, and one that is there again; what was lost and found within a pause is neither."""
        state = self._store.connection.state
        if state not in {ConnectionState.ONLINE, ConnectionState.OFFLINE} or state is self._reached:
            return
        is_first, self._reached = self._reached is None, state
        kind, other = (
            (NoticeKind.SYNC, NoticeKind.OFFLINE)
            if state is ConnectionState.ONLINE
            else (NoticeKind.OFFLINE, NoticeKind.SYNC)
        )
        opposite = _Notice(other, 0, 0)
        if opposite in self._waiting:
            self._waiting -= {opposite}
        elif not (is_first and kind is NoticeKind.SYNC):
            self._wait(frozenset({_Notice(kind, 0, 0)}))

    def _wait(self, notices: frozenset[_Notice]) -> None:
        self._waiting |= {each for each in notices if each.kind in self._settings.when}

    def _send(self) -> None:
        self._pause = None
        if not self._waiting:
            return
        self._pause = self._app.set_timer(NOTICE_PAUSE, self._send)
        if self._app.outside is not None or self._store.connection.is_locked:
            return  # the user's own editor has the terminal, or nobody may see what the store has
        text, self._waiting = self._text(), frozenset()
        sequence = "\x07" if self._settings.bell else ""
        if self._settings.desktop:
            from backlit.config.clipboard import through_multiplexer

            message = f"\x1b]9;{text}\x07"
            sequence += through_multiplexer(message) or message
        self._app.send_after_frame(sequence)

    def _text(self) -> str:
        """Return the notice on one line without control characters: 3 mentions in Aurora, 1 conflict."""
        counts = Counter(each.kind for each in self._waiting)
        news, stuck = (
            ", ".join(counted(counts[kind], _NOUNS[kind]) for kind in NoticeKind if counts[kind] and kind in kinds)
            for kinds in (_OF_NEWS.values(), _OF_ENTRY.values())
        )
        project = project_name(self._store)
        states = [words for kind, words in _STATES.items() if counts[kind]]
        parts = (f"{news} in {project}" if news and project else news, stuck, *states)
        text = ", ".join(part for part in parts if part)
        if self._settings.text:
            items = filter(
                None, map(self._store.item, sorted({each.item_id for each in self._waiting})[:MAX_NOTICE_NAMES])
            )
            names = ", ".join(f"#{each.id} {each.name}" if each.id > 0 else each.name for each in items)
            text = f"{text}: {names}" if names else text
        return safe(text)[:MAX_NOTICE_CHARACTERS]
