"""The calendar of `config.toml`, and what is said of its faults."""

from datetime import date

import pytest
from tests.config.settings_text import settings_in

from backlit.config.settings import Settings
from backlit.model.dates import DateFormat
from backlit.model.working_days import WorkingDays


def test_working_days_and_days_off_are_read_in_order() -> None:
    settings = settings_in('working_days = ["thu", "mon"]\ndays_off = [2026-12-25, "2026-01-01", 2026-12-25]\n')

    assert settings.working_days == ("mon", "thu")
    assert settings.days_off == (date(2026, 1, 1), date(2026, 12, 25))
    assert settings.work == WorkingDays(frozenset({0, 3}), frozenset(settings.days_off))


@pytest.mark.parametrize("written", DateFormat)
def test_a_date_format_is_read(written: DateFormat) -> None:
    assert settings_in(f'date_format = "{written}"').date_format is written


def test_the_first_day_of_a_week_is_read() -> None:
    assert settings_in('week_start = "sun"').week_start == "sun"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('working_days = ["mon", "moon"]', 'must be a list of some of "mon", "tue"'),
        ("working_days = []", 'must be a list of some of "mon", "tue"'),
        ("working_days = 5", 'must be a list of some of "mon", "tue"'),
        ('days_off = ["2026-02-30"]', "must be a list of days, such as [2026-12-25]"),
        ("days_off = [2026-12-25T10:00:00]", "must be a list of days, such as [2026-12-25]"),
        ("days_off = 2026-12-25", "must be a list of days, such as [2026-12-25]"),
        ('week_start = "monday"', 'must be one of "mon", "tue"'),
        ('date_format = "short"', 'must be one of "words", "iso", "dmy", "mdy"'),
        ("date_format = true", 'must be one of "words", "iso", "dmy", "mdy"'),
    ],
)
def test_a_faulty_calendar_has_its_default_and_a_sentence(line: str, sentence: str) -> None:
    settings = settings_in(line)

    [problem] = settings.problems
    assert problem.startswith(f'The setting "{line.partition(" ")[0]}" {sentence}')
    assert settings == Settings(problems=settings.problems)
