"""Prompts made of several dialogs: saving a text as a file, and the capacity of an iteration."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.field_values import number_text
from backlit.store.records.people import IterationEntry
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import FormDialog, PathDialog
from backlit.tui.fields.dates import typed_number
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.paths import fault_of, folder_and_name, shown_path
from backlit.tui.shell.target import StoreCommandTarget


class TextToSave(Struct, frozen=True):
    """A text to save: the title of the dialogs, and the content for a path, whose suffix may decide about it.

    `place_of` reads the typed path; it raises ValueError with a sentence where nothing can be saved.
    """

    title: str
    content: Callable[[Path], str]
    place_of: Callable[[str], tuple[Path, str]]
    note: str = ""


def file_in(text: str) -> tuple[Path, str]:
    """Return the folder and the name that a text means; raises ValueError with a sentence."""
    folder, name = folder_and_name(text, "")
    if not name or (folder / name).is_dir():
        raise ValueError("Add a file name.")
    return folder, name


async def save_file(target: StoreCommandTarget, saved: TextToSave, proposed: Path) -> None:
    """Ask for a path and save there; asks before it replaces a file. Raises CannotAct where that fails."""
    kept = StoredLines(target.store, f"save:{saved.title}")

    def check(text: str) -> str | None:
        return fault_of(lambda: saved.place_of(text))

    text = await target.ask(PathDialog(saved.title, shown_path(proposed), check, saved.note, kept))
    if text is None:
        return
    folder, name = saved.place_of(text)
    path = folder / name
    content = saved.content(path)
    try:
        try:
            await asyncio.to_thread(write_new, path, content)
        except FileExistsError:
            sentence = f"There is a file {shown_path(path)} already."
            question = ConfirmDialog(saved.title, sentence, [AnswerKey("o", "overwrite it")], "cancel")
            if await target.ask(question) != "o":
                return
            await asyncio.to_thread(write_over, path, content)
    except OSError as error:
        raise CannotAct(f"{shown_path(path)} cannot be written: {error.strerror}.") from error
    target.say(f"Saved {shown_path(path)}")


def write_new(path: Path, content: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(content)


def write_over(path: Path, content: str) -> None:
    """Put a file in the place of another, whole or not at all."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    new_file = Path(name)  # in the same folder: only inside one file system is a replacement atomic
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        new_file.chmod(path.stat().st_mode & 0o777)
        new_file.replace(path)
    except OSError:
        new_file.unlink(missing_ok=True)
        raise


LABELS = ("Minimum points", "Maximum points")


async def ask_for_capacity(target: StoreCommandTarget, iteration: IterationEntry) -> Mapping[str, float | None] | None:
    """Return the least and the most points that the user types, by the service's keys; None without an answer."""
    limits = (number_text(each) if each else "" for each in (iteration.min_capacity, iteration.max_capacity))
    lines = list(zip(LABELS, limits, strict=True))
    kept = StoredLines(target.store, f"capacity:{iteration.id}")
    typed = await target.ask(FormDialog(f"Capacity of {iteration.name}", lines, _check, kept))
    if typed is None:
        return None
    least, most = map(typed_number, typed, LABELS)
    return {"minCapacity": least, "maxCapacity": most}


def _check(typed: Sequence[str]) -> str:
    least, most = map(typed_number, typed, LABELS)
    if least and most and least > most:
        raise BadRequest("The minimum cannot be more than the maximum.")
    return ""
