"""Mapping files: read by their schema, and written as an import used them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from backlit.imports.mapping_rows import MappingRow, MappingTable
from backlit.model.errors import StorageError
from backlit.model.import_mappings import ImportMapping


def read_mapping(file: str) -> ImportMapping:
    """Read a file of `--map`. Raises StorageError for an unreadable one, BadRequest with every fault."""
    path = Path(file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StorageError(f"Could not read the mapping {file}: {error.strerror}.") from error
    return parse_mapping(path, content)


def parse_mapping(path: Path, content: bytes) -> ImportMapping:
    """Read the content of a mapping file. Raises BadRequest with every fault and its line."""
    # Loaded by its name: pydantic takes longer than a small import.
    check = import_module("backlit.config.schema.import_mappings").check_mapping
    return cast("Callable[[Path, bytes], ImportMapping]", check)(path, content)


def mapping_lines(head: Mapping[str, str], rows: Iterable[MappingRow]) -> Iterator[str]:
    """Yield the TOML of a mapping with all columns and values of a file, each value with its number."""
    for name, text in head.items():
        if text:
            yield f"{name} = {_quoted(text)}"
    tables: dict[str, list[str]] = {}
    for row in rows:
        if row.is_for_all:
            tables.setdefault(row.table, []).append(_line(row))
    # The tables of types stand below the one for all, as TOML has it.
    for row in rows:
        for item_type in () if row.is_for_all else row.types:
            tables.setdefault(f"{row.table}.{item_type}", []).append(_line(row))
    for table, lines in tables.items():
        yield f"\n[{table}]"
        yield from lines


def _line(row: MappingRow) -> str:
    name = _quoted(row.name)
    if row.table is MappingTable.COLUMNS:
        return f"{name} = {_quoted(row.value)}" if row.value else f"# {name} is used with another column"
    if row.table is MappingTable.PRIORITIES:
        return f"{name} = {row.value}  # {row.count:,}" if row.value else f"# {name} is no priority  # {row.count:,}"
    return f"{name} = {_quoted(row.value)}  # {row.count:,}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
