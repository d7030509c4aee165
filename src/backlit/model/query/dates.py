"""Times in a query: days, and ages such as `7d`, which count back from now."""

import re
from datetime import date, datetime, time, timedelta

from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.filters import Comparison, Filter, Literal, Operator, Property, all_of

_AGE = re.compile(r"([0-9]{1,5})([hdw])", re.ASCII | re.IGNORECASE)
_FIRST, _LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGE_OPERATORS = {
    ":": Operator.GE,
    "=": Operator.GE,
    "<": Operator.GT,
    "<=": Operator.GE,
    ">": Operator.LT,
    ">=": Operator.LE,
}


def date_filter(key: str, operator: str, text: str, now: datetime, today: date) -> Filter | None:
    """The filter of a DateTime; None where the text is neither a day nor an age.

    A younger age is a later time, so `<7d` is later than seven days ago. A day counts as a whole: `>` is after it.
    """
    age = _AGE.fullmatch(text)
    if age:
        return Comparison(_AGE_OPERATORS[operator], Property(key), Literal(_earlier(now, int(age[1]), age[2].lower())))
    day = _day(text, today)
    return None if day is None else _by_day(key, operator, day)


def _earlier(now: datetime, count: int, unit: str) -> datetime:
    try:
        return now - count * _UNITS[unit]
    except OverflowError:
        return _FIRST


def _day(text: str, today: date) -> date | None:
    if text.lower() in {"today", "yesterday"}:
        return today if text.lower() == "today" else today - timedelta(days=1)
    try:
        return parse_date(text)
    except BadRequest:
        return None


def _by_day(key: str, operator: str, day: date) -> Filter:
    begin = Literal(datetime.combine(day, time()))
    end = Literal(datetime.combine(day, time()) + timedelta(days=1)) if day < date.max else Literal(_LAST)
    value = Property(key)
    if operator in {":", "="}:
        return all_of([Comparison(Operator.GE, value, begin), Comparison(Operator.LT, value, end)])
    comparison, border = {
        "<": (Operator.LT, begin),
        "<=": (Operator.LT, end),
        ">": (Operator.GE, end),
        ">=": (Operator.GE, begin),
    }[operator]
    return Comparison(comparison, value, border)
