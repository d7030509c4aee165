"""Days as they are typed and written, and the fields that hold some."""

from datetime import date, datetime, timedelta

import pytest
from msgspec.structs import replace

from backlit.model.dates import typed_day, typed_end
from backlit.model.errors import BadRequest
from backlit.model.field_values import day_text, holds_days
from backlit.model.fields import FIELD_BY_KEY, Field, Kind, custom_field
from backlit.store.records.people import IterationEntry
from backlit.tui.fields.dates import (
    Phase,
    age_of,
    ago,
    column_span,
    days_until,
    event_words,
    moment,
    phases,
    span,
    typed_number,
)

TODAY = date(2026, 3, 4)  # a Wednesday
DUE = custom_field("TargetDate_cf", Kind.TEXT)
PLAIN = custom_field("Release_cf", Kind.TEXT)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        *(("today", "2026-03-04"), ("Tomorrow", "2026-03-05"), ("fri", "2026-03-06"), ("wed", "2026-03-11")),
        *(("+2w", "2026-03-18"), ("-1d", "2026-03-03"), (" 2026-03-01 ", "2026-03-01"), ("Q3", "Q3")),
        *(
            ("2026-02-30", "2026-02-30"),
            ("fr", "fr"),
            ("", ""),
            ("12", "12"),
            ("31 feb", "31 feb"),
            ("3 moon", "3 moon"),
        ),
        *(
            ("30 mar", "2026-03-30"),
            ("Mar 3", "2027-03-03"),
            ("29. february", "2028-02-29"),
            ("1 may 2025", "2025-05-01"),
        ),
    ],
)
def test_what_means_a_day_becomes_one_and_all_else_stays(typed: str, text: str) -> None:
    assert day_text(typed, TODAY) == text


@pytest.mark.parametrize(
    ("field", "value", "is_so"),
    [(DUE, None, True), (DUE, "2026-03-01", True), (DUE, "soon", False), (PLAIN, "2026-03-01", True),
     (PLAIN, None, False), (FIELD_BY_KEY["Name"], "2026-03-01", False)],
)  # fmt: skip
def test_a_field_of_the_project_holds_days_by_its_value_else_by_its_name(
    field: Field, value: object, is_so: bool
) -> None:
    assert holds_days(field, value) is is_so


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        *(
            ("2026-03-01", date(2026, 3, 1)),
            (" +2w ", date(2026, 3, 18)),
            ("10D", date(2026, 3, 14)),
            ("-1w", date(2026, 2, 25)),
        ),
        *(
            ("- 1 d", date(2026, 3, 3)),
            ("0d", TODAY),
            ("", None),
            ("soon", None),
            ("+99999d", None),
            ("+2m", None),
        ),
    ],
)
def test_a_day_is_typed_as_a_date_or_a_step(typed: str, day: date | None) -> None:
    with pytest.raises(BadRequest, match="is not a day"):
        typed_day("-1w", date.min)
    if day is not None:
        assert typed_day(typed, TODAY) == day
        return
    with pytest.raises(BadRequest, match=r"^Starts: .*\. Write a day such as 2026-03-01"):
        typed_day(typed, TODAY, "Starts")


@pytest.mark.parametrize(
    ("typed", "end"),
    [("+2w", date(2026, 3, 17)), ("1d", TODAY), ("-1d", date(2026, 3, 3)), ("2026-03-09", date(2026, 3, 9))],
)
def test_a_typed_end_counts_the_first_day(typed: str, end: date) -> None:
    assert typed_end(typed, TODAY) == end


@pytest.mark.parametrize("typed", ["-0.1", "x", "inf", "nan", "1,2,3"])
def test_a_typed_number_is_zero_or_more(typed: str) -> None:
    assert [typed_number(each) for each in ("", "0", " 2,5 ")] == [None, 0.0, 2.5]
    with pytest.raises(BadRequest, match=r"^Most: "):
        typed_number(typed, "Most")


@pytest.mark.parametrize(
    ("start", "end", "words", "column"),
    [
        (date(2026, 3, 3), date(2026, 3, 17), "3–17 Mar", " 3 Mar – 17 Mar"),
        (date(2026, 2, 24), date(2026, 3, 10), "24 Feb–10 Mar", "24 Feb – 10 Mar"),
        (date(2025, 12, 29), date(2026, 1, 9), "29 Dec 2025–9 Jan", "29 Dec –  9 Jan"),
        (date(2026, 12, 29), date(2027, 1, 9), "29 Dec–9 Jan 2027", "29 Dec –  9 Jan 2027"),
        (date(2027, 3, 3), date(2027, 3, 17), "3–17 Mar 2027", " 3 Mar – 17 Mar 2027"),
        (date(2025, 3, 3), date(2026, 3, 2), "3 Mar 2025–2 Mar", " 3 Mar –  2 Mar"),
        (date(2025, 3, 3), date(2026, 3, 3), "3 Mar 2025–3 Mar", "Mar 2025–Mar 2026"),
        (date(2026, 3, 3), date(2026, 3, 3), "3 Mar", " 3 Mar –  3 Mar"),
        *((date(2026, 3, 3), None, "from 3 Mar", "from 3 Mar"), (None, date(2026, 3, 3), "to 3 Mar", "to 3 Mar")),
        (None, None, "", ""),
    ],
)
def test_two_days_are_written_with_years_other_than_this_one(
    start: date | None, end: date | None, words: str, column: str
) -> None:
    assert (span(start, end, TODAY), column_span(start, end, TODAY)) == (words, column)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        *((-5, "just now"), (0, "just now"), (59, "just now"), (60, "1m ago"), (3599, "59m ago"), (3600, "1h ago")),
        *((86_399, "23h ago"), (86_400, "1d ago"), (100 * 86_400, "100d ago")),
    ],
)
def test_an_age_has_its_largest_unit(seconds: int, words: str) -> None:
    now = datetime(2026, 3, 4, 12)

    assert ago(now - timedelta(seconds=seconds), now) == words
    assert age_of(now - timedelta(seconds=seconds), now) == words.removesuffix(" ago").removeprefix("just ")
    assert ago(None, now) == ""
    assert age_of(None, now) == ""
    assert moment(None, lambda when: when) == ""
    assert moment(now, lambda when: when) == "2026-03-04 12:00"


def test_the_end_of_an_iteration_is_told_from_today() -> None:
    ends = [days_until(TODAY, TODAY + timedelta(days=days), TODAY) for days in (-2, -1, 0, 1, 2)]

    assert ends == ["ended 2d ago", "ended 1d ago", "ends today", "ends in 1d", "ends in 2d"]
    assert days_until(TODAY + timedelta(days=3), TODAY + timedelta(days=9), TODAY) == "starts in 3d"
    assert (days_until(None, None, TODAY), days_until(TODAY, None, TODAY)) == ("", "")


def test_iterations_have_a_phase_against_today() -> None:
    def entry(number: int, start: int | None, end: int | None, *, is_release: bool = False) -> IterationEntry:
        days = [None if each is None else TODAY + timedelta(days=each) for each in (start, end)]
        return IterationEntry(number, str(number), f"x\\{number}", days[0], days[1], None, None, is_release)

    found = phases(
        [
            *(entry(1, -9, -1), entry(2, -3, 0), entry(3, 0, 3), entry(4, 1, 3, is_release=True), entry(5, 2, 3)),
            *(entry(6, 2, 9), entry(7, 3, 9), entry(8, None, None), entry(9, None, -1), entry(10, -1, None)),
        ],
        TODAY,
    )

    assert [found[number] for number in range(1, 9)] == [
        *(Phase.PAST, Phase.CURRENT, Phase.CURRENT, Phase.LATER, Phase.NEXT, Phase.NEXT, Phase.LATER, Phase.UNDATED),
    ]
    assert found[9] is Phase.PAST


def test_starts_and_closes_are_told_in_the_users_time() -> None:
    started, closed = datetime(2026, 3, 2, 8, 30), datetime(2025, 12, 31, 23, 30)
    sprint = IterationEntry(1, "S", "P\\S", None, None, None, None, is_release=False)
    both = replace(sprint, started_at=started, closed_at=closed)

    def local(at: datetime) -> datetime:
        return at + timedelta(hours=1)

    assert event_words(both, local, TODAY) == ("started 2 Mar 09:30", "closed 1 Jan 00:30")
    assert event_words(replace(sprint, closed_at=closed - timedelta(days=9)), local, TODAY) == (
        "closed 23 Dec 2025 00:30",
    )
    assert event_words(sprint, local, TODAY) == event_words(None, local, TODAY) == ()
