"""The clipboard: programs that take a text, and the escape sequences for terminals that take none from programs."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

PROGRAM_TIMEOUT = 3.0
"""Seconds for a program."""
_REMOTE = ("SSH_CONNECTION", "SSH_TTY")
_UNCONFIRMED = "the terminal (OSC 52), which does not confirm it"


class ClipboardProgram(Struct, frozen=True):
    """A program that takes the text on its standard input."""

    name: str
    command: Sequence[str]

    def take(self, text: str) -> bool:
        try:
            done = subprocess.run(  # noqa: S603 - one of the programs below
                self.command,
                input=text.encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=PROGRAM_TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0


def routes(environment: Mapping[str, str] = os.environ) -> list[ClipboardProgram]:
    """Return the installed programs that reach a clipboard from here; over SSH, only the terminal's multiplexer."""
    return [route for route in _routes(environment) if shutil.which(route.command[0], path=environment.get("PATH"))]


def _routes(environment: Mapping[str, str]) -> Iterator[ClipboardProgram]:
    if environment.get("TMUX"):
        yield ClipboardProgram("tmux", ("tmux", "load-buffer", "-w", "-"))
    if any(environment.get(name) for name in _REMOTE):
        return
    if sys.platform == "darwin":
        yield ClipboardProgram("pbcopy", ("pbcopy",))
    if environment.get("WAYLAND_DISPLAY"):
        yield ClipboardProgram("wl-copy", ("wl-copy",))
    if environment.get("DISPLAY"):
        yield ClipboardProgram("xclip", ("xclip", "-selection", "clipboard"))


def taken_by(found: Sequence[ClipboardProgram], text: str) -> str:
    """Give the text to all programs; return the ones that took it in words, or the terminal without a confirmation."""
    return " and ".join(route.name for route in found if route.take(text)) or _UNCONFIRMED


def osc_52(text: str) -> str:
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"


def passed_through(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the sequence that carries the text through a multiplexer to the terminal around it; empty outside one."""
    return through_multiplexer(osc_52(text), environment)


def through_multiplexer(sequence: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return what carries a sequence through a multiplexer to the terminal around it; empty outside one."""
    if environment.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return f"\x1bP{sequence}\x1b\\" if environment.get("STY") else ""
