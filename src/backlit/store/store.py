"""The store: the only view of the data for screens and commands, online or offline."""

import importlib
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from backlit.model.errors import BadRequest
from backlit.store.engine.engine import Engine, KnownUsers, Report
from backlit.store.files.files import LocalDatabase
from backlit.store.files.waiting import run_without_loop
from backlit.store.journal.schema import COMMANDS_PROJECT
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.presence import Presence
from backlit.store.recent_edits import RecentEdits
from backlit.store.records.changes import ConnectionStatus, OutboxState, Signal, StoreChange, Subject
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.item import Document, Item, ItemRow
from backlit.store.records.object_kinds import OBJECT_KINDS
from backlit.store.sqlite.database import ProfileFiles
from backlit.store.views.clock import ProjectClock, local_time
from backlit.store.views.lookups import Lookups, ProjectLookups
from backlit.store.views.names import QueryNames


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a stand-in for a class of the store that is imported when it is first called."""

    def make(*arguments: Any, **named: Any) -> Any:
        return getattr(importlib.import_module(f"backlit.store.{module}"), name)(*arguments, **named)

    return make


# No list of items needs these parts for its first rows.
if TYPE_CHECKING:
    from backlit.client.client import Client, DocumentEndpoint, FetchedResource
    from backlit.store.edits.conflicts import Conflicts
    from backlit.store.edits.conversions import Conversions
    from backlit.store.edits.deletions import Deletions
    from backlit.store.edits.imports import ImportEdits
    from backlit.store.edits.items import ItemEdits
    from backlit.store.edits.moves import Moves
    from backlit.store.edits.nodes import NodeEdits
    from backlit.store.edits.objects import CriterionEdits, LinkEdits, TimeEdits
    from backlit.store.edits.project_settings import ProjectSettingsEdits
    from backlit.store.edits.ranking import Ranking
    from backlit.store.edits.relations import RelationEdits
    from backlit.store.edits.rollover import Rollover
    from backlit.store.edits.splits import Splits
    from backlit.store.edits.timer import WorkTimer
    from backlit.store.edits.work_log import WorkLog
    from backlit.store.engine.transfers import AttachmentTransfers
    from backlit.store.grooming import Grooming, ReadyCheck
    from backlit.store.inbox import Inbox
    from backlit.store.kept_views import KeptViews
    from backlit.store.planning.capacities import SharedCapacities
    from backlit.store.planning.plan import Plan
    from backlit.store.planning.preview import PlanPreview
    from backlit.store.remote.capabilities import ServiceFeatures
    from backlit.store.remote.reachability import RetryPauses
    from backlit.store.reports.answers import ServiceReports
    from backlit.store.reports.coverages import Coverages
    from backlit.store.reports.machine import MachineReports, ReportRecords
    from backlit.store.reports.records import ScopeLog, Snapshots, StatusHistory
    from backlit.store.reports.reports import Reports
    from backlit.store.sample_news import SampleNews
    from backlit.store.undo.history import UndoHistory
    from backlit.store.views.columns import ChosenColumns, ColumnCells
    from backlit.store.views.item_history import ItemHistory
    from backlit.store.views.items import Attachments, Comments, ItemBatch
    from backlit.store.views.objects import Criteria, LoggedTimes, WebLinks
    from backlit.store.views.preferences import BoardLayouts, InputHistory, ScreenValues, TextDrafts
    from backlit.store.views.query import ViewSpec
    from backlit.store.views.relations import ItemRelations
    from backlit.store.views.search import TextSearch
    from backlit.store.views.view import View
else:
    Conflicts = late("edits.conflicts", "Conflicts")
    Conversions = late("edits.conversions", "Conversions")
    Deletions = late("edits.deletions", "Deletions")
    ImportEdits = late("edits.imports", "ImportEdits")
    ItemEdits = late("edits.items", "ItemEdits")
    Moves = late("edits.moves", "Moves")
    NodeEdits = late("edits.nodes", "NodeEdits")
    ProjectSettingsEdits = late("edits.project_settings", "ProjectSettingsEdits")
    CriterionEdits = late("edits.objects", "CriterionEdits")
    LinkEdits = late("edits.objects", "LinkEdits")
    TimeEdits = late("edits.objects", "TimeEdits")
    Ranking = late("edits.ranking", "Ranking")
    RelationEdits = late("edits.relations", "RelationEdits")
    Rollover = late("edits.rollover", "Rollover")
    Splits = late("edits.splits", "Splits")
    WorkTimer = late("edits.timer", "WorkTimer")
    WorkLog = late("edits.work_log", "WorkLog")
    AttachmentTransfers = late("engine.transfers", "AttachmentTransfers")
    Grooming = late("grooming", "Grooming")
    ReadyCheck = late("grooming", "ReadyCheck")
    Inbox = late("inbox", "Inbox")
    SharedCapacities = late("planning.capacities", "SharedCapacities")
    Plan = late("planning.plan", "Plan")
    PlanPreview = late("planning.preview", "PlanPreview")
    ServiceFeatures = late("remote.capabilities", "ServiceFeatures")
    ScopeLog = late("reports.records", "ScopeLog")
    Snapshots = late("reports.records", "Snapshots")
    StatusHistory = late("reports.records", "StatusHistory")
    ServiceReports = late("reports.answers", "ServiceReports")
    Coverages = late("reports.coverages", "Coverages")
    MachineReports = late("reports.machine", "MachineReports")
    ReportRecords = late("reports.machine", "ReportRecords")
    Reports = late("reports.reports", "Reports")
    KeptViews = late("kept_views", "KeptViews")
    SampleNews = late("sample_news", "SampleNews")
    UndoHistory = late("undo.history", "UndoHistory")
    ChosenColumns = late("views.columns", "ChosenColumns")
    ColumnCells = late("views.columns", "ColumnCells")
    ItemHistory = late("views.item_history", "ItemHistory")
    Attachments = late("views.items", "Attachments")
    ItemBatch = late("views.items", "ItemBatch")
    Comments = late("views.items", "Comments")
    Criteria = late("views.objects", "Criteria")
    LoggedTimes = late("views.objects", "LoggedTimes")
    WebLinks = late("views.objects", "WebLinks")
    BoardLayouts = late("views.preferences", "BoardLayouts")
    InputHistory = late("views.preferences", "InputHistory")
    ScreenValues = late("views.preferences", "ScreenValues")
    TextDrafts = late("views.preferences", "TextDrafts")
    ItemRelations = late("views.relations", "ItemRelations")
    TextSearch = late("views.search", "TextSearch")
    View = late("views.view", "View")

Connect = Callable[[Report], Awaitable["Client"]]
"""Creates the client, signed in if possible, and reports the progress of its preparation."""

Clock = Callable[[], datetime]
"""Returns the time with the viewer's zone."""

_PROJECT = "project"
_T = TypeVar("_T")


class StorePart(cached_property[_T]):
    """A part of the store, made when it is first used."""

    def __init__(self, make: Callable[["Store"], _T]) -> None:
        super().__init__(make)


class Store:
    """The work of a profile: mirror, journal, and the engine that syncs them with the service.

    Reads are short and run on the caller's thread, always the same one. Coroutines can be awaited in any event
    loop. Listeners are called on the store's threads. Each act on a part returns after the change is on disk and
    visible.
    """

    lookups: Lookups
    engine: Engine
    files: LocalDatabase
    """Mirror and journal."""
    _signal: Signal
    _clock: Clock

    server = StorePart(lambda self: ServiceFeatures(self.files))

    # Time
    clock = StorePart(lambda self: ProjectClock(self.lookups, self._clock, self._clock_offset))
    now = StorePart(lambda self: self.clock.now)
    server_time = StorePart(lambda self: self.clock.server_time)
    today = StorePart(lambda self: self.clock.today)
    local_today = StorePart(lambda self: self.clock.local_today)
    times = StorePart(lambda self: self.clock.times)
    local = StorePart(lambda self: self.clock.local)

    # Reads
    names = StorePart(lambda self: QueryNames(self.lookups, self.clock))
    ready_check = StorePart(lambda self: ReadyCheck(self.files, self.names))
    search = StorePart(lambda self: TextSearch(self.files, lambda: self.project_id))
    attachments = StorePart(lambda self: Attachments(self.files))
    comments = StorePart(lambda self: Comments(self.files))
    relations = StorePart(lambda self: ItemRelations(self.files, self.lookups))
    criteria = StorePart(lambda self: Criteria(self.files))
    links = StorePart(lambda self: WebLinks(self.files))
    time_entries = StorePart(lambda self: LoggedTimes(self.files, self._read_times, self._read_times_of))
    batch = StorePart(lambda self: ItemBatch(self.files))
    cells = StorePart(lambda self: ColumnCells(self.files, self.names))
    item_history = StorePart(lambda self: ItemHistory(self.files, self.lookups, self.server_time, self._read_history))
    inbox = StorePart(lambda self: Inbox(self.files, self._signal, lambda: self.project_id, self.lookups.me, self.now))
    everybody = StorePart(lambda self: KnownUsers(self.lookups, self.engine))
    project_facts = StorePart(lambda self: ProjectLookups(self.files, self.lookups))
    kept_views = StorePart(lambda self: KeptViews(self.files, self.lookups, self.engine))

    # Edits
    items = StorePart(lambda self: ItemEdits(self.files, self.lookups))
    imports = StorePart(lambda self: ImportEdits(self.files, self.lookups, self.today))
    nodes = StorePart(lambda self: NodeEdits(self.files, self.lookups, self.today, self.now))
    project_settings = StorePart(lambda self: ProjectSettingsEdits(self.files, self.lookups, self._ask_settings))
    conversions = StorePart(lambda self: Conversions(self.files, self.lookups))
    moves = StorePart(lambda self: Moves(self.files, self.lookups))
    deletions = StorePart(lambda self: Deletions(self.files, self.lookups))
    relation_edits = StorePart(lambda self: RelationEdits(self.files, self.lookups, self.items))
    criterion_edits = StorePart(lambda self: CriterionEdits(self.files, self.lookups))
    link_edits = StorePart(lambda self: LinkEdits(self.files, self.lookups))
    time_edits = StorePart(lambda self: TimeEdits(self.files, self.lookups))
    conflicts = StorePart(lambda self: Conflicts(self.files, self.lookups))
    history = StorePart(lambda self: UndoHistory(self.files, self.lookups))
    ranking = StorePart(lambda self: Ranking(self.files, self.server, lambda: self.project_id))
    plan = StorePart(lambda self: Plan(self.files, self.lookups))
    capacities = StorePart(lambda self: SharedCapacities(self.files, self.lookups, self._ask_capacities))
    plan_preview = StorePart(lambda self: PlanPreview(self.files, self.plan, self.relations))
    rollover = StorePart(lambda self: Rollover(self.files, self.lookups, self.now))
    work_log = StorePart(lambda self: WorkLog(self.files, self.lookups, self.today))
    splits = StorePart(lambda self: Splits(self.files, self.lookups))
    timer = StorePart(lambda self: WorkTimer(self.files, self._clock))
    transfers = StorePart(lambda self: AttachmentTransfers(self.files, self.engine, self.items.found))
    grooming = StorePart(
        lambda self: Grooming(self.files, self.names, self.ready_check, lambda: self.project_id, self.groom_fields)
    )

    sample_news = StorePart(lambda self: SampleNews(self.files, self._read_history, self.lookups.me))

    # Reports and their records
    snapshots = StorePart(lambda self: Snapshots(self.files, lambda: self.project_id, self.today))
    scope_log = StorePart(lambda self: ScopeLog(self.files, self.today))
    status_history = StorePart(lambda self: StatusHistory(self.files, self.today))
    records = StorePart(lambda self: ReportRecords(self.snapshots, self.scope_log, self.status_history))
    coverages = StorePart(lambda self: Coverages(self.lookups, self.names))
    service_reports = StorePart(lambda self: ServiceReports(self.files, self._read_report, self._signal))
    machine_reports = StorePart(
        lambda self: MachineReports(self.files, self.lookups, self.records, self.names, self.clock.project_time)
    )
    reports = StorePart(
        lambda self: Reports(self.files, self.lookups, self.coverages, self.service_reports, self.machine_reports)
    )

    # State of the screens
    boards = StorePart(lambda self: BoardLayouts(self.files, lambda: self.project_id))
    columns = StorePart(lambda self: ChosenColumns(self.files))
    drafts = StorePart(lambda self: TextDrafts(self.files, self._signal))
    typed = StorePart(lambda self: InputHistory(self.files))
    kept = StorePart(lambda self: ScreenValues(self.files))

    def __init__(
        self, places: ProfileFiles, connect: Connect, clock: Clock = local_time, waits: "RetryPauses | None" = None
    ) -> None:
        self._clock = clock
        self._signal = Signal()
        self.files = LocalDatabase(places, self._signal)
        self.lookups = Lookups(self.files, self._signal)
        self.engine = Engine(self.files, self._signal, connect, waits, clock)
        self.engine.on_projects = self._chosen_project
        self.engine.on_synced = self._synced
        self.recent_edits = RecentEdits(self.lookups, self._signal)
        self.engine.others = self.recent_edits
        self.presence = Presence(self.lookups, self._signal, self.engine)
        self.engine.presence = self.presence
        self.files.wake = self.engine.wake
        self.groom_fields: tuple[str, ...] = ()
        """The keys of the fields that grooming asks for in addition to the ready check; set before `open`."""
        self.is_sample = self.is_local = False
        """Kinds of workspace, set before `open`: the sample, or the user's own."""
        self.pinned = ""
        """Name or number of the project that this process shows until the user chooses another; set before `open`."""
        self._views: weakref.WeakSet[View] = weakref.WeakSet()
        self._views_lock = threading.Lock()
        self._signal.subscribe(self._note)

    def _clock_offset(self) -> timedelta:
        return self.server.clock_offset()

    @property
    def is_inside(self) -> bool:
        """True where the service runs inside this program: its addresses lead nowhere outside."""
        return self.is_sample or self.is_local

    @property
    def project_id(self) -> int | None:
        return self.lookups.project_id

    def open(self) -> None:
        """Open the files. An unusable mirror is rebuilt. Raises StorageError for an unusable journal."""
        self.files.open()
        chosen = self.files.journal.settings.value(_PROJECT)
        self.lookups.project_id = int(chosen) if chosen else None
        if self.pinned:
            self.lookups.project_id = None  # the service may know a project that the mirror does not have
            with suppress(BadRequest):
                self.lookups.project_id = self.lookups.project_named(self.pinned).id
        self.engine.remember(self.lookups.me())

    def start(self) -> None:
        """Start the engine: connect, sync, send. It imports the client, so call it after the first paint."""
        self.engine.start(self.project_id)

    def close(self) -> None:
        """Stop the engine within two seconds and close the files. Every edit is on disk already."""
        self.engine.stop()
        self.files.close()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine of the store to its end. Before `start` only the files answer, which needs no event loop."""
        if not self.engine.is_started:
            return run_without_loop(coroutine)
        import asyncio

        return asyncio.run(coroutine)

    def subscribe(self, listener: Callable[[StoreChange], None]) -> Callable[[], None]:
        """Call a listener with every change, on the store's threads. Returns the function that unsubscribes it."""
        return self._signal.subscribe(listener)

    @property
    def connection(self) -> ConnectionStatus:
        return self.engine.connection

    @property
    def outbox(self) -> OutboxState:
        return self.files.outbox

    def choose_project(self, project_id: int) -> None:
        """Show another project from now on and remember it. Existing views keep their project."""
        self.pinned = ""
        self._use_project(project_id)
        self.engine.use_project(project_id)

    def pin_project(self, project_id: int) -> None:
        self._show_project(project_id)
        self.engine.use_project(project_id)

    @property
    def commands_project(self) -> int | None:
        """The project that commands show where none is named; the screens have one of their own."""
        found = self.files.journal.settings.value(COMMANDS_PROJECT)
        return int(found) if found else None

    async def keep_commands_project(self, project_id: int) -> None:
        await self.files.edit(lambda writer: writer.journal.settings.keep(COMMANDS_PROJECT, str(project_id)))

    def _chosen_project(self, project_ids: list[int]) -> int | None:
        """Return the pinned project, else the current one, else the first. The engine calls it.

        Raises BadRequest for an unknown pinned project.
        """
        if self.pinned:
            self._show_project(self.lookups.project_named(self.pinned).id)
        elif self.project_id not in project_ids and project_ids:
            wanted = self.lookups.own_names.project_id
            self._use_project(project_ids[0] if wanted is None else wanted)
        return self.project_id

    async def _synced(self, project_id: int) -> None:
        from backlit.store.remote.capabilities import REPORTS, announces
        from backlit.store.remote.receiving import note_synced

        await self.files.write(lambda writer: note_synced(writer, project_id))
        told = await self.files.write(lambda writer: writer.mirror.note(CAPABILITIES))
        if not announces(told, REPORTS):
            await self.snapshots.take(project_id)
            await self.scope_log.note(project_id)
            await self.status_history.note(project_id)
        if self.is_sample:
            await self.sample_news.begin(project_id)

    async def _read_report(self, project_id: int, name: str, query: Mapping[str, str]) -> Document:
        return await self.engine.ask(lambda session: session.client.projects.report(project_id, name, query))

    async def _ask_settings(
        self, project_id: int, act: Callable[["DocumentEndpoint"], Awaitable["FetchedResource"]]
    ) -> "FetchedResource":
        return await self.engine.ask(
            lambda session: session.as_owner(lambda client: act(client.projects.settings(project_id)))
        )

    async def _ask_capacities(
        self,
        project_id: int,
        iteration_id: int | None,
        act: Callable[["DocumentEndpoint"], Awaitable["FetchedResource"]],
    ) -> "FetchedResource":
        def ask(client: "Client") -> Awaitable["FetchedResource"]:
            if iteration_id is None:
                return act(client.projects.capacities(project_id))
            return act(client.iterations.capacities(iteration_id))

        return await self.engine.ask(lambda session: session.as_owner(ask))

    def _use_project(self, project_id: int) -> None:
        self.files.submit(lambda writer: writer.journal.settings.keep(_PROJECT, str(project_id)))
        self._show_project(project_id)

    def _show_project(self, project_id: int) -> None:
        if project_id == self.project_id:
            return
        self.lookups.project_id = project_id
        about = (Subject.PEOPLE, Subject.TREES, Subject.ITEMS, Subject.COMMENTS, Subject.ATTACHMENTS, Subject.VIEWS)
        for subject in (*about, *(kind.subject for kind in OBJECT_KINDS)):
            self._signal.publish(StoreChange(subject))

    def view(self, spec: "ViewSpec", shape: Callable[[ItemRow], ItemRow] | None = None) -> "View":
        """Return a list of the current project's items. `reload` catches up with changes.

        `shape` changes the look of a row, for example for a plan.
        """
        view = View(spec, self.project_id, self.files.mirror, self.files.read, self.names, shape=shape)
        with self._views_lock:
            self._views.add(view)
        return view

    def synced_at(self) -> float | None:
        """Return this machine's time of the project's last sync, by this process or an earlier one; None before it."""
        if self.connection.synced_at is not None or self.project_id is None:
            return self.connection.synced_at
        places, project_id = self.files.places, self.project_id
        return self.lookups.keep(Subject.CONNECTION, "last sync", lambda: places.synced_at(project_id))

    def has_items(self) -> bool:
        from backlit.store.views.query import ViewSpec

        spec = ViewSpec(with_done=True)
        return self.lookups.keep(Subject.ITEMS, "has items", lambda: bool(self.view(spec).rows(0, 1)))

    def _note(self, change: StoreChange) -> None:
        with self._views_lock:
            views = list(self._views)
        for view in views:
            view.note(change)

    def item(self, item_id: int) -> Item | None:
        """Return a whole item. A temporary id finds the item created from it."""
        found = self.batch.items([item_id]) or self.batch.items([self.files.journal.real_id(item_id)])
        return found[0] if found else None

    def outbox_entries(self) -> tuple[OutboxEntry, ...]:
        return tuple(self.files.journal.entries.undelivered())

    async def _read_history(self, item_id: int, is_older: bool) -> None:
        await self.engine.ask(lambda session: session.read_history(item_id, is_older=is_older))

    async def _read_times(self, first: date, last: date) -> None:
        project_id = self.lookups.need_project()
        await self.engine.ask(lambda session: session.read_times(project_id, first, last))

    async def _read_times_of(self, task_ids: Sequence[int]) -> None:
        project_id = self.lookups.need_project()
        await self.engine.ask(lambda session: session.read_times_of(project_id, task_ids))

    async def look_at(self, item_id: int) -> None:
        self.engine.look_at(self.files.journal.real_id(item_id))

    async def refresh(self, *, is_full: bool = False) -> None:
        """Read new data, or all data, from the service now. Returns once the mirror has it.

        Raises the error that prevents it.
        """
        await self.engine.refresh(is_full=is_full)
