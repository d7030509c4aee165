"""What Python's collector of garbage looks through, which takes longer the more there is, while every key waits.

Modules, styles and screens are there to stay. Once they are made they are left out: a full collection beside the
embedded service took 100 to 200 ms, again after every few dozen keys, and takes a fifth of that or less without them.
"""

import gc
from typing import Any

from textual.app import App

WHEN = (2.0, 15.0, 120.0)
"""Seconds after the start: what is imported behind the first picture, what the first screens needed, and the rest."""


def spare_what_stays(app: App[Any]) -> None:
    """Leave out what is there at these times; in tests, which make many applications in one process, nothing."""
    if not app.is_headless:
        for seconds in WHEN:
            app.set_timer(seconds, _spare)


def _spare() -> None:
    gc.collect(1)
    gc.freeze()
