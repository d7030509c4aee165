"""Names for the rows of a list: owners, iterations, and the headings of groups."""

from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date

from backlit.model.amounts import counted
from backlit.model.fields import FEATURE_ID, SYNC_KEYS, Field, ItemType, Kind
from backlit.model.query.keys import field_named
from backlit.model.settings.view_settings import COMPUTED_COLUMNS, PROGRESS_KEY
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.model.trees import words_below_root
from backlit.store.records.changes import Subject
from backlit.store.records.item import ItemRow, RowSign, number_of
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.groups import GroupLine, ShownTasks
from backlit.tui.drawing.themes import CURRENT_ITERATION, type_sign
from backlit.tui.fields.dates import Phase, phases
from backlit.tui.fields.values import ScreenFieldWords, user_colour, user_name
from backlit.tui.widgets.feature_columns import progress_bar
from backlit.tui.widgets.item_rows import NO_BADGE, OVERDUE_SIGN, Badge, DisplayNames

_TREES = {Kind.AREA: TreeKind.AREAS, Kind.ITERATION: TreeKind.ITERATIONS}
ALL_TASKS_SHOWN = ShownTasks(of_all=True)
DRAFT_SIGNS = frozenset({RowSign.PLANNED})
"""Signs of items that the draft of a plan moves."""


def _is_to_be_ready(row: ItemRow, groups: StatusGroups, soon: Container[int | None]) -> bool:
    """Return whether an item that is not ready needs action now: it is begun, planned soon, or in the draft."""
    if not groups.is_open(row.status or ""):
        return False
    is_begun = groups.of(row.status) in {StatusGroup.IN_PROGRESS, StatusGroup.READY_FOR_TEST}
    return is_begun or row.iteration_id in soon or row.sign in DRAFT_SIGNS


class ListNames:
    """Names of one store's current project; ids without a name read as what they are."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._words = ScreenFieldWords(store)

    @property
    def names(self) -> DisplayNames:
        return DisplayNames(
            self.owner,
            self.iteration,
            self.group,
            self.badges,
            self.cells,
            self.store.lookups.status_groups,
            lambda owner_id: user_colour(self.store, owner_id),
            self.iteration_colour,
        )

    def badges(
        self,
        rows: Sequence[ItemRow],
        tasks: ShownTasks = ALL_TASKS_SHOWN,
        *,
        is_judged: bool = False,
        counts_tasks: bool = False,
    ) -> Mapping[int, Badge]:
        ids = {row.id for row in rows}
        cells = self.store.cells.values([row.id for row in rows], sorted(SYNC_KEYS))
        found = {item_id: Badge(is_synced=True) for item_id, values in cells.items() if any(values.values())}
        for item_id in self.store.drafts.item_ids() & ids:
            found[item_id] = found.get(item_id, NO_BADGE)._replace(has_draft=True)
        for item_id in ids & self.store.presence.item_ids:
            if editor := self.store.presence.initial(item_id):
                found[item_id] = found.get(item_id, NO_BADGE)._replace(editor=editor)
        for item_id in ids & self.store.recent_edits.item_ids:
            who = self.store.recent_edits.named_of(item_id)
            found[item_id] = found.get(item_id, NO_BADGE)._replace(changed_by=who)
        if is_judged:
            self._judge(rows, found)
        if hidden := [row.id for row in rows if row.type != ItemType.TASK and not tasks.shows(row.id)]:
            for item_id, count in self.store.batch.task_counts(hidden).items():
                found[item_id] = found.get(item_id, NO_BADGE)._replace(folded=count)
        if counts_tasks:
            for item_id, progress in self.store.batch.task_progress([row.id for row in rows]).items():
                found[item_id] = found.get(item_id, NO_BADGE)._replace(task_progress=progress)
        return found

    def _judge(self, rows: Sequence[ItemRow], found: dict[int, Badge]) -> None:
        """Add what keeps items back to their badges: open blockers, and failed rules."""
        if self.store.lookups.announces("relations"):
            for item_id, blockers in self.store.relations.open_blockers([row.id for row in rows]).items():
                found[item_id] = found.get(item_id, NO_BADGE)._replace(blockers=len(blockers))
        groups, soon = self.store.lookups.status_groups(), self._soon()
        judged = [row.id for row in rows if row.type != ItemType.TASK and _is_to_be_ready(row, groups, soon)]
        for item_id in self.store.ready_check.faults(judged) if judged else ():
            found[item_id] = found.get(item_id, NO_BADGE)._replace(is_unready=True)

    def owner(self, user_id: int | None) -> str:
        return "" if user_id is None else user_name(self.store, user_id)

    def iteration(self, iteration_id: int | None) -> str:
        if iteration_id is None:
            return ""
        iteration = self.store.lookups.iterations().get(iteration_id)
        is_root = iteration is not None and "\\" not in iteration.path
        return "" if is_root else iteration.name if iteration else f"iteration {iteration_id}"

    def iteration_colour(self, iteration_id: int | None) -> str:
        is_current = iteration_id is not None and self._phases().get(iteration_id) is Phase.CURRENT
        return CURRENT_ITERATION if is_current else "muted"

    def _phases(self) -> Mapping[int, Phase]:
        iterations = self.store.lookups.iterations()
        inner = {key: each for key, each in iterations.items() if not each.is_release and "\\" in each.path}
        return phases(inner.values(), self.store.today())

    def _soon(self) -> AbstractSet[int]:
        """Return the current iterations and the next ones."""
        return {key for key, phase in self._phases().items() if phase in {Phase.CURRENT, Phase.NEXT}}

    def group(self, line: GroupLine) -> str:
        if line.key == FEATURE_ID:
            return self._feature(line.value)
        field = self.field(line.key)
        if field is None:
            return f"no {line.key}" if line.value is None else str(line.value)
        if line.value is None:
            return "unassigned" if field.kind is Kind.USER else f"no {field.label.lower()}"
        if field.kind in _TREES and isinstance(line.value, int):
            return self._node(field, line.value)
        if isinstance(line.value, date):
            return f"{line.value.day} {line.value:%b %Y}"
        if isinstance(line.value, bool) or (field.kind is Kind.BOOLEAN and line.value in {0, 1}):
            return f"{field.label}: {'yes' if line.value else 'no'}"
        words = self._words.shown(field, line.value)
        return f"{field.label} {words}" if isinstance(line.value, int | float) and words[:1].isdecimal() else words

    def _feature(self, feature_id: object) -> str:
        """Return a Feature with its progress and its due date, as the head of a lane."""
        if not isinstance(feature_id, int):
            return "no Feature"
        return self.store.lookups.keep(
            Subject.ITEMS, f"feature {feature_id}", lambda: self._read_feature(feature_id), Subject.RELATIONS
        )

    def _read_feature(self, feature_id: int) -> str:
        item, rollup = self.store.item(feature_id), self.store.relations.roll_ups([feature_id]).get(feature_id)
        if item is None or rollup is None:
            return number_of(feature_id)
        done = f"{rollup.points_done:,.10g}/{counted(rollup.points, 'pt')}"
        bar = f"{progress_bar(rollup.progress)} {done}" if rollup.points else progress_bar(rollup.progress)
        due = self.store.lookups.due_field()
        day = item.fields.get(due.key) if due is not None else None
        words = f"due {self._words.shown(due, day)}" if due is not None and day else ""
        return " · ".join(filter(None, [f"{type_sign(item.type)} {number_of(item.id)} {item.name}", bar, words]))

    def _node(self, field: Field, node_id: int) -> str:
        tree = self.store.lookups.tree(_TREES[field.kind])
        if node_id not in tree:
            return f"{field.kind.value} {node_id}"
        return words_below_root(tree.path(node_id)) or f"no {field.label.lower()}"

    def cells(self, ids: Sequence[int], keys: Sequence[str]) -> Mapping[int, Sequence[str]]:
        fields = [self.field(key) for key in keys]
        statuses = ["Status"] if any(field is not None and field.is_due for field in fields) else []
        return {
            item_id: [
                progress_bar(values[key])
                if key == PROGRESS_KEY
                else self._cell(field, values[key], values.get("Status"))
                for field, key in zip(fields, keys, strict=True)
            ]
            for item_id, values in self.store.cells.values(ids, list(dict.fromkeys([*keys, *statuses]))).items()
        }

    def _cell(self, field: Field | None, value: object, status: object = None) -> str:
        if value is None or value in ("", []):
            return ""
        if field is None:
            return str(value)
        if isinstance(value, date):
            return value.isoformat()
        if field.kind in _TREES and isinstance(value, int):
            tree = self.store.lookups.tree(_TREES[field.kind])
            return tree[value].name if value in tree else str(value)
        if field.kind is Kind.BOOLEAN:
            return "yes" if value else "no"
        is_overdue = field.is_due and str(value) < self.store.today().isoformat()
        sign = OVERDUE_SIGN if is_overdue and self.store.lookups.status_groups().is_open(str(status or "")) else ""
        return f"{self._words.shown(field, value)}{sign}"

    def field(self, key: str) -> Field | None:
        return field_named(key, self.store.lookups.custom_fields())

    def label(self, key: str) -> str:
        if key == FEATURE_ID:
            return "Feature"
        if key in COMPUTED_COLUMNS:
            return COMPUTED_COLUMNS[key].title.lower()
        field = self.field(key)
        return field.label.lower() if field else key
