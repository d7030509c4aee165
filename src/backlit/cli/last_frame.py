"""Last frame of the screens: a start shows it before anything else is imported, if nothing it was drawn from changed.

Imports little: all that it imports delays the first rows.
"""

import marshal
import os
import sys
import time
from collections.abc import Iterable, Sequence

from backlit.config.folders import folders

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any

    from backlit.tui.drawing.frame import KeptFrame

NAME = "last-frame"
_WATCHED = ("BACKLIT_", "TEXTUAL_")
_ENVIRONMENT = frozenset(
    ["COLORTERM", "COLUMNS", "FORCE_COLOR", "LANG", "LC_ALL", "LINES", "NO_COLOR", "TERM", "TERM_PROGRAM", "TZ"]
)

Stamps = list[tuple[str, tuple[int, int, int] | None]]


def state_folder() -> str:
    """Return the directory of the state; on a system whose directories need a library there is no file there."""
    found = folders()
    return os.path.expanduser("~/.local/state/backlit") if found is None else found["state"]


# A start that shows the frame has its rows after 33 ms of CPU, at any number of items; one without takes 410. marshal
# is built in, where json would be imported first, and pickle would run what a file says.
def saved_frame(arguments: Sequence[str]) -> "KeptFrame | None":
    """Return the frame that the same command would show now; None if anything may differ."""
    try:
        with open(os.path.join(state_folder(), NAME), "rb") as file:
            conditions, stamps, frame = marshal.load(file)  # noqa: S302 - the user's own file, readable by nobody else
        is_fitting = frame[0] == conditions[-1] and conditions == _conditions(arguments)
        is_same = is_fitting and stamps == stamps_of(path for path, _ in stamps)
    except (OSError, EOFError, ValueError, TypeError):
        return None
    return frame if is_same else None


# Without a fitting frame no rows are shown before Textual is there: what draws them are some 2,000 lines over its
# strips and colours, which would be needed a second time.
def save_frame(arguments: Sequence[str], paths: Iterable[str], frame: "KeptFrame") -> None:
    """Save a frame that was drawn from some files; they are closed, and may be missing."""
    from pathlib import Path

    from backlit.config.atomic_files import write_private

    content = marshal.dumps((_conditions(arguments), stamps_of([__file__, *paths]), frame))
    write_private(Path(state_folder(), NAME), content)


def stamps_of(paths: Iterable[str]) -> Stamps:
    """Return what tells versions of files apart; None for a missing file."""
    return [(path, _stamp(path)) for path in paths]


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _conditions(arguments: Sequence[str]) -> "tuple[Any, ...]":
    environment = [
        (name, value) for name, value in sorted(os.environ.items()) if name in _ENVIRONMENT or name.startswith(_WATCHED)
    ]
    today = time.strftime("%Y-%m-%d %z")
    size = tuple(os.get_terminal_size(sys.stdout.fileno()))
    return sys.executable, list(arguments), os.getcwd(), environment, today, size
