"""Days as they are typed, and the fields that hold some."""

from datetime import date

import pytest

from backlit.model.fields import FIELD_BY_KEY, Field, Kind, custom_field
from backlit.tui.fields.dates import day_text, holds_days

TODAY = date(2026, 3, 4)  # a Wednesday
DUE = custom_field("TargetDate_cf", Kind.TEXT)
PLAIN = custom_field("Release_cf", Kind.TEXT)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        *(("today", "2026-03-04"), ("Tomorrow", "2026-03-05"), ("fri", "2026-03-06"), ("wed", "2026-03-11")),
        *(("+2w", "2026-03-18"), ("-1d", "2026-03-03"), (" 2026-03-01 ", "2026-03-01"), ("Q3", "Q3")),
        *(("2026-02-30", "2026-02-30"), ("fr", "fr"), ("", "")),
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
