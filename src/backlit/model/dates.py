"""Dates and DateTimes without a zone, in the interface's form, and days as people type and write them."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

from backlit.model.errors import BadRequest

# Compiled where a server has another form than the common ones: 3 ms that no listing needs.
_DATETIME = (
    r"(?ai)(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d)(?P<second>:\d\d)?(?:[.,](?P<fraction>\d{1,9}))?"
    r"\s*(?:Z|(?P<sign>[+-])(?P<hours>\d\d)(?::?(?P<minutes>\d\d))?)?)?"
)

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Names of months in dates."""

_PLAIN_LENGTHS = frozenset({19, 23, 26})
"""Lengths of the common forms with a faster parser: whole seconds, milliseconds, microseconds."""


# UTC+14 is Kiribati; no zone is farther from UTC in either direction.
_LARGEST_OFFSET = timedelta(hours=14)


def parse_datetime(text: str) -> datetime:
    """Read a server time with 0 to 9 fraction digits, cut to microseconds; a bare date means midnight.

    Drops a trailing offset without conversion, as server time has none. Raises BadRequest.
    """
    return _moment_and_offset(text)[0]


def parse_utc(text: str) -> datetime:
    """Read a DateTime as `parse_datetime` does, and convert one with an offset to UTC. Raises BadRequest."""
    moment, offset = _moment_and_offset(text)
    try:
        return moment - offset
    except OverflowError:
        raise BadRequest(f"{text[:40]!r} is beyond the calendar in UTC.") from None


def _moment_and_offset(text: str) -> tuple[datetime, timedelta]:
    # `fromisoformat` also reads week dates and forms without separators, which the interface does not have.
    if len(text) in _PLAIN_LENGTHS and text[4] == text[7] == "-" and text[10] in "T " and text[13] == ":":
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            pass
        else:
            if moment.tzinfo is None:
                return moment, timedelta()
    found = re.fullmatch(_DATETIME, text.strip())
    if found is not None:
        fraction = (found["fraction"] or "")[:6].ljust(6, "0")
        try:
            moment = datetime.fromisoformat(
                f"{found['date']}T{found['time'] or '00:00'}{found['second'] or ':00'}.{fraction}"
            )
        except ValueError:
            pass
        else:
            return moment, _offset(found, text)
    raise BadRequest(f"{text[:40]!r} is not a date and time. Example: 2026-03-01T14:30:00.")


def _offset(found: re.Match[str], text: str) -> timedelta:
    hours, minutes = int(found["hours"] or 0), int(found["minutes"] or 0)
    offset = timedelta(hours=hours, minutes=minutes)
    if minutes > 59 or offset > _LARGEST_OFFSET:
        raise BadRequest(f"{text[:40]!r} has an offset that no time zone has. They go from -14:00 to +14:00.")
    return -offset if found["sign"] == "-" else offset


def write_datetime(moment: datetime) -> str:
    """Write a server time with milliseconds and without a zone."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")


def parse_date(text: str) -> date:
    """Read `YYYY-MM-DD`; check and drop a time after it. Raises BadRequest."""
    try:
        return parse_datetime(text).date()
    except BadRequest:
        raise BadRequest(f"{text[:40]!r} is not a date. Example: 2026-03-01.") from None


# As people type and write them

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_DAY_AND_MONTH = (
    r"(?:(?P<first>[a-z]{3,9})\.?\s+)?(?P<day>\d{1,2})\.?(?:\s*(?P<last>[a-z]{3,9})\.?)?(?:,?\s+(?P<year>\d{4}))?"
)
_LEAP_YEARS = 8
"""The most years from one 29 February to the next."""
_RELATIVE_DAY = r"(?i)([+-]?)\s*(\d{1,4})\s*([dw])"


DAY_FORMS, NAMED_DAY_FORMS = "2026-03-01, +2w or +10d", "fri, tomorrow, +2w, 30 mar or 2026-03-01"
"""How a day can be written, and how where days have names; a hint and an error say the same."""


def typed_day(text: str, base: date, what: str = "Day", forms: str = DAY_FORMS) -> date:
    """Read a day; a step is counted from the base. Raises BadRequest with a sentence that names `what` it is."""
    wanted = text.strip()
    step = re.fullmatch(_RELATIVE_DAY, wanted)
    try:
        if step is None:
            return date.fromisoformat(wanted)
        days = int(step[2]) * (7 if step[3].lower() == "w" else 1)
        return base + timedelta(days=-days if step[1] == "-" else days)
    except (ValueError, OverflowError):
        found = f"“{wanted}” is not a day" if wanted else "there has to be a day"
        raise BadRequest(f"{what}: {found}. Write a day such as {forms}.") from None


def typed_end(text: str, start: date, what: str = "Ends") -> date:
    """Read a last day: a step says how long it is from the start on, so that after +2w the next may begin."""
    end = typed_day(text, start, what)
    step = re.fullmatch(_RELATIVE_DAY, text.strip())
    return end - timedelta(days=1) if step is not None and step[1] != "-" else end


def named_day(text: str, today: date, what: str = "Day", forms: str = NAMED_DAY_FORMS) -> date:
    """Read a day as `typed_day` does, `today`, `tomorrow`, the next day of a weekday's name, such as fri, or 30 mar.

    A day of a month without a year is the next one.
    """
    wanted = text.strip().lower()
    if (day := _day_of_month(wanted, today)) is not None:
        return day
    if wanted in ("today", "tomorrow"):
        return today + timedelta(days=wanted == "tomorrow")
    if len(wanted) >= 3 and (named := [at for at, name in enumerate(WEEKDAYS) if name.startswith(wanted)]):
        return today + timedelta(days=(named[0] - today.weekday() - 1) % 7 + 1)
    return typed_day(text, today, what, forms)


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def week_name(day: date) -> str:
    """Return the week of a day as ISO 8601 has it, such as 2026-W47."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


def week_of(text: str) -> date:
    """Return the Monday of a week such as 2026-W47; raise ValueError for another text."""
    if not re.fullmatch(r"\d{4}-W\d\d", text):
        raise ValueError(text)
    return date.fromisoformat(f"{text}-1")


def past_day(text: str, today: date, what: str = "Day") -> date:
    """Read a day as `typed_day` does, `today`, `yesterday`, or the last day of a weekday's name, such as fri."""
    wanted = text.strip().lower()
    if wanted in ("today", "yesterday"):
        return today - timedelta(days=wanted == "yesterday")
    if len(wanted) >= 3 and (named := [at for at, name in enumerate(WEEKDAYS) if name.startswith(wanted)]):
        return today - timedelta(days=(today.weekday() - named[0] - 1) % 7 + 1)
    return typed_day(text, today, what)


def _day_of_month(text: str, today: date) -> date | None:
    """Return the day of `30 mar`, `mar 30` or `30 march 2027`; None for another text, or a day that does not exist."""
    found = re.fullmatch(_DAY_AND_MONTH, text)
    if found is None:
        return None
    name, number = found["first"] or found["last"] or "", int(found["day"])
    month = next((place for place, each in enumerate(_MONTH_NAMES, 1) if name and each.startswith(name)), 0)
    years = (int(found["year"]),) if found["year"] else range(today.year, today.year + _LEAP_YEARS + 1)
    for year in years:
        try:
            day = date(year, month, number)
        except ValueError:
            continue
        if found["year"] or day >= today:
            return day
    return None


class DateFormat(StrEnum):
    """The ways to write a day on the screens."""

    WORDS = "words"
    ISO = "iso"
    DAY_FIRST = "dmy"
    MONTH_FIRST = "mdy"


class DateStyle:
    """How the user writes days, and the weekday that a week begins with, from Monday as 0.

    It is of the process, as a locale is: nearly every text of the screens has a day. Files and pipes have ISO dates.
    """

    format = DateFormat.WORDS
    first_weekday = 0


DATE_STYLE = DateStyle()
_PATTERNS = {
    DateFormat.ISO: ("%m-%d", "%Y-%m-%d"),
    DateFormat.DAY_FIRST: ("%d/%m", "%d/%m/%Y"),
    DateFormat.MONTH_FIRST: ("%m/%d", "%m/%d/%Y"),
}
"""Without and with the year."""


def written_day(day: date, today: date) -> str:
    """Return a day as people write it, such as 3 Mar; with the year where that is another one."""
    is_other_year = day.year != today.year
    if DATE_STYLE.format is DateFormat.WORDS:
        return f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if is_other_year else "")
    return day.strftime(_PATTERNS[DATE_STYLE.format][is_other_year])


def start_of_week(day: date) -> date:
    return day - timedelta(days=(day.weekday() - DATE_STYLE.first_weekday) % 7)


def time_zone(name: str) -> tzinfo | None:
    """Return a time zone by its IANA name; None for one that this machine does not know."""
    if name == "UTC":  # what a project has that states none
        return UTC
    from zoneinfo import ZoneInfo  # 7 ms of a start

    try:
        return ZoneInfo(name)
    # ZoneInfo raises ValueError for a path, and OSError for a folder of zones such as Europe.
    except (KeyError, ValueError, OSError):
        return None
