"""Long texts on a terminal go through a pager."""

import os
import shlex
import shutil
import subprocess
import sys


def write_paged(text: str, *, is_paged: bool = True) -> None:
    """Write a text; one that is longer than the terminal goes through BACKLIT_PAGER, PAGER or less."""
    command = os.environ.get("BACKLIT_PAGER") or os.environ.get("PAGER") or _usual_pager()
    is_long = sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size().lines
    if not (is_paged and is_long and command):
        sys.stdout.write(text)
        return
    try:
        subprocess.run(shlex.split(command), input=text.encode(), check=False)  # noqa: S603 - the user's own
    except (OSError, ValueError):
        sys.stdout.write(text)


def _usual_pager() -> str:
    return "less -FRX" if shutil.which("less") else ""
