"""Standard output that reports its faults as sentences.

Imports little: `--version` and `--help` have this module too.
"""

import io
import os
import sys

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any


class _OutputWithSentences(io.FileIO):
    """Standard output whose faults are sentences; after one, nothing more is written."""

    def write(self, data: "Any") -> int:
        """Write data; raise StorageError, or BrokenPipeError where the reader has enough."""
        try:
            return super().write(data) or 0
        except OSError as error:
            # Python writes what is left in the buffer at its end, and would report the same fault again, in its own
            # words.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if isinstance(error, BrokenPipeError):
                raise
            from backlit.model.errors import StorageError

            raise StorageError(f"The output could not be written: {error.strerror}.") from error


def guard_output() -> None:
    """Replace a standard output that is no terminal by one whose faults are sentences."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the end; pathlib takes 5 ms
        return
    raw = _OutputWithSentences(sys.stdout.fileno(), "wb", closefd=False)
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), sys.stdout.encoding, sys.stdout.errors)
