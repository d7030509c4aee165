"""The groom queue: which items are asked about, how far it is, what came of it; in the journal until it is over."""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, Kind, Settable, fields_of
from backlit.model.filters import Filter, Or
from backlit.model.grooming import Question, answerable, is_missing, lacking, questions
from backlit.model.lint import RULES, Rule
from backlit.model.query import NameKind
from backlit.model.statuses import is_open
from backlit.store.database import ids_json
from backlit.store.files import Files, Writer
from backlit.store.filter_sql import condition
from backlit.store.lint import ReadyCheck
from backlit.store.names import StoreNames
from backlit.store.rows import Item, fields_in
from backlit.store.stops import Progress, Stop
from backlit.store.values import is_same

LEAST, MOST = 4, 256
"""Items that are looked at in one go for one to be asked about; few at first, as it mostly is the first."""


@dataclass(frozen=True, slots=True)
class FieldAnswer:
    """A field that is another than when the item was first shown."""

    key: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Groomed:
    """What came of one item that was shown; the name is empty where it is gone.

    `answers` are the user's own, `others` what somebody else changed meanwhile; each is told as it is now.
    """

    item_id: int
    type: str
    name: str
    is_skipped: bool
    answers: tuple[FieldAnswer, ...]
    others: tuple[FieldAnswer, ...]
    open: tuple[Rule, ...]
    """What the ready-check still finds missing."""


class Grooming:
    """The current project's queue. Its reads are short, as those of the store are."""

    def __init__(self, files: Files, names: StoreNames, lint: ReadyCheck, project_id: Callable[[], int | None]) -> None:
        self._files = files
        self._names = names
        self._lint = lint
        self._project_id = project_id
        self.fields: tuple[str, ...] = ()
        """The keys of the fields that are asked for beside what the ready-check finds missing."""

    @property
    def _project(self) -> int:
        return self._project_id() or 0

    # What is asked

    def chosen_fields(self) -> list[Field]:
        """The chosen fields that there are in this project."""
        known = dict(FIELD_BY_KEY) | {field.key: field for field in self._names.custom_fields()}
        return [known[key] for key in self.fields if key in known]

    def questions(self, item: Item) -> tuple[Question, ...]:
        """What an open item still has to be asked."""
        status = item.fields.get("Status")
        if not is_open(str(status) if status else None):
            return ()
        roots = self._roots()
        fields = {field.key: field for field in fields_of(item.type, self._names.custom_fields())}
        missing = [
            field
            for field in self.chosen_fields()
            if field.key in fields and is_missing(field, item.fields.get(field.key), roots)
        ]
        return questions(self._lint.faults([item.id]).get(item.id, ()), missing, fields)

    def filter(self) -> Filter:
        """Holds for the items that have something to be asked, whether they are open or not."""
        rules = [answerable(rule, self._names.failing(rule.id)) for rule in RULES]
        return Or((*rules, lacking(self.chosen_fields(), self._roots())))

    def _roots(self) -> Mapping[str, frozenset[int]]:
        return {"AreaID": self._names.roots(NameKind.AREA), "IterationID": self._names.roots(NameKind.ITERATION)}

    # The queue

    def progress(self) -> Progress | None:
        """How far the queue is; None where none was begun, or the last one is over."""
        return self._files.journal.stops.progress(self._project)

    async def begin(self, item_ids: Sequence[int]) -> int:
        """Begin a queue of those of some items that have something to be asked; returns how many there are.

        One that was paused is given up for it, unless there is nothing to ask.
        """
        asked = condition(self.filter(), self._names.custom_fields())
        sql = f"SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND is_open = 1 AND ({asked.text})"  # noqa: S608 # bound values
        values = (ids_json(item_ids), *asked.values)

        def read(mirror: sqlite3.Connection) -> set[int]:
            return {item_id for (item_id,) in mirror.execute(sql, values)}

        found = await self._files.read(read)
        wanted = [item_id for item_id in dict.fromkeys(item_ids) if item_id in found]
        began_on = self._names.today().isoformat()
        project = self._project
        if wanted:
            await self._files.write(lambda writer: writer.journal.stops.begin(project, wanted, began_on))
        return len(wanted)

    def stop_at(self, place: int) -> Stop | None:
        """The item at a place."""
        return self._files.journal.stops.stop(self._project, place)

    def next_stop(self, place: int) -> Stop | None:
        """The first item from a place on that is there, and was shown already or has something to be asked."""
        count = LEAST
        while stops := self._files.journal.stops.from_place(self._project, place, count):
            ids = {stop.place: self._files.journal.real_id(stop.item_id) for stop in stops}
            waiting = self._waiting(list(ids.values()))
            for stop in stops:
                if ids[stop.place] in waiting or (stop.before is not None and self._is_there(ids[stop.place])):
                    return stop
            place, count = stops[-1].place + 1, min(count * 4, MOST)
        return None

    def previous_stop(self, place: int) -> Stop | None:
        """The last item before a place that was shown and is there."""
        stops = self._files.journal.stops.shown_before(self._project, place)
        return next((stop for stop in stops if self._is_there(self._files.journal.real_id(stop.item_id))), None)

    def _waiting(self, item_ids: Sequence[int]) -> set[int]:
        asked = condition(self.filter(), self._names.custom_fields())
        sql = f"SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND is_open = 1 AND ({asked.text})"  # noqa: S608 # bound values
        return {item_id for (item_id,) in self._files.mirror.execute(sql, (ids_json(item_ids), *asked.values))}

    def _is_there(self, item_id: int) -> bool:
        return self._files.mirror.execute("SELECT 1 FROM items WHERE id = ?", (item_id,)).fetchone() is not None

    async def show(self, stop: Stop, item: Item, asked: Sequence[str]) -> None:
        """Keep that an item is shown, what it is asked, and, the first time, what it is before."""
        project = self._project
        before = {key: value for key, value in item.fields.items() if _is_told(key)}

        def act(writer: Writer) -> None:
            with writer.journal.transaction():
                writer.journal.stops.note(project, stop.place, asked, before)
                writer.journal.stops.go_to(project, stop.place)

        await self._files.write(act)

    async def leave(self, stop: Stop, *, is_skipped: bool) -> None:
        """Keep whether an item was skipped, when it is left."""
        project = self._project
        await self._files.write(lambda writer: writer.journal.stops.skip(project, stop.place, is_skipped=is_skipped))

    async def finish(self) -> None:
        """Keep that every item had its turn; the queue stays until it is ended."""
        project, progress = self._project, self.progress()
        if progress is not None:
            await self._files.write(lambda writer: writer.journal.stops.go_to(project, progress.count))

    async def end(self) -> None:
        """Forget the queue."""
        project = self._project
        await self._files.write(lambda writer: writer.journal.stops.end(project))

    async def results(self) -> tuple[Groomed, ...]:
        """What came of each item that was shown, in their order. Raises BadRequest where there is no queue."""
        project, check = self._project, self._lint.judge()

        def read(writer: Writer) -> tuple[Groomed, ...]:
            if writer.journal.stops.progress(project) is None:
                raise BadRequest("There is no groom queue.")
            stops = writer.journal.stops.shown(project)
            ids = [writer.journal.real_id(stop.item_id) for stop in stops]
            faults = check(writer.mirror.connection, ids)
            edited = writer.journal.stops.edited(project)
            own = {
                stop.place: {key for entry_id, keys in edited.get(item_id, ()) if entry_id > stop.since for key in keys}
                for stop, item_id in zip(stops, ids, strict=True)
            }
            return tuple(
                _groomed(writer, stop, item_id, own[stop.place], faults.get(item_id, ()))
                for stop, item_id in zip(stops, ids, strict=True)
            )

        return await self._files.write(read)


def _groomed(writer: Writer, stop: Stop, item_id: int, own: Collection[str], faults: Sequence[Rule]) -> Groomed:
    document = writer.mirror.effective(item_id)
    fields, before = fields_in(document or {}), stop.before or {}
    changed = tuple(
        FieldAnswer(key, before.get(key), fields.get(key))
        for key in dict.fromkeys((*stop.asked, *before, *fields))
        if document is not None and _is_told(key) and not is_same(before.get(key), fields.get(key))
    )
    name = str(fields.get("Name") or before.get("Name") or "")
    status = fields.get("Status")
    is_judged = document is not None and is_open(str(status) if status else None)
    kind = str((document or {}).get("type") or "")
    answers = tuple(each for each in changed if each.key in own)
    others = tuple(each for each in changed if each.key not in own)
    return Groomed(item_id, kind, name, stop.is_skipped, answers, others, tuple(faults) if is_judged else ())


def _is_told(key: str) -> bool:
    """Whether a change of a field is told: what people set, save long texts."""
    field = FIELD_BY_KEY.get(key)
    if field is None:
        return key.endswith("_cf")
    return field.settable is not Settable.NEVER and field.kind is not Kind.LONG_TEXT
