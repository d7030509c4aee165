"""What was typed into the lines for filters and commands, kept across restarts."""

import json

from backlit.store.files import Files

MOST = 100


class TypedLines:
    """The lines typed for a purpose, the latest first; each is kept once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}

    def lines(self, purpose: str) -> list[str]:
        """Those kept; read from the journal once."""
        if purpose not in self._lines:
            kept = self._files.journal.settings.value(_key(purpose))
            self._lines[purpose] = json.loads(kept) if kept else []
        return list(self._lines[purpose])

    def remember(self, purpose: str, line: str) -> None:
        """Keep a line; an older one goes for it where there are many."""
        lines = [line, *(each for each in self.lines(purpose) if each != line)][:MOST]
        self._lines[purpose] = lines
        self._files.submit(lambda writer: writer.journal.settings.keep(_key(purpose), json.dumps(lines)))


def _key(purpose: str) -> str:
    return f"typed {purpose}"
