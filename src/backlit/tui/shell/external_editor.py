"""Handing a text to the user's own editor, in the place of the screen."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import SuspendNotSupported

from backlit.tui.commands.dispatch import CannotAct
from backlit.tui.shell.chord_app import ChordApp


def edit_text(app: ChordApp, text: str, suffix: str) -> str:
    """Have a text edited in $VISUAL, $EDITOR or vi; raises CannotAct, and the file stays, where that fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8", newline="") as file:
        file.write(text)
        path = Path(file.name)
    environment = {**os.environ, **({"NO_COLOR": "1"} if app.no_color else {})}
    try:
        with app.batch_update(), app.suspend():
            app.outside = subprocess.Popen([*shlex.split(editor), str(path)], env=environment)  # noqa: S603 - the user's own
            status = app.outside.wait()
    except SuspendNotSupported as error:
        path.unlink()
        raise CannotAct("The terminal cannot be handed to an editor here.") from error
    except (OSError, ValueError) as error:
        path.unlink()
        raise CannotAct(f"The editor “{editor}” cannot be started; EDITOR names another.") from error
    finally:
        app.outside = None
        app.refresh(layout=True)
    if status:
        raise CannotAct(f"{editor} ended with {status}, so nothing is written; your text is in {path}.")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotAct(f"What {editor} wrote cannot be read; it is in {path}.") from error
    finally:
        if status == 0:
            path.unlink(missing_ok=True)
