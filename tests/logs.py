"""Logging as it was before a command or a service set it up."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def logs_kept() -> Iterator[None]:
    """Undo what the block sets up: other tests of the same process read the log."""
    loggers = [logging.getLogger(name) for name in (None, "backlit.service", "python_multipart", "uvicorn.error")]
    before = [(each, list(each.handlers), each.propagate, each.level) for each in loggers]
    try:
        yield
    finally:
        logging.captureWarnings(False)
        for each, handlers, propagate, level in before:
            each.handlers, each.propagate, each.level = handlers, propagate, level
