"""Names in queries, resolved to the current project's ids and values, and the order of those values."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from msgspec.structs import replace

from backlit.model.errors import NameNotFound
from backlit.model.fields import FEATURE_ID, FIELD_BY_KEY, Field, ItemType, Kind
from backlit.model.filters import Filter
from backlit.model.nearest import did_you_mean
from backlit.model.query import NameKind
from backlit.model.query.keys import LINT_KEY, Vocabulary, all_keys, field_named
from backlit.model.ready_check import RULE_BY_ID, STALE_DAYS, USUAL_RULES, ReadyRules, RuleInputs, ready_rules_of
from backlit.model.settings.view_settings import COMPUTED_COLUMNS
from backlit.model.statuses import StatusGroups
from backlit.store.records.changes import Subject
from backlit.store.records.people import IterationEntry, TreeKind, current, following, preceding
from backlit.store.views.clock import ProjectClock
from backlit.store.views.filter_sql import ColumnValue, field_value
from backlit.store.views.lookups import Lookups

if TYPE_CHECKING:
    from backlit.model.query.related import RelatedNames

_T = TypeVar("_T")
_TREES = {NameKind.AREA: TreeKind.AREAS, NameKind.ITERATION: TreeKind.ITERATIONS}
_KINDS = {Kind.AREA: TreeKind.AREAS, Kind.ITERATION: TreeKind.ITERATIONS}
CURRENT, NEXT, PREVIOUS, ME = "current", "next", "previous", "me"
_BY_WORD = {CURRENT: current, NEXT: following, PREVIOUS: preceding}
_ID = re.compile(r"[0-9]{1,18}")
_ALWAYS = ("none", "any")
_AGES = ("today", "yesterday", "7d", "2w", "30d")


class QueryNames:
    """The query resolver of the current project."""

    def __init__(self, lookups: Lookups, clock: ProjectClock) -> None:
        self._lookups = lookups
        self.now = clock.now
        self.today = clock.today
        self.times = clock.times
        self.local_today = clock.local_today
        self.own_rules = USUAL_RULES
        """The rules of this machine, for projects whose service states none."""
        self.stale_days = STALE_DAYS
        self._made_for: tuple[ReadyRules, RuleInputs] | None = None
        self._made: dict[str, object] = {}

    @property
    def rules(self) -> ReadyRules:
        return self._lookups.keep(Subject.PEOPLE, "ready rules", self._stated_rules) or self.own_rules

    def _stated_rules(self) -> ReadyRules | None:
        stated = self._lookups.stated_settings().ready_rules
        if stated is None:
            return None
        return ready_rules_of({ItemType(name): rules for name, rules in stated.items() if name in set(ItemType)})

    def custom_fields(self) -> Collection[Field]:
        return self._lookups.custom_fields()

    def ids(self, kind: NameKind, name: str, *, with_subtree: bool) -> frozenset[int]:
        """Return the ids of a name in any case, a path or a keyword, none for an unknown one."""
        wanted = name.casefold()
        if kind is NameKind.USER:
            return self._user_ids(wanted)
        if kind is NameKind.TEAM:
            teams = self._lookups.teams().items()
            return frozenset(each for each, title in teams if wanted in {title.casefold(), str(each)})
        tree = self._lookups.tree(_TREES[kind])
        found = self._iterations_of(wanted) if kind is NameKind.ITERATION else frozenset()
        found = found or frozenset(
            node.id for node in tree.walk() if wanted in {node.name.casefold(), tree.path(node.id).casefold()}
        )
        return frozenset(below for each in found for below in tree.subtree_ids(each)) if with_subtree else found

    def iteration(self, text: str) -> IterationEntry:
        """Return the iteration or release of a name, path, id, `current`, `next` or `previous`.

        Raises BadRequest for an unknown or ambiguous one.
        """
        entries = self._lookups.iterations()
        found = self.ids(NameKind.ITERATION, text, with_subtree=False)
        if not found and text.isascii() and text.isdigit():
            found = frozenset(entries.keys() & {int(text)})
        if not found:
            known = ", ".join(each.name for each in entries.values() if "\\" in each.path)
            missing = (
                f"There is no {text} iteration." if text.casefold() in _BY_WORD else f"Unknown iteration “{text}”."
            )
            near = did_you_mean(text, [each.name for each in entries.values()])
            raise NameNotFound(f"{missing}{near} Iterations: {known or 'none'}.")
        if len(found) > 1:
            paths = ", ".join(each.path for each in entries.values() if each.id in found)
            raise NameNotFound(f"“{text}” is ambiguous. Choose one of: {paths}.")
        return entries[next(iter(found))]

    def user(self, text: str) -> int:
        """Return the id of a user name, a full name, a part of one, a number, or `me`.

        Raises BadRequest for an unknown or ambiguous one.
        """
        found = self.ids(NameKind.USER, text, with_subtree=False)
        people = self._lookups.known_people()
        if not found:
            known = sorted(each.username for each in self._lookups.people().values())
            near = did_you_mean(text, known)
            raise NameNotFound(f"Unknown user “{text}”.{near} Users: {', '.join(known) or 'none'}.")
        if len(found) > 1:
            names = ", ".join(sorted(people[each].username for each in found))
            raise NameNotFound(f"“{text}” is ambiguous. Choose one of: {names}.")
        return next(iter(found))

    def _user_ids(self, wanted: str) -> frozenset[int]:
        """Return the ids of a user's name. A user who is no longer listed has only a number."""
        people = self._lookups.known_people()
        me = self._lookups.me()
        if wanted == ME and me is not None:
            return frozenset({me.id})
        exact = {
            each.id for each in people.values() if wanted in {each.username.casefold(), each.display_name.casefold()}
        }
        first = {each.id for each in people.values() if wanted in each.display_name.casefold().split()}
        return frozenset(exact or first or ({int(wanted)} if _ID.fullmatch(wanted) else ()))

    def _iterations_of(self, wanted: str) -> frozenset[int]:
        """Return the current, next or previous iterations: all simultaneous ones, and the innermost of nested ones."""
        if wanted not in _BY_WORD:
            return frozenset()
        day, tree = self.today(), self._lookups.tree(TreeKind.ITERATIONS)
        dated = [
            each for each in self._lookups.iterations().values() if each.start and each.end and not each.is_release
        ]
        leaves = [each for each in dated if each.id not in {node.id for node in tree.roots}]
        leaves = [each for each in leaves if not tree.children(each.id)]
        return frozenset(each.id for each in _BY_WORD[wanted](leaves, day))

    def rule_inputs(self) -> RuleInputs:
        """Return the current facts that the ready-check depends on; an only area counts as an area."""
        areas = self._lookups.tree(TreeKind.AREAS)
        root_id = areas.roots[0].id if areas.roots and len(areas) > 1 else None
        due = self._lookups.due_field() if self.rules.types_by_rule["overdue"] else None
        lacks = (each for each in self.rules.extensions() if not self._lookups.announces(each))
        return RuleInputs(
            self.now(),
            root_id,
            self._iterations_of(CURRENT),
            self.stale_days,
            None if due is None else due.key,
            None if due is None else self.today(),
            frozenset(lacks),
        )

    def failing(self, rule_id: str | None) -> Filter:
        return self.rules.failing(self.rule_inputs(), rule_id)

    def column_value(self, key: str) -> ColumnValue:
        """Return the value of a field or a computed column."""
        if key not in COMPUTED_COLUMNS:
            return field_value(key)
        return self.once_a_minute(f"column {key}", lambda: self._computed_value(key))

    def _computed_value(self, key: str) -> ColumnValue:
        from backlit.store.views.computed import COMPUTED_VALUES

        return COMPUTED_VALUES[key](self)

    def once_a_minute(self, name: str, make: Callable[[], _T]) -> _T:
        """Return what the rules, their inputs and the time decide, made again when the rules or the minute change."""
        # Every scrolled row asks for it: 0.02 ms, where the SQL of all rules takes 0.6 ms.
        inputs = self.rule_inputs()
        state = self.rules, replace(inputs, now=inputs.now.replace(second=0, microsecond=0))
        if self._made_for != state:
            self._made_for, self._made = state, {}
        if name not in self._made:
            self._made[name] = make()
        return cast("_T", self._made[name])

    def related(self) -> "RelatedNames":
        from backlit.model.query.related import RelatedNames

        me = self._lookups.me()
        due = self._lookups.due_field()
        field = None if due is None else due.key
        return RelatedNames(
            self._lookups.items_named, None if me is None else me.id, field, "" if me is None else me.username
        )

    def roots(self, kind: NameKind) -> frozenset[int]:
        if kind not in _TREES:
            return frozenset()
        return frozenset(node.id for node in self._lookups.tree(_TREES[kind]).roots)

    def has_iterations(self) -> bool:
        tree = self._lookups.tree(TreeKind.ITERATIONS)
        return len(tree) > len(tree.roots)

    def values(self, field: Field) -> Sequence[str]:
        if field.kind in _KINDS:
            tree = self._lookups.tree(_KINDS[field.kind])
            words = (CURRENT, NEXT, PREVIOUS) if field.kind is Kind.ITERATION else ()
            return [*words, *(node.name for node in tree.walk())]
        if field.kind is Kind.USER:
            return [ME, *(each.username for each in self._lookups.people().values())]
        if field.kind is Kind.TEAM:
            return list(self._lookups.teams().values())
        if field.kind is Kind.TAGS:
            return self._lookups.tags() if field.key == "Tags" else ()
        if field.key == "type":
            return list(ItemType)
        types = field.types if field.kind in {Kind.STATUS, Kind.CHOICE} else ()
        return list(dict.fromkeys(value for each in types for value in self._lookups.choices(field, each)))

    def status_groups(self) -> StatusGroups:
        return self._lookups.status_groups()

    def vocabulary(self) -> Vocabulary:
        custom = self.custom_fields()

        def values(key: str) -> Sequence[str]:
            if key.lower() == LINT_KEY:
                return [*RULE_BY_ID, *_ALWAYS]
            from backlit.model.query.related import RELATED_KEYS

            if key.lower() in RELATED_KEYS:
                return RELATED_KEYS[key.lower()][1]
            field = field_named(key, custom)
            if field is None:
                return ()
            moments = _AGES if field.key.endswith("At") else ()
            truths = ("yes", "no") if field.kind is Kind.BOOLEAN else ()
            opens = ("open",) if field.kind is Kind.STATUS else ()
            return [*opens, *self.values(field), *moments, *truths, *_ALWAYS]

        return Vocabulary(all_keys(custom), values)

    def ranks(self, key: str) -> Mapping[object, object] | None:
        """Return each value's position for a field with an order of its own, None for other fields."""
        field = FIELD_BY_KEY.get(key)
        if key == FEATURE_ID:
            return {feature_id: place for place, feature_id in enumerate(self._lookups.features())}
        if field is None:
            return None
        if field.kind in _KINDS:
            return {node.id: place for place, node in enumerate(self._lookups.tree(_KINDS[field.kind]).walk())}
        if field.kind is Kind.USER:
            return {each.id: each.username.casefold() for each in self._lookups.known_people().values()}
        if field.kind is Kind.TEAM:
            return {each: title.casefold() for each, title in self._lookups.teams().items()}
        if field.kind is Kind.STATUS:
            return {value: place for place, value in enumerate(self.values(field))}
        return None
