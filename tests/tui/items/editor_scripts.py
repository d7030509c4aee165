"""Scripts that stand for the user's own editor."""

import os
import stat
from pathlib import Path


def script(folder: Path, body: str) -> str:
    """An editor that does one thing to its file."""
    path = folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def environment(folder: Path, editor: str) -> dict[str, str]:
    named = {"BACKLIT_HOME": str(folder / "home"), "EDITOR": editor, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    return {key: value for key, value in os.environ.items() if key not in {"VISUAL", "NO_COLOR"}} | named
