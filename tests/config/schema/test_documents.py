"""The check that all files share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from backlit.config.schema.documents import MUST, SAID, SENTENCES, UNKNOWN, Table, check_document
from backlit.config.schema.repository import RepositoryFile
from backlit.config.schema.settings import ConfigFile
from backlit.config.schema.views import ViewsFile
from backlit.model.settings.user_settings import toml_in

FAULTS_BY_KIND = {
    "str": {"string_type"},
    "bool": {"bool_type"},
    "int": {"int_type", "int_from_float"},
    "float": {"float_type"},
    "list": {"list_type"},
    "dict": {"dict_type"},
    "model": {"model_type"},
    "model-fields": {"model_type", "missing", UNKNOWN},
    "function-before": {MUST, SAID},
    "function-after": {MUST, SAID},
    "function-plain": {MUST, SAID},
    **{kind: set() for kind in ("any", "nullable", "default", "model-field", "definitions", "definition-ref")},
}
"""Types of the faults that each kind of pydantic's schemas may tell in strict mode; with such constraints as follow."""
FAULTS_BY_CONSTRAINT = {
    "ge": "greater_than_equal",
    "le": "less_than_equal",
    "min_length": "too_short",
}
OTHER_CONSTRAINTS = {"gt", "lt", "max_length", "multiple_of", "pattern", "allow_inf_nan"}
FILES: list[type[Table]] = [ConfigFile, ViewsFile, RepositoryFile]


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a core schema that has a type."""
    if isinstance(schema, dict):
        if "type" in schema:
            yield schema
        for key, part in schema.items():
            if key not in {"metadata", "serialization", "config", "cls"}:
                yield from nodes(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from nodes(part)


@pytest.mark.parametrize("model", FILES)
def test_every_fault_that_a_file_may_have_has_a_sentence(model: type[Table]) -> None:
    found = [node for node in nodes(model.__pydantic_core_schema__) if isinstance(node["type"], str)]
    kinds = {node["type"] for node in found if not node["type"].startswith(("no-info", "with-info"))}
    constraints = {key for node in found for key in node if key in FAULTS_BY_CONSTRAINT.keys() | OTHER_CONSTRAINTS}
    faults = {fault for kind in kinds for fault in FAULTS_BY_KIND[kind]}
    faults |= {FAULTS_BY_CONSTRAINT[key] for key in constraints}

    assert len(kinds) > 5
    assert faults - {MUST, SAID, UNKNOWN} <= SENTENCES.keys()


class Leaf(Table):
    """A table with a key that it must have."""

    size: int
    words: list[str] = Field(default=[])


class Tree(Table):
    """A document of such tables."""

    leaf: list[Leaf] = Field(default=[])
    by_name: dict[str, Leaf] = Field(default={})


def test_a_fault_takes_nothing_beside_it() -> None:
    text = """
[[leaf]]
size = 1
words = ["a", 2, "b", 4, "c"]
[[leaf]]
words = ["x"]
[[leaf]]
size = 3
sise = 4
[by_name]
a = {size = "many"}
b = {size = 5}
"""

    tree, problems, _ = check_document(Tree, toml_in(text.encode(), Path("t")), text, Path("t"))

    assert tree == Tree(leaf=[Leaf(size=1, words=["a", "b", "c"]), Leaf(size=3)], by_name={"b": Leaf(size=5)})
    assert problems == (
        'In the setting "words" of leaf 1, entry 2 must be a text (t, line 4, column 15). It is left out.',
        'In the setting "words" of leaf 1, entry 4 must be a text (t, line 4, column 23). It is left out.',
        'The setting "size" of leaf 2 is missing (t, line 5, column 1). The leaf is left out.',
        "Unknown setting 'sise' of leaf 3 (t, line 9, column 1). Did you mean 'size'? It is ignored.",
        'The setting "size" of [by_name.a] must be a whole number (t, line 11, column 13). It is left out.',
    )


def test_a_fault_that_follows_from_another_is_not_told() -> None:
    text = '[[leaf]]\nsise = 1\n[[leaf]]\nsize = "x"\n'

    tree, problems, _ = check_document(Tree, toml_in(text.encode(), Path("t")), text, Path("t"))

    assert tree == Tree()
    assert [problem.partition(" (")[0] for problem in problems] == [
        "Unknown setting 'sise' of leaf 1",
        'The setting "size" of leaf 2 must be a whole number',
    ]
