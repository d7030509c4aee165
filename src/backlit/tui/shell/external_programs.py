"""External programs that take over the terminal: the user's editor and the user's opener of files."""

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType

from textual.app import SuspendNotSupported

from backlit.config.programs import editor_command
from backlit.tui.commands.command import CannotAct
from backlit.tui.shell.chord_app import ChordApp


def _status_of(app: ChordApp, command: str, path: Path) -> int:
    """Run a program of the user's on a file; raises as `status_in_terminal` does."""
    return status_in_terminal(app, [*shlex.split(command), str(path)])


def status_in_terminal(
    app: ChordApp,
    arguments: Sequence[str],
    variables: Mapping[str, str] = MappingProxyType({}),
    folder: str | None = None,
    last_words: str = "",
) -> int:
    """Run a program in the terminal; return its exit status. Raises OSError, ValueError, SuspendNotSupported.

    With last words its output stays until enter. No error leaves the suspended block, because Textual takes the
    terminal back only where the block ends.
    """
    environment = {**os.environ, **({"NO_COLOR": "1"} if app.no_color else {}), **variables}
    failure: OSError | ValueError | None = None
    try:
        # The batch holds back repaints: one that begins while Textual gives the terminal away waits for it for ever.
        with app.batch_update(), app.suspend():
            try:
                app.outside = subprocess.Popen(arguments, env=environment, cwd=folder)  # noqa: S603 - the user's own
                status = app.outside.wait()
            except (OSError, ValueError) as error:
                failure = error
            else:
                if last_words:
                    with suppress(EOFError):
                        input(last_words)
                return status
    finally:
        app.outside = None
        app.refresh(layout=True)
    raise failure


def edit_text(app: ChordApp, text: str, suffix: str) -> str:
    """Return a text edited in the user's editor; raises CannotAct on failure, which keeps the file."""
    editor = editor_command(app.session.editor)
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8", newline="") as file:
        file.write(text)
        path = Path(file.name)
    try:
        status = _status_of(app, editor, path)
    except SuspendNotSupported as error:
        path.unlink()
        raise CannotAct("This terminal cannot run an editor.") from error
    except (OSError, ValueError) as error:
        path.unlink()
        raise CannotAct(f"Could not start the editor “{editor}”. Set EDITOR to another one.") from error
    if status:
        raise CannotAct(f"Nothing changed: {editor} exited with status {status}. Your text is in {path}.")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotAct(f"Could not read the text from {editor}. It is in {path}.") from error
    finally:
        if status == 0:
            path.unlink(missing_ok=True)


OPENER_VARIABLE = "OPENER"


def opener(app: ChordApp) -> str:
    return app.session.opener or os.environ.get(OPENER_VARIABLE, "").strip()


@cache
def folder_for_opening() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="backlit-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def open_file(app: ChordApp, path: Path) -> None:
    program = opener(app)
    try:
        status = _status_of(app, program, path)
    except SuspendNotSupported as error:
        raise CannotAct(f"This terminal cannot run {program}. The file is in {path}.") from error
    except (OSError, ValueError) as error:
        raise CannotAct(f"Could not start “{program}”. Set {OPENER_VARIABLE} to another program.") from error
    if status:
        raise CannotAct(f"{program} exited with status {status}. The file is in {path}.")
