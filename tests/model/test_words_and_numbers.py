"""Statuses, estimates, dates and DateTimes as people and servers write them."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backlit.model.amounts import counted, estimate_text, points_of
from backlit.model.dates import parse_date, parse_datetime, write_datetime
from backlit.model.errors import BadRequest, sentence_of
from backlit.model.fields import STATUSES
from backlit.model.plain import NAME_LIMIT, file_name, plain
from backlit.model.statuses import StatusGroup, StatusGroups


@pytest.mark.parametrize(
    ("status", "group", "open_"),
    [
        (None, StatusGroup.NOT_STARTED, True),
        ("", StatusGroup.NOT_STARTED, True),
        ("Not Done", StatusGroup.NOT_STARTED, True),
        ("Active", StatusGroup.IN_PROGRESS, True),
        ("In Progress", StatusGroup.IN_PROGRESS, True),
        ("in progress", StatusGroup.IN_PROGRESS, True),
        ("Ready For Test", StatusGroup.READY_FOR_TEST, True),
        ("Done", StatusGroup.DONE, False),
        ("Closed", StatusGroup.DONE, False),
        ("Deferred", StatusGroup.EXCLUDED, False),
        ("Deleted", StatusGroup.EXCLUDED, False),
        ("To Do", StatusGroup.NOT_STARTED, True),
        ("In-Review", StatusGroup.IN_PROGRESS, True),
        ("Released", StatusGroup.DONE, False),
        ("Waiting for legal", StatusGroup.UNKNOWN, True),
    ],
)
def test_a_status_has_its_group(status: str | None, group: StatusGroup, open_: bool) -> None:
    assert StatusGroups().of(status) is group
    assert StatusGroups().is_open(status) is open_


TO_DO, DOING, TESTING, DONE, OUT, UNKNOWN = StatusGroup
GUESSES: dict[tuple[StatusGroup | None, StatusGroup | None], StatusGroup] = {
    (None, TO_DO): TO_DO,
    (None, DOING): TO_DO,
    (TO_DO, TO_DO): TO_DO,
    (TO_DO, DOING): TO_DO,
    (TO_DO, TESTING): DOING,
    (TO_DO, DONE): DOING,
    **{(before, after): before for before in (DOING, TESTING) for after in (TO_DO, DOING, TESTING, DONE)},
}


@pytest.mark.parametrize("after", [None, TO_DO, DOING, TESTING, DONE])
@pytest.mark.parametrize("before", [None, TO_DO, DOING, TESTING, DONE])
@pytest.mark.parametrize("between", [(), ("x",), ("out",)])
def test_an_unknown_status_is_guessed_from_its_place(
    before: StatusGroup | None, after: StatusGroup | None, between: tuple[str, ...]
) -> None:
    known = {"out": OUT, **({"before": before} if before else {}), **({"after": after} if after else {})}
    groups = StatusGroups(known, [["odd"], ["before", *between, "Odd-One", *between, "after"]])

    assert groups.of("odd one") is GUESSES.get((before, after), UNKNOWN)
    assert groups.of("odd") is UNKNOWN


def test_every_type_with_statuses_can_be_begun_and_ended() -> None:
    for statuses in filter(None, STATUSES.values()):
        assert StatusGroups().is_open(statuses[0])
        assert StatusGroups().first(statuses, StatusGroup.DONE)


def test_the_first_status_of_a_group_is_that_of_the_list() -> None:
    statuses = ("Open", "Doing", "Closed", "Done")

    assert [StatusGroups().first(statuses, group) for group in (TO_DO, DOING, DONE, OUT)] == [
        "Open", "Doing", "Closed", None,
    ]  # fmt: skip
    assert StatusGroups({"doing": StatusGroup.DONE}).first(statuses, StatusGroup.DONE) == "Doing"


@pytest.mark.parametrize(
    ("estimate", "points"),
    [
        ("3", 3.0),
        ("0", 0.0),
        ("3.5", 3.5),
        ("3,5", 3.5),
        (".5", 0.5),
        (" 5 ", 5.0),
        ("5 pts", 5.0),
        ("5pt", 5.0),
        ("5 pts.", 5.0),
        ("1 point", 1.0),
        ("8 Points", 8.0),
        ("2 SP", 2.0),
        ("13 story points", 13.0),
    ],
)
def test_an_estimate_that_is_a_number_counts(estimate: str, points: float) -> None:
    assert points_of(estimate) == points


@pytest.mark.parametrize(
    "estimate",
    [None, "", " ", "XL", "?", "-3", "3-5", "3 days", "3h", "1e3", "inf", "nan", "٣", "1.2.3", "9" * 400],
)
def test_any_other_estimate_does_not(estimate: str | None) -> None:
    assert points_of(estimate) is None


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 pts"),
        (1, "1 pt"),
        (1.0, "1 pt"),
        (0.1 + 0.2, "0.3 pts"),
        (1.5, "1.5 pts"),
        (12345, "12,345 pts"),
        (1.234, "1.23 pts"),
    ],
)
def test_a_count_has_the_number_of_its_noun(count: float, text: str) -> None:
    assert counted(count, "pt") == text


def test_a_count_may_have_its_own_plural() -> None:
    assert counted(1, "area or iteration", "areas and iterations") == "1 area or iteration"
    assert counted(104, "area or iteration", "areas and iterations") == "104 areas and iterations"


@pytest.mark.parametrize(("estimate", "text"), [("1", "1 pt"), ("2,5", "2.5 pts"), ("5 pts", "5 pts"), ("XL", "XL")])
def test_an_estimate_has_its_unit(estimate: str, text: str) -> None:
    assert estimate_text(estimate) == text


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2013-10-10T08:30:15", datetime(2013, 10, 10, 8, 30, 15)),
        ("2013-10-10T08:30:15.1", datetime(2013, 10, 10, 8, 30, 15, 100000)),
        ("2013-10-10T08:30:15.123", datetime(2013, 10, 10, 8, 30, 15, 123000)),
        ("2013-10-10T08:30:15.1234567", datetime(2013, 10, 10, 8, 30, 15, 123456)),
        ("2013-10-10T08:30:15Z", datetime(2013, 10, 10, 8, 30, 15)),
        ("2013-10-10T08:30:15.12Z", datetime(2013, 10, 10, 8, 30, 15, 120000)),
        ("2013-10-10T08:30:15.1+0000", datetime(2013, 10, 10, 8, 30, 15, 100000)),
        ("2013-10-10T08:30:15.5+02:00", datetime(2013, 10, 10, 8, 30, 15, 500000)),
        ("2013-10-10T08:30:15-0800", datetime(2013, 10, 10, 8, 30, 15)),
        ("2013-10-10T08:30", datetime(2013, 10, 10, 8, 30)),
        ("2013-10-10 08:30:15", datetime(2013, 10, 10, 8, 30, 15)),
        ("0001-01-01T00:00:00", datetime(1, 1, 1)),
        ("2013-10-10", datetime(2013, 10, 10)),
    ],
)
def test_a_datetime_is_read_and_its_zone_dropped(text: str, moment: datetime) -> None:
    assert parse_datetime(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2013-10-10T",
        "2013-13-01",
        "2013-02-30T00:00:00",
        "2013-10-10T24:30:00",
        "10/10/2013",
        "20131010",
        "2013-10-10x08:30:15",
        "2013x10-10T08:30:15",
        "2013-10x10T08:30:15",
        "2013-10-10T08x30:15",
        "2013-W41-4T08:30:15",
    ],
)
def test_malformed_datetimes_are_rejected_by_name(text: str) -> None:
    with pytest.raises(BadRequest, match=r"is not a date and time\. Example"):
        parse_datetime(text)
    with pytest.raises(BadRequest, match=r"is not a date\. Example"):
        parse_date(text)


@given(st.datetimes())
def test_a_datetime_written_reads_back_to_the_millisecond(moment: datetime) -> None:
    text = write_datetime(moment)

    assert len(text) == len("2013-10-10T08:30:15.123")
    assert timedelta(0) <= moment.replace(fold=0) - parse_datetime(text) < timedelta(milliseconds=1)


def test_a_zone_is_never_written() -> None:
    assert write_datetime(datetime(2013, 10, 10, 8, tzinfo=UTC)) == "2013-10-10T08:00:00.000"


@pytest.mark.parametrize("text", ["2014-03-01", "2014-03-01T00:00:00", "2014-03-01T23:59:59.999Z", " 2014-03-01 "])
def test_a_date_may_come_with_a_time(text: str) -> None:
    assert parse_date(text) == date(2014, 3, 1)


@given(st.text(), st.text(max_size=5))
@example("a/" + "ä" * 99, "pdf")
@example("x" * 250, "")
@example("", "y" * 250)
def test_a_file_name_is_one_part_of_a_path_that_keeps_its_suffix(stem: str, suffix: str) -> None:
    name = file_name(f"{stem}.{suffix}")

    assert 0 < len(name.encode()) <= NAME_LIMIT
    assert name.isprintable()
    assert name not in {".", ".."}
    assert not set(name) & set("/\\")
    assert file_name(name) == name
    if suffix.isalnum() and suffix.isascii() and len(suffix) < NAME_LIMIT:
        assert name.endswith(suffix)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        *(("four", 4, "four"), ("fours", 4, "fou…"), ("fo ur", 4, "fo…"), ("", 0, ""), ("a\r\nb\tc", None, "a b c")),
        *(("a\x1bb\u202ec", None, "a\ufffdb\ufffdc"), ("ä\n", 2, "ä ")),
    ],
)
def test_a_text_becomes_one_line_that_ends_in_an_ellipsis_if_cut(text: str, limit: int | None, shown: str) -> None:
    assert plain(text, limit) == shown


def test_the_sentence_of_an_error_names_each_fault_once() -> None:
    error = BadRequest("Name is required.", {"Name": "Name is required.", "Tags": "Tags must be a list of words."})

    assert sentence_of(error) == "Name is required. Tags must be a list of words."
    assert sentence_of(ValueError("odd")) == "odd"
