"""The values of computed columns in SQL. Lists show a column and are sorted by it with the same expression."""

import json
from collections.abc import Callable, Mapping
from functools import partial

from backlit.model.fields import FIELD_BY_KEY
from backlit.model.query import NameResolver
from backlit.model.query.keys import LINT_KEY
from backlit.model.ready_check import RULES
from backlit.model.resources import CriterionStatus
from backlit.model.settings.view_settings import CRITERIA_KEY, FEATURE_KEY, PROGRESS_KEY, ROLLUP_KEY
from backlit.model.statuses import StatusGroup
from backlit.store.mirror.schema import SHOWN
from backlit.store.records.changes import Subject
from backlit.store.views.filter_sql import ColumnValue, Sql, condition, keys_in


def _failed_rules(names: NameResolver) -> ColumnValue:
    """Return the labels of the rules that an item fails, null for a task, a done item and a ready one."""
    labels: list[str] = []
    values: list[object] = []
    reads = {"type", "Status", Subject.TREES.value}  # two rules ask for the root area and the current iterations
    for rule in RULES:
        failing = names.failing(rule.id)
        failed = condition(failing)
        labels.append(f"CASE WHEN {failed.text} THEN ? ELSE '' END")
        values += [*failed.values, f", {rule.label}"]
        reads |= keys_in(failing)
    text = f"CASE WHEN own_open = 1 AND is_task = 0 THEN nullif(substr({' || '.join(labels)}, 3), '') END"
    return ColumnValue(Sql(text, tuple(values)), frozenset(reads))


_FEATURE = ColumnValue(
    Sql(
        "(SELECT name FROM items AS feature WHERE feature.id = CASE items.is_task WHEN 0 THEN items.parent_id"
        " ELSE (SELECT parent_id FROM items AS parent WHERE parent.id = items.parent_id AND parent.is_task = 0) END)"
    ),
    frozenset({"ParentID", "Name"}),
)
_CRITERIA = ColumnValue(
    Sql(
        f"(SELECT printf('%d/%d', total(status = '{CriterionStatus.PASS}'), count(*)) FROM criteria"  # noqa: S608 # constants
        f" WHERE {SHOWN} AND item_id = items.id HAVING count(*) > 0)"
    ),
    frozenset({Subject.CRITERIA.value}),
)
_FIGURES = {
    PROGRESS_KEY: "coalesce(total(points) FILTER (WHERE is_done) / nullif(total(points), 0), avg(is_done))",
    ROLLUP_KEY: "printf('%g/%g', total(points) FILTER (WHERE is_done), total(points))",
}
_ROLLED_UP = (
    "CASE WHEN type = 'Feature' THEN (WITH RECURSIVE excluded (status) AS (SELECT value FROM json_each(?)),"
    " below (id, type, status, points) AS (SELECT id, type, status, points FROM items AS child"
    " WHERE child.parent_id = items.id AND child.is_task = 0"
    " UNION SELECT child.id, child.type, child.status, child.points"
    " FROM below JOIN items AS child ON child.parent_id = below.id AND child.is_task = 0),"
    " counted (points, is_done) AS (SELECT points, status IN (SELECT value FROM json_each(?)) FROM below"
    " WHERE type <> 'Feedback' AND ifnull(status, '') NOT IN excluded AND (type <> 'Feature' OR NOT EXISTS ("
    "WITH RECURSIVE inner_items (id, type, status) AS (SELECT id, type, status FROM items AS child"
    " WHERE child.parent_id = below.id AND child.is_task = 0 UNION SELECT child.id, child.type, child.status"
    " FROM inner_items JOIN items AS child ON child.parent_id = inner_items.id AND child.is_task = 0)"
    " SELECT 1 FROM inner_items WHERE type <> 'Feedback' AND ifnull(status, '') NOT IN excluded)))"
    " SELECT {} FROM counted) END"
)
"""A figure of what counts below a Feature, by the rule of `model.rollups`; null for other items.

Two values are bound: the excluded statuses and the done ones, as JSON.
"""


def _rolled_up(names: NameResolver, key: str) -> ColumnValue:
    groups, statuses = names.status_groups(), names.values(FIELD_BY_KEY["Status"])
    known = {group: json.dumps([each for each in statuses if groups.of(each) is group]) for group in StatusGroup}
    values = known[StatusGroup.EXCLUDED], known[StatusGroup.DONE]
    return ColumnValue(Sql(_ROLLED_UP.format(_FIGURES[key]), values), frozenset({"ParentID", "Status", "Estimate"}))


COMPUTED_VALUES: Mapping[str, Callable[[NameResolver], ColumnValue]] = {
    LINT_KEY: _failed_rules,
    FEATURE_KEY: lambda _: _FEATURE,
    CRITERIA_KEY: lambda _: _CRITERIA,
    ROLLUP_KEY: partial(_rolled_up, key=ROLLUP_KEY),
    PROGRESS_KEY: partial(_rolled_up, key=PROGRESS_KEY),
}
"""The value of each row of `model.settings.view_settings.COMPUTED_COLUMNS`."""
