"""Facts about the service, for screens."""

from collections.abc import Mapping
from datetime import timedelta

import orjson

from backlit.store.files.files import Files
from backlit.store.remote.capabilities import TRAITS, Traits, traits_of

CLOCK = "clock offset"
"""The key of the setting with the service's clock offset from this machine's UTC, in seconds."""


class Server:
    """The service's traits, as last probed. Each call reads them again."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def traits(self) -> Traits | None:
        """Return the probed traits, or None before the first probe."""
        return traits_of(self._note(TRAITS))

    def capabilities(self) -> Mapping[str, object] | None:
        """Return the service's stated capabilities, or None without any."""
        told = self._note("capabilities")
        return told if isinstance(told, dict) else None

    def clock_offset(self) -> timedelta:
        """Return the service's clock offset from this machine's UTC, zero before it is known."""
        seconds = self._files.journal.settings.value(CLOCK)
        return timedelta(seconds=int(seconds or 0))

    def missing(self) -> tuple[str, ...]:
        """Return sentences about missing features and backlit's substitutes."""
        from backlit.store.remote.limitations import missing_words

        traits = self.traits()
        return () if traits is None else missing_words(traits, self.capabilities())

    def _note(self, key: str) -> object:
        found = self._files.mirror.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
        return orjson.loads(found[0]) if found else None
