"""What a filter holds for, point by point of the filter tree's docstring."""

from datetime import datetime

import pytest

from backlit.model.fields import Kind, custom_field
from backlit.model.filters import COMMENTS, Literal, TextMatch, TextScope, all_of, any_of, matches, with_constants
from backlit.model.odata import parse_filter

CUSTOM = (custom_field("Channel_cf", Kind.TEXT),)

ITEM: dict[str, object] = {
    "id": 1042,
    "type": "Story",
    "projectId": 1,
    "Name": "Guest checkout",
    "Status": "In Progress",
    "Description": "",
    "Estimate": "5",
    "Priority": 2,
    "BacklogPriority": 2.5,
    "IsBlocking": True,
    "IsTriaged": False,
    "AssignedToID": None,
    "Source": "  mail ",
    "Resolution": " \tdone\n ",
    "Tags": ["urgent", "Web shop"],
    "createdAt": datetime(2013, 10, 10, 8, 30, 15, 250000),
    "lastModifiedAt": datetime(2013, 10, 11),
    "WorkRemaining": -2.5,
    "Channel_cf": "Web",
}

HOLDS = [
    "type eq 'Story' and Priority eq 2",
    "Name ne 'guest checkout'",
    "tolower(Name) eq 'guest checkout'",
    "toupper(Name) eq 'GUEST CHECKOUT'",
    "Name gt 'Guest'",
    "Name lt 'a'",
    "Priority eq 2.0",
    "BacklogPriority gt 2 and BacklogPriority lt 3",
    "BacklogPriority gt Priority",
    "Priority in (1, 2)",
    "2 in (1, 2) and not (3 in (1, 2)) and not (length(null) in (1)) and null in (1, null)",
    "Channel_cf eq 'Web'",
    # null
    "AssignedToID eq null",
    "AssignedToID ne 5",
    "AssignedToID in (null)",
    "Severity eq null",
    "Severity ne 'x'",
    "Severity eq Maturity",
    "Name ne null",
    "not (AssignedToID gt 5)",
    "not (AssignedToID le 5)",
    "not (AssignedToID in (1, 2))",
    "not contains(Severity, 'x')",
    "contains(Severity, 'x') eq false",
    "contains(Severity, 'x') ne true",
    "not (length(Severity) eq 3)",
    "not (length(Severity) ne 3)",
    "not (tolower(Severity) eq null)",
    "not (tolower(Severity) ne null)",
    "tolower(Name) ne null",
    "not (tolower(Severity) in (null))",
    "not contains(tolower(Severity), 'x')",
    "not (concat(Severity, 'x') eq 'x')",
    # booleans
    "IsBlocking",
    "IsBlocking eq true",
    "not IsTriaged",
    "IsTriaged ne true",
    "not Assessed",
    "Assessed ne true and Assessed ne false",
    "IsBlocking ne IsTriaged",
    # dates
    "createdAt eq 2013-10-10",
    "createdAt eq datetime'2013-10-10'",
    "createdAt ne 2013-10-11",
    "createdAt in (2013-10-09, 2013-10-10)",
    "createdAt gt 2013-10-10",
    "createdAt lt 2013-10-11",
    "not (createdAt le 2013-10-10)",
    "lastModifiedAt ge 2013-10-11 and lastModifiedAt le 2013-10-11",
    "createdAt eq datetime'2013-10-10T08:30:15.25'",
    "createdAt ne datetime'2013-10-10T08:30:15'",
    "createdAt lt lastModifiedAt",
    "year(createdAt) eq 2013 and month(createdAt) eq 10 and day(createdAt) eq 10",
    "hour(createdAt) eq 8 and minute(createdAt) eq 30 and second(createdAt) eq 15",
    "hour('2013-10-10') eq 0",
    # functions
    "startswith(Name, 'Guest') and endswith(Name, 'out') and contains(Name, 't c')",
    "substringof('check', Name)",
    "contains(Name, '')",
    "not contains(Name, 'guest')",
    "not contains(Name, '%')",
    "length(Name) eq 14",
    "length(Description) eq 0",
    "indexof(Name, 'check') eq 6",
    "indexof(Name, 'x') eq -1",
    "trim(Source) eq 'mail'",
    "trim(Resolution) eq '\tdone\n'",
    "concat(Name, '!') eq 'Guest checkout!'",
    "round(BacklogPriority) eq 3",
    "round(WorkRemaining) eq -3",
    "floor(WorkRemaining) eq -3 and ceiling(WorkRemaining) eq -2",
    "substring(Name, 6) eq 'checkout' and substring(Name, 0, 5) eq 'Guest' and substring(Name, 6, 1) eq 'c'",
    "substring(Name, 13) eq 't' and substring(Name, 14) eq '' and substring(Name, 3, 0) eq ''",
    "substring(Name, -3) eq Name and substring(Name, 2, -1) eq ''",
    "not (substring(Severity, 0) eq '')",
    "replace(Name, 'e', '3') eq 'Gu3st ch3ckout' and replace(Name, '', 'x') eq Name and replace(Name, 't', '') ne Name",
    "Priority add 3 eq 5 and Priority sub 3 eq -1 and Priority mul 3 eq 6",
    "9 sub 4 sub Priority eq 3 and 16 div 4 div Priority eq 2 and 9 sub 4 mul Priority eq 1",
    "7 div Priority eq 3 and -7 div Priority eq -3 and 7 mod Priority eq 1 and -7 mod Priority eq -1",
    "BacklogPriority divby 2 eq 1.25",
    "not (Priority div 0 eq 0) and not (Priority mod 0 ne 9) and not (Priority divby 0 gt -1)",
    "not (1e308 mul 1e308 gt 0) and not (1e-308 mul 1e-308 eq 0) and not (1e-308 divby 1e308 ge 0)",
    "0 mul Priority eq 0 and Priority mul 0 eq 0 and 0 divby Priority eq 0",
    "not (3 eq length(null)) and not (length(null) ne 3) and not (3 ne length(null))",
    "createdAt eq ' 2013-10-10 '",
    "2013-10-10 eq createdAt and 2013-10-11 ne createdAt and not (2013-10-10 ge createdAt)",
    "createdAt ne 9999-12-31 and not (9999-12-31 eq createdAt) and createdAt ne 0001-01-01",
    # tags
    "Tags/any(t: t eq 'urgent')",
    "not Tags/any(t: t eq 'Urgent')",
    "Tags/any(t: tolower(t) eq 'web shop')",
    "Tags/any(t: startswith(t, 'Web') and Priority eq 2)",
    "not Tags/any(t: startswith(t, 'Web') and t eq 'urgent')",
    "Tags/any()",
    "contains(Tags, 'gent')",
    "substringof('shop', Tags) eq true",
    "not contains(Tags, 'urgent,Web')",
    # logic
    "Priority eq 1 or Priority eq 2 and IsBlocking",
    "not (Priority eq 1 and IsBlocking)",
    "true and not false",
]


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
