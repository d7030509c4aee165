"""What is known of the service itself, for screens."""

from collections.abc import Mapping
from datetime import timedelta

import orjson

from backlit.store.files import Files
from backlit.store.probes import TRAITS, Traits, traits_of

CLOCK = "clock offset"
"""The journal's setting with the seconds that the service's time is ahead of this machine's UTC."""


class Server:
    """The service as it was found when it was last tried out; read anew when asked, as it is asked seldom."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def traits(self) -> Traits | None:
        """What it does of what the interface leaves open; None before it was tried."""
        return traits_of(self._note(TRAITS))

    def capabilities(self) -> Mapping[str, object] | None:
        """What it says of itself; None where it does not."""
        told = self._note("capabilities")
        return told if isinstance(told, dict) else None

    def clock_offset(self) -> timedelta:
        """How far its time is ahead of this machine's UTC; none before anything is known."""
        seconds = self._files.journal.settings.value(CLOCK)
        return timedelta(seconds=int(seconds or 0))

    def missing(self) -> tuple[str, ...]:
        """Sentences on what it does not do, and what backlit does instead."""
        from backlit.store.words import missing_words

        traits = self.traits()
        return () if traits is None else missing_words(traits, self.capabilities())

    def _note(self, key: str) -> object:
        found = self._files.mirror.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
        return orjson.loads(found[0]) if found else None
