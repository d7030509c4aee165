"""Long texts on a terminal go through a pager."""

import os
import shlex
import shutil
import subprocess
import sys

from backlit.cli.kept_setting import kept_setting


def write_paged(text: str, *, is_paged: bool = True) -> None:
    """Write a text; one that is longer than the terminal goes through the user's pager, or less."""
    is_long = sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size().lines
    command = _pager() if is_paged and is_long else ""
    if not command:
        sys.stdout.write(text)
        return
    try:
        subprocess.run(shlex.split(command), input=text.encode(), check=False)  # noqa: S603 - the user's own
    except (OSError, ValueError):
        sys.stdout.write(text)


def _pager() -> str:
    own = os.environ.get("BACKLIT_PAGER") or str(kept_setting("pager") or "") or os.environ.get("PAGER")
    return own or ("less -FRX" if shutil.which("less") else "")
