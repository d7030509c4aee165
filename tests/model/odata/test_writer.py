"""What is written reads back as the same tree, and no text does more than be refused."""

import string
from contextlib import suppress
from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backlit.model.errors import BadRequest
from backlit.model.fields import PROPERTY_BY_LOWER_NAME, Kind, ValueType, custom_field
from backlit.model.filters import (
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
    SortKey,
    TagVariable,
    Term,
    all_of,
    any_of,
    matches,
)
from backlit.model.odata import ODataVersion, parse_filter, parse_order, write_filter, write_order

ORDERS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
EQUALITIES = (Operator.EQ, Operator.NE)


def names_of(*types: ValueType) -> list[str]:
    return [field.key for field in PROPERTY_BY_LOWER_NAME.values() if field.value_type in types]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
numbers = st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
moments = st.dates() | st.datetimes().map(lambda moment: moment.replace(fold=0))


def text_terms(*leaves: Term) -> st.SearchStrategy[Term]:
    return st.recursive(
        st.sampled_from([*map(Property, names_of(ValueType.TEXT)), *leaves]),
        lambda inner: st.one_of(
            st.builds(
                lambda function, term: FunctionCall(function, (term,)),
                st.sampled_from([Function.TOLOWER, Function.TOUPPER, Function.TRIM]),
                inner,
            ),
            st.builds(lambda term, text: FunctionCall(Function.CONCAT, (term, Literal(text))), inner, texts),
        ),
        max_leaves=3,
    )


def comparisons(
    operators: tuple[Operator, ...], terms: st.SearchStrategy[Term], values: object
) -> st.SearchStrategy[Filter]:
    assert isinstance(values, st.SearchStrategy)
    return st.builds(Comparison, st.sampled_from(operators), terms, st.builds(Literal, values) | terms)


def conditions(*leaves: Term) -> st.SearchStrategy[Filter]:
    text = text_terms(*leaves)
    number = st.one_of(
        st.sampled_from([Property(name) for name in names_of(ValueType.INTEGER, ValueType.NUMBER)]),
        st.builds(lambda term: FunctionCall(Function.LENGTH, (term,)), text),
        st.builds(
            lambda function, *given: FunctionCall(function, given),
            st.sampled_from((Function.ADD, Function.SUB, Function.MUL)),
            st.sampled_from(("id", "Priority")).map(Property),
            st.integers(-9, 9).map(Literal),
        ),
        st.builds(lambda term, sought: FunctionCall(Function.INDEXOF, (term, Literal(sought))), text, texts),
        st.builds(
            lambda function, name: FunctionCall(function, (Property(name),)),
            st.sampled_from([Function.YEAR, Function.MONTH, Function.DAY, Function.HOUR]),
            st.sampled_from(names_of(ValueType.DATETIME)),
        ),
    )
    moment = st.sampled_from([Property(name) for name in names_of(ValueType.DATETIME)])
    boolean = st.sampled_from([Property(name) for name in names_of(ValueType.BOOLEAN)])
    predicate = st.builds(
        lambda function, term, sought: FunctionCall(function, (term, Literal(sought))),
        st.sampled_from([Function.STARTSWITH, Function.ENDSWITH, Function.CONTAINS]),
        text,
        texts,
    )
    return st.one_of(
        comparisons((*ORDERS, *EQUALITIES), text, texts),
        comparisons((*ORDERS, *EQUALITIES), number, numbers),
        comparisons((*ORDERS, *EQUALITIES), moment, moments),
        comparisons(EQUALITIES, boolean | predicate, st.booleans()),
        st.builds(Comparison, st.sampled_from(EQUALITIES), text | number | moment | boolean, st.just(Literal(None))),
        st.builds(In, text, st.lists(st.builds(Literal, texts | st.none()), min_size=1, max_size=3).map(tuple)),
        st.builds(In, moment, st.lists(st.builds(Literal, moments), min_size=1, max_size=3).map(tuple)),
        predicate,
        boolean,
        st.builds(Literal, st.booleans()),
    )


def joined(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    parts = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(parts.map(all_of), parts.map(any_of), st.builds(Not, inner))


filters = st.recursive(
    conditions() | st.builds(AnyTag, st.none() | st.recursive(conditions(TagVariable()), joined, max_leaves=3)),
    joined,
    max_leaves=6,
)


def spelled_out(tree: Filter) -> Filter:
    """The tree as v3 can say it: `in` becomes comparisons."""
    match tree:
        case In(term, choices):
            return any_of(Comparison(Operator.EQ, term, choice) for choice in choices)
        case And(parts):
            return all_of(map(spelled_out, parts))
        case Or(parts):
            return any_of(map(spelled_out, parts))
        case Not(part):
            return Not(spelled_out(part))
        case AnyTag(part):
            return AnyTag(part and spelled_out(part))
        case _:
            return tree


@pytest.mark.slow
@given(filters)
def test_a_tree_written_for_v4_reads_back_as_itself(tree: Filter) -> None:
    # repr tells 1 from 1.0 and True
    assert repr(parse_filter(write_filter(tree, ODataVersion.V4))) == repr(tree)


@pytest.mark.slow
@given(filters)
def test_a_tree_written_for_v3_reads_back_as_itself_but_for_in(tree: Filter) -> None:
    assert repr(parse_filter(write_filter(tree))) == repr(spelled_out(tree))


items = st.fixed_dictionaries(
    {},
    optional={
        **{name: texts | st.none() for name in names_of(ValueType.TEXT)},
        **{name: numbers | st.none() for name in names_of(ValueType.INTEGER, ValueType.NUMBER)},
        **{name: st.booleans() | st.none() for name in names_of(ValueType.BOOLEAN)},
        **{name: st.datetimes() for name in names_of(ValueType.DATETIME)},
        "Tags": st.lists(texts, max_size=3),
    },
)


@pytest.mark.slow
@given(filters, items)
def test_spelling_in_out_changes_nothing_and_a_filter_and_its_opposite_never_agree(
    tree: Filter, item: dict[str, object]
) -> None:
    holds = matches(tree, item)

    assert matches(spelled_out(tree), item) is holds
    assert matches(Not(tree), item) is not holds


words = st.sampled_from(
    [
        *[
            "Name",
            "Likes",
            "createdAt",
            "IsBlocking",
            "Tags",
            "Tags/any(",
            "t:",
            "t",
            "(",
            ")",
            ",",
            "-",
            "/",
            ":",
            "'",
            "'x'",
            "5",
            "1.5",
            "null",
            "true",
        ],
        *[
            "datetime'2014-01-01'",
            "2014-01-01",
            "and",
            "or",
            "not",
            "in",
            "startswith(",
            "contains(",
            "substringof(",
            "length(",
            "year(",
        ],
        *Operator,
    ]
)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.text(max_size=60) | st.text(string.printable, max_size=60) | st.lists(words, max_size=14).map(" ".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadRequest):
        tree = parse_filter(text)

        assert parse_filter(write_filter(tree, ODataVersion.V4)) == tree
        assert matches(tree, {}) in {True, False}


@given(st.text(max_size=40) | st.lists(words, max_size=6).map(" ".join))
def test_any_order_is_read_or_refused(text: str) -> None:
    with suppress(BadRequest):
        keys = parse_order(text)

        assert parse_order(write_order(keys)) == keys


@pytest.mark.parametrize(
    ("tree", "v3", "v4"),
    [
        (
            Comparison(Operator.GE, Property("createdAt"), Literal(date(2014, 4, 14))),
            "createdAt ge datetime'2014-04-14'",
            "createdAt ge 2014-04-14",
        ),
        (
            Comparison(Operator.LT, Property("createdAt"), Literal(datetime(2014, 4, 14, 9))),
            "createdAt lt datetime'2014-04-14T09:00:00'",
            "createdAt lt 2014-04-14T09:00:00Z",
        ),
        (
            FunctionCall(Function.CONTAINS, (Property("Name"), Literal("it's"))),
            "substringof('it''s', Name)",
            "contains(Name, 'it''s')",
        ),
        (
            And((In(Property("id"), (Literal(1), Literal(2))), Not(Property("IsBlocking")))),
            "(id eq 1 or id eq 2) and not (IsBlocking)",
            "id in (1, 2) and not (IsBlocking)",
        ),
        (
            AnyTag(Comparison(Operator.EQ, TagVariable(), Literal("x"))),
            "Tags/any(t: t eq 'x')",
            "Tags/any(t: t eq 'x')",
        ),
    ],
)
def test_each_dialect_has_its_spelling(tree: Filter, v3: str, v4: str) -> None:
    assert write_filter(tree, ODataVersion.V3) == v3
    assert write_filter(tree, ODataVersion.V4) == v4


def test_an_order_is_read_in_any_case_and_its_repeats_are_dropped() -> None:
    keys = parse_order(" name ASC,createdat desc , Name desc,id")

    assert keys == (SortKey("Name"), SortKey("createdAt", descending=True), SortKey("id"))
    assert write_order(keys) == "Name,createdAt desc,id"


def test_an_order_by_a_key_of_the_fields_is_one_by_the_property() -> None:
    custom = (custom_field("Own_cf", Kind.NUMBER),)

    keys = parse_order("fields/Name desc,FIELDS/own_cf,own_CF desc", custom)

    assert keys == (SortKey("Name", descending=True), SortKey("Own_cf"))


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("", 1, "name of a property"),
        ("Name,", 6, "name of a property"),
        ("Nickname", 1, "unknown property 'Nickname'"),
        ("Name up", 6, "'up'"),
        ("Name desc asc", 11, "'asc'"),
        ("Name;id", 5, "';'"),
        ("Tags", 1, "a list"),
        ("length(Name)", 1, "unknown property"),
        ("fields/id", 8, "fields has no 'id'"),
        ("fields/createdAt desc", 8, "fields has no 'createdAt'"),
        ("fields", 1, "unknown property 'fields'"),
        ("x" * 41, 1, f"unknown property '{'x' * 40}'"),
        (f"Name {'x' * 41}", 6, f"before '{'x' * 40}'"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_at_its_place(text: str, at: int, reason: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_order(text)

    assert caught.value.message.startswith(f"$orderby has an error at character {at}: ")
    assert reason in caught.value.message
