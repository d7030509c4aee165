"""The columns of a board: each stands for one value of a field, or for several."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from backlit.model.fields import FIELD_BY_KEY, Field, Kind
from backlit.model.query import NameKind
from backlit.model.settings.boards import RELEASE, BoardSettings, ColumnSettings
from backlit.model.statuses import StatusGroup, group_of, is_open
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.groups import GroupLine
from backlit.tui.fields.choices import can_be_empty
from backlit.tui.fields.names import ListNames

JOINED = {"active": "in progress", "closed": "done"}
"""Statuses of some types that share the column of another status, unless the settings separate them."""
DELETED = "deleted"
MOST_PEOPLE = 24
"""People up to this number have a column each; in larger teams only people with cards, and the user."""


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column: the values of its cards; a move into it writes the first one that the card's type has."""

    name: str
    values: tuple[object, ...]
    limit: int | None = None
    is_collapsed: bool = False
    is_optional: bool = False
    """True for a column that is shown only with cards."""
    takes_cards: bool = True

    @property
    def first(self) -> object:
        """The first value, which identifies the column."""
        return self.values[0]


def field_of(store: Store, key: str) -> Field:
    """Return the field that a move between columns writes."""
    if key == RELEASE:
        return FIELD_BY_KEY["IterationID"]
    return FIELD_BY_KEY.get(key) or next(each for each in store.custom_fields() if each.key == key)


def has_field(store: Store, key: str) -> bool:
    """Return whether the current project can have columns by a field."""
    return key == RELEASE or key in FIELD_BY_KEY or any(each.key == key for each in store.custom_fields())


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
        firsts = set(found)
        return [*(each for each in planned if not each.is_optional or each.first in firsts), *extra]

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
        joined = {each: spelled[into] for each, into in JOINED.items() if into in spelled}
        for value in values:
            group = group_of(value)
            if value.casefold() in joined:
                continue
            alike = [each for each in values if joined.get(each.casefold()) == value]
            yield BoardColumn(
                value,
                (value, *alike),
                is_collapsed=group is StatusGroup.EXCLUDED,
                is_optional=value.casefold() == DELETED or not (with_done or is_open(value)),
            )
        yield BoardColumn("no status", (None,), is_collapsed=True, is_optional=True, takes_cards=False)

    def _iterations(self) -> Iterator[BoardColumn]:
        tree, today = self._store.tree(TreeKind.ITERATIONS), self._store.today()
        entries = self._store.iterations()
        for root in tree.roots:
            yield BoardColumn("Backlog", (root.id, None))
        for node in tree.walk():
            entry = entries[node.id]
            is_over = entry.end is not None and entry.end < today
            is_planned_into = not entry.is_release and not tree.children(node.id) and not is_over
            if tree.depth(node.id):
                yield BoardColumn(node.name, (node.id,), is_optional=not is_planned_into)

    def _releases(self) -> Iterator[BoardColumn]:
        tree, entries = self._store.tree(TreeKind.ITERATIONS), self._store.iterations()
        within: dict[int | None, list[object]] = {None: []}
        for node in tree.walk():
            above = node
            while above is not None and not entries[above.id].is_release:
                parent = tree.parent(above.id)
                if parent is None:
                    break
                above = parent
            within.setdefault(above.id if entries[above.id].is_release else None, []).append(node.id)
        yield BoardColumn("No release", (*within.pop(None), None))
        for release_id, ids in within.items():
            if release_id is not None:
                yield BoardColumn(entries[release_id].name, tuple(dict.fromkeys((release_id, *ids))))

    def _others(self, field: Field) -> Iterator[BoardColumn]:
        store = self._store
        if field.kind is Kind.USER:
            me, people = store.me(), sorted(store.people().values(), key=lambda each: each.display_name.casefold())
            yield BoardColumn("nobody", (None,))
            for person in people:
                is_me = me is not None and person.id == me.id
                yield BoardColumn(
                    person.display_name, (person.id,), is_optional=len(people) > MOST_PEOPLE and not is_me
                )
            return
        values = store.teams() if field.kind is Kind.TEAM else {each: each for each in store.names.values(field)}
        for value, name in values.items():
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
                made.append(BoardColumn(name, values, wanted.limit, is_collapsed))
            rest = tuple(value for value in each.values if value not in values)
            if rest:
                name = each.name if each.first in rest else self._name(field.key, rest[0])
                made.append(replace(each, values=rest, name=name))
        return made

    def _meant(self, columns: Sequence[BoardColumn], word: str, field: Field) -> list[object]:
        """Return the values that a word of the settings means; none for a word unknown in the project."""
        wanted = word.casefold()
        for each in columns:
            if each.name.casefold() == wanted:
                return [each.first] if field.kind is Kind.STATUS else list(each.values)
        for each in columns:
            for value in each.values:
                if wanted in {str(value).casefold(), self._name(field.key, value).casefold()}:
                    return [value]
        found = self._named(word, field)
        return [value for each in columns for value in each.values if value in found]

    def _named(self, word: str, field: Field) -> Collection[object]:
        kind = {Kind.USER: NameKind.USER, Kind.ITERATION: NameKind.ITERATION}.get(field.kind)
        return () if kind is None else self._store.names.ids(kind, word, with_subtree=False)

    def _name(self, key: str, value: object) -> str:
        field = field_of(self._store, key)
        return self._names.group(GroupLine((value,), field.key, value, 1, 0, 0.0, 0))
