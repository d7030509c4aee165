"""Mapping files: read by their schema, and written as an import used them."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from backlit.model.errors import StorageError
from backlit.model.import_mappings import ROLES, ImportMapping

_WORDS = {role: word for word, role in reversed(list(ROLES.items()))}


def read_mapping(file: str) -> ImportMapping:
    """Read a file of `--map`. Raises StorageError for an unreadable one, BadRequest with every fault."""
    path = Path(file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StorageError(f"Could not read the mapping {file}: {error.strerror}.") from error
    # Loaded by its name: pydantic takes longer than a small import.
    check = import_module("backlit.config.schema.import_mappings").check_mapping
    return cast("Callable[[Path, bytes], ImportMapping]", check)(path, content)


def mapping_lines(
    head: Mapping[str, str], columns: Mapping[str, str], values: Mapping[str, Mapping[str, tuple[object, int]]]
) -> Iterator[str]:
    """Yield the TOML of a mapping with all columns and values of a file, each value with its number."""
    for name, text in head.items():
        if text:
            yield f"{name} = {_quoted(text)}"
    if columns:
        yield "\n[columns]"
        for heading, role in columns.items():
            word = _word(role)
            yield (
                f"{_quoted(heading)} = {_quoted(word)}" if word else f"# {_quoted(heading)} is used with another column"
            )
    for table, entries in values.items():
        if entries:
            yield f"\n[{table}]"
            for name, (value, count) in entries.items():
                written = _quoted(value) if isinstance(value, str) else str(value)
                yield f"{_quoted(name)} = {written}  # {count:,}"


def _word(role: str) -> str:
    if role.startswith("link:"):
        return role
    return role.removeprefix("field:") if role.startswith("field:") else _WORDS.get(role, "")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def counted_values(counts: Counter[tuple[str, str]] | Counter[tuple[str, int]]) -> dict[str, tuple[object, int]]:
    """Return the value of each name with the number of the name, the most frequent first."""
    numbers: Counter[str] = Counter()
    chosen: dict[str, object] = {}
    for (name, value), count in counts.items():
        numbers[name] += count
        chosen[name] = value
    return {name: (chosen[name], count) for name, count in numbers.most_common()}
