"""Crashes: an error that is no sentence goes to the log, and one sentence to the terminal."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from backlit.model.version import VERSION


def report(error: BaseException) -> str:
    """Write an error to the log, without its words and the values of variables; return a sentence about both."""
    import platform

    from backlit.config.settings import find_locations
    from backlit.model.plain import trace_of
    from backlit.model.private_files import make_private_folder

    path = find_locations().log
    moment = datetime.now().astimezone().isoformat(" ", "seconds")
    lines = f"{moment} CRITICAL backlit {VERSION}, Python {platform.python_version()}, {sys.platform}:"
    sentence = f"Ended by a fault of the program ({type(error).__name__})."
    try:
        make_private_folder(path.parent)
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{lines}\n{trace_of(error)}\n")
    except OSError as fault:
        return f"{sentence} The report could not be written to {path}: {fault.strerror}."
    return f"{sentence} What was saved is kept. The report, without values of items, is in {path}"


@contextmanager
def threads_reporting() -> Iterator[None]:
    """Have errors that end threads reported to the log alone: the screens have the terminal."""
    before, unraisable = threading.excepthook, sys.unraisablehook

    def note(failed: Any) -> None:
        if isinstance(failed.exc_value, Exception):
            with suppress(OSError):
                report(failed.exc_value)

    threading.excepthook = sys.unraisablehook = note
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before, unraisable
