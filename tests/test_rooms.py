"""The rooms of the package: no folders import each other in a circle; import-linter holds the layers."""

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


IMPORT = re.compile(
    r"^[ \t]*(?:from [\w.]+ import (?:\([^)]*\)|.+)|import [\w.]+(?: as \w+)?(?:, [\w.]+(?: as \w+)?)*)[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
"""A statement that imports; to parse the whole of every module took a hundred times as long."""


@cache
def imports() -> dict[str, list[ast.stmt]]:
    """Return the imports of the package's modules by their dotted names; those in functions and for types count."""
    return {
        name_of(path): [
            statement
            for found in IMPORT.finditer(path.read_text(encoding="utf-8"))
            for statement in ast.parse(textwrap.dedent(found[0])).body
        ]
        for path in sorted(SOURCE.rglob("*.py"))
    }


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def path_of(module: str) -> Path:
    path = SOURCE.joinpath(*module.split("."))
    return file if (file := path.with_suffix(".py")).is_file() else path / "__init__.py"


def imported_by(module: str) -> Iterator[str]:
    for node in imports()[module]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in imports() else node.module


def test_no_folders_import_each_other_in_a_circle() -> None:
    below: dict[Path, set[Path]] = defaultdict(set)
    for module in imports():
        found = {path_of(each).parent for each in imported_by(module) if each in imports()}
        below[path_of(module).parent] |= found - {path_of(module).parent}
    reached = {folder: set(found) for folder, found in below.items()}
    while any(add_reached(reached, folder) for folder in reached):
        pass

    assert [str(folder.relative_to(SOURCE)) for folder, found in reached.items() if folder in found] == []


def add_reached(reached: dict[Path, set[Path]], folder: Path) -> bool:
    """Add the folders one step on; return whether there were any."""
    further = set().union(*(reached.get(each, set()) for each in reached[folder])) - reached[folder]
    reached[folder] |= further
    return bool(further)
