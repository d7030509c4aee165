"""Days as they are typed: 2026-03-01, or +2w and -3d from another day."""

import re
from datetime import date, timedelta

from backlit.model.errors import BadRequest

_STEP = re.compile(r"([+-]?)\s*(\d{1,4})\s*([dw])", re.IGNORECASE)


def typed_day(text: str, base: date) -> date:
    """Read a day; a step is counted from the base. Raises BadRequest with a sentence."""
    wanted = text.strip()
    step = _STEP.fullmatch(wanted)
    try:
        if step is None:
            return date.fromisoformat(wanted)
        days = int(step[2]) * (7 if step[3].lower() == "w" else 1)
        return base + timedelta(days=-days if step[1] == "-" else days)
    except (ValueError, OverflowError):
        raise BadRequest(f"“{wanted}” is no day; write 2026-03-01, or +2w, +10d.") from None


def typed_number(text: str) -> float | None:
    """Read a number of points; None for nothing. Raises BadRequest with a sentence."""
    wanted = text.strip().replace(",", ".")
    if not wanted:
        return None
    try:
        return float(wanted)
    except ValueError:
        raise BadRequest(f"“{wanted}” is no number of points.") from None
