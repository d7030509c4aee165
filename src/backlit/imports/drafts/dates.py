"""Dates of other trackers, in the forms that their exports have."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from backlit.imports.drafts.draft import WrittenDate

_CLOCK = r"(?:[ ,T]+(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?(?: ?([AaPp])\.?[Mm]\.?)?)?"
_ZONE = r" ?(Z|UTC|GMT|(?:UTC|GMT)?[+-]\d{1,2}:?\d{0,2}|(?:UTC|GMT)[+-]\d+)?(?: ?\(.*\))?$"
_ISO = re.compile(rf"(\d{{4}})[-/.](\d\d?)[-/.](\d\d?){_CLOCK}{_ZONE}")
_NUMBERS = re.compile(rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}|\d\d){_CLOCK}{_ZONE}")
_DAY_FIRST = re.compile(rf"(?:\w{{3,}},? )?(\d{{1,2}})[/ -]([^\W\d]+)\.?[/ -](\d{{4}}|\d\d){_CLOCK}{_ZONE}")
_MONTH_FIRST = re.compile(rf"(?:\w{{3,}},? )?([^\W\d]+)\.? (\d{{1,2}}),? (\d{{4}}){_CLOCK}{_ZONE}")
_EPOCH = re.compile(r"\d{9,10}(?:\d{3})?$")
_MONTHS = {
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "may": 5,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
    "mär": 3,
    "mrz": 3,
    "mai": 5,
    "okt": 10,
    "dez": 12,
    "fév": 2,
    "avr": 4,
    "juil": 7,
    "jui": 6,
    "aoû": 8,
    "déc": 12,
    "ene": 1,
    "abr": 4,
    "ago": 8,
    "dic": 12,
    "fev": 2,
    "set": 9,
    "out": 10,
}


class DateReading:
    """Reads the dates of a file, all columns of which have the same order of day and month.

    One value above 12 decides; without one the language of the headings does: `is_english` puts the month first.
    """

    def __init__(self, texts: Iterable[str], *, is_english: bool | None) -> None:
        self._month_first = is_english
        for text in texts:
            found = _NUMBERS.match(text.strip())
            if found and found[2] != ".":
                first, second = int(found[1]), int(found[3])
                if first > 12 or second > 12:
                    self._month_first = second > 12
                    break

    def read(self, text: object) -> WrittenDate | None:
        """Return the date of a text, or the text alone where it cannot be read; None for an empty one."""
        written = str(text or "").strip()
        if not written or written == "0":
            return None
        try:
            return self._read(written) or WrittenDate(written)
        except (ValueError, OverflowError):
            return WrittenDate(written)

    def _read(self, text: str) -> WrittenDate | None:
        if _EPOCH.match(text):
            seconds = int(text) / (1000 if len(text) > 10 else 1)
            return WrittenDate(text, datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None), has_time=True)
        if found := _ISO.match(text):
            year, month, day, *rest = found.groups()
            return _written(text, (int(year), int(month), int(day)), rest)
        if found := _NUMBERS.match(text):
            first, separator, second, year, *rest = found.groups()
            month_first = False if separator == "." else self._month_first
            if month_first is None and first != second:
                return None
            month, day = (first, second) if month_first else (second, first)
            return _written(text, (_year(year), int(month), int(day)), rest)
        if found := _DAY_FIRST.match(text):
            day, name, year, *rest = found.groups()
            return _written(text, (_year(year), _month(name), int(day)), rest)
        if found := _MONTH_FIRST.match(text):
            name, day, year, *rest = found.groups()
            return _written(text, (int(year), _month(name), int(day)), rest)
        moment = parsedate_to_datetime(text)
        return WrittenDate(text, _without_zone(moment), has_time=True)


def _year(text: str) -> int:
    return int(text) + (2000 if len(text) == 2 else 0)


def _month(name: str) -> int:
    lower = name.casefold()
    month = _MONTHS.get(lower[:4]) or _MONTHS.get(lower[:3])
    if month is None:
        raise ValueError(name)
    return month


def _written(text: str, day: tuple[int, int, int], rest: list[str | None]) -> WrittenDate:
    hours, minutes, seconds, half, zone = rest
    moment = datetime(*day)
    if hours is None:
        return WrittenDate(text, moment)
    hour = int(hours)
    if half:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    moment = moment.replace(hour=hour, minute=int(minutes or 0), second=int(seconds or 0))
    if zone and zone not in {"Z", "UTC", "GMT"}:
        sign, digits = re.sub("^(UTC|GMT)", "", zone)[0], re.sub(r"\D", "", zone)
        offset = (digits if len(digits) < 3 else digits[:-2], digits[-2:] if len(digits) > 2 else "00")
        written = f"{moment.isoformat()}{sign}{int(offset[0]):02}:{offset[1]}"
        moment = _without_zone(datetime.fromisoformat(written))
    return WrittenDate(text, moment, has_time=True)


def _without_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
