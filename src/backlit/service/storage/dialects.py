"""Differences of SQLite and PostgreSQL, locks included; all other statements are the same for both."""

from enum import IntEnum
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Connection, Float, Integer, Text, func, literal, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from backlit.model.filters.tree import REPLACED_LIMIT

Sql = ColumnElement[Any]

CASE_FUNCTIONS = """
CREATE OR REPLACE FUNCTION backlit_{name}(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT {name}($1 COLLATE {collation}) $$
"""
"""Case functions that fold as Python does; PostgreSQL's own depend on the column's collation."""


# PostgreSQL raises for a division by zero or a number out of range, and one such row would refuse the whole list: in a
# filter the value is unknown and the row does not match. Only plpgsql can catch an error.
_ARITHMETIC = {
    "add": "$1 + $2",
    "sub": "$1 - $2",
    "mul": "$1 * $2",
    "div": "trunc($1 / $2)",
    "divby": "$1 / $2",
    "mod": "$1 - $2 * trunc($1 / $2)",
}
FILTER_FUNCTIONS = (
    """
CREATE OR REPLACE FUNCTION backlit_round(double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT sign($1) * floor(abs($1) + 0.5) $$
""",
    """
CREATE OR REPLACE FUNCTION backlit_substring(text, double precision, double precision)
RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT substr($1, floor(least(greatest($2, 0), 1e9))::int + 1, floor(least(greatest($3, 0), 1e9))::int) $$
""",
    f"""
CREATE OR REPLACE FUNCTION backlit_replace(text, text, text)
RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT CASE WHEN $2 = '' THEN $1
WHEN length($1) + ((length($1) - length(replace($1, $2, ''))) / length($2))::bigint * (length($3) - length($2))
> {REPLACED_LIMIT} THEN NULL ELSE replace($1, $2, $3) END $$
""",
    *(
        f"""
CREATE OR REPLACE FUNCTION backlit_{name}(double precision, double precision)
RETURNS double precision LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN RETURN {formula}; EXCEPTION WHEN division_by_zero OR numeric_value_out_of_range THEN RETURN NULL; END $$
"""
        for name, formula in _ARITHMETIC.items()
    ),
)
"""PostgreSQL's functions of filters that mean what the model's `matches` means."""


# A collation of the system would sort `ä` elsewhere on another machine, and a client's copy could not repeat the order.
TEXT: Text = Text().with_variant(Text(collation="C"), "postgresql")
"""The type of a text column: compared by code points, as Python and SQLite do."""


def in_any_case(column: Sql, name: str) -> ColumnElement[bool]:
    """Return the condition that a column holds a name, in any case of its letters; `lower` may fold ASCII only."""
    return func.backlit_lower(column) == func.backlit_lower(name)


class TextPosition(FunctionElement[int]):
    """Return the position of a text in another, from 1; 0 if absent."""

    type = Integer()
    inherit_cache = True


class SecondOfMinute(FunctionElement[int]):
    """The whole seconds of a moment's minute."""

    type = Integer()
    inherit_cache = True


class RoundedValue(FunctionElement[float]):
    """The nearest whole number, halves away from zero."""

    type = Float()
    inherit_cache = True


class Floor(FunctionElement[float]):
    """The next whole number below."""

    type = Float()
    inherit_cache = True


class Ceiling(FunctionElement[float]):
    """The next whole number above."""

    type = Float()
    inherit_cache = True


class JsonArrayTexts(FunctionElement[str]):
    """The texts of a JSON array as rows with a column `value`."""

    type = Text()
    inherit_cache = True


class EstimatedPoints(FunctionElement[float]):
    """The number in an Estimate, as `points_of` reads it."""

    type = Float()
    inherit_cache = True


class CodePointOrder(FunctionElement[str]):
    """A text outside a column, compared by code points."""

    type = Text()
    inherit_cache = True


class NextId(FunctionElement[int]):
    """The next id of a table; only the holder of the write lock may ask for it."""

    type = Integer()
    inherit_cache = True


class _JsonMember(FunctionElement[Any]):
    """A value in a JSON object; null for a value of another type."""

    inherit_cache = True

    def __init__(self, document: Sql, key: str) -> None:
        super().__init__(document, literal(f'$."{key}"', Text()), literal(key, Text()))


class JsonText(_JsonMember):
    """A text in a JSON object."""

    type = Text()
    inherit_cache = True


class JsonNumber(_JsonMember):
    """A number in a JSON object."""

    type = Float()
    inherit_cache = True


class JsonBoolean(_JsonMember):
    """True or false in a JSON object."""

    type = Boolean()
    inherit_cache = True


_POINTS_ON_POSTGRESQL = (
    r"(CASE WHEN {0} ~* '^\s*(\d+([.,]\d+)?|[.,]\d+)\s*(p|sp|pts?|points?|story points?)?\.?\s*$' AND length({0}) < 100"
    r" THEN CAST(replace(substring({0} FROM '\d+[.,]\d+|\d+|[.,]\d+'), ',', '.') AS double precision) END)"
)

# The next id is not the highest stored one plus 1: the id of a deleted item must not be given to another, as copies of
# clients and links still name it. `extract(second)` has the fraction of a second on PostgreSQL.
_TEMPLATES: dict[type[FunctionElement[Any]], tuple[str, str]] = {
    # By number of the argument; the rounding functions of SQLite are ours (see `database`).
    TextPosition: ("instr({0}, {1})", "strpos({0}, {1})"),
    SecondOfMinute: ("CAST(strftime('%S', {0}) AS INTEGER)", "floor(extract(second FROM {0}))"),
    RoundedValue: ("backlit_round({0})", "backlit_round({0})"),
    Floor: ("backlit_floor({0})", "floor({0})"),
    Ceiling: ("backlit_ceiling({0})", "ceiling({0})"),
    JsonArrayTexts: ("json_each({0})", "json_array_elements_text({0})"),
    EstimatedPoints: (
        "backlit_points({0})",
        _POINTS_ON_POSTGRESQL,
    ),
    CodePointOrder: ("{0}", '({0} COLLATE "C")'),
    NextId: (
        "(coalesce((SELECT seq FROM sqlite_sequence WHERE name = {0}), 0) + 1)",
        "nextval(pg_get_serial_sequence({0}, 'id'))",
    ),
    JsonText: (
        "(CASE WHEN json_type({0}, {1}) = 'text' THEN json_extract({0}, {1}) END)",
        "(CASE WHEN json_typeof({0} -> {2}) = 'string' THEN ({0} ->> {2}) COLLATE \"C\" END)",
    ),
    JsonNumber: (
        "(CASE WHEN json_type({0}, {1}) IN ('integer', 'real') THEN CAST(json_extract({0}, {1}) AS REAL) END)",
        "(CASE WHEN json_typeof({0} -> {2}) = 'number' THEN CAST({0} ->> {2} AS double precision) END)",
    ),
    JsonBoolean: (
        "(CASE json_type({0}, {1}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)",
        "(CASE WHEN json_typeof({0} -> {2}) = 'boolean' THEN CAST({0} ->> {2} AS boolean) END)",
    ),
}


def _write(element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:
    template = _TEMPLATES[type(element)][compiler.dialect.name == "postgresql"]
    return template.format(*(compiler.process(clause, **options) for clause in element.clauses))


for _element in _TEMPLATES:
    compiles(_element)(_write)


class Lock(IntEnum):
    """Names of locks; the numbers are PostgreSQL advisory lock ids."""

    ATTEMPTS = 8_484_001
    KEYS = 8_484_002


def hold_lock(connection: Connection, lock: Lock) -> None:
    """Wait for a lock and keep it until the transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(int(lock))))
