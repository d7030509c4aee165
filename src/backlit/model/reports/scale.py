"""Scale at the side of a chart: a round number at the top, and ticks below."""

from math import ceil, floor, log10

_STEPS = (1, 2, 5, 10)


def ticks(top: float, most: int) -> tuple[float, ...]:
    """Return evenly spaced whole numbers from 0 to `top` or above, between two and `most` of them."""
    rough = max(1.0, top / max(1, most - 1))
    power = 10.0 ** floor(log10(rough))
    step = next(power * each for each in _STEPS if power * each >= rough * (1 - 1e-9))
    return tuple(step * n for n in range(max(1, ceil(top / step - 1e-9)) + 1))
