"""Saving a text of ours as a file: where is asked, and nothing that is there is overwritten without a question."""

import asyncio
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backlit.tui.attaching import fault_of
from backlit.tui.paths import folder_and_name, shown_path
from backlit.tui.screens.base import StoreScreen
from backlit.tui.work import work


@dataclass(frozen=True, slots=True)
class Saved:
    """What is saved: the title of the dialogs, and the content for a path, whose suffix may decide about it.

    `place_of` reads what was typed; it raises ValueError with a sentence where nothing can be saved there.
    """

    title: str
    content: Callable[[Path], str]
    place_of: Callable[[str], tuple[Path, str]]
    note: str = ""


def file_in(text: str) -> tuple[Path, str]:
    """The folder and the name that a text means; ValueError with a sentence where nothing can be saved there."""
    folder, name = folder_and_name(text, "")
    if not name or (folder / name).is_dir():
        raise ValueError("Name the file too.")
    return folder, name


def ask_where(screen: StoreScreen[Any], saved: Saved, proposed: Path) -> None:
    """Ask for a path, then save."""
    from backlit.tui.dialogs.path import PathDialog

    def typed(text: str | None) -> None:
        if text is not None:
            folder, name = saved.place_of(text)
            _save(screen, saved, folder / name, is_agreed=False)

    dialog = PathDialog(
        saved.title, shown_path(proposed), lambda text: fault_of(lambda: saved.place_of(text)), saved.note
    )
    screen.app.push_screen(dialog, typed)


def _save(screen: StoreScreen[Any], saved: Saved, path: Path, *, is_agreed: bool) -> None:
    screen.run_worker(work(_write, screen, saved, path, saved.content(path), is_agreed=is_agreed), group="save")


async def _write(screen: StoreScreen[Any], saved: Saved, path: Path, content: str, *, is_agreed: bool) -> None:
    try:
        await asyncio.to_thread(write_over if is_agreed else write_new, path, content)
    except FileExistsError:
        _ask(screen, saved, path)
    except OSError as error:
        screen.say(f"{shown_path(path)} cannot be written: {error.strerror}.", is_bad=True)
    else:
        screen.say(f"Saved {shown_path(path)}")


def _ask(screen: StoreScreen[Any], saved: Saved, path: Path) -> None:
    from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

    def answered(key: str | None) -> None:
        if key == "o":
            _save(screen, saved, path, is_agreed=True)

    sentence = f"There is a file {shown_path(path)} already."
    screen.app.push_screen(ConfirmDialog(saved.title, sentence, [Answer("o", "overwrite it")], "leave it"), answered)


def write_new(path: Path, content: str) -> None:
    """Write a file that must not be there yet."""
    with path.open("x", encoding="utf-8") as file:
        file.write(content)


def write_over(path: Path, content: str) -> None:
    """Put a file in the place of another, whole or not at all."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        beside.chmod(path.stat().st_mode & 0o777)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
