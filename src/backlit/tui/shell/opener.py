"""Handing a file to the program that the user opens files with."""

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from textual.app import App, SuspendNotSupported

from backlit.tui.commands.dispatch import CannotAct

OPENER = "OPENER"


def opener() -> str:
    """The program, as the environment names it; empty where it names none."""
    return os.environ.get(OPENER, "").strip()


@cache
def folder_for_opening() -> Path:
    """A folder of the user's own for files that are opened; it goes when the program ends."""
    folder = Path(tempfile.mkdtemp(prefix="backlit-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def open_file(app: App[None], path: Path) -> None:
    """Have the program show the file, in the place of the screen; raises CannotAct where it cannot be started."""
    program = opener()
    try:
        with app.batch_update(), app.suspend():
            status = subprocess.call([*shlex.split(program), str(path)])  # noqa: S603 - the user's own
    except SuspendNotSupported as error:
        raise CannotAct(f"The terminal cannot be handed to {program} here; the file is in {path}.") from error
    except (OSError, ValueError) as error:
        raise CannotAct(f"“{program}” cannot be started; {OPENER} names another.") from error
    finally:
        app.refresh(layout=True)
    if status:
        raise CannotAct(f"{program} ended with {status}; the file is in {path}.")
