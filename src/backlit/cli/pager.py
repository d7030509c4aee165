"""Long texts on a terminal go through a pager."""

import argparse
import os
import sys

from backlit.cli.kept_setting import kept_setting
from backlit.cli.terminal_size import terminal_lines


def write_paged(arguments: argparse.Namespace, text: str) -> None:
    """Write a text; one that is longer than the terminal goes through the user's pager, or less."""
    is_long = sys.stdout.isatty() and text.count("\n") >= terminal_lines()
    command = _pager() if is_long and not getattr(arguments, "no_pager", False) else ""
    if not command or not _ran(command, text):
        sys.stdout.write(text)


def _ran(command: str, text: str) -> bool:
    """Run a pager on a text; return False for one that cannot be run."""
    import shlex  # with subprocess 8 ms, which a listing of one screen saves
    import subprocess

    content = text.encode(sys.stdout.encoding or "utf-8", sys.stdout.errors or "replace")
    sys.stdout.flush()
    try:
        subprocess.run(shlex.split(command), input=content, check=False)  # noqa: S603 - the user's own
    except (OSError, ValueError):
        return False
    return True


def _pager() -> str:
    import shutil

    own = os.environ.get("BACKLIT_PAGER") or str(kept_setting("pager") or "") or os.environ.get("PAGER")
    return own or ("less -FRX" if shutil.which("less") and os.environ.get("TERM") != "dumb" else "")
