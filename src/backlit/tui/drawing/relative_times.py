"""How long ago, in words short enough for a line."""

from datetime import date, datetime

MINUTE, HOUR, DAY = 60, 3600, 86400


def age(seconds: float) -> str:
    """An age in its largest unit: now, 5m, 3h, 12d; under a minute is now, so that a resting screen rests."""
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)}m"
    if seconds < DAY:
        return f"{int(seconds // HOUR)}h"
    return f"{int(seconds // DAY)}d"


def days_until(end: date, today: date) -> str:
    """Where a day lies from today."""
    days = (end - today).days
    if days < 0:
        return f"ended {-days}d ago"
    return "ends today" if days == 0 else f"ends in {days}d"


def moment(when: datetime | None) -> str:
    """A server time as people read it; nothing where it is not known."""
    return f"{when:%Y-%m-%d %H:%M}" if when else ""
