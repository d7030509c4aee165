"""The mapping that an import used, written as a file and read again."""

from pathlib import Path

from backlit.imports.mapping import parse_mapping
from backlit.imports.mapping_rows import MappingRow, MappingTable, with_value
from backlit.imports.run import ImportOptions, PreparedImport, mapping_of, prepare, rows_of
from backlit.model.import_mappings import ImportMapping
from backlit.store import Store

FILE = (
    "Summary,Issue key,Issue Type,Status,Priority,Assignee,Sprint,Component/s,Team\n"
    "Pay by card,S-1,Spike,Closed,Asap,Maya Kent,Sprint 77,Shop,Red\n"
    "Pay by bill,S-2,Risk,Closed,High,Dana Ortiz,Sprint 78,Shop,Blue\n"
)
OWN = """
[types]
"Spike" = "Story"
[statuses]
"Closed" = "Done"
[statuses.Risk]
"Closed" = "Closed"
[priorities]
"Asap" = 1
[people]
"Dana Ortiz" = "jon"
[iterations]
"Sprint 77" = ""
"Sprint 78" = "Release 9\\\\Sprint 78"
[columns]
"Team" = "tags"
"""


def prepared(store: Store, mapping: ImportMapping) -> PreparedImport:
    return prepare(store, FILE.encode(), "shop.csv", mapping, ImportOptions())


def values(found: PreparedImport) -> dict[tuple[str, str, tuple[str, ...]], str]:
    return {(row.table.value, row.name, () if row.is_for_all else row.types): row.value for row in rows_of(found)}


def test_a_written_mapping_has_all_that_the_import_used_and_reads_as_it_was(store: Store) -> None:
    first = prepared(store, parse_mapping(Path("own.toml"), OWN.encode()))
    text = "".join(f"{line}\n" for line in mapping_of(first))
    again = prepared(store, parse_mapping(Path("again.toml"), text.encode()))

    assert values(again) == values(first)
    assert {
        ("types", "Spike", ()): "Story",
        ("statuses", "Closed", ("Story",)): "Done",
        ("statuses", "Closed", ("Risk",)): "Closed",
        ("priorities", "Asap", ()): "1",
        ("priorities", "High", ()): "2",
        ("people", "Maya Kent", ()): "maya",
        ("people", "Dana Ortiz", ()): "jon",
        ("iterations", "Sprint 77", ()): "",
        ("iterations", "Sprint 78", ()): "Release 9\\Sprint 78",
        ("columns", "Team", ()): "Tags",
        ("columns", "Component/s", ()): "AreaID",
    }.items() <= values(first).items()
    assert all(name != "Shop" for _, name, _ in values(first))


def test_a_row_takes_another_value_and_the_others_stay(store: Store) -> None:
    proposed = prepared(store, ImportMapping())
    rows = {(row.table, row.name): row for row in rows_of(proposed)}

    def changed(row: MappingRow, value: str) -> dict[tuple[str, str, tuple[str, ...]], str]:
        return values(prepared(store, with_value(ImportMapping(), row, value, row.types)))

    assert changed(rows[MappingTable.PRIORITIES, "Asap"], "3") == values(proposed) | {("priorities", "Asap", ()): "3"}
    assert changed(rows[MappingTable.PEOPLE, "Dana Ortiz"], "jon") == values(proposed) | {
        ("people", "Dana Ortiz", ()): "jon"
    }
    assert changed(rows[MappingTable.COLUMNS, "Sprint"], "-").keys() == {
        key for key in values(proposed) if key[0] != "iterations"
    }
