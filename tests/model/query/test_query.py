"""The query language: what is read, what it means, what is refused, what is written back and completed."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backlit.model.errors import BadRequest
from backlit.model.fields import STATUSES, Field, ItemType, Kind, custom_field
from backlit.model.filters import Filter, TextMatch, matches
from backlit.model.local_times import LocalTimes
from backlit.model.query import (
    AllOf,
    AnyOf,
    Condition,
    NameKind,
    NameText,
    Node,
    NotThis,
    Vocabulary,
    accepted_conditions,
    complete,
    filter_of,
    mentions_status,
    parse_query,
    write_query,
)
from backlit.model.query.keys import MAX_COMPLETIONS, SHORT_KEYS, all_keys, field_named
from backlit.model.query.meaning import date_filter
from backlit.model.query.related import RelatedNames
from backlit.model.query.syntax import TEXT_LIMIT, all_of, any_of
from backlit.model.ready_check import USUAL_RULES, RuleInputs
from backlit.model.statuses import StatusGroups

IDS = {
    NameKind.USER: {"me": {5}, "maya": {5}, "jon": {6}},
    NameKind.AREA: {"checkout": {7, 8}},
    NameKind.ITERATION: {"current": {3}},
    NameKind.TEAM: {"core": {1}},
}


class Book:
    """Names as a test has them."""

    def now(self) -> datetime:
        return datetime(2026, 3, 10, 12)

    def failing(self, rule_id: str | None) -> Filter:
        return USUAL_RULES.failing(RuleInputs(self.now()), rule_id)

    def today(self) -> date:
        return date(2026, 3, 10)

    def local_today(self) -> date:
        return self.today()

    def times(self) -> LocalTimes:
        return LocalTimes(None)

    def custom_fields(self) -> Collection[Field]:
        return (
            custom_field("Channel_cf", Kind.TEXT),
            custom_field("Risk_cf", Kind.NUMBER),
            custom_field("Due_cf", Kind.DATE),
        )

    def ids(self, kind: NameKind, name: str, *, with_subtree: bool) -> frozenset[int]:
        found = IDS[kind].get(name.lower(), set())
        return frozenset(found if with_subtree else sorted(found)[:1])

    def related(self) -> RelatedNames:
        return RelatedNames(lambda _text: [], 1, "Due_cf")

    def roots(self, kind: NameKind) -> frozenset[int]:
        return frozenset({1} if kind in {NameKind.AREA, NameKind.ITERATION} else ())

    def values(self, field: Field) -> Sequence[str]:
        if field.kind is Kind.STATUS:
            return list(dict.fromkeys(status for each in STATUSES.values() for status in each))
        if field.key == "type":
            return list(ItemType)
        names = {Kind.USER: ["maya", "jon"], Kind.TAGS: ["ux", "API"], Kind.AREA: ["Checkout"]}
        return names.get(field.kind, field.choices)

    def status_groups(self) -> StatusGroups:
        return StatusGroups()


ITEM = {
    "id": 12,
    "type": "Bug",
    "Name": "Card retry (or not) fails",
    "Description": "After expiry the café is closed. 中文界面",
    "Status": "In Progress",
    "AssignedToID": 5,
    "AreaID": 8,
    "IterationID": 3,
    "Points": 5.0,
    "Tags": ["ux", "API"],
    "Severity": "2 - High",
    "IsBlocking": True,
    "Channel_cf": "Web shop",
    "Due_cf": "2026-03-13",
    "createdBy": "jon",
    "createdAt": datetime(2026, 3, 1, 9),
    "lastModifiedAt": datetime(2026, 3, 9, 9),
    "Comments": ["Seen on staging"],
}


def finds(text: str) -> bool:
    return matches(filter_of(parse_query(text), Book()), ITEM)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "status:open @me #ux iter:current est>4 type:bug,story",
        'area:"Checkout" -tag:x changed<7d created>2026-02-01',
        "RETRY fails",
        '"retry (or"',
        "owner:any -owner:none",
        "@jon or est<=5",
        "(@jon or est>=9) or (#api severity:high)",
        "not (@jon type:bug)",
        "channel:shop channel_cf:WEB by:jon",
        "blocking:yes class:none priority:none",
        "#12 id:12,13 id>11",
        "text:expir text:cafe text:staging text:文界",
        "due_cf:2026-03-13 due_cf:fri due_cf<+2w due_cf>today due_cf>=fri -due_cf:none due_cf>yesterday",
        "created:2026-03-01 created<=2026-03-01 created>=2026-03-01 -created>2026-03-01 -created<2026-03-01",
        "changed:yesterday changed<today changed<2w -changed>36h changed>12h",
        "status:progress status=\"in progress\" -status:done,deferred",
        "status:OPEN blocking:YES lint:ANY lint:any,none -lint:none",
        "changed<99999w -changed>99999w created<=9999-12-31 created:2026-02-28,2026-03-01",
        "Channel=\"Web shop\" -channel=web channel>V channel<X tag:UX",
        "TEXT:cafe LINT:any @ANY -@NONE severity:HIGH changed:YESTERDAY -changed:TODAY",
        "Iteration:any ITERATION:any,none -iteration:none Modified<today",
        "est<5.5 est>4.5 -est>=5.5 est<\"5,5\"",
    ],
)  # fmt: skip
def test_a_query_finds_the_item_it_describes(text: str) -> None:
    assert finds(text)


@pytest.mark.parametrize(("status", "is_open"), [(None, True), ("Odd", True), ("New", True), ("Done", False)])
def test_an_item_is_open_until_its_status_is_known_as_closed(status: str | None, is_open: bool) -> None:
    assert matches(filter_of(parse_query("status:open"), Book()), {**ITEM, "Status": status}) == is_open


@pytest.mark.parametrize(
    ("values", "is_judged"),
    [({}, True), ({"Status": "Done"}, False), ({"type": "Task"}, False), ({"Estimate": "3"}, True)],
)
def test_done_items_and_tasks_are_never_among_those_that_are_not_ready(
    values: dict[str, object], is_judged: bool
) -> None:
    asked = ("lint:any", "lint:owner", "-lint:none")
    story = {**ITEM, "type": "Story", "Status": "In Progress", "AssignedToID": None, **values}

    assert [matches(filter_of(parse_query(each), Book()), story) for each in asked] == [is_judged] * 3


def test_a_value_that_is_named_whole_is_meant_alone() -> None:
    found = filter_of(parse_query("status:done"), Book())

    assert [status for status in ("Done", "Not Done", "done") if matches(found, {**ITEM, "Status": status})] == ["Done"]


@pytest.mark.parametrize(
    "text",
    [
        "@jon",
        "est>5",
        "tag:none",
        "-retry",
        "area=checkout",
        "iter:none",
        "text:xpiry",
        "changed>7d",
        "#13",
        "owner:none",
        *("due_cf<fri", "due_cf:today", "due_cf:none", "due_cf>2026-03-13"),
        "created:2026-02-28",
        "created:2026-03-02",
        "created<=2026-02-28",
        "blocking:no",
        "lint:none",
        "tag:web",
    ],
)
def test_a_query_leaves_out_what_it_does_not_describe(text: str) -> None:
    assert not finds(text)


@pytest.mark.parametrize(
    ("text", "at", "way_out"),
    [
        ("retry colour:red", 7, "search for the text in double quotes"),
        ("est>many", 1, "est:none"),
        ("est<none", 1, '"none" is not a number'),
        ("est>any", 1, '"any" is not a number'),
        ("@nobody", 1, "maya, jon"),
        ("owner:nobody", 1, "none, "),
        ("status:gone", 1, "Not Done"),
        ('status="in prog"', 1, "Not Done"),
        ('"never closed', 1, "double quote"),
        ("(est>5", 1, "has no closing ')'"),
        ("est>5)", 6, "remove it"),
        ("est>5 or", 7, "a condition on both sides"),
        ("est>", 5, "expected a value"),
        ("changed<soon", 1, "7d"),
        ("due_cf<soon", 1, "due_cf:none"),
        ("owner>me", 1, 'write "owner:"'),
        ("blocking:perhaps", 1, "blocking:no"),
        ("a not", 3, "in double quotes"),
        ("(" * 60, 52, "nested"),
        ("-" * 60 + "a", 52, "nested"),
        ("x" * 5000, 4096, "more than"),
        ("retry lint:wrong", 7, 'no rule "wrong"; choose from any, none, '),
        ("lint>any", 1, 'lint has no order; write "lint:" instead of ">"'),
        ("text>x", 1, "text has no order"),
        ("tag>x", 1, "tag has no order"),
        ("blocking>yes", 1, "blocking has no order"),
        ("severity>high", 1, "severity has no order"),
        ("est>nan", 1, "can be compared"),
        ("est>9007199254740994", 1, "can be compared"),
        *(("ownr:me", 1, "did you mean owner"), ("owzz:me", 1, "did you mean owner"), ("zz:me", 1, "use owner, iter")),
        *(("status:gone", 1, "Active, Closed."), ("lint:gone", 1, "maturity and 5 more.")),
        ("a @nobody", 3, "unknown user"),
        ('a "b', 3, "double quote"),
        ("a (b", 3, "has no closing ')'"),
        *((f"{'-' * 51}{word}", 52, "deeper than 50") for word in ("@me", "est>5", '"q"', "q")),
    ],
)
def test_malformed_queries_are_rejected_with_place_and_remedy(text: str, at: int, way_out: str) -> None:
    with pytest.raises(BadRequest) as refused:
        finds(text)

    assert f"character {at}:" in refused.value.message
    assert way_out in refused.value.message


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
keys = st.sampled_from([*SHORT_KEYS, "text", "Channel_cf", "status"]) | st.from_regex(r"\A[a-z_]\w{0,6}\Z")
leaves: st.SearchStrategy[Node] = st.builds(NameText, texts) | st.builds(
    Condition,
    keys,
    st.sampled_from([":", "=", "<=", ">=", "<", ">"]),
    st.lists(texts, min_size=1, max_size=3).map(tuple),
)
trees: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3).map(all_of)
        | st.lists(inner.filter(lambda each: each != AllOf()), min_size=1, max_size=3).map(any_of)
        | st.builds(NotThis, inner)
    ),
    max_leaves=12,
)


def test_conditions_are_equal_by_their_meaning_wherever_they_stand() -> None:
    condition = Condition("est", ">", ("3",), 5)

    assert condition == Condition("est", ">", ("3",), 1)
    assert hash(condition) == hash(Condition("est", ">", ("3",), 1))
    others = [Condition("est", ">", ("4",), 5), Condition("est", "<", ("3",), 5), Condition("tag", ">", ("3",), 5)]
    assert all(condition != other for other in (*others, NameText("est")))


@pytest.mark.slow
@given(trees)
@example(NameText("@me"))
@example(AllOf((NameText("OR"), NameText("And"), NameText("not"))))
@example(Condition("est", "<", ("=0",)))
@example(Condition("est", ">", ("=",)))
@settings(max_examples=300)
def test_written_query_parses_to_the_same_tree(tree: Node) -> None:
    assert parse_query(write_query(tree)) == tree


@given(st.text(max_size=40) | st.text('()"-#@: <>=,aor not\\', max_size=30))
@settings(max_examples=300)
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with suppress(BadRequest):
        tree = parse_query(text)
        assert parse_query(write_query(tree)) == tree
        finds(text)


@pytest.mark.parametrize(
    ("key", "empty", "given"),
    [
        *(("channel", (None, ""), ("a",)), ("tag", (None, []), (["a"],)), ("est", (None,), (0.0,))),
        *(
            ("area", (None, 1), (7,)),
            ("iter", (None, 1), (3,)),
            ("owner", (None,), (1,)),
            ("blocking", (None,), (False,)),
        ),
    ],
)
def test_an_empty_text_no_tags_and_the_root_are_not_set(
    key: str, empty: tuple[object, ...], given: tuple[object, ...]
) -> None:
    field = field_named(key, Book().custom_fields())
    assert field is not None
    for value in (*empty, *given):
        for text, found in ((f"{key}:none", value in empty), (f"{key}=ANY", value not in empty)):
            assert matches(filter_of(parse_query(text), Book()), {field.key: value}) is found, (text, value)
    assert matches(filter_of(parse_query(f"{key}:none"), Book()), {})


def test_signs_are_short_for_keys() -> None:
    assert parse_query("@me #ux #12,13") == parse_query("owner:me tag:ux id:12,13")
    assert parse_query("#12,rework") == parse_query("tag:12,rework")
    assert parse_query('#"12"') == parse_query("tag:12")
    assert parse_query("a or b c") == AnyOf((NameText("a"), AllOf((NameText("b"), NameText("c")))))
    assert parse_query("a OR b and c") == parse_query("a or (b AND c)") == parse_query("a or b c")
    assert parse_query("a and not b") == parse_query("a -b")
    assert [write_query(NameText(word)) for word in ("OR", "and", "nor")] == ['"OR"', '"and"', "nor"]


def test_a_query_about_the_status_is_told_from_others() -> None:
    assert mentions_status(parse_query("a (b or -status:done)"))
    assert not mentions_status(parse_query("a @me"))


def test_keys_and_values_are_offered_where_the_cursor_is() -> None:
    names = {"owner": ["maya", "jon k"], "tag": ["ux", "api"]}
    vocabulary = Vocabulary(all_keys(), lambda key: names.get(key.lower(), []))

    def offered(text: str) -> list[str]:
        return [text[: each.start] + each.text for each in complete(text, len(text), vocabulary)]

    assert "x -owner:" in offered("x -ow")
    assert offered("x owner:") == ["x owner:maya", 'x owner:"jon k"']
    assert offered("x owner:maya,j") == ['x owner:maya,"jon k"']
    assert offered('owner:"j') == ['owner:"jon k"']
    assert offered('owner:"m') == ['owner:"maya"']
    assert offered("--TEA") == ["--team:"]
    assert offered("#u") == ["#ux"]
    assert offered("(@m") == ["(@maya"]
    assert offered("nothing zz") == []
    assert offered("-TEA") == ["-team:"]
    assert len(offered("")) == MAX_COMPLETIONS < len(all_keys())
    names["tag"] = [f"tag{number}" for number in range(99)]
    assert len(offered("#")) == len(offered("tag:tag")) == MAX_COMPLETIONS


def test_text_before_and_after_the_cursor_is_kept() -> None:
    vocabulary = Vocabulary(all_keys(), lambda _key: ["maya", "amy"])

    def at(cursor: int) -> list[tuple[str, int, int]]:
        found = complete("x -ow -owner:jo,mb rest", cursor, vocabulary)
        return [(each.text, each.start, each.stop) for each in found]

    assert at(5) == [("owner:", 3, 5)]
    assert at(4) == [(f"{key}:", 3, 4) for key in vocabulary.keys if key.startswith("o")]
    assert at(16) == [("maya", 16, 16), ("amy", 16, 16)]
    assert at(17) == [("maya", 16, 17), ("amy", 16, 17)]
    assert at(18) == []


def test_every_key_is_offered_in_lower_case_with_its_words() -> None:
    keys = all_keys((custom_field("Channel_cf", Kind.TEXT),))

    assert all(key == key.lower() and words for key, words in keys.items())
    assert {"text", "lint", "channel_cf", "owner", "calculatedestimate"} <= keys.keys()
    assert "assignedtoid" not in keys


def test_a_query_may_fill_its_characters_but_not_more() -> None:
    assert parse_query("x" * TEXT_LIMIT) == NameText("x" * TEXT_LIMIT)


def test_a_word_in_the_name_is_any_part_of_it() -> None:
    assert filter_of(parse_query("name:STRASSE"), Book()) == TextMatch("STRASSE")
    assert matches(filter_of(parse_query("name:STRASSE"), Book()), {"Name": "Hauptstraße"})


def test_the_page_of_the_language_names_every_short_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "query.md").read_text(encoding="utf-8")

    assert [key for key in (*SHORT_KEYS, "text") if f"`{key}" not in page] == []


@pytest.mark.parametrize(
    ("operator", "held"), [("<", "Y..."), ("<=", "YYY."), (">", "...Y"), (">=", ".YYY"), (":", ".YY.")]
)
def test_a_day_ends_before_the_midnight_of_the_next(operator: str, held: str) -> None:
    day = datetime(2026, 3, 1)
    found = date_filter("changed", operator, "2026-03-01", Book())
    moments = (day - timedelta(seconds=1), day, day + timedelta(hours=23), day + timedelta(days=1))

    assert found is not None
    assert [matches(found, {"changed": each}) for each in moments] == [each != "." for each in held]


@pytest.mark.parametrize(("operator", "holds"), [("<", False), ("<=", True), (">", False), (">=", True), (":", True)])
def test_an_age_is_neither_older_nor_younger_than_itself(operator: str, holds: bool) -> None:
    now = Book().now()
    found = date_filter("changed", operator, "7d", Book())

    assert found is not None
    assert matches(found, {"changed": now - timedelta(days=7)}) is holds


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("type:bug se", ["type:|bug"]),
        ("type:bug", []),
        ("type:bug ", ["type:|bug"]),
        ('-tag:"a b",c (@me or est>5) x', ['tag:|"a b",c', "@|me", "est>|5"]),
        ("type:bug colour: status:open ", ["type:|bug"]),
        ("two words ", []),
    ],
)
def test_conditions_that_are_typed_to_their_end_are_accepted(text: str, accepted: Sequence[str]) -> None:
    found = accepted_conditions(text)

    assert [f"{text[start:middle]}|{text[middle:end]}" for start, middle, end in found] == [*accepted]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("due:overdue", {"past"}),
        ("due:today", {"today"}),
        ("due:week", {"past", "done", "today", "sunday"}),
        ("due<14d", {"past", "today", "sunday"}),
        ("due>2026-03-15", {"later"}),
        ("due:none", {"never"}),
        ("due:any", {"past", "done", "today", "sunday", "later"}),
    ],
)
def test_a_due_date_is_overdue_only_while_the_item_is_open(query: str, expected: set[str]) -> None:
    days = {"past": "2026-03-09", "done": "2026-03-09", "today": "2026-03-10", "sunday": "2026-03-15"}
    days |= {"later": "2026-03-30"}
    found = filter_of(parse_query(query), Book())

    items = {
        name: {"Due_cf": days.get(name), "Status": "Done" if name == "done" else "Not Done"}
        for name in (*days, "never")
    }
    assert {name for name, values in items.items() if matches(found, values)} == expected
