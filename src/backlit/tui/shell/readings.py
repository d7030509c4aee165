"""The readings of a screen's list, numbered, so that keys can wait for the one they are about."""


class Readings:
    """Numbers of readings: the one asked for last, the one that keys wait for, and the one shown last."""

    def __init__(self) -> None:
        self.asked = self.shown = self._wanted = 0

    @property
    def is_behind(self) -> bool:
        """Whether the list is still to show what the user asked for; no key is answered before."""
        return self.shown < self._wanted

    def ask(self, *, is_wanted: bool = True) -> None:
        """Note that the list is to be read; keys wait for it where the user wanted it."""
        self.asked += 1
        if is_wanted:
            self._wanted = self.asked

    def want_newest(self) -> None:
        """Have keys wait until the list shows all changes that were published."""
        self._wanted = self.asked
