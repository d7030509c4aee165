"""The rows of a mapping as an import uses it: what each column and each value of a file becomes."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from backlit.imports.drafts.draft import Drafts
from backlit.imports.plan import WITHOUT_TYPE, ImportPlan
from backlit.model.fields import ItemType
from backlit.model.import_mappings import ROLES, ImportMapping

_WORDS = {role: word for word, role in reversed(list(ROLES.items()))}


class MappingTable(StrEnum):
    """The tables of a mapping file."""

    COLUMNS = "columns"
    TYPES = "types"
    STATUSES = "statuses"
    PRIORITIES = "priorities"
    PEOPLE = "people"
    ITERATIONS = "iterations"


class MappingRow(Struct, frozen=True):
    """A column or a value of the file, and the word of the mapping for what it becomes, empty for nothing.

    `count` is how many items have the value. `types` are those of a status, `is_for_all` where the status is the same
    in all of them.
    """

    table: MappingTable
    name: str
    value: str
    count: int = 0
    types: tuple[str, ...] = ()
    is_for_all: bool = True


def mapping_rows(plan: ImportPlan, drafts: Drafts) -> list[MappingRow]:
    rows = [MappingRow(MappingTable.COLUMNS, heading, _word(role)) for heading, role in drafts.columns.items()]
    types = Counter({(name, kind): count for (name, kind), count in plan.types.items() if name != WITHOUT_TYPE})
    # A value that became several: what has a parent is a task whatever the mapping says.
    rows += _values(MappingTable.TYPES, sorted(types.items(), key=lambda each: each[0][1] == ItemType.TASK))
    rows += _statuses(plan)
    numbers = Counter({(name, str(number or "")): count for (name, number), count in plan.priorities.items()})
    rows += _values(MappingTable.PRIORITIES, numbers.items())
    rows += _values(MappingTable.PEOPLE, plan.people.items())
    rows += _values(MappingTable.ITERATIONS, plan.iterations.items())
    return rows


def _word(role: str) -> str:
    if role.startswith("link:"):
        return role
    return role.removeprefix("field:") if role.startswith("field:") else _WORDS.get(role, "")


def _values(table: MappingTable, counts: Iterable[tuple[tuple[str, str], int]]) -> Iterator[MappingRow]:
    """Yield a row for each name with its first value, the most frequent names first."""
    found: dict[str, tuple[str, int]] = {}
    for (name, value), count in counts:
        first, number = found.get(name, (value, 0))
        found[name] = (first, number + count)
    for name, (value, count) in sorted(found.items(), key=lambda each: -each[1][1]):
        yield MappingRow(table, name, value, count)


def _statuses(plan: ImportPlan) -> Iterator[MappingRow]:
    found: dict[str, dict[str, Counter[str]]] = {}
    for (item_type, name, status), count in plan.statuses.items():
        found.setdefault(name, {}).setdefault(status, Counter())[item_type] += count
    for name, statuses in sorted(found.items(), key=lambda each: -sum(types.total() for types in each[1].values())):
        for status, types in statuses.items():
            yield MappingRow(
                MappingTable.STATUSES, name, status, types.total(), tuple(types), is_for_all=len(statuses) == 1
            )


def with_value(mapping: ImportMapping, row: MappingRow, value: str, types: Collection[str] = ()) -> ImportMapping:
    """Return a mapping that gives a row another value; a status in some types alone."""
    if row.table is MappingTable.STATUSES:
        statuses = {(item_type, row.name): value for item_type in types}
        return replace(mapping, statuses={**mapping.statuses, **statuses})
    if row.table is MappingTable.PRIORITIES:
        return replace(mapping, priorities={**mapping.priorities, row.name: int(value)})
    table: dict[str, dict[str, str]] = {row.table.value: {**getattr(mapping, row.table.value), row.name: value}}
    return replace(mapping, **table)
