"""`$filter` as real clients send it, and the trees it becomes."""

from datetime import date, datetime

import pytest

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind, custom_field
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
    TagVariable,
)
from backlit.model.odata import parse_filter
from backlit.model.odata.operands import DEPTH_LIMIT, TEXT_LIMIT
from backlit.model.odata.parser import NODE_LIMIT

CUSTOM = (
    custom_field("Allocation_cf", Kind.NUMBER),
    custom_field("TrueCost_cf", Kind.NUMBER),
    custom_field("NullSafe_cf", Kind.BOOLEAN),
    custom_field("Notes_cf", Kind.TEXT),
    custom_field("InStock_cf", Kind.TEXT),
    custom_field("Größe_cf", Kind.TEXT),
    custom_field("Kinds_cf", Kind.TAGS),
)

TAG = TagVariable()


def eq(name: str, value: object) -> Comparison:
    return compare(name, Operator.EQ, value)


def compare(name: str, operator: Operator, value: object) -> Comparison:
    assert value is None or isinstance(value, bool | int | float | str | date)
    return Comparison(operator, Property(name), Literal(value))


def call(function: Function, *arguments: float | str | date | Property | TagVariable | FunctionCall) -> FunctionCall:
    return FunctionCall(
        function, tuple(Literal(a) if isinstance(a, float | int | str | date) else a for a in arguments)
    )


NAME = Property("Name")

SENT: list[tuple[str, Filter]] = [
    # what programs for the service send
    (
        "type eq 'Task' and projectId eq 1 and AssignedToID eq 2",
        And((eq("type", "Task"), eq("projectId", 1), eq("AssignedToID", 2))),
    ),
    ("Type eq 'Bug'", eq("type", "Bug")),
    ("ASSIGNEDTOID EQ 7", eq("AssignedToID", 7)),
    ("id gt 1000", compare("id", Operator.GT, 1000)),
    ("createdAt ge datetime'2014-04-14'", compare("createdAt", Operator.GE, date(2014, 4, 14))),
    ("createdAt eq DateTime'2013-10-10'", eq("createdAt", date(2013, 10, 10))),
    ("createdAt eq DATETIME'2013-10-10T08:30:00'", eq("createdAt", datetime(2013, 10, 10, 8, 30))),
    ("createdAt lt datetime'2013-10-10T08:30'", compare("createdAt", Operator.LT, datetime(2013, 10, 10, 8, 30))),
    ("createdAt lt 2013-10-10", compare("createdAt", Operator.LT, date(2013, 10, 10))),
    ("createdAt lt 2013-10-10T08:30:00Z", compare("createdAt", Operator.LT, datetime(2013, 10, 10, 8, 30))),
    (
        "createdAt lt 2013-10-10T08:30:00.1234567",
        compare("createdAt", Operator.LT, datetime(2013, 10, 10, 8, 30, 0, 123456)),
    ),
    *(
        (text, compare("createdAt", Operator.LT, datetime(2013, 10, 10, 6, 30)))
        for text in (
            "createdAt lt 2013-10-10T08:30:00+02:00",
            "createdAt lt 2013-10-09T16:30:00-14:00",
            "createdAt lt 2013-10-10T20:30:00+14:00",
            "createdAt lt 2013-10-10T06:30:00-00:00",
            "createdAt lt datetimeoffset'2013-10-10T12:15:00+05:45'",
            "createdAt lt datetime'2013-10-10T08:30:00+0200'",
            "createdAt lt '2013-10-10T08:30:00+02:00'",
            "2013-10-10T08:30:00+02:00 gt createdAt",
        )
    ),
    ("createdAt in (2013-10-10T01:00:00+02:00)", In(Property("createdAt"), (Literal(datetime(2013, 10, 9, 23)),))),
    (
        "createdAt le datetimeoffset'2013-10-10T08:30:00Z'",
        compare("createdAt", Operator.LE, datetime(2013, 10, 10, 8, 30)),
    ),
    ("createdAt gt '2013-10-10'", compare("createdAt", Operator.GT, date(2013, 10, 10))),
    (
        "hour(2013-10-10T08:30) eq 8 and year('2013-10-10') eq 2013",
        And(
            (
                Comparison(Operator.EQ, call(Function.HOUR, datetime(2013, 10, 10, 8, 30)), Literal(8)),
                Comparison(Operator.EQ, call(Function.YEAR, datetime(2013, 10, 10)), Literal(2013)),
            )
        ),
    ),
    # logic
    ("(Status eq 'Done')", eq("Status", "Done")),
    ("not (Status eq 'Done')", Not(eq("Status", "Done"))),
    ("not(Status eq 'Done')", Not(eq("Status", "Done"))),
    ("not Status eq 'Done' and Priority eq 1", And((Not(eq("Status", "Done")), eq("Priority", 1)))),
    ("NOT IsBlocking", Not(Property("IsBlocking"))),
    ("IsBlocking", Property("IsBlocking")),
    ("IsBlocking and not false", And((Property("IsBlocking"), Not(Literal(False))))),
    ("IsBlocking eq true", eq("IsBlocking", True)),
    ("IsBlocking ne False", compare("IsBlocking", Operator.NE, False)),
    (
        "Priority eq 1 or Priority eq 2 and IsTriaged",
        Or((eq("Priority", 1), And((eq("Priority", 2), Property("IsTriaged"))))),
    ),
    (
        "(Priority eq 1 or Priority eq 2) and IsTriaged",
        And((Or((eq("Priority", 1), eq("Priority", 2))), Property("IsTriaged"))),
    ),
    ("Likes eq 1 and (Likes eq 2 and Likes eq 3)", And((eq("Likes", 1), eq("Likes", 2), eq("Likes", 3)))),
    ("(Likes eq 1 and Likes eq 2) eq false", Not(And((eq("Likes", 1), eq("Likes", 2))))),
    ("(Likes eq 1) eq true", eq("Likes", 1)),
    ("true eq (Likes eq 1)", eq("Likes", 1)),
    ("(Likes eq 1) ne true", Not(eq("Likes", 1))),
    ("1 eq 1", Literal(True)),
    ("null eq null", Literal(True)),
    ("1 eq 2 or Likes eq 1", Or((Literal(False), eq("Likes", 1)))),
    # null
    ("AssignedToID eq null", eq("AssignedToID", None)),
    ("AssignedToID ne Null", compare("AssignedToID", Operator.NE, None)),
    ("null ne Name", compare("Name", Operator.NE, None)),
    ("Priority gt null", Literal(False)),
    ("length(null) ne 3", Literal(False)),
    ("contains(tolower(null), 'x')", Literal(False)),
    # literals
    ("FIELDS/name eq 'x'", eq("Name", "x")),
    ("Name eq 'It''s done'", eq("Name", "It's done")),
    ("Name eq ''", eq("Name", "")),
    ("Name eq''''", eq("Name", "'")),
    ("Name eq'x'", eq("Name", "x")),
    ("Name eq 'and or not ( ) in null'", eq("Name", "and or not ( ) in null")),
    ("Name eq 'naïve – 日本 🎉'", eq("Name", "naïve – 日本 🎉")),
    ("Estimate eq '5'", eq("Estimate", "5")),
    ("  Likes   eq\t5 \n", eq("Likes", 5)),
    ("Likes eq 5L", eq("Likes", 5)),
    ("WorkRemaining eq 5.0M", eq("WorkRemaining", 5.0)),
    ("WorkRemaining eq 5f", eq("WorkRemaining", 5.0)),
    ("WorkRemaining eq 2.5d", eq("WorkRemaining", 2.5)),
    ("WorkRemaining ge 1e3", compare("WorkRemaining", Operator.GE, 1000.0)),
    ("WorkRemaining gt .5", compare("WorkRemaining", Operator.GT, 0.5)),
    ("WorkRemaining gt -1.5", compare("WorkRemaining", Operator.GT, -1.5)),
    ("Priority eq - 3", eq("Priority", -3)),
    ("3 lt Priority", compare("Priority", Operator.GT, 3)),
    ("3 le Priority", compare("Priority", Operator.GE, 3)),
    ("5 gt Priority", compare("Priority", Operator.LT, 5)),
    ("5 ge Priority", compare("Priority", Operator.LE, 5)),
    ("5 ne Priority", compare("Priority", Operator.NE, 5)),
    ("Priority eq 9223372036854775807", eq("Priority", 2**63 - 1)),
    ("WorkRemaining gt WorkCompleted", Comparison(Operator.GT, Property("WorkRemaining"), Property("WorkCompleted"))),
    # in
    ("Status in ('Done')", In(Property("Status"), (Literal("Done"),))),
    ("Status in ('Done','Deferred')", In(Property("Status"), (Literal("Done"), Literal("Deferred")))),
    ("id IN (1, 2, -3)", In(Property("id"), (Literal(1), Literal(2), Literal(-3)))),
    ("TeamID in (null, 2)", In(Property("TeamID"), (Literal(None), Literal(2)))),
    ("createdAt in ('2014-01-01')", In(Property("createdAt"), (Literal(date(2014, 1, 1)),))),
    ("not (id in (1))", Not(In(Property("id"), (Literal(1),)))),
    ("tolower(Status) in ('done')", In(call(Function.TOLOWER, Property("Status")), (Literal("done"),))),
    # functions
    ("substringof('login', Name)", call(Function.CONTAINS, NAME, "login")),
    (
        "substringof('login', Name) eq true",
        Comparison(Operator.EQ, call(Function.CONTAINS, NAME, "login"), Literal(True)),
    ),
    ("contains(Name, 'login')", call(Function.CONTAINS, NAME, "login")),
    (
        "startswith(Name,'A') or endswith(Name,'Z')",
        Or((call(Function.STARTSWITH, NAME, "A"), call(Function.ENDSWITH, NAME, "Z"))),
    ),
    ("toLower(Name) eq 'x'", Comparison(Operator.EQ, call(Function.TOLOWER, NAME), Literal("x"))),
    ("substringof('x', tolower(Name))", call(Function.CONTAINS, call(Function.TOLOWER, NAME), "x")),
    ("length(trim(Name)) gt 3", Comparison(Operator.GT, call(Function.LENGTH, call(Function.TRIM, NAME)), Literal(3))),
    ("indexof(Name, 'x') eq 0", Comparison(Operator.EQ, call(Function.INDEXOF, NAME, "x"), Literal(0))),
    ("concat(Name, '!') eq 'a!'", Comparison(Operator.EQ, call(Function.CONCAT, NAME, "!"), Literal("a!"))),
    ("substring(Name, 1) eq 'x'", Comparison(Operator.EQ, call(Function.SUBSTRING, NAME, 1), Literal("x"))),
    ("substring(Name, 1, 2) eq 'x'", Comparison(Operator.EQ, call(Function.SUBSTRING, NAME, 1, 2), Literal("x"))),
    ("replace(Name, 'a', '') eq 'x'", Comparison(Operator.EQ, call(Function.REPLACE, NAME, "a", ""), Literal("x"))),
    (
        "Priority add 1 mul 2 gt 3",
        Comparison(Operator.GT, call(Function.ADD, Property("Priority"), call(Function.MUL, 1, 2)), Literal(3)),
    ),
    (
        "(Priority SUB 1) mod 2 eq 0",
        Comparison(Operator.EQ, call(Function.MOD, call(Function.SUB, Property("Priority"), 1), 2), Literal(0)),
    ),
    ("id div 2 eq 1", Comparison(Operator.EQ, call(Function.DIV, Property("id"), 2), Literal(1))),
    ("id div 2.0 eq 1", Comparison(Operator.EQ, call(Function.DIVBY, Property("id"), 2.0), Literal(1))),
    ("-id lt 0", Comparison(Operator.LT, call(Function.SUB, 0, Property("id")), Literal(0))),
    ("fields/Name eq 'x'", Comparison(Operator.EQ, NAME, Literal("x"))),
    ("Fields/Tags/any(t: t eq 'x')", AnyTag(Comparison(Operator.EQ, TAG, Literal("x")))),
    ("'x' eq toupper(Name)", Comparison(Operator.EQ, call(Function.TOUPPER, NAME), Literal("x"))),
    ("year(createdAt) eq 2014", Comparison(Operator.EQ, call(Function.YEAR, Property("createdAt")), Literal(2014))),
    (
        "round(WorkRemaining) eq 3",
        Comparison(Operator.EQ, FunctionCall(Function.ROUND, (Property("WorkRemaining"),)), Literal(3)),
    ),
    (
        "hour(datetime'2014-01-01') eq 0",
        Comparison(Operator.EQ, FunctionCall(Function.HOUR, (Literal(datetime(2014, 1, 1)),)), Literal(0)),
    ),
    # tags
    ("Tags/any(t: t eq 'x')", AnyTag(Comparison(Operator.EQ, TAG, Literal("x")))),
    ("tags/Any(d:d ne 'x')", AnyTag(Comparison(Operator.NE, TAG, Literal("x")))),
    ("Tags/any(name: startswith(name, 'x'))", AnyTag(call(Function.STARTSWITH, TAG, "x"))),
    ("Tags/any(t: t eq 'x' and Likes eq 1)", AnyTag(And((Comparison(Operator.EQ, TAG, Literal("x")), eq("Likes", 1))))),
    ("Tags/any(t: t in ('x', 'y'))", AnyTag(In(TAG, (Literal("x"), Literal("y"))))),
    ("Tags/any()", AnyTag(None)),
    ("not Tags/any()", Not(AnyTag(None))),
    ("contains(Tags, 'x')", AnyTag(call(Function.CONTAINS, TAG, "x"))),
    ("substringof('x', Tags)", AnyTag(call(Function.CONTAINS, TAG, "x"))),
    ("substringof('x', Tags) eq true", AnyTag(call(Function.CONTAINS, TAG, "x"))),
    ("contains(tolower(Tags), 'x')", AnyTag(call(Function.CONTAINS, call(Function.TOLOWER, TAG), "x"))),
    # words that begin like keywords
    ("Allocation_cf eq 5", eq("Allocation_cf", 5)),
    ("TrueCost_cf gt 1.5", compare("TrueCost_cf", Operator.GT, 1.5)),
    ("NullSafe_cf", Property("NullSafe_cf")),
    ("Notes_cf eq 'x'", eq("Notes_cf", "x")),
    ("not Notes_cf eq 'x'", Not(eq("Notes_cf", "x"))),
    ("InStock_cf in ('x')", In(Property("InStock_cf"), (Literal("x"),))),
    ("größe_cf eq 'XL'", eq("Größe_cf", "XL")),
]


@pytest.mark.parametrize(("text", "tree"), SENT, ids=lambda value: value if isinstance(value, str) else "")
def test_a_filter_that_clients_send_is_read(text: str, tree: Filter) -> None:
    assert parse_filter(text, CUSTOM) == tree


@pytest.mark.parametrize(
    ("dividend", "drops_the_fraction"),
    [
        ("7", True), ("7.0", False), ("Priority", True), ("Allocation_cf", False),
        ("length(Name)", True), ("indexof(Name, 'x')", True), ("hour(createdAt)", True), ("year(createdAt)", True),
        ("round(Priority)", False), ("floor(Priority)", False),
        ("(Priority add 1)", True), ("(Priority sub length(Name))", True), ("(Priority mul 2)", True),
        ("(Priority mod 2)", True), ("(Priority add 1.5)", False), ("(Allocation_cf mul 2)", False),
        ("(Priority div 2)", True), ("(Priority divby 2)", False), ("-Priority", True),
    ],
)  # fmt: skip
def test_a_division_of_whole_numbers_drops_the_fraction(dividend: str, drops_the_fraction: bool) -> None:
    found = parse_filter(f"{dividend} div Priority eq 1", CUSTOM)

    assert isinstance(found, Comparison)
    assert isinstance(found.left, FunctionCall)
    assert found.left.function is (Function.DIV if drops_the_fraction else Function.DIVBY)


REFUSED = [
    ("", 1, "empty"),
    ("   ", 4, "empty"),
    ("Name", 1, "expected a comparison"),
    ("Name eq", 8, "breaks off"),
    ("Name eqq 'x'", 6, "'eqq' is not an operator"),
    ("Name 'x'", 6, "is not an operator"),
    ("Name eq 'x' garbage", 13, "garbage"),
    ("Name eq 'x' Name eq 'y'", 13, "'Name'"),
    ("Name eq 'x", 9, "no closing quote"),
    ("Name eq 'x''", 9, "no closing quote"),
    ("Name eq x", 9, "unknown property 'x'"),
    ('Name eq "x"', 9, "'\"'"),
    ("Name = 'x'", 6, "'='"),
    ("(Name eq 'x'", 13, "')' is missing."),
    ("Name eq 'x')", 12, "before ')'"),
    ("()", 2, "before ')'"),
    ("and Name eq 'x'", 1, "unknown property 'and'"),
    ("Nickname eq 'x'", 1, "unknown property 'Nickname'"),
    ("Name/Length eq 'x'", 1, "only Tags"),
    ("soundex(Name) eq 'x'", 1, "unknown function 'soundex'"),
    ("startswith(Name)", 1, "takes 2 values, not 1"),
    ("length() eq 1", 1, "takes 1 value, not 0"),
    ("startswith(Name 'x')", 17, "',' is missing"),
    ("startswith(Name, 5)", 1, "takes a text"),
    ("length(Priority) eq 1", 1, "Priority is a number"),
    ("year(Name) eq 2014", 1, "takes a date"),
    ("round(Name) eq 1", 1, "takes a number"),
    ("startswith(startswith(Name,'x'),'x')", 1, "takes a text"),
    ("Name eq 5", 6, "cannot be compared"),
    ("Estimate gt 5", 10, "Estimate is a text and 5 is a number"),
    ("Priority eq '5'", 10, "cannot be compared"),
    ("createdAt gt 5", 11, "cannot be compared"),
    ("createdAt gt 'yesterday'", 11, "cannot be compared"),
    ("IsBlocking eq 1", 12, "cannot be compared"),
    ("IsBlocking gt true", 12, "with eq or ne"),
    ("Name gt true", 6, "cannot be compared"),
    ("(Likes eq 1) eq 1", 14, "true or false only"),
    ("(Likes eq 1) gt true", 14, "true or false only"),
    ("(Likes eq 1) eq (Likes eq 2)", 14, "true or false only"),
    ("not 5", 5, "expected a comparison"),
    ("not -1", 5, "expected a comparison"),
    ("not", 4, "breaks off"),
    ("null", 1, "null alone"),
    ("'x'", 1, "expected a comparison"),
    *(
        (f"createdAt gt {text}", 14, "an offset that no time zone has")
        for text in (
            "2013-10-10T08:30:00+99:00",
            "2013-10-10T08:30:00-14:01",
            "2013-10-10T08:30:00+02:60",
            "datetime'2013-10-10T08:30:00+24:00'",
        )
    ),
    ("createdAt gt 0001-01-01T00:00:00+02:00", 14, "beyond the calendar"),
    ("tolower(null)", 1, "expected a comparison"),
    ("Priority eq --1", 14, "needs a number"),
    ("Priority eq -'x'", 14, "needs a number"),
    ("Priority eq 5x", 13, "'5x'"),
    ("Priority eq 1.2.3", 13, "'1.2.3'"),
    ("Priority eq 5.5L", 13, "is not a number"),
    ("Priority eq 9223372036854775808", 13, "64 bits"),
    ("Priority eq 1e999", 13, "is not a number"),
    ("Priority add 'x' eq 2", 10, "add takes a number"),
    ("add(Priority, 1) eq 2", 1, "unknown function 'add'"),
    ("substring(Name) eq 'x'", 1, "takes 2 or 3 values, not 1"),
    ("fields/id eq 1", 8, "fields has no 'id'"),
    ("-Name eq 1", 2, "'-' needs a number after it"),
    ("createdAt gt datetime'soon'", 14, "not a date"),
    ("createdAt gt 2014-13-01", 14, "not a date"),
    ("createdAt gt 2014-01-01T25:00:00", 14, "not a date"),
    ("Status in ()", 12, "before ')'"),
    ("Status in 'x'", 11, "'(' is missing"),
    ("Status in ('x'", 15, "')' is missing"),
    ("Status in ('x' 'y')", 16, "')' is missing"),
    ("Status in (1)", 12, "cannot be compared"),
    ("Status in (Name)", 12, "constants only"),
    ("(Likes eq 1) in (true)", 14, "found a condition"),
    ("Tags eq 'x'", 6, "Tags/any"),
    ("Tags in ('x')", 6, "Tags/any"),
    ("tolower(Tags) eq 'x'", 15, "Tags/any"),
    ("Tags", 1, "expected a comparison"),
    ("Tags/all(t: t eq 'x')", 6, "'any' is missing"),
    ("Name/any(t: t eq 'x')", 1, "only Tags"),
    ("Tags/any(t eq 'x')", 12, "':' is missing"),
    ("Tags/any('x')", 10, "the variable"),
    ("Tags/any(t: t)", 13, "expected a comparison"),
    ("Tags/any(t: Tags/any(s: s eq 'x'))", 13, "inside another"),
    ("Tags/any(t: contains(Tags, 'x'))", 22, "a list"),
    ("Tags/any(t: t eq 'x') and t eq 'x'", 27, "unknown property 't'"),
    ("contains(Kinds_cf, 'x')", 10, "a list"),
    ("Name eq 'a\0b'", 9, "NUL"),
    ("Name eq '\ud800'", 9, "surrogate"),
    ("Name eq '\udfff'", 9, "surrogate"),
    (f"Priority eq 5{'x' * 40}", 13, f"'5{'x' * 19}' is not a number or a date"),
    ("Status in (null, 5)", 18, "cannot be compared"),
    ("createdAt in ('2014-01-01', 'soon')", 29, "cannot be compared"),
    ("'2014-01-01' gt Name and createdAt gt Name", 36, "cannot be compared"),
    ("Name\0 eq 'x'", 5, "no meaning"),
    ("year('soon') eq 1", 1, "takes a date and time, and 'soon' is a text"),
    ("Priority add 1", 1, "it alone is not true or false"),
    ("createdAt in (2014-01-01, 5)", 27, "5 is a number"),
]


@pytest.mark.parametrize(("text", "at", "reason"), REFUSED, ids=[ascii(text) for text, _, _ in REFUSED])
def test_a_filter_that_makes_no_sense_is_refused_at_its_place(text: str, at: int, reason: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_filter(text, CUSTOM)

    assert caught.value.message.startswith(f"$filter has an error at character {at}: ")
    assert reason in caught.value.message
    assert caught.value.errors == {"$filter": caught.value.message}


@pytest.mark.parametrize(
    "text",
    [
        "{}(Name) eq 'x'",
        "{}/any(t: t eq 'x')",
        "Tags/{}(t: t eq 'x')",
        "{} eq 'x'",
        "Name {} 'x'",
        "fields/{} eq 'x'",
        "contains({}, 'x')",
        "createdAt gt datetime'{}'",
    ],
)
def test_a_refusal_quotes_the_beginning_of_a_long_word(text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_filter(text.format("x" * 200))

    assert "x" * 40 in caught.value.message
    assert "x" * 41 not in caught.value.message


def test_a_filter_may_fill_its_bytes_but_not_more() -> None:
    frame = len("Name eq ''")

    parse_filter(f"Name eq '{'x' * (TEXT_LIMIT - frame)}'")
    with pytest.raises(BadRequest, match="longer than 8192 bytes"):
        parse_filter(f"Name eq '{'é' * (TEXT_LIMIT // 2)}'")


@pytest.mark.parametrize("part", ["Likes eq 1", "contains(Name, 'x')", "not IsBlocking", "Tags/any()"])
def test_a_filter_may_have_so_many_nodes_but_not_more(part: str) -> None:
    parse_filter(" or ".join([part] * NODE_LIMIT))
    with pytest.raises(BadRequest, match="more than 200"):
        parse_filter(" or ".join([part] * (NODE_LIMIT + 1)))


def test_the_values_and_the_sums_of_one_condition_are_nodes_too() -> None:
    parse_filter(f"id in ({','.join(['1'] * (NODE_LIMIT - 1))})")
    sums = " and ".join(["Likes add 1 add 1 add 1 eq 1"] * (NODE_LIMIT // 4))
    parse_filter(sums)
    with pytest.raises(BadRequest, match="more than 200"):
        parse_filter(f"{sums} and Likes eq 1")
    with pytest.raises(BadRequest, match="more than 200"):
        parse_filter(f"id in ({','.join(['1'] * NODE_LIMIT)})")


@pytest.mark.parametrize(
    ("opening", "middle", "closing"),
    [
        ("(", "Likes eq 1", ")"),
        ("not ", "Likes eq 1", ""),
        ("not(", "Likes eq 1", ")"),
        ("trim(", "Name", ")"),
        ("-(", "Likes", ")"),
        ("", "Likes", " add 1"),
        ("", "Likes eq 1", " eq false"),
        ("(1 add ", "Likes", ")"),
        ("concat('x', ", "Name", ")"),
    ],
)
def test_a_filter_may_be_so_deep_but_not_deeper(opening: str, middle: str, closing: str) -> None:
    levels = DEPTH_LIMIT // 2 if opening in {"not(", "-("} else DEPTH_LIMIT
    tail = " eq 'x'" if middle == "Name" else " eq 1" if middle == "Likes" else ""

    parse_filter(opening * levels + middle + closing * levels + tail)
    with pytest.raises(BadRequest, match="nesting is deeper than 50"):
        parse_filter(opening * (levels + 1) + middle + closing * (levels + 1) + tail)


@pytest.mark.parametrize(
    "part",
    [
        *("(Likes eq 1)", "not IsBlocking", "length(Name) eq 1", "-Likes eq 1", "Tags/any()"),
        *("not (-length(Name) eq 1)", "(Likes) eq (1)"),
    ],
)
def test_parts_side_by_side_are_no_deeper(part: str) -> None:
    count = DEPTH_LIMIT + 1

    many = " and ".join([part] * count)

    assert parse_filter(many) == And((parse_filter(part),) * count)
    with pytest.raises(BadRequest, match="nesting is deeper than 50"):
        parse_filter(f"{many} and {'(' * count}{part}{')' * count}")


def test_another_resources_properties_take_the_place_of_the_work_items() -> None:
    own = {"path": custom_field("path_cf", Kind.TEXT)}

    assert parse_filter("Path eq 'x'", properties=own) == eq("path_cf", "x")
    with pytest.raises(BadRequest, match="unknown property 'Name'"):
        parse_filter("Name eq 'x'", properties=own)


def test_custom_fields_may_come_as_a_table_too() -> None:
    table = {"allocation_cf": CUSTOM[0]}

    assert parse_filter("ALLOCATION_CF eq 1", table) == eq("Allocation_cf", 1)
