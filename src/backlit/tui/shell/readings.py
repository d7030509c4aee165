"""Numbered readings of a screen's list, so that keys can wait for theirs."""


class Readings:
    """Numbers of readings: last asked for, awaited by keys, and last shown."""

    def __init__(self) -> None:
        self.asked = self.shown = self._wanted = 0

    @property
    def is_behind(self) -> bool:
        """Return whether the list still has to show a reading that keys wait for."""
        return self.shown < self._wanted

    def ask(self, *, is_wanted: bool = True) -> None:
        """Count a new reading; keys wait for it if it is wanted."""
        self.asked += 1
        if is_wanted:
            self._wanted = self.asked

    def want_newest(self) -> None:
        """Have keys wait until the list shows all published changes."""
        self._wanted = self.asked
