"""The service's answers about reports, of which the last ones are kept for times without a connection."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from msgspec import Struct

from backlit.model.errors import SignInNeeded, TransientError
from backlit.model.reports.document import ReportDocument, read_document
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.time_groups import TimeGroup
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.item import Document

ReadReport = Callable[[int, ReportName, Mapping[str, str]], Awaitable[Document]]
"""Reads a report of a project from the service."""
KEPT_ANSWERS = 100
"""Answers that are kept, the last ones."""
MAX_KEPT_BYTES = 200_000
"""The largest answer that is kept: a year of days is 20 KB, 5,000 items are more."""
KEPT_SECONDS = 300.0
"""Seconds for which an answer with the same figures is not written again; offline it is that much older."""
_PREFIX = "report "


class ReportRequest(Struct, frozen=True):
    """What a report is asked; None: all iterations, all teams, the usual unit and number of days."""

    name: ReportName
    iteration_id: int | None = None
    team_id: int | None = None
    unit: ReportUnit | None = None
    days: int | None = None
    week: str | None = None
    by: TimeGroup | None = None

    @property
    def query(self) -> Mapping[str, str]:
        options = {
            "iteration": self.iteration_id,
            "team": self.team_id,
            "unit": self.unit,
            "days": self.days,
            "week": self.week,
            "by": self.by,
        }
        return {name: str(value) for name, value in options.items() if value is not None}

    def key(self, project_id: int) -> str:
        return f"{_PREFIX}{project_id} {self.name} {' '.join(f'{name}={value}' for name, value in self.query.items())}"


class ReportAnswer(Struct, frozen=True):
    """A document, and whether it is an earlier answer because the service could not be asked."""

    document: ReportDocument
    is_kept: bool = False


class ServiceReports:
    """Asks the service for reports, and keeps its answers in the mirror."""

    def __init__(self, files: LocalDatabase, read: ReadReport, signal: Signal) -> None:
        self._files = files
        self._read = read
        self._signal = signal

    async def answer(self, project_id: int, question: ReportRequest) -> ReportAnswer:
        """Return the service's answer, or the last one without a connection; without one raise what prevents it."""
        try:
            wire = await self._read(project_id, question.name, question.query)
        except (TransientError, SignInNeeded):
            kept = self.kept(project_id, question)
            if kept is None:
                raise
            return ReportAnswer(kept, is_kept=True)
        document = read_document(wire)
        await self._files.write(lambda writer: _keep(writer, question.key(project_id), wire))
        return ReportAnswer(document)

    async def renew(self, project_id: int, question: ReportRequest) -> None:
        """Ask again, and tell listeners of other figures than those of the last answer."""
        before = self.kept(project_id, question)
        found = (await self.answer(project_id, question)).document
        if before is None or before.summary != found.summary:
            self._signal.publish(StoreChange(Subject.HISTORY))

    def kept(self, project_id: int, question: ReportRequest) -> ReportDocument | None:
        """Return the last answer to a question; None without one."""
        sql = "SELECT value FROM notes WHERE key = ?"
        found = self._files.mirror.execute(sql, (question.key(project_id),)).fetchone()
        return None if found is None else read_document(orjson.loads(found[0])["document"])


def _keep(writer: WriteContext, key: str, wire: Mapping[str, object]) -> None:
    if len(orjson.dumps(wire)) > MAX_KEPT_BYTES:
        return
    last, now = writer.mirror.note(key), time.time()
    kept: dict[str, Any] = last if isinstance(last, dict) else {"at": 0.0, "document": {}}
    is_new = any(kept["document"].get(part) != wire.get(part) for part in ("summary", "rows", "notes"))
    # A write makes other processes ask again, whose answers would make this one ask again.
    if is_new or now - kept["at"] > KEPT_SECONDS:
        writer.mirror.set_note(key, {"at": now, "document": wire})
        if last is None:
            writer.mirror.trim_notes(_PREFIX, KEPT_ANSWERS)
