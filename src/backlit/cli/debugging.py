"""What `--debug` and BACKLIT_DEBUG add to the log and to standard error: requests, and what led to an error."""

import os
import sys

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

DEBUG = "BACKLIT_DEBUG"
"""Environment variable that is `1` for more to read where something goes wrong."""


def is_debugging() -> bool:
    return os.environ.get(DEBUG, "0") not in {"", "0"}


def log_to(path: "Path", *, is_shown: bool) -> None:
    """Have log records written to a file, without secrets and the words of errors; the screens have the terminal.

    `is_shown` is whether they may be written to standard error too. Raises OSError.
    """
    import logging

    from backlit.model.plain import redacted, trace_of

    class Redacting(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return redacted(super().format(record))

        def formatException(self, ei: "Any") -> str:  # noqa: N802 - logging's name
            return trace_of(ei[1])

    if logging.getLogger().handlers:
        return
    to_file = logging.FileHandler(path, encoding="utf-8")
    to_file.setFormatter(Redacting("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handlers: list[logging.Handler] = [to_file]
    if is_shown and is_debugging():
        to_terminal = logging.StreamHandler()
        to_terminal.setFormatter(Redacting("backlit: %(relativeCreated)d ms %(name)s %(message)s"))
        handlers.append(to_terminal)
    # httpx tells of each request with its address and status at this level, and of no header.
    logging.basicConfig(level=logging.INFO if is_debugging() else logging.WARNING, handlers=handlers)


def write_trace(error: BaseException) -> None:
    """Write the calls that led to an error to standard error, without the words of the error."""
    from backlit.model.plain import trace_of

    print(trace_of(error), file=sys.stderr)
