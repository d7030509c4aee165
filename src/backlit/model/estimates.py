"""Points of an Estimate, which is free text in the interface."""

import math
import re

_POINTS = re.compile(
    r"\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:p|sp|pts?|points?|story points?)?\.?\s*", re.ASCII | re.IGNORECASE
)


def points_of(estimate: str | None) -> float | None:
    """Read `3`, `3.5`, `3,5` or `5 pts`; None for anything else, which counts as unestimated."""
    found = _POINTS.fullmatch(estimate or "")
    if found is None:
        return None
    points = float(found[1].replace(",", "."))
    return points if math.isfinite(points) else None
