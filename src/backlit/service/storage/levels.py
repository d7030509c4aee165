"""Deep conditions in SQL that is not deep: every few levels become a step of a WITH clause.

The parser of older SQLite has a stack of 100 entries, and a nested function takes up to 7 of them: without steps, a
filter within the interface's limit of depth would fail there, and not on PostgreSQL.
"""

import re
from typing import Any, Self

from sqlalchemy import ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType

LEVELS_PER_STEP = 6
"""Levels of a step."""
_REFERENCE = re.compile(r"\bfilter_step_[0-9]+(?=\.value\b)")
_SCOPES = "backlit_filter_scopes"
"""Attribute of a compiler: the conditions that it is in, the innermost last."""


class _ConditionScope:
    """A condition that is being written: how deep, and the steps before it."""

    def __init__(self) -> None:
        self.depth = 0
        self.steps: list[str] = []


class _ConditionPart(FunctionElement[Any]):
    """A part of a condition that is written as it is."""

    inherit_cache = True

    def __init__(self, part: ColumnElement[Any]) -> None:
        super().__init__(part)
        self.type = part.type

    def self_group(self, against: OperatorType | None = None) -> Self:  # noqa: ARG002
        """Return itself: SQLAlchemy would compare a condition with 1, and no index would serve it."""
        return self


class ConditionRoot(_ConditionPart):
    """A whole condition, whose steps see the columns around it."""

    inherit_cache = True


class ConditionLevel(_ConditionPart):
    """A function or operator of a condition."""

    inherit_cache = True


@compiles(ConditionRoot)
def _write_root(element: ConditionRoot, compiler: SQLCompiler, **options: Any) -> str:
    scopes = _scopes_of(compiler)
    scopes.append(_ConditionScope())
    text = _inner(element, compiler, **options)
    steps = scopes.pop().steps
    return f"(WITH {', '.join(steps)} SELECT {text}{_from(text)})" if steps else text


@compiles(ConditionLevel)
def _write_level(element: ConditionLevel, compiler: SQLCompiler, **options: Any) -> str:
    scopes = _scopes_of(compiler)
    if not scopes:  # a part on its own, as in an error
        return f"({_inner(element, compiler, **options)})"
    scope = scopes[-1]
    scope.depth += 1
    text = _inner(element, compiler, **options)
    scope.depth -= 1
    if (scope.depth + 1) % LEVELS_PER_STEP:
        return f"({text})"
    name = f"filter_step_{len(scopes)}{len(scope.steps):03}"
    scope.steps.append(f"{name} (value) AS (SELECT {text}{_from(text)})")
    return f"{name}.value"


def _scopes_of(compiler: SQLCompiler) -> list[_ConditionScope]:
    scopes: list[_ConditionScope] = compiler.__dict__.setdefault(_SCOPES, [])
    return scopes


def _inner(element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:
    (part,) = element.clauses
    return str(compiler.process(part, **options))


def _from(text: str) -> str:
    names = dict.fromkeys(_REFERENCE.findall(text))
    return f" FROM {', '.join(names)}" if names else ""
