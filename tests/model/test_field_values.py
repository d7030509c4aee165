"""Values of each kind of field: what JSON may hold."""

from datetime import date

import pytest

from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, ValueLimits, parse_json, read_text, show, write
from backlit.model.fields import FIELD_BY_KEY, Kind, custom_field

TODAY = date(2026, 3, 4)  # a Wednesday
DUE = custom_field("Due_cf", Kind.DATE)
LIMITS = ValueLimits(text=5, tag=3, tags=2)


def fault(key: str, value: object, limits: ValueLimits = LIMITS) -> tuple[str, str]:
    """Return the sentences about a value for a program and for a person."""
    with pytest.raises(Misfit) as caught:
        parse_json(FIELD_BY_KEY[key], value, limits)
    return caught.value.sentence(key), caught.value.sentence_for_people("It")


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        *(("Benefit", "x" * 6, "It may have 5 characters; this has 6."), ("Tags", ["a" * 4], "A tag may have 3")),
        *(("Tags", ["a", "b", "c"], "It may have 2 tags; this has 3."), ("Tags", [""], "A tag cannot be empty.")),
        *(("Benefit", "a\ud800", "It contains invalid characters."), ("Tags", ["\udfff"], "A tag contains invalid")),
        *(
            ("Name", "\udc00", "It contains invalid"),
            ("Name", " ", "It cannot be empty."),
            ("Name", 5, "It must be"),
        ),
        *(("Priority", 2**53, "It is too large."), ("Priority", "5", "It must be a whole number.")),
        *(("IsTriaged", 1, "It must be yes or no."), ("AreaID", "1", "It must be the id of an area.")),
        *(("Tags", ["a", 5], "It must be a list of words."), ("WorkRemaining", 1e301, "It must be a finite number.")),
    ],
)
def test_a_value_that_does_not_fit_has_a_sentence_for_people(key: str, value: object, sentence: str) -> None:
    assert fault(key, value)[1].startswith(sentence)


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        *(("2026-03-01", "2026-03-01", "1 Mar"), ("fri", "2026-03-06", "6 Mar"), ("+2w", "2026-03-18", "18 Mar")),
        *(("2027-01-02", "2027-01-02", "2 Jan 2027"), (" ", None, "–"), ("today", "2026-03-04", "4 Mar")),
    ],
)
def test_a_typed_day_becomes_a_date_that_is_shown_without_this_year(text: str, value: object, shown: str) -> None:
    assert read_text(DUE, text, TODAY) == value
    assert show(DUE, value, lambda _kind, _id: "", TODAY) == shown
    assert write(DUE, value, lambda _kind, _id: "") == (value or "–")


@pytest.mark.parametrize("text", ["-5", "-0,5 pts"])
def test_an_estimate_below_zero_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match=r"^Estimate: a number below 0 is no estimate\."):
        read_text(FIELD_BY_KEY["Estimate"], text, TODAY)


def test_a_text_that_is_no_day_is_refused_and_one_of_a_foreign_service_is_shown_as_it_is() -> None:
    with pytest.raises(BadRequest, match=r"^Due: “soon” is not a day\. Write a day such as fri, tomorrow"):
        read_text(DUE, "soon", TODAY)
    with pytest.raises(Misfit, match="must be a date such as 2026-03-01, not '2026-02-30'"):
        parse_json(DUE, "2026-02-30", LIMITS)
    assert parse_json(DUE, "2026-03-01T10:00:00", LIMITS) == "2026-03-01"
    assert show(DUE, "Q3", lambda _kind, _id: "", TODAY) == "Q3"


def test_a_shape_is_told_to_programs_in_words_of_json() -> None:
    assert fault("IsTriaged", 1)[0] == "IsTriaged must be true or false."
    assert fault("Tags", "a")[0] == "Tags must be a list of texts."
    assert fault("AreaID", "1")[0] == "AreaID must be a whole number."


def test_a_service_without_limits_takes_any_length() -> None:
    tags = [f"a long tag {number}" for number in range(200)]

    assert parse_json(FIELD_BY_KEY["Tags"], tags, ValueLimits()) == tags
    assert parse_json(FIELD_BY_KEY["Benefit"], "x" * 2_000_000, ValueLimits()) == "x" * 2_000_000
