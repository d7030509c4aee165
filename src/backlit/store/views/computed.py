"""The values of computed columns in SQL. Lists show a column and are sorted by it with the same expression."""

from collections.abc import Callable, Mapping

from backlit.model.query import NameResolver
from backlit.model.query.keys import LINT_KEY
from backlit.model.ready_check import RULES
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


COMPUTED_VALUES: Mapping[str, Callable[[NameResolver], ColumnValue]] = {LINT_KEY: _failed_rules}
"""The value of each row of `model.settings.view_settings.COMPUTED_COLUMNS`."""
