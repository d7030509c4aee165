"""Figures of the structure: classes with their ancestors, folders, slivers and docstrings.

import-linter holds the layers and the absence of circles of files. Each ceiling here may only fall; the goal stands
beside it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
METHODS, LARGE_CLASSES = 40, 0  # goal: no class over 40 methods with its own ancestors
DEEPEST = 3
OWN_BASES = 2
FOLDER = 25
SLIVER_LINES, SLIVERS = 80, 10
HEADLESS = 45  # under 1 % of all docstrings
FILES, LINES = 365, 69_519  # goal: 350 and 50,000
HEADLESS_OPENING = re.compile(
    r"^(What|Where|Which|Of|Whether|How|Who|Whom|Whose|When|Since when|In which|That|Those|It|One)\b"
)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


@cache
def trees() -> dict[str, ast.Module]:
    """Return the modules of the package by their dotted names."""
    return {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def path_of(module: str) -> Path:
    path = SOURCE.joinpath(*module.split("."))
    return file if (file := path.with_suffix(".py")).is_file() else path / "__init__.py"


def length_of(module: str) -> int:
    return path_of(module).read_text(encoding="utf-8").count("\n")


def imported_by(module: str) -> Iterator[str]:
    """Yield the modules that a module imports; imports in functions and for types count."""
    for node in ast.walk(trees()[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in trees() else node.module


class Classes:
    """The classes of the package with their own bases and methods."""

    def __init__(self) -> None:
        self.methods: dict[str, set[str]] = {}
        self.bases: dict[str, list[str]] = {}
        for module, tree in trees().items():
            known = dict(self._imported(tree))
            known |= {node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.ClassDef)}
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    names = [ast.unparse(base).partition("[")[0] for base in node.bases]
                    key = f"{module}.{node.name}"
                    self.bases[key] = [known[name] for name in names if name in known]
                    self.methods[key] = {part.name for part in node.body if isinstance(part, Function)}

    @staticmethod
    def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)

    def own_bases(self, key: str) -> list[str]:
        return [base for base in self.bases[key] if base in self.methods]

    def ancestors(self, key: str) -> set[str]:
        bases = self.own_bases(key)
        return set(bases).union(*map(self.ancestors, bases))

    def all_methods(self, key: str) -> int:
        return len(self.methods[key].union(*(self.methods[each] for each in self.ancestors(key))))


@cache
def classes() -> Classes:
    return Classes()


def test_few_classes_have_more_than_40_methods_with_their_own_ancestors() -> None:
    large = [key for key in classes().methods if classes().all_methods(key) > METHODS]

    assert len(large) <= LARGE_CLASSES, large


def test_no_class_has_more_own_ancestors_than_the_deepest() -> None:
    deep = {key: len(classes().ancestors(key)) for key in classes().methods}

    assert {key: count for key, count in deep.items() if count > DEEPEST} == {}


def test_no_class_has_more_than_two_own_bases() -> None:
    assert [key for key in classes().methods if len(classes().own_bases(key)) > OWN_BASES] == []


def test_no_folders_import_each_other_in_a_circle() -> None:
    below: dict[Path, set[Path]] = defaultdict(set)
    for module in trees():
        found = {path_of(each).parent for each in imported_by(module) if each in trees()}
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


def test_no_folder_has_more_than_25_files() -> None:
    folders: dict[Path, int] = defaultdict(int)
    for path in SOURCE.rglob("*.py"):
        folders[path.parent] += 1

    assert {str(folder): count for folder, count in folders.items() if count > FOLDER} == {}


def test_few_files_exist_for_one_other_file_only() -> None:
    importers: dict[str, set[str]] = defaultdict(set)
    for module in trees():
        for name in imported_by(module):
            importers[name].add(module)
    named = [module for module in trees() if path_of(module).name not in {"__init__.py", "__main__.py"}]

    slivers = [each for each in named if length_of(each) < SLIVER_LINES and len(importers[each] - {each}) == 1]

    assert len(slivers) <= SLIVERS, slivers


def test_few_docstrings_open_without_a_noun_or_a_verb() -> None:
    documented = [(module, node) for module, tree in trees().items() for node in ast.walk(tree)]
    texts = [
        (f"{module}: {text}")
        for module, node in documented
        if isinstance(node, Documented) and HEADLESS_OPENING.match(text := ast.get_docstring(node) or "")
    ]

    assert len(texts) <= HEADLESS, texts


def test_the_package_does_not_grow() -> None:
    assert len(trees()) <= FILES
    assert sum(map(length_of, trees())) <= LINES
