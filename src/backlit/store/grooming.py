"""Ready-check and grooming: the rules that items fail, and a journalled queue of items with open questions."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.fields import (
    CRITERIA_COUNT,
    FEATURE_ID,
    FIELD_BY_KEY,
    VIRTUAL_BY_KEY,
    Field,
    ItemType,
    Kind,
    Settable,
    fields_of,
)
from backlit.model.filters import Filter, Or
from backlit.model.filters.matching import words_of
from backlit.model.query import NameKind
from backlit.model.ready_check import RULES, ReadyRule, RuleInputs, is_missing, without_values
from backlit.model.trees import NodeTotals
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.groom_queue import GroomProgress, GroomQueueItem
from backlit.store.mirror.schema import SHOWN
from backlit.store.records.entry import PLACE_COLUMNS, PLACE_KEYS
from backlit.store.records.item import Item, fields_in
from backlit.store.records.people import TreeKind
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.filter_sql import condition
from backlit.store.views.names import QueryNames
from backlit.store.views.order import BACKLOG_ORDER

MIN_SEARCH_BATCH, MAX_SEARCH_BATCH = 4, 256
"""The first and the largest number of items to search at once for the next open question."""


ALWAYS_ASKED = ("IterationID",)
"""Fields that every queue asks for. An item that lacks nothing else is not in a queue."""
MOST_SIMILAR, MAX_LIKELY_FEATURES = 3, 4
SIMILAR_WORDS = 5
"""Words of a name, the longest ones, that similar items are looked up by."""
SHORTEST_WORD = 4
_SIMILAR = (
    "SELECT items.id, items.name, points FROM item_words JOIN items ON items.id = item_words.rowid"
    " WHERE item_words MATCH ? AND project_id = ? AND items.id <> ? AND points IS NOT NULL AND is_task = 0"
    " ORDER BY bm25(item_words) LIMIT ?"
)
_OPEN_FEATURES = (
    f"SELECT id, name, area_id FROM items WHERE project_id = ? AND own_open = 1 AND type = '{ItemType.FEATURE}'"  # noqa: S608 # constants
    f" ORDER BY {BACKLOG_ORDER}"
)
_BELOW = (
    "SELECT CASE is_task WHEN 0 THEN parent_id END, nullif((SELECT count(*) FROM criteria"  # noqa: S608 # constants
    f" WHERE {SHOWN} AND item_id = items.id), 0) FROM items WHERE id = ?"
)

# The whole count reads three fields out of the documents of half of the items: 0.13 s of 100,000, 1.3 s of 1,000,000.
COUNTED_AT_ONCE, MANY_UNREADY = 2_000, 1_000
"""Items judged by one read of a count, and the number from which it ends: a groomer needs no larger one."""
Judge = Callable[[sqlite3.Connection, Sequence[int]], Mapping[int, tuple[ReadyRule, ...]]]
"""Returns the rules that each of some items fails."""


class RuleCheck(Struct, frozen=True):
    """A check of an item in words."""

    words: str
    has_passed: bool


class SimilarItem(Struct, frozen=True):
    """An estimated item with words of another one's name."""

    item_id: int
    name: str
    points: float


class ReadyCheck:
    """The check of the current project's items against the current rules."""

    def __init__(self, files: LocalDatabase, names: QueryNames) -> None:
        self._files = files
        self._names = names

    def filter(self) -> Filter:
        return self._names.failing(None)

    def rule_inputs(self) -> RuleInputs:
        return self._names.rule_inputs()

    def sentences(self, item: Item) -> list[str]:
        """Return a sentence for each rule that an item fails; none for a done item or a task."""
        inputs = self.rule_inputs()
        return [rule.failure_sentence(inputs) for rules in self.faults_of([item]).values() for rule in rules]

    def checks(self, item: Item) -> list[RuleCheck]:
        """Return the checks of an item, the passed ones first; an empty field passes none."""
        from backlit.store.records.merge import is_empty

        failed, inputs = self.faults([item.id]).get(item.id, ()), self.rule_inputs()
        rules = self._names.rules.of(item.type)
        keys = {rule.id: rule.field_key(inputs) for rule in rules}
        filled = [
            rule for rule in rules if keys[rule.id] in VIRTUAL_BY_KEY or not is_empty(item.fields.get(keys[rule.id]))
        ]
        passed = [
            RuleCheck(rule.words_passed(inputs), has_passed=True)
            for rule in filled
            if rule.passed and rule not in failed
        ]
        return passed + [
            RuleCheck(rule.failure_sentence(inputs).rstrip("."), has_passed=False) for rule in rules if rule in failed
        ]

    def faults_of(self, items: Iterable[Item]) -> Mapping[int, tuple[ReadyRule, ...]]:
        """Return the failed rules of the items that are open, not ready and no tasks."""
        is_open, judged = self._names.status_groups().is_open, [each for each in items if each.type != ItemType.TASK]
        return self.faults([each.id for each in judged if is_open(each.status)])

    def faults(self, ids: Sequence[int]) -> Mapping[int, tuple[ReadyRule, ...]]:
        """Return the failed rules of each item, by one query. Items that pass are left out."""
        return self.judge()(self._files.mirror, ids)

    async def count(self, ids: Sequence[int]) -> int:
        """Return how many of some items are open, not ready and no tasks, at most MANY_UNREADY, by several reads."""
        asked = condition(self.filter())
        among = "id IN (SELECT value FROM json_each(?)) AND own_open = 1 AND is_task = 0"
        sql = f"SELECT count(*) FROM items WHERE {among} AND ({asked.text})"  # noqa: S608 # bound values

        def counted(part: Sequence[int], mirror: sqlite3.Connection) -> int:
            return int(mirror.execute(sql, (ids_json(part), *asked.values)).fetchone()[0])

        count = start = 0
        while start < len(ids) and count < MANY_UNREADY:
            count += await self._files.read(partial(counted, ids[start : start + COUNTED_AT_ONCE]))
            start += COUNTED_AT_ONCE
        return min(count, MANY_UNREADY)

    async def count_by(self, kind: TreeKind, node_ids: Collection[int]) -> Mapping[int, NodeTotals]:
        asked, node = condition(self.filter()), PLACE_COLUMNS[PLACE_KEYS[kind]]
        sql = (
            f"SELECT {node}, count(*) FROM items WHERE {node} IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
            f" AND is_open = 1 AND is_task = 0 AND ({asked.text}) GROUP BY {node}"
        )
        values = (ids_json(node_ids), *asked.values)

        def read(mirror: sqlite3.Connection) -> dict[int, NodeTotals]:
            return {node_id: NodeTotals(count) for node_id, count in mirror.execute(sql, values)}

        return await self._files.read(read)

    def judge(self) -> Judge:
        """Return a check with the current rules for use on another thread's connection."""
        sql, values = self._names.once_a_minute("ready check", self._statement)

        def judged(mirror: sqlite3.Connection, ids: Sequence[int]) -> dict[int, tuple[ReadyRule, ...]]:
            found = {}
            for item_id, *failed in mirror.execute(sql, (*values, ids_json(ids))):
                rules = tuple(rule for rule, has_failed in zip(RULES, failed, strict=True) if has_failed)
                if rules:
                    found[item_id] = rules
            return found

        return judged

    def _statement(self) -> tuple[str, Sequence[object]]:
        """Return the query of all rules."""
        asked = [condition(self._names.failing(rule.id)) for rule in RULES]
        columns = ", ".join(each.text for each in asked)
        sql = f"SELECT id, {columns} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
        return sql, [value for each in asked for value in each.values]


class FieldAnswer(Struct, frozen=True):
    """A field whose value differs from the one when the item was first shown."""

    key: str
    before: object
    after: object


class GroomedItem(Struct, frozen=True):
    """The result for a shown item. The name is empty for a deleted item.

    `answers` are the user's own changes, `others` those of other users, each with its present value.
    """

    item_id: int
    type: str
    name: str
    is_skipped: bool
    answers: tuple[FieldAnswer, ...]
    others: tuple[FieldAnswer, ...]
    open: tuple[ReadyRule, ...]
    """The rules that the item still fails."""


class OpenFeature(Struct, frozen=True):
    """A Feature that is not done, with the words of its name that tell it from others."""

    item_id: int
    name: str
    area_id: int | None
    words: frozenset[str]


def likely_features(item: Item, features: Iterable[OpenFeature]) -> list[tuple[OpenFeature, str]]:
    """Return at most four Features and why: those with most words of the item's name, then those of its area."""
    words, area_id = telling_words(item.name), item.fields.get("AreaID")
    fitting = [each for each in features if each.words & words or each.area_id == area_id]
    fitting.sort(key=lambda each: -len(each.words & words))
    return [(each, "similar" if each.words & words else "same area") for each in fitting[:MAX_LIKELY_FEATURES]]


class NextGroomItem(Struct, frozen=True):
    """An item that the queue shows later."""

    item_id: int
    type: str
    name: str


class Grooming:
    """The current project's grooming queue. Its reads are short, like those of the store."""

    def __init__(
        self,
        files: LocalDatabase,
        names: QueryNames,
        ready_check: ReadyCheck,
        project_id: Callable[[], int | None],
        fields: tuple[str, ...] = (),
    ) -> None:
        self._files = files
        self._names = names
        self._ready_check = ready_check
        self._project_id = project_id
        self.fields = fields
        """The keys of the fields to ask for in addition to the ready-check."""

    @property
    def _project(self) -> int:
        return self._project_id() or 0

    # Questions

    def chosen_fields(self) -> list[Field]:
        known = dict(FIELD_BY_KEY) | {field.key: field for field in self._names.custom_fields()}
        return [known[key] for key in self.fields if key in known]

    def questions(self, item: Item) -> tuple[str, ...]:
        if not self._is_open(item):
            return ()
        fields = {field.key: field for field in fields_of(item.type, self._names.custom_fields())}
        missing = self._missing(item, (field for field in self.chosen_fields() if field.key in fields))
        failed = self._ready_check.faults([item.id]).get(item.id, ())
        inputs = self._ready_check.rule_inputs()
        return tuple(dict.fromkeys((*(rule.field_key(inputs) for rule in failed), *(field.key for field in missing))))

    def further_questions(self, item: Item) -> tuple[str, ...]:
        """Return the keys of the fields that every queue asks for; they put no item into a queue."""
        if not (self._is_open(item) and self._names.has_iterations()):
            return ()
        return tuple(field.key for field in self._missing(item, (FIELD_BY_KEY[key] for key in ALWAYS_ASKED)))

    def _is_open(self, item: Item) -> bool:
        status = item.fields.get("Status")
        return self._names.status_groups().is_open(str(status) if status else None)

    def _missing(self, item: Item, fields: Iterable[Field]) -> list[Field]:
        roots = self._roots()
        return [field for field in fields if is_missing(field, item.fields.get(field.key), roots)]

    async def similar(self, item: Item) -> tuple[SimilarItem, ...]:
        """Return the estimated items that share most words with an item's name, from the reading thread.

        Two words must agree, unless the name has only one of a useful length.
        """
        words = sorted(telling_words(item.name), key=lambda word: (-len(word), word))[:SIMILAR_WORDS]
        pairs = [f'("{one}" AND "{other}")' for one, other in combinations(words, 2)] or [f'"{each}"' for each in words]
        if not pairs:
            return ()
        values = (f"name : ({' OR '.join(pairs)})", self._project, item.id, MOST_SIMILAR)
        rows = await self._files.read(lambda mirror: mirror.execute(_SIMILAR, values).fetchall())
        return tuple(SimilarItem(*row) for row in rows)

    async def open_features(self) -> tuple[OpenFeature, ...]:
        """Return the Features that are not done in backlog order, from the reading thread; none where no rule asks."""
        if not self._names.rules.types_by_rule["feature"]:
            return ()
        rows = await self._files.read(lambda mirror: mirror.execute(_OPEN_FEATURES, (self._project,)).fetchall())
        return tuple(OpenFeature(number, name, area_id, telling_words(name)) for number, name, area_id in rows)

    def value(self, item: Item, key: str) -> object:
        """Return the value that a question is about: of a field, an item's Feature or the number of its criteria."""
        if key not in VIRTUAL_BY_KEY:
            return item.fields.get(key)
        return _values_below(self._files.mirror, self._files.journal.real_id(item.id)).get(key)

    def filter(self) -> Filter:
        return Or((self._ready_check.filter(), without_values(self.chosen_fields(), self._roots())))

    def _roots(self) -> Mapping[str, frozenset[int]]:
        return {"AreaID": self._names.roots(NameKind.AREA), "IterationID": self._names.roots(NameKind.ITERATION)}

    # The queue

    def progress(self) -> GroomProgress | None:
        return self._files.journal.groom_queues.progress(self._project)

    async def begin(self, item_ids: Sequence[int]) -> int:
        """Start a queue of the items that have questions, of tasks only without others, and return their number.

        Replaces a paused queue, unless the number is 0.
        """
        asked = self._with_questions(item_ids)
        found = await self._files.read(lambda mirror: dict(mirror.execute(*asked)))
        are_tasks = int(all(found.values()))
        wanted = [item_id for item_id in dict.fromkeys(item_ids) if found.get(item_id) == are_tasks]
        began_on = self._names.today().isoformat()
        project = self._project
        if wanted:
            await self._files.write(lambda writer: writer.journal.groom_queues.begin(project, wanted, began_on))
        return len(wanted)

    def item_ids(self) -> list[int]:
        progress = self.progress()
        stops = self._files.journal.groom_queues.from_place(self._project, 0, progress.count) if progress else ()
        return [self._files.journal.real_id(stop.item_id) for stop in stops]

    def stop_at(self, place: int) -> GroomQueueItem | None:
        return self._files.journal.groom_queues.stop(self._project, place)

    def next_stop(self, place: int) -> GroomQueueItem | None:
        """Return the first existing item from a place on that was shown before or has questions."""
        return next(self._stops(place), None)

    def coming(self, place: int, most: int) -> list[NextGroomItem]:
        ids = [self._files.journal.real_id(stop.item_id) for stop in islice(self._stops(place + 1), most)]
        sql = "SELECT id, type, name FROM items WHERE id IN (SELECT value FROM json_each(?))"
        found = {row[0]: NextGroomItem(*row) for row in self._files.mirror.execute(sql, (ids_json(ids),))}
        return [found[each] for each in ids if each in found]

    def _stops(self, place: int) -> Iterator[GroomQueueItem]:
        count = MIN_SEARCH_BATCH
        while stops := self._files.journal.groom_queues.from_place(self._project, place, count):
            ids = {stop.place: self._files.journal.real_id(stop.item_id) for stop in stops}
            waiting = dict(self._files.mirror.execute(*self._with_questions(list(ids.values()))))
            for stop in stops:
                if ids[stop.place] in waiting or (stop.before is not None and self._is_there(ids[stop.place])):
                    yield stop
            place, count = stops[-1].place + 1, min(count * 4, MAX_SEARCH_BATCH)

    def previous_stop(self, place: int) -> GroomQueueItem | None:
        stops = self._files.journal.groom_queues.shown_before(self._project, place)
        return next((stop for stop in stops if self._is_there(self._files.journal.real_id(stop.item_id))), None)

    def _with_questions(self, item_ids: Sequence[int]) -> tuple[str, tuple[object, ...]]:
        asked = condition(self.filter(), self._names.custom_fields())
        among = "id IN (SELECT value FROM json_each(?)) AND is_open = 1"
        sql = f"SELECT id, is_task FROM items WHERE {among} AND ({asked.text})"  # noqa: S608 # bound values
        return sql, (ids_json(item_ids), *asked.values)

    def _is_there(self, item_id: int) -> bool:
        return self._files.mirror.execute("SELECT 1 FROM items WHERE id = ?", (item_id,)).fetchone() is not None

    async def show(self, stop: GroomQueueItem, item: Item, asked: Sequence[str]) -> None:
        """Record the shown item, its questions and, the first time, its values."""
        project = self._project
        values = {key: value for key, value in item.fields.items() if _is_listed(key)}

        def act(writer: WriteContext) -> None:
            before = values | _values_below(writer.mirror.connection, writer.journal.real_id(item.id))
            with writer.journal.transaction():
                writer.journal.groom_queues.note(project, stop.place, asked, before)
                writer.journal.groom_queues.go_to(project, stop.place)

        await self._files.write(act)

    async def confirm(self, stop: GroomQueueItem, keys: Sequence[str]) -> None:
        """Record the fields whose values an answer left as they were."""
        project = self._project
        await self._files.write(lambda writer: writer.journal.groom_queues.confirm(project, stop.place, keys))

    def common(self) -> Mapping[str, Sequence[object]]:
        """Return the values that the session offers by field, in the order of their digits; none without a session."""
        return self._files.journal.groom_queues.common(self._project)

    async def keep_common(self, common: Mapping[str, Sequence[object]]) -> None:
        project = self._project
        await self._files.write(lambda writer: writer.journal.groom_queues.keep_common(project, common))

    async def leave(self, stop: GroomQueueItem, *, is_skipped: bool) -> None:
        project = self._project
        await self._files.write(
            lambda writer: writer.journal.groom_queues.skip(project, stop.place, is_skipped=is_skipped)
        )

    async def finish(self) -> None:
        """Move past the last item. The queue exists until `end`."""
        project, progress = self._project, self.progress()
        if progress is not None:
            await self._files.write(lambda writer: writer.journal.groom_queues.go_to(project, progress.count))

    async def end(self) -> None:
        project = self._project
        await self._files.write(lambda writer: writer.journal.groom_queues.end(project))

    async def results(self) -> tuple[GroomedItem, ...]:
        project, check = self._project, self._ready_check.judge()

        def read(writer: WriteContext) -> tuple[GroomedItem, ...]:
            if writer.journal.groom_queues.progress(project) is None:
                raise BadRequest("Grooming has not been started.")
            stops = writer.journal.groom_queues.shown(project)
            ids = [writer.journal.real_id(stop.item_id) for stop in stops]
            faults = check(writer.mirror.connection, ids)
            edited = writer.journal.groom_queues.edited(project)
            own = {
                stop.place: {key for entry_id, keys in edited.get(item_id, ()) if entry_id > stop.since for key in keys}
                for stop, item_id in zip(stops, ids, strict=True)
            }
            return tuple(
                _groomed(writer, stop, item_id, own[stop.place], faults.get(item_id, ()))
                for stop, item_id in zip(stops, ids, strict=True)
            )

        return await self._files.write(read)


def _groomed(
    writer: WriteContext, stop: GroomQueueItem, item_id: int, own: Collection[str], faults: Sequence[ReadyRule]
) -> GroomedItem:
    from backlit.store.records.merge import is_same

    document = writer.mirror.effective(item_id)
    before = stop.before or {}
    below = _values_below(writer.mirror.connection, item_id) if FEATURE_ID in before else {}
    fields = {**fields_in(document or {}), **below}
    changed = tuple(
        FieldAnswer(key, before.get(key), fields.get(key))
        for key in dict.fromkeys((*stop.asked, *before, *fields))
        if document is not None and _is_listed(key) and not is_same(before.get(key), fields.get(key))
    )
    name = str(fields.get("Name") or before.get("Name") or "")
    is_open = writer.mirror.status_groups.is_open((document or {}).get("projectId"), fields.get("Status"))
    is_judged = document is not None and is_open
    kind = str((document or {}).get("type") or "")
    answers = tuple(each for each in changed if each.key in own)
    others = tuple(each for each in changed if each.key not in own)
    return GroomedItem(item_id, kind, name, stop.is_skipped, answers, others, tuple(faults) if is_judged else ())


def telling_words(name: str) -> frozenset[str]:
    return frozenset(word for word in words_of(name) if len(word) >= SHORTEST_WORD)


def _values_below(mirror: sqlite3.Connection, item_id: int) -> dict[str, object]:
    """Return an item's Feature and the number of its criteria, None for none; nothing for an unknown item."""
    found = mirror.execute(_BELOW, (item_id,)).fetchone()
    return {} if found is None else dict(zip((FEATURE_ID, CRITERIA_COUNT), found, strict=True))


def _is_listed(key: str) -> bool:
    """Report whether results list a field: every settable field except long texts, and what is below an item."""
    if key in VIRTUAL_BY_KEY:
        return True
    field = FIELD_BY_KEY.get(key)
    if field is None:
        return key.endswith("_cf")
    return field.settable is not Settable.NEVER and field.kind is not Kind.LONG_TEXT
