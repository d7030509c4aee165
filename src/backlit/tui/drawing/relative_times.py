"""Relative times, short enough for a line."""

from datetime import date, datetime

MINUTE, HOUR, DAY = 60, 3600, 86400


def age(seconds: float) -> str:
    """Return an age in its largest unit: now, 5m, 3h, 12d. Seconds are not counted, so that an idle screen rests."""
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)}m"
    if seconds < DAY:
        return f"{int(seconds // HOUR)}h"
    return f"{int(seconds // DAY)}d"


def days_until(end: date, today: date) -> str:
    """Return the end of an iteration relative to today."""
    days = (end - today).days
    if days < 0:
        return f"ended {-days}d ago"
    return "ends today" if days == 0 else f"ends in {days}d"


def moment(when: datetime | None) -> str:
    """Return a server time for display; empty where it is not known."""
    return f"{when:%Y-%m-%d %H:%M}" if when else ""
