"""The store: all that screens and commands see of the work, whether the service can be reached or not."""

import threading
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import orjson

from backlit.store.attachments import Attachments
from backlit.store.batch import Batch
from backlit.store.boards_kept import BoardsKept
from backlit.store.cells import Cells
from backlit.store.changes import Change, Connection, OutboxState, Signal, Subject
from backlit.store.chosen_columns import ChosenColumns
from backlit.store.conflicts import Conflicts
from backlit.store.deletions import Deletions
from backlit.store.edits import Edits
from backlit.store.engine import Engine, Report
from backlit.store.everybody import Everybody
from backlit.store.files import Files
from backlit.store.grooming import Grooming
from backlit.store.history import History
from backlit.store.inbox import Inbox
from backlit.store.lint import ReadyCheck
from backlit.store.names import StoreNames
from backlit.store.nodes import Nodes
from backlit.store.pacing import USUAL_WAITS, Waits
from backlit.store.places import Places
from backlit.store.plan import Plan
from backlit.store.projects import Projects
from backlit.store.ranking import Ranking
from backlit.store.receiving import note_turn
from backlit.store.reports import Records, Reports
from backlit.store.rollover import Rollover
from backlit.store.rows import Item, Row, item_of, moment
from backlit.store.sample_history import SampleHistory
from backlit.store.scope_log import ScopeLog
from backlit.store.search import Search
from backlit.store.server import Server
from backlit.store.snapshots import Snapshots
from backlit.store.stays import Stays
from backlit.store.timer import Timer
from backlit.store.transfers import Transfers
from backlit.store.typed import TypedLines
from backlit.store.views import View
from backlit.store.views_query import ViewSpec
from backlit.store.work_log import WorkLog

if TYPE_CHECKING:
    from backlit.client.client import Client

Connect = Callable[[Report], Awaitable["Client"]]
"""Makes the client, signed in where it can be; reports what it prepares meanwhile."""

Clock = Callable[[], datetime]
"""Tells the time with its zone."""

_PROJECT = "project"


def local_time() -> datetime:
    """The machine's time, with its zone."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class CommentEntry:
    """A comment; one that the service does not have yet is pending and has no time and a temporary id."""

    id: int
    text: str
    author: str
    created_at: datetime | None
    is_internal: bool
    pending: bool


class Store(Edits):
    """One profile's work: mirror, journal and the engine that keeps them and the service together.

    Reads are short and made on one thread, the caller's. What is `async` may be awaited in any event loop. Listeners
    are called on the store's threads.
    """

    def __init__(self, places: Places, connect: Connect, clock: Clock = local_time, waits: Waits = USUAL_WAITS) -> None:
        self._clock = clock
        self._signal = Signal()
        super().__init__(Files(places, self._signal), self._signal)
        self.attachments = Attachments(self._files)
        self.conflicts = Conflicts(self._files, self)
        self.batch = Batch(self._files)
        self.server = Server(self._files)
        self._engine = Engine(self._files, self._signal, connect, waits)
        self._engine.on_projects = self._choose_first_project
        self._engine.on_turn = self._turned
        self.transfers = Transfers(self._files, self._engine, self._found)
        self.inbox = Inbox(self._files, self._signal, lambda: self.project_id)
        self.snapshots = Snapshots(self._files, lambda: self.project_id, self.today)
        self.stays = Stays(self._files, self.today)
        self.scope_log = ScopeLog(self._files, self.today)
        self.sample_history = SampleHistory(self._files, lambda: self.project_id, self.today)
        self.everybody = Everybody(self, self._engine)
        self.wake = self._engine.wake
        self.ranking = Ranking(self._files, self.server, self.wake, lambda: self.project_id)
        self.history = History(self._files, self, self.wake)
        self.plan = Plan(self._files, self, self._signal, self.wake)
        self.rollover = Rollover(self._files, self, self.wake)
        self.nodes = Nodes(self._files, self, self.today, self.wake)
        self.deletions = Deletions(self._files, self, self.wake)
        self.work_log = WorkLog(self._files, self.wake)
        self.timer = Timer(self._files, clock)
        self.names = StoreNames(self, self.now, self.today)
        self.lint = ReadyCheck(self._files, self.names)
        records = Records(self.snapshots, self.scope_log, self.stays, self.sample_history)
        self.reports = Reports(self._files, self, records, self.names)
        self.typed = TypedLines(self._files)
        self.cells = Cells(self._files)
        self.columns = ChosenColumns(self._files)
        self.grooming = Grooming(self._files, self.names, self.lint, lambda: self.project_id)
        self.boards = BoardsKept(self._files, lambda: self.project_id)
        self.project_facts = Projects(self._files, self)
        self.search = Search(self._files, lambda: self.project_id)
        self._views: weakref.WeakSet[View] = weakref.WeakSet()
        self._views_lock = threading.Lock()
        self._signal.subscribe(self._note)

    def open(self) -> None:
        """Open the files; a mirror that cannot be used is made anew. Raises StorageError for the journal."""
        self._files.open()
        chosen = self._files.journal.settings.value(_PROJECT)
        self.project_id = int(chosen) if chosen else None
        self._engine.remember(self.me())

    def start(self) -> None:
        """Start the engine: connect, sync, send. It imports the client, so call it after the first paint."""
        self._engine.start(self.project_id)

    def close(self) -> None:
        """Stop the engine within two seconds and close the files; every edit is on disk already."""
        self._engine.stop()
        self._files.close()

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Have a listener called with every change, on the store's threads; returns what ends it."""
        return self._signal.subscribe(listener)

    @property
    def connection(self) -> Connection:
        """How the store stands with the service."""
        return self._engine.connection

    @property
    def outbox(self) -> OutboxState:
        """How much the service does not have yet."""
        return self._files.outbox

    def now(self) -> datetime:
        """The service's time, by this machine's clock and what is known of the service's; UTC until it is known."""
        offset = self._keep(Subject.PEOPLE, "clock", self.server.clock_offset)
        return self._clock().astimezone(UTC).replace(tzinfo=None) + offset

    def today(self) -> date:
        """The day it is where the user is; iterations begin and end by it."""
        return self._clock().date()

    def choose_project(self, project_id: int) -> None:
        """Show another project from now on; it is remembered. Views made before stay with theirs."""
        self._use_project(project_id)
        self._engine.use_project(project_id)

    def _choose_first_project(self, project_ids: list[int]) -> int | None:
        """Called by the engine when the projects are known; keeps the choice while it can be kept."""
        if self.project_id not in project_ids and project_ids:
            wanted = self.own_names.project_id
            self._use_project(project_ids[0] if wanted is None else wanted)
        return self.project_id

    async def _turned(self, project_id: int) -> None:
        """Called by the engine when a project is up to date."""
        await self._files.write(lambda writer: note_turn(writer, project_id))
        await self.snapshots.take(project_id)
        await self.scope_log.note(project_id)
        await self.stays.note(project_id)
        await self.sample_history.make(project_id)

    def _use_project(self, project_id: int) -> None:
        self.project_id = project_id
        self._files.submit(lambda writer: writer.journal.settings.keep(_PROJECT, str(project_id)))
        for subject in (Subject.PEOPLE, Subject.TREES, Subject.ITEMS, Subject.COMMENTS, Subject.ATTACHMENTS):
            self._signal.publish(Change(subject))

    def view(self, spec: ViewSpec, shape: Callable[[Row], Row] | None = None) -> View:
        """A list of the current project's items; it catches up with changes when it is told to reload.

        `shape` changes how a row looks, as a plan does.
        """
        view = View(spec, self.project_id, self._files.mirror, self._files.read, self.names, shape=shape)
        with self._views_lock:
            self._views.add(view)
        return view

    def _note(self, change: Change) -> None:
        with self._views_lock:
            views = list(self._views)
        for view in views:
            view.note(change)

    def item(self, item_id: int) -> Item | None:
        """One whole item; a temporary id finds the item that was made of it."""
        found = self._item(item_id)
        real_id = item_id if found else self._files.journal.real_id(item_id)
        return self._item(real_id) if real_id != item_id else found

    def _item(self, item_id: int) -> Item | None:
        found = self._files.mirror.execute(
            "SELECT doc, base, sign FROM documents JOIN items USING (id) WHERE id = ?", (item_id,)
        ).fetchone()
        if found is None:
            return None
        doc, base, sign = found
        return item_of(orjson.loads(doc), None if base is None else orjson.loads(base), sign)

    def comments(self, item_id: int) -> tuple[CommentEntry, ...]:
        """An item's comments, oldest first, those not sent yet at the end."""
        real_id = self._files.journal.real_id(item_id)
        found = self._files.mirror.execute(
            "SELECT id, text, author, created_at, is_internal, pending FROM comments WHERE item_id = ?"
            " ORDER BY pending, id",
            (real_id,),
        )
        going = self.deletions.comments_going(real_id)
        return tuple(
            CommentEntry(comment_id, text, author, moment(created), bool(internal), bool(pending))
            for comment_id, text, author, created, internal, pending in found
            if comment_id not in going
        )

    async def look_at(self, item_id: int) -> None:
        """Have an item and its comments read from the service soon; nothing happens when it cannot be reached."""
        self._engine.look_at(self._files.journal.real_id(item_id))

    def cancel(self) -> None:
        """Stop loading; a refresh goes on with it, and so does the next start."""
        self._engine.tell(lambda session: session.cancel())

    async def refresh(self, *, is_anew: bool = False) -> None:
        """Ask the service for what is new, or for everything, now; returns when that is in the mirror.

        Raises what went wrong.
        """
        await self._engine.refresh(is_anew=is_anew)

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        """Sign in with a password; raises Unauthorized, or Trouble when the service cannot be asked.

        Raises OtherOrigin where it would be sent to another origin than the service's, save the one that is approved.
        """
        await self._engine.sign_in(username, password, approved)

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        """Sign in with a verification code from the browser; raises as `sign_in` does."""
        await self._engine.sign_in_with_code(code, approved)

    async def sign_out(self) -> None:
        """Forget the tokens; mirror, journal and what is unsent stay."""
        await self._engine.sign_out()
