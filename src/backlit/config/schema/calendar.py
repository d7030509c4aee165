"""What `config.toml` says of days and weeks."""

import json
from datetime import date, datetime

from backlit.config.schema.documents import must
from backlit.model.dates import DateFormat, parse_date
from backlit.model.errors import BadRequest
from backlit.model.settings.shared_settings import WEEKDAY_KEYS, in_week_order

_DAYS = ", ".join(map(json.dumps, WEEKDAY_KEYS))


def read_weekday(value: object) -> str:
    if value not in WEEKDAY_KEYS:
        must(f"must be one of {_DAYS}")
    return str(value)


def read_weekdays(value: object) -> tuple[str, ...]:
    days = value if isinstance(value, list) else []
    if not days or any(day not in WEEKDAY_KEYS for day in days):
        must(f"must be a list of some of {_DAYS}")
    return in_week_order(days)


def read_days(value: object) -> tuple[date, ...]:
    days = [_day(each) for each in value] if isinstance(value, list) else [None]
    if None in days:
        must("must be a list of days, such as [2026-12-25]")
    return tuple(sorted({day for day in days if day is not None}))


def _day(value: object) -> date | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return parse_date(value) if isinstance(value, str) else None
    except BadRequest:
        return None


def read_date_format(value: object) -> DateFormat:
    if value not in set(DateFormat):
        must(f"must be one of {', '.join(map(json.dumps, DateFormat))}")
    return DateFormat(str(value))
