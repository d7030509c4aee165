"""State of the screens that survives restarts: typed lines, values by key, unfinished texts, board layouts."""

import json
from collections.abc import Callable, Mapping

import orjson
from msgspec import Struct, field

from backlit.store.files.files import LocalDatabase
from backlit.store.journal.settings import item_of_draft
from backlit.store.records.changes import Signal, StoreChange, Subject

MAX_REMEMBERED_INPUTS = 100


class InputHistory:
    """The typed lines of each purpose, the latest first, without repeats."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}

    def lines(self, purpose: str) -> list[str]:
        if purpose not in self._lines:
            kept = self._files.journal.settings.value(_key(purpose))
            self._lines[purpose] = json.loads(kept) if kept else []
        return list(self._lines[purpose])

    def remember(self, purpose: str, line: str) -> None:
        lines = [line, *(each for each in self.lines(purpose) if each != line)][:MAX_REMEMBERED_INPUTS]
        self._lines[purpose] = lines
        self._files.submit(lambda writer: writer.journal.settings.keep(_key(purpose), json.dumps(lines)))


def _key(purpose: str) -> str:
    return f"typed {purpose}"


class ScreenValues:
    """Small values of the screens by key: what was open last, and notes that were hidden."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def find(self, key: str) -> object:
        text = self._files.journal.settings.value(key)
        return json.loads(text) if text else None

    def keep(self, key: str, value: object) -> None:
        text = json.dumps(value)
        self._files.submit(lambda writer: writer.journal.settings.keep(key, text))


START_PROBLEMS = "start problems"
"""The key of the faults that the last start of the application found in the configuration, as a list of sentences."""


class TextDrafts:
    """Unfinished texts by key. It is announced which items begin or cease to have one."""

    def __init__(self, files: LocalDatabase, signal: Signal) -> None:
        self._files = files
        self._signal = signal
        self._unwritten: dict[str, dict[str, object]] = {}
        self._accepted: set[str] = set()

    def find(self, key: str) -> dict[str, object] | None:
        """Return a draft; None for a text that was accepted, though it stays on disk until its answer is written."""
        return None if key in self._accepted else self._stored(key)

    def _stored(self, key: str) -> dict[str, object] | None:
        return self._unwritten.get(key) or self._files.journal.drafts.find(key)

    def accept(self, key: str) -> None:
        self._accepted.add(key)

    async def discard_accepted(self, key: str) -> None:
        """Discard an accepted text, unless another one was begun under its key."""
        if key in self._accepted:
            await self.discard(key)

    def item_ids(self) -> frozenset[int]:
        found = map(item_of_draft, {*self._unwritten, *self._files.journal.drafts.keys()})
        return frozenset(self._files.journal.real_id(each) for each in found if each is not None)

    async def save(self, key: str, content: Mapping[str, object]) -> None:
        """Store a draft. It is on disk when this returns, and in memory where the disk rejects it."""
        kept, is_new = dict(content), self._stored(key) is None
        self._unwritten[key] = kept
        self._accepted.discard(key)
        await self._files.write(lambda writer: writer.journal.drafts.save(key, kept))
        if self._unwritten.get(key) is kept:
            del self._unwritten[key]
        if is_new:
            self._announce(key)

    async def discard(self, key: str) -> None:
        is_known = self._stored(key) is not None
        await self._files.write(lambda writer: writer.journal.drafts.discard(key))
        self._unwritten.pop(key, None)
        self._accepted.discard(key)
        if is_known:
            self._announce(key)

    def _announce(self, key: str) -> None:
        if (item_id := item_of_draft(key)) is not None:
            self._signal.publish(StoreChange(Subject.DRAFTS, frozenset({item_id})))


_BOARD_SETTING = "board"


class KeptBoardLayout(Struct, frozen=True):
    """The chosen fields of columns and lanes, and the collapsed columns by their first value."""

    columns: str
    lanes: str
    collapsed: Mapping[object, bool] = field(default_factory=dict)


class BoardLayouts:
    """Board layouts in the journal. A layout is dropped when the settings change that it was chosen over.

    Those settings are `written`, as text; without any they are the columns and lanes of `usual`.
    """

    def __init__(self, files: LocalDatabase, project: Callable[[], int | None]) -> None:
        self._files = files
        self._project = project

    def found(self, usual: KeptBoardLayout, written: str = "") -> KeptBoardLayout:
        text = self._files.journal.settings.value(self._key())
        kept = orjson.loads(text) if text else {}
        if kept.get("usual") != _settings_of(usual, written):
            return usual
        return KeptBoardLayout(kept["columns"], kept["lanes"], dict(kept["collapsed"]))

    async def keep(self, usual: KeptBoardLayout, board: KeptBoardLayout, written: str = "") -> None:
        key = self._key()
        kept = {
            "usual": _settings_of(usual, written),
            "columns": board.columns,
            "lanes": board.lanes,
            "collapsed": [*board.collapsed.items()],
        }
        text = orjson.dumps(kept).decode()
        await self._files.write(lambda writer: writer.journal.settings.keep(key, text))

    def _key(self) -> str:
        return f"{_BOARD_SETTING} {self._project() or 0}"


def _settings_of(usual: KeptBoardLayout, written: str) -> list[str]:
    return [usual.columns, usual.lanes, *([written] if written else [])]
