"""The SQL of a filter chooses the items for which `matches` holds."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, insert, select, text
from tests.examples import few_and_many
from tests.service.postgres import Postgres

from backlit.model.fields import FIELD_BY_KEY, ItemType, Kind, ValueType, custom_field, fields_of
from backlit.model.filters import (
    ARITHMETIC,
    And,
    AnyTag,
    Comparison,
    Filter,
    Function,
    FunctionCall,
    In,
    Literal,
    Not,
    Operator,
    Or,
    Property,
    TagVariable,
    Term,
    matches,
)
from backlit.service.storage.database import writing_engine
from backlit.service.storage.filter_sql import condition, item_columns
from backlit.service.storage.migrations import migrate
from backlit.service.storage.schema import work_items
from backlit.service.tables.work_items import columns_of

pytestmark = pytest.mark.postgresql

CUSTOM = (
    custom_field("Channel_cf", Kind.CHOICE),
    custom_field("Value_cf", Kind.NUMBER),
    custom_field("Legal_cf", Kind.BOOLEAN),
)
COLUMNS = item_columns(CUSTOM)
TYPES = {name: value_type for name, (_, value_type) in COLUMNS.items()}
NAMES_BY_TYPE: dict[ValueType, list[str]] = {}
for _name, _type in TYPES.items():
    NAMES_BY_TYPE.setdefault(_type, []).append(_name)

texts = st.one_of(
    st.sampled_from(
        ["", " ", "a", "A", "abc", "Abc ", "%", "a%b", "_", "É", "é", "straße", "İ", "漢字", "'", '"', "\\"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
)
numbers = st.one_of(
    st.sampled_from([-1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 3.0]), st.integers(-3, 30), st.floats(-1e6, 1e6, width=32)
)
moments = st.datetimes(datetime(1999, 12, 30), datetime(2000, 1, 3)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
VALUES: dict[ValueType, st.SearchStrategy[Any]] = {
    ValueType.TEXT: texts,
    ValueType.INTEGER: st.integers(-3, 30),
    ValueType.NUMBER: numbers,
    ValueType.BOOLEAN: st.booleans(),
    ValueType.DATETIME: moments,
    ValueType.TAGS: st.lists(texts, max_size=3),
}
_NEVER_NULL = {"Name", "Description", "BacklogPriority", "AreaID", "IterationID"}
_TOP = {"createdBy": texts, "createdAt": moments, "lastModifiedBy": texts, "lastModifiedAt": moments}


@st.composite
def stored_items(draw: st.DrawFn) -> dict[str, Any]:
    item_type = draw(st.sampled_from(list(ItemType)))
    values: dict[str, Any] = {"type": item_type.value, "projectId": 1}
    values |= {name: draw(strategy) for name, strategy in _TOP.items()}
    for field in fields_of(item_type, CUSTOM):
        value = VALUES[field.value_type]
        is_set = field.key in _NEVER_NULL or field.value_type is ValueType.TAGS
        values[field.key] = draw(value if is_set else st.one_of(st.none(), value))
    return values


def literals(value_type: ValueType) -> st.SearchStrategy[Term]:
    value = VALUES[value_type]
    if value_type is ValueType.DATETIME:
        value = st.one_of(value, st.dates(date(1999, 12, 30), date(2000, 1, 3)))
    return st.one_of(st.none(), value).map(Literal)


def terms(value_type: ValueType, depth: int, tag: bool) -> st.SearchStrategy[Term]:
    leaves: list[st.SearchStrategy[Term]] = [literals(value_type)]
    if names := NAMES_BY_TYPE.get(value_type):
        leaves.append(st.sampled_from(names).map(Property))
    if tag and value_type is ValueType.TEXT:
        leaves.append(st.just(TagVariable()))
    if depth:
        leaves.extend(_calls(value_type, depth, tag))
    return st.one_of(leaves)


def _calls(value_type: ValueType, depth: int, tag: bool) -> Iterator[st.SearchStrategy[Term]]:
    text, number = terms(ValueType.TEXT, depth - 1, tag), ValueType.NUMBER
    if value_type is ValueType.TEXT:
        functions = st.sampled_from([Function.TOLOWER, Function.TOUPPER, Function.TRIM])
        yield st.builds(lambda f, a: FunctionCall(f, (a,)), functions, text)
        yield st.builds(lambda a, b: FunctionCall(Function.CONCAT, (a, b)), text, text)
        yield st.builds(lambda *given: FunctionCall(Function.REPLACE, given), text, text, text)
        place = terms(number, depth - 1, tag)
        yield st.builds(lambda a, b: FunctionCall(Function.SUBSTRING, (a, b)), text, place)
        yield st.builds(lambda *given: FunctionCall(Function.SUBSTRING, given), text, place, place)
    if value_type in {number, ValueType.INTEGER}:
        yield st.builds(lambda a: FunctionCall(Function.LENGTH, (a,)), text)
        yield st.builds(lambda a, b: FunctionCall(Function.INDEXOF, (a, b)), text, text)
        parts = st.sampled_from(
            [Function.YEAR, Function.MONTH, Function.DAY, Function.HOUR, Function.MINUTE, Function.SECOND]
        )
        yield st.builds(lambda f, a: FunctionCall(f, (a,)), parts, terms(ValueType.DATETIME, 0, tag))
        several = terms(number, depth - 1, tag)
        yield st.builds(lambda f, a, b: FunctionCall(f, (a, b)), st.sampled_from(ARITHMETIC), several, several)
        rounding = st.sampled_from([Function.ROUND, Function.FLOOR, Function.CEILING])
        yield st.builds(lambda f, a: FunctionCall(f, (a,)), rounding, terms(number, depth - 1, tag))
    if value_type is ValueType.BOOLEAN:
        tests = st.sampled_from([Function.STARTSWITH, Function.ENDSWITH, Function.CONTAINS])
        yield st.builds(lambda f, a, b: FunctionCall(f, (a, b)), tests, text, text)


def leaves(tag: bool) -> st.SearchStrategy[Filter]:
    kinds = [ValueType.TEXT, ValueType.INTEGER, ValueType.NUMBER, ValueType.BOOLEAN, ValueType.DATETIME]

    def compared(value_type: ValueType) -> st.SearchStrategy[Filter]:
        left, right = terms(value_type, 2, tag), terms(value_type, 1, tag)
        choices = st.lists(literals(value_type), min_size=1, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Comparison, st.sampled_from(list(Operator)), left, right),
            st.builds(In, left, choices),
        )

    mixed = st.builds(
        Comparison,
        st.sampled_from(list(Operator)),
        st.sampled_from(kinds).flatmap(lambda kind: terms(kind, 1, tag)),
        st.sampled_from(kinds).flatmap(lambda kind: terms(kind, 1, tag)),
    )
    return st.one_of(st.sampled_from(kinds).flatmap(compared), terms(ValueType.BOOLEAN, 1, tag), mixed)


def trees(tag: bool) -> st.SearchStrategy[Filter]:
    def grown(part: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
        parts = st.lists(part, min_size=2, max_size=3).map(tuple)
        return st.one_of(st.builds(And, parts), st.builds(Or, parts), st.builds(Not, part))

    return st.recursive(leaves(tag), grown, max_leaves=4)


filters = st.one_of(
    trees(False),
    st.builds(AnyTag, st.one_of(st.none(), trees(True))),
    st.builds(lambda part, other: And((Not(AnyTag(part)), other)), trees(True), trees(False)),
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def connection(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    postgres: Postgres | None = None
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('filters')}/filters.db"
    else:
        postgres = request.getfixturevalue("postgres")
        name = postgres.create()
        url = postgres.url(name)
    engine = writing_engine(url)
    with engine.connect() as connection:
        if postgres is None:
            connection.connection.driver_connection.execute("PRAGMA foreign_keys=OFF")  # type: ignore[union-attr] # it is open
        with connection.begin():
            migrate(connection)
        if postgres is not None:
            with connection.begin():
                connection.execute(text("SET session_replication_role = replica"))
        yield connection
    engine.dispose()
    if postgres is not None:
        postgres.drop(name)


@pytest.mark.slow
@few_and_many(10, 80)
def test_sql_and_matches_choose_the_same_items(connection: Connection, examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(stored_items(), min_size=1, max_size=4), st.lists(filters, min_size=1, max_size=6))
    def choose_the_same(items: list[dict[str, Any]], wanted: list[Filter]) -> None:
        _choose_the_same(connection, items, wanted)

    choose_the_same()


def _choose_the_same(connection: Connection, items: list[dict[str, Any]], wanted: list[Filter]) -> None:
    with connection.begin() as transaction:
        stored = {}
        for item_id, values in enumerate(items, 1):
            stored[item_id] = {**values, "id": item_id}
            connection.execute(insert(work_items), _row(stored[item_id]))

        for found in wanted:
            chosen = connection.execute(select(work_items.c.id).where(condition(found, COLUMNS))).scalars().all()
            assert sorted(chosen) == [i for i, values in stored.items() if matches(found, values)], found
        transaction.rollback()


def _row(values: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in values.items() if key in FIELD_BY_KEY or key.endswith("_cf")}
    return columns_of(own) | {
        "id": values["id"],
        "type": values["type"],
        "project_id": values["projectId"],
        "created_by": values["createdBy"],
        "created_at": values["createdAt"],
        "last_modified_by": values["lastModifiedBy"],
        "last_modified_at": values["lastModifiedAt"],
        "doc": b"",
    }
