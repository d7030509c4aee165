"""What an Estimate is worth in points; it is text (SPEC 2.1), so people write it in many ways."""

import math
import re

_POINTS = re.compile(
    r"\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:p|sp|pts?|points?|story points?)?\.?\s*", re.ASCII | re.IGNORECASE
)


def points_of(estimate: str | None) -> float | None:
    """Read `3`, `3.5`, `3,5` or `5 pts`; None for anything else, which counts as not estimated."""
    found = _POINTS.fullmatch(estimate or "")
    if found is None:
        return None
    points = float(found[1].replace(",", "."))
    return points if math.isfinite(points) else None
