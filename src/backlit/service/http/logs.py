"""The service's log: one JSON object a line, without queries, headers or bodies, where secrets would be."""

import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

import orjson

LEVELS = ("debug", "info", "warning", "error")
_NAMES = ("backlit.service", "uvicorn.error")
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    """Writes a record, and whatever was given as `extra`, as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; line breaks of hostile text are escaped."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _USUAL}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def set_up_log(level: str, stream: TextIO | None = None) -> None:
    """Send the service's log, and its web server's, to a stream (usually the error output)."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in _NAMES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
    # Its own lines for each start and connection say nothing that ours do not.
    logging.getLogger("uvicorn.error").setLevel(max(logging.WARNING, logging.getLogger("uvicorn.error").level))
