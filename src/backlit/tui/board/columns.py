"""The columns and swimlanes of a board: their fields, the values of each column, and the items that are cards."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.fields import FEATURE_ID, FIELD_BY_KEY, FIELDS, Field, ItemType, Kind, choice_word
from backlit.model.filters import Filter, In, Literal, Not, Property, all_of
from backlit.model.query import NameKind, mentions_status, parse_query
from backlit.model.query.keys import values_of
from backlit.model.settings.user_settings import (
    COLUMN_KINDS,
    LANE_KINDS,
    PARENT,
    RELEASE,
    STATUS,
    BoardSettings,
    ColumnSettings,
)
from backlit.model.statuses import StatusGroup, status_word
from backlit.model.trees import Node
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.store.views.groups import GroupLine
from backlit.store.views.preferences import KeptBoardLayout
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.fields.choices import Choice, can_be_empty
from backlit.tui.fields.dates import current_sprint
from backlit.tui.fields.names import ListNames

SHARED_STATUS_COLUMNS = {"active": "in progress", "closed": "done"}
"""Statuses of some types that share the column of another status, unless the settings separate them."""
DELETED_PERSON = "deleted"
COLUMN_FIELDS = ("Status", "IterationID", RELEASE, "AssignedToID", "TeamID")
"""Fields of columns that are offered first."""
TYPES_WITHOUT_CARDS = (ItemType.TASK, ItemType.FEEDBACK)
"""Types that are cards only where a filter names them; tasks also on a board of tasks."""
MAX_PEOPLE_COLUMNS = 24
"""People up to this number have a column each; in larger teams only people with cards, and the user."""


class BoardColumn(Struct, frozen=True):
    """A column: the values of its cards; a move into it writes the first one that the card's type has."""

    name: str
    values: tuple[object, ...]
    limit: int | None = None
    is_collapsed: bool = False
    is_optional: bool = False
    """True for a column that is shown only with cards."""
    takes_cards: bool = True
    is_done: bool = False
    most: int | None = None
    """The most cards shown in a lane; None for all."""

    @property
    def first(self) -> object:
        """The first value, which identifies the column."""
        return self.values[0]

    @property
    def word(self) -> str:
        return status_word(choice_word(self.name))


def field_of(store: Store, key: str) -> Field:
    """Return the field that a move between columns writes."""
    if key == RELEASE:
        return FIELD_BY_KEY["IterationID"]
    return FIELD_BY_KEY.get(key) or next(each for each in store.lookups.custom_fields() if each.key == key)


def has_field(store: Store, key: str) -> bool:
    return key == RELEASE or key in FIELD_BY_KEY or any(each.key == key for each in store.lookups.custom_fields())


class BoardColumns:
    """The columns of one store's current project."""

    def __init__(self, store: Store, settings: BoardSettings, names: ListNames) -> None:
        self._store = store
        self._settings = settings
        self._names = names

    def planned(self, key: str, *, with_done: bool) -> list[BoardColumn]:
        """Return the columns by a field before the values of the cards are known."""
        usual = list(self._usual(key, with_done=with_done))
        for each in self._settings.column:
            if each.of == key:
                usual = self._configured(usual, each, field_of(self._store, key))
        return usual

    def with_found(self, key: str, planned: Sequence[BoardColumn], found: Collection[object]) -> list[BoardColumn]:
        """Return the columns to show: without empty optional ones, with one more for each unknown value."""
        known = {value for each in planned for value in each.values}
        missing = [value for value in found if value not in known]
        extra = [BoardColumn(self._name(key, value), (value,), takes_cards=value is not None) for value in missing]
        return [*(each for each in planned if not each.is_optional or each.first in found), *extra]

    def _usual(self, key: str, *, with_done: bool) -> Iterator[BoardColumn]:
        field = field_of(self._store, key)
        if key == RELEASE:
            yield from self._releases()
        elif field.kind is Kind.STATUS:
            yield from self._statuses(field, with_done=with_done)
        elif field.kind is Kind.ITERATION:
            yield from self._iterations()
        else:
            yield from self._others(field)

    def _statuses(self, field: Field, *, with_done: bool) -> Iterator[BoardColumn]:
        values = list(self._store.names.values(field))
        spelled = {value.casefold(): value for value in values}
        groups = self._store.lookups.status_groups()
        joined = {each: spelled[into] for each, into in SHARED_STATUS_COLUMNS.items() if into in spelled}
        for value in values:
            if value.casefold() in joined:
                continue
            alike = [each for each in values if joined.get(each.casefold()) == value]
            yield BoardColumn(
                value,
                (value, *alike),
                self._store.lookups.stated_settings().limit_of((value, *alike)),
                is_collapsed=groups.of(value) is StatusGroup.EXCLUDED,
                is_optional=value.casefold() == DELETED_PERSON or not (with_done or groups.is_open(value)),
                is_done=groups.of(value) is StatusGroup.DONE,
            )
        yield BoardColumn("no status", (None,), is_collapsed=True, is_optional=True, takes_cards=False)

    def _iterations(self) -> Iterator[BoardColumn]:
        tree, today = self._store.lookups.tree(TreeKind.ITERATIONS), self._store.today()
        entries = self._store.lookups.iterations()
        for root in tree.roots:
            yield BoardColumn("Backlog", (root.id, None))
        for node in tree.walk():
            entry = entries[node.id]
            is_planned_into = not entry.is_release and not tree.children(node.id) and not entry.is_over(today)
            if tree.depth(node.id):
                yield BoardColumn(node.name, (node.id,), is_optional=not is_planned_into)

    def _releases(self) -> Iterator[BoardColumn]:
        tree, entries = self._store.lookups.tree(TreeKind.ITERATIONS), self._store.lookups.iterations()
        within: dict[int | None, list[object]] = {None: []}
        for node in tree.walk():
            above: Node | None = node
            while above is not None and not entries[above.id].is_release:
                above = tree.parent(above.id)
            within.setdefault(None if above is None else above.id, []).append(node.id)
        yield BoardColumn("No release", (*within.pop(None), None))
        for release_id, ids in within.items():
            if release_id is not None:
                yield BoardColumn(entries[release_id].name, tuple(dict.fromkeys((release_id, *ids))))

    def _others(self, field: Field) -> Iterator[BoardColumn]:
        store = self._store
        if field.kind is Kind.USER:
            me = store.lookups.me()
            people = sorted(store.lookups.people().values(), key=lambda each: each.display_name.casefold())
            yield BoardColumn("unassigned", (None,))
            for person in people:
                is_optional = len(people) > MAX_PEOPLE_COLUMNS and not (me is not None and person.id == me.id)
                yield BoardColumn(person.display_name, (person.id,), is_optional=is_optional)
            return
        names = store.names.values(field)
        for value, name in store.lookups.teams().items() if field.kind is Kind.TEAM else zip(names, names, strict=True):
            yield BoardColumn(name, (value,))
        yield BoardColumn(f"no {field.label.lower()}", (None,), is_optional=True, takes_cards=can_be_empty(field))

    def _configured(self, columns: list[BoardColumn], wanted: ColumnSettings, field: Field) -> list[BoardColumn]:
        """Join the values of a column in the settings into one, in the place of the first value."""
        meant = [value for word in wanted.values for value in self._meant(columns, word, field)]
        values = tuple(dict.fromkeys(meant))
        if not values:
            return columns
        made: list[BoardColumn] = []
        for each in columns:
            if values[0] in each.values:
                is_usual = each.first == values[0]
                is_collapsed = is_usual and each.is_collapsed if wanted.is_collapsed is None else wanted.is_collapsed
                name = wanted.name or (each.name if is_usual else self._name(field.key, values[0]))
                limit = self._limit_of(values, field, wanted)
                made.append(BoardColumn(name, values, limit, is_collapsed, is_done=each.is_done))
            rest = tuple(value for value in each.values if value not in values)
            if rest:
                name = each.name if each.first in rest else self._name(field.key, rest[0])
                limit = each.limit if rest == each.values else self._limit_of(rest, field)
                made.append(replace(each, values=rest, name=name, limit=limit))
        return made

    def _limit_of(self, values: Sequence[object], field: Field, wanted: ColumnSettings | None = None) -> int | None:
        """Return the project's limit for some statuses; this machine's holds where the service states none."""
        own = None if wanted is None else wanted.limit
        return own if field.kind is not Kind.STATUS else self._store.lookups.stated_settings().limit_of(values) or own

    def _meant(self, columns: Sequence[BoardColumn], word: str, field: Field) -> list[object]:
        """Return the values that a word of the settings means; none for a word unknown in the project."""
        wanted = word.casefold()
        for each in columns:
            if each.name.casefold() == wanted:
                return [each.first] if field.kind is Kind.STATUS else list(each.values)
        values = [value for each in columns for value in each.values]
        for value in values:
            if wanted in {str(value).casefold(), self._name(field.key, value).casefold()}:
                return [value]
        kind = {Kind.USER: NameKind.USER, Kind.ITERATION: NameKind.ITERATION}.get(field.kind)
        found = () if kind is None else self._store.names.ids(kind, word, with_subtree=False)
        return [value for value in values if value in found]

    def _name(self, key: str, value: object) -> str:
        field = field_of(self._store, key)
        return self._names.group(GroupLine((value,), field.key, value, 1, 0, 0.0, 0))


class BoardArrangement:
    """The columns and swimlanes that the user left in the current project, else those of the settings."""

    def __init__(self, store: Store, settings: BoardSettings, names: ListNames) -> None:
        self._store = store
        self._default, self._written = KeptBoardLayout(settings.columns, settings.lanes), settings.written
        self._columns = BoardColumns(store, settings, names)
        self._planned: Sequence[BoardColumn] = ()
        self.by, self.lanes = settings.columns, settings.lanes

    @property
    def sprint(self) -> IterationEntry | None:
        """The current sprint, whose cards come first; None without one, or where columns or lanes are iterations."""
        if {"IterationID", RELEASE} & {self.by, self.lanes}:
            return None
        return current_sprint(self._store.lookups.iterations().values(), self._store.today())

    @property
    def field(self) -> Field:
        return field_of(self._store, self.by)

    @property
    def has_tasks(self) -> bool:
        return self.lanes == PARENT

    @property
    def has_features(self) -> bool:
        """Whether lanes are Features, which then are no cards."""
        return self.lanes == FEATURE_ID

    @property
    def has_status(self) -> bool:
        return self.by == STATUS

    @property
    def has_owner(self) -> bool:
        return "AssignedToID" in {self.by, self.lanes}

    def restore(self) -> KeptBoardLayout:
        kept = self._store.boards.found(self._default, self._written)
        self.by, self.lanes = kept.columns, kept.lanes
        return kept

    async def save(self, collapsed: dict[object, bool]) -> None:
        await self._store.boards.keep(self._default, KeptBoardLayout(self.by, self.lanes, collapsed), self._written)

    def hides(self, item_type: str, query: str) -> bool:
        if self.has_features and item_type == ItemType.FEATURE:
            return True
        return item_type in TYPES_WITHOUT_CARDS and not self.has_tasks and not values_of(query, "type")

    def arranged(self, spec: ViewSpec) -> ViewSpec:
        """Return the spec grouped by lanes and columns, without the items that are no cards."""
        self.by = self.by if has_field(self._store, self.by) else STATUS
        is_known = has_field(self._store, self.lanes) or self.lanes == "type"
        is_known |= self.lanes == FEATURE_ID and self._store.lookups.announces("relations")
        self.lanes = self.lanes if is_known else ""
        self._planned = self._columns_for(spec)
        return self.cards_of(spec)

    def _columns_for(self, spec: ViewSpec) -> Sequence[BoardColumn]:
        asks_status = mentions_status(parse_query(spec.query))
        return self._columns.planned(self.by, with_done=spec.with_done or asks_status)

    def cards_of(self, spec: ViewSpec) -> ViewSpec:
        planned, asks_status = self._columns_for(spec), mentions_status(parse_query(spec.query))
        alike = tuple(each.values for each in planned if len(each.values) > 1)
        hidden: list[Filter] = []
        if not values_of(spec.query, "type"):
            task = In(Property("type"), (Literal(ItemType.TASK.value),))
            no_card = In(Property("type"), tuple(Literal(each.value) for each in TYPES_WITHOUT_CARDS))
            hidden.append(task if self.has_tasks else Not(no_card))
        if self.has_features:
            hidden.append(Not(In(Property("type"), (Literal(ItemType.FEATURE.value),))))
        if not asks_status:
            statuses = self._store.names.values(FIELD_BY_KEY[STATUS])
            deleted = [each for each in statuses if each.casefold() == DELETED_PERSON]
            hidden.append(Not(In(Property(STATUS), tuple(map(Literal, deleted)))))
        lanes = (self.lanes,) if self.lanes else ()
        done = [each.first for each in planned if each.is_done and each.limit is None]
        latest = () if spec.query or spec.text or spec.sort else tuple(done)
        sprint = None if spec.sort else self.sprint
        return replace(
            spec,
            group=(*lanes, self.field.key),
            alike=alike,
            latest=latest,
            leading=frozenset() if sprint is None else frozenset({sprint.id}),
            filter=all_of(hidden),
        )

    def columns_of(self, view: View) -> Sequence[BoardColumn]:
        depth = len(view.spec.group)
        found = dict.fromkeys(header.group[-1] for header in view.outline.headers if header.level == depth)
        return self._columns.with_found(self.by, self._planned, found)

    def column_choices(self) -> list[Choice]:
        more = [each.key for each in (*FIELDS, *self._store.lookups.custom_fields()) if each.kind in COLUMN_KINDS]
        keys = dict.fromkeys((*COLUMN_FIELDS, *more))
        return [Choice(key, "Release" if key == RELEASE else field_of(self._store, key).label) for key in keys]

    def lane_choices(self) -> list[Choice]:
        fields = [each for each in (*FIELDS, *self._store.lookups.custom_fields()) if each.kind in LANE_KINDS]
        others = [each for each in fields if each.key != self.field.key]
        notes = {PARENT: "the cards are tasks"}
        feature = [Choice(FEATURE_ID, "Feature")] if self._store.lookups.announces("relations") else []
        return [
            Choice("type", "Type"),
            *feature,
            *(Choice(each.key, each.label, notes.get(each.key, "")) for each in others),
        ]
