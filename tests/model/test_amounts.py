"""Hours as they are typed and shown, and words in a sentence."""

import pytest

from backlit.model.amounts import clock_text, hours_of, hours_text, listed, size_text
from backlit.model.errors import BadRequest


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2", 2), ("2.5", 2.5), ("2,5", 2.5), (",5", 0.5), ("1 h", 1), ("2h", 2), ("1:30", 1.5), ("90m", 1.5),
        (" 3 ", 3), ("1.005001", 1.01), ("0:20", 0.33), ("20m", 0.33), ("0.01", 0.01), ("9999.99", 9999.99),
        ("1h30", 1.5), ("1h 30m", 1.5), ("1 H 3 min", 1.05), ("2 hours 15 minutes", 2.25),
    ],
)  # fmt: skip
def test_hours_are_read_with_a_comma_a_point_or_as_a_time(text: str, hours: float) -> None:
    assert hours_of(text) == hours


@pytest.mark.parametrize(
    "text", ["", "0", "x", "-1", "1:75", "1:5", "1h5", "1h75m", "1e9", "99999", "0.001", "nan", "1.2.3", "10000"]
)
def test_hours_errors_name_the_field(text: str) -> None:
    with pytest.raises(BadRequest, match=r"^Hours: "):
        hours_of(text)


def test_remaining_hours_may_be_zero() -> None:
    assert hours_of("0", "Remaining", least=0) == 0


@pytest.mark.parametrize(("hours", "text"), [(2.0, "2"), (1.5, "1.5"), (1 / 3, "0.33"), (0.1 + 0.2, "0.3"), (0, "0")])
def test_hours_are_shown_without_a_needless_fraction(hours: float, text: str) -> None:
    assert hours_text(hours) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59, "0:00"), (2520, "0:42"), (36_000, "10:00"), (-5, "0:00")]
)
def test_a_clock_shows_whole_minutes(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        *((0, "0 B"), (9, "9 B"), (999, "999 B"), (1000, "1.0 KB"), (9 * 1024, "9.0 KB"), (10 * 1024, "10 KB")),
        *((10 * 1024 - 60, "9.9 KB"), (10 * 1024 - 40, "10 KB"), (1_022_463, "998 KB"), (1000 * 1024, "1.0 MB")),
        *(
            (int(1.8 * 1024**2), "1.8 MB"),
            (47 * 1024**3, "47 GB"),
            (5 * 1024**4, "5.0 TB"),
            (5000 * 1024**4, "5000 TB"),
        ),
    ],
)
def test_a_size_has_three_digits_or_fewer(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_words_are_listed_as_in_a_sentence(words: list[str], text: str) -> None:
    assert listed(words) == text


@pytest.mark.parametrize(
    ("text", "least", "said"),
    [
        ("0", 0.01, "Remaining: enter more than 0 and less than 10,000."),
        ("10000", 0.01, "Remaining: enter more than 0 and less than 10,000."),
        ("10000", 0.0, "Remaining: enter 0 or more and less than 10,000."),
    ],
)
def test_hours_out_of_range_are_refused_with_the_range(text: str, least: float, said: str) -> None:
    with pytest.raises(BadRequest) as refused:
        hours_of(text, "Remaining", least=least)

    assert str(refused.value) == said
