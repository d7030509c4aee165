"""How far something long has come, in words: count, rate and time left."""

import time

from backlit.model.amounts import counted

BAR_CELLS = 20


class ImportProgress:
    """Counts from its making on."""

    def __init__(self, total: int, noun: str) -> None:
        self.total, self._noun = total, noun
        self._began = time.monotonic()

    def words(self, done: int) -> str:
        seconds = time.monotonic() - self._began
        rate = done / seconds if seconds else 0.0
        parts = [f"{done:,} of {counted(self.total, self._noun)}"]
        parts += [f"{rate:,.0f} a second", f"{(self.total - done) / rate:,.0f} s left"] if rate else []
        return " · ".join(parts)

    def bar(self, done: int, cells: int = BAR_CELLS) -> str:
        filled = round(cells * done / max(self.total, 1))
        return "█" * filled + "░" * (cells - filled)
