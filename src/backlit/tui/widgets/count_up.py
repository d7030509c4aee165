"""Totals that count in a few steps to what an act of the user made of them."""

from collections.abc import Callable

from textual.timer import Timer

STEPS, SECONDS = 3, 0.24
"""Steps of a count, and the time from the first to the last of them."""


class CountUp:
    """Figures of something, which count to other ones after an act, and else are those that hold now."""

    def __init__(self, start_timer: Callable[[float, Callable[[], object]], Timer], draw: Callable[[], object]) -> None:
        """`start_timer` calls again and again; `draw` shows what `shown` returns then."""
        self._start_timer, self._draw = start_timer, draw
        self.seconds = SECONDS
        self._of: object = None
        self._before: tuple[float, ...] = ()
        self._goal: tuple[float, ...] = ()
        self._step = STEPS
        self._is_begun = False
        self._timer: Timer | None = None

    def begin(self, *, has_motion: bool) -> None:
        """Count at the next change of the figures, which comes of an act; without motion they just change."""
        self._is_begun = has_motion

    def shown(self, of: object, figures: tuple[float, ...]) -> tuple[float, ...]:
        """Return the figures of this moment for those that hold now; those of something else never count."""
        if (of, figures) != (self._of, self._goal):
            self._stop()
            if self._is_begun and of == self._of:
                self._before, self._step = self._goal, 1
                self._timer = self._start_timer(self.seconds / (STEPS - 1), self._go_on)
            self._of, self._goal, self._is_begun = of, figures, False
        if self._step >= STEPS:
            return figures
        share, pairs = self._step / STEPS, zip(self._before, figures, strict=True)
        return tuple(new if old == new else float(round(old + (new - old) * share)) for old, new in pairs)

    def _go_on(self) -> None:
        self._step += 1
        if self._step >= STEPS:
            self._stop()
        self._draw()

    def _stop(self) -> None:
        self._step = STEPS
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
