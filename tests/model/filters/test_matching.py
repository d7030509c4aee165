"""What a filter holds for, point by point of the filter tree's docstring."""

import pytest
from tests.model.filters.true_filters import CUSTOM, HOLDS, ITEM

from backlit.model.filters import COMMENTS, Literal, TextMatch, TextScope, all_of, any_of, matches, with_constants
from backlit.model.odata import parse_filter


@pytest.mark.parametrize("text", HOLDS)
def test_filter_holds_for_the_item(text: str) -> None:
    assert matches(parse_filter(text, CUSTOM), ITEM)


@pytest.mark.parametrize("text", HOLDS)
def test_its_opposite_does_not_hold(text: str) -> None:
    assert not matches(parse_filter(f"not ({text})", CUSTOM), ITEM)


@pytest.mark.parametrize(
    ("text", "where", "is_found"),
    [
        *(
            ("GUEST check", TextScope.NAME, True),
            ("uest", TextScope.NAME, True),
            ("checkout guest", TextScope.NAME, False),
        ),
        *(
            ("Guest CHECK", TextScope.ANYWHERE, True),
            ("check", TextScope.ANYWHERE, True),
            ("eckout", TextScope.ANYWHERE, False),
        ),
        *(
            ("gues checkout", TextScope.ANYWHERE, False),
            ("SECOND wo", TextScope.ANYWHERE, True),
            ("", TextScope.ANYWHERE, False),
        ),
        *(
            ("word x", TextScope.ANYWHERE, False),
            ("first a", TextScope.ANYWHERE, False),
            ("Wörd", TextScope.ANYWHERE, True),
        ),
    ],
)
def test_a_search_finds_parts_of_names_and_beginnings_of_words(text: str, where: TextScope, is_found: bool) -> None:
    assert matches(TextMatch(text, where), ITEM | {COMMENTS: ["First", "A second word"]}) == is_found


@pytest.mark.parametrize("where", TextScope)
def test_a_search_finds_nothing_where_there_is_no_text(where: TextScope) -> None:
    assert not matches(TextMatch("none", where), {"Name": None, "Description": None, COMMENTS: None})
    assert not matches(TextMatch("none", where), {})


@pytest.mark.parametrize("values", [{}, {"Tags": None}, {"Tags": []}, {"Tags": "urgent"}])
def test_without_tags_no_tag_matches(values: dict[str, object]) -> None:
    assert not matches(parse_filter("Tags/any() or contains(Tags, '') or Tags/any(t: t ne 'x')"), values)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"Priority": "2"}, "Priority eq 2 or Priority ge 0 or Priority lt 9"),
        ({"Name": 5}, "Name eq '5' or contains(Name, '5') or length(Name) ge 0 or length(Name) ne 9"),
        ({"IsBlocking": 1}, "IsBlocking or IsBlocking eq true"),
        ({"Priority": True}, "Priority eq 1 or Priority gt 0"),
    ],
)
def test_a_value_of_a_foreign_type_equals_nothing(values: dict[str, object], text: str) -> None:
    assert not matches(parse_filter(text), values)


@pytest.mark.parametrize(("count", "is_known"), [(1000, True), (1001, False)])
def test_a_replaced_text_that_grows_too_long_is_unknown(count: int, is_known: bool) -> None:
    found = parse_filter(f"replace(Name, 'a', '{'b' * 1000}') ne 'x'")

    assert matches(found, {"Name": "a" * count}) is is_known


def test_empty_conjunction_holds_and_empty_disjunction_does_not() -> None:
    assert all_of([]) == Literal(True)
    assert any_of([]) == Literal(False)


def test_constants_of_one_property_are_replaced_where_they_are_compared_for_equality() -> None:
    text = "type eq 'a' or not (type ne 'a' and type in ('a', 'b', 'c')) or type gt 'a' or Name eq 'a'"
    text += " or type eq 'x' or Name in ('a', 'b')"

    assert with_constants(parse_filter(text), "type", {"a": "b", "b": "z"}) == parse_filter(
        "type eq 'b' or not (type ne 'b' and type in ('b', 'z', 'c')) or type gt 'a' or Name eq 'a'"
        " or type eq 'x' or Name in ('a', 'b')"
    )


def test_joining_is_flat() -> None:
    a, b, c = (parse_filter(f"Likes eq {n}") for n in range(3))

    assert all_of([all_of([a, b]), c]) == all_of([a, b, c])
    assert any_of([a, any_of([b, c])]) == any_of([a, b, c])
    assert all_of([a]) == any_of([a]) == a
