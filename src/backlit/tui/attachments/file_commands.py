"""Commands on an attached file: look into it, open, copy the address, save, describe, delete; and leaving."""

import asyncio
import os
from pathlib import Path

from textual.content import Content

from backlit.model.plain import file_name
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.file_preview import LOOK_LIMIT, PICTURE_LIMIT, FilePreview, picture_kind, preview_of
from backlit.tui.attachments.preview_dialog import FilePreviewDialog
from backlit.tui.attachments.target import AttachmentTarget
from backlit.tui.attachments.transfers import Transfer
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.line import LineDialog, PathDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.images import choose_protocol
from backlit.tui.drawing.text import literal
from backlit.tui.shell import external_programs
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.paths import downloads, fault_of, folder_and_name, shown_path


def preview(target: AttachmentTarget, _call: Call) -> None:
    """Fetch the beginning of the file and show it."""
    entry = target.current_file()
    target.transfers.begin(f"Looking at {entry.name}", lambda _transfer: _show_preview(target, entry))


async def _show_preview(target: AttachmentTarget, entry: AttachmentEntry) -> None:
    images = target.session.images
    found = await _preview(target, entry, images)
    target.show(FilePreviewDialog(entry.name, found, choose_protocol(images, os.environ)))


async def _preview(target: AttachmentTarget, entry: AttachmentEntry, images: str) -> FilePreview:
    content = await target.store.transfers.look(entry.id, LOOK_LIMIT)
    if images != "off" and len(content) >= LOOK_LIMIT and picture_kind(content):
        content = await target.store.transfers.look(entry.id, PICTURE_LIMIT)
    return await asyncio.to_thread(preview_of, content, entry.name, entry.size, with_pictures=images != "off")


async def open_file(target: AttachmentTarget, _call: Call) -> None:
    """Fetch the file and hand it to $OPENER; without one, show the file's address."""
    entry = target.current_file()
    if not external_programs.opener():
        words = "OPENER names no program to open files with, such as xdg-open. The file is here; yy copies the address."
        address = target.store.transfers.address(entry.id)
        await target.ask(ReadingDialog(entry.name, [Content(words), Content(""), literal(address)]))
        return

    async def fetch(transfer: Transfer) -> None:
        folder = external_programs.folder_for_opening()
        target.open_outside(await target.store.transfers.download(entry.id, folder, transfer.progress))

    target.transfers.begin(f"Opening {entry.name}", fetch)


def copy_address(target: AttachmentTarget, _call: Call) -> None:
    """Copy the address of the file."""
    address = target.store.transfers.address(target.current_file().id)
    target.copy(address)
    target.say(f"Copied {address}")


async def save(target: AttachmentTarget, _call: Call) -> None:
    """Ask for a path and save the file there; replaces no file."""
    target.transfers.refuse_second()
    entry = target.current_file()
    name = file_name(entry.name)
    proposed = shown_path(downloads() / name)
    text = await target.ask(PathDialog("Save as", proposed, lambda text: fault_of(lambda: folder_and_name(text, name))))
    if text is None:
        return
    folder, wanted = folder_and_name(text, name)
    target.transfers.begin(f"Saving {name}", lambda transfer: _save(target, entry, folder, wanted, transfer))


async def _save(target: AttachmentTarget, entry: AttachmentEntry, folder: Path, name: str, transfer: Transfer) -> None:
    path = await target.store.transfers.download(entry.id, folder, transfer.progress, name)
    target.say(f"Saved {shown_path(path)}")


async def describe(target: AttachmentTarget, _call: Call) -> None:
    """Change the description of the file."""
    entry = target.current_file()
    kept = StoredLines(target.store, f"description:{entry.id}")
    text = await target.ask(LineDialog(f"Description of {entry.name}", entry.description, kept=kept))
    if text is not None and text != entry.description:
        await target.store.transfers.describe(entry.id, text)


async def delete(target: AttachmentTarget, _call: Call) -> None:
    """Delete the file, after a question."""
    entry = target.current_file()
    sentence = f"“{entry.name}” is deleted for everybody and for good; no copy is kept, and u does not bring it back."
    if await target.ask(ConfirmDialog("Delete the file", sentence, [Answer("y", "delete it")])) == "y":
        await target.store.transfers.delete(entry.id)


def back(target: AttachmentTarget, _call: Call) -> None:
    """Go back to the place before; raises CannotAct while a file is on its way."""
    target.transfers.refuse_second()
    target.dismiss(None)


def cancel(target: AttachmentTarget, _call: Call) -> None:
    """Cancel the file that is on its way, else go back."""
    if not target.transfers.cancel():
        target.dismiss(None)
