"""Commands on attached files: attach, preview, open, save, describe, delete."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from textual.content import Content

from backlit.model.amounts import size_text
from backlit.model.errors import BacklitError, sentence_of
from backlit.model.plain import local_file_name
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.file_preview import (
    PICTURE_BYTES,
    PREVIEW_BYTES,
    FilePreview,
    FilePreviewDialog,
    picture_kind,
    preview_of,
)
from backlit.tui.attachments.screen import AttachmentsScreen, Transfer
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import LineDialog, PathDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.images import choose_protocol
from backlit.tui.drawing.text import literal
from backlit.tui.shell import external_programs
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.paths import downloads, fault_of, files_in, folder_and_name, shown_path

ASK_FROM_BYTES = 10 * 1024 * 1024
"""Bytes from which a question comes before attaching; the limit of the service is not known."""


def preview(target: AttachmentsScreen, _call: CommandContext) -> None:
    entry, asked_at = target.current_file(), cast("ChordApp", target.app).input.handled_at
    target.transfers.begin(f"Looking at {entry.name}", lambda _transfer: _show_preview(target, entry, asked_at))


async def _show_preview(target: AttachmentsScreen, entry: AttachmentEntry, asked_at: float) -> None:
    images = target.session.images
    found = await _preview(target, entry, images)
    app = cast("ChordApp", target.app)
    is_late = await app.pause_in_typing(asked_at)
    dialog = FilePreviewDialog(entry.name, found, choose_protocol(images, os.environ))
    app.push_screen(dialog)
    if is_late:
        app.drop_text_until_drawn(dialog)


async def _preview(target: AttachmentsScreen, entry: AttachmentEntry, images: str) -> FilePreview:
    content = await target.store.transfers.look(entry.id, PREVIEW_BYTES)
    if images != "off" and len(content) >= PREVIEW_BYTES and picture_kind(content):
        content = await target.store.transfers.look(entry.id, PICTURE_BYTES)
    return await asyncio.to_thread(preview_of, content, entry.name, entry.size, with_pictures=images != "off")


async def open_file(target: AttachmentsScreen, _call: CommandContext) -> None:
    """Fetch the file and hand it to $OPENER; without one, show the file's address, if it has one."""
    entry = target.current_file()
    app = cast("ChordApp", target.app)
    if not external_programs.opener(app):
        fault = "OPENER names no program to open files with, such as xdg-open."
        if target.store.is_inside:
            raise CannotAct(f"{fault} {key_of('attachments.save')} saves the file.")
        words = f"{fault} The file is here; {key_of('attachments.copy')} copies the address."
        address = target.store.transfers.address(entry.id)
        await target.ask(ReadingDialog(entry.name, [Content(words), Content(""), literal(address)]))
        return

    asked_at = app.input.handled_at

    async def fetch(transfer: Transfer) -> None:
        folder = external_programs.folder_for_opening()
        path = await target.store.transfers.download(entry.id, folder, transfer.progress)
        await app.pause_in_typing(asked_at)  # the program gets the terminal, with the keys
        external_programs.open_file(app, path)

    target.transfers.begin(f"Opening {entry.name}", fetch)


def copy_address(target: AttachmentsScreen, _call: CommandContext) -> None:
    """Copy the address of the file; raises CannotAct where no other program could use it."""
    entry = target.current_file()
    if target.store.is_inside:
        way = f"{key_of('attachments.save')} saves the file."
        raise CannotAct(f"{entry.name} has no address: this workspace is only inside backlit. {way}")
    address = target.store.transfers.address(entry.id)
    target.copy(address, f"Copied {address}")


async def save(target: AttachmentsScreen, _call: CommandContext) -> None:
    """Ask for a path and save the file there; replaces no file."""
    target.transfers.refuse_second()
    entry = target.current_file()
    name = local_file_name(entry.name)
    proposed = shown_path(downloads() / name)
    kept = StoredLines(target.store, f"save:{entry.id}")
    dialog = PathDialog("Save as", proposed, lambda text: fault_of(lambda: folder_and_name(text, name)), kept=kept)
    text = await target.ask(dialog)
    if text is None:
        return
    folder, wanted = folder_and_name(text, name)
    target.transfers.begin(f"Saving {name}", lambda transfer: _save(target, entry, folder, wanted, transfer))


async def _save(target: AttachmentsScreen, entry: AttachmentEntry, folder: Path, name: str, transfer: Transfer) -> None:
    path = await target.store.transfers.download(entry.id, folder, transfer.progress, name)
    target.say(f"Saved {shown_path(path)}")


async def describe(target: AttachmentsScreen, _call: CommandContext) -> None:
    target.store.lookups.need_writer()
    entry = target.current_file()
    kept = StoredLines(target.store, f"description:{entry.id}")
    text = await target.ask(LineDialog(f"Description of {entry.name}", entry.description, kept=kept))
    if text is not None and text != entry.description:
        await target.store.transfers.describe(entry.id, text)
        target.say(f"{entry.name} has {'another description' if text else 'no description any more'}.")


async def delete(target: AttachmentsScreen, _call: CommandContext) -> None:
    target.store.lookups.need_writer()
    entry = target.current_file()
    sentence = f"“{entry.name}” is deleted for everybody and for good; no copy is kept, and u does not bring it back."
    if await target.ask(ConfirmDialog("Delete the file", sentence, [AnswerKey("y", "delete it")])) == "y":
        await target.store.transfers.delete(entry.id)
        target.say(f"Deleted {entry.name}.")


def back(target: AttachmentsScreen, _call: CommandContext) -> None:
    """Go back to the place before; raises CannotAct while a file is on its way."""
    target.transfers.refuse_second()
    target.dismiss(None)


def cancel(target: AttachmentsScreen, _call: CommandContext) -> None:
    if not target.transfers.cancel():
        target.dismiss(None)


# Attaching


async def attach(target: AttachmentsScreen, call: CommandContext) -> None:
    """Ask for files, then attach them; after a question, for customers to see where the command's argument says so."""
    kind = FOR_CUSTOMERS if call.command.argument else None
    target.store.lookups.need_writer()
    target.transfers.refuse_second()
    if target.current().id < 0:
        raise CannotAct("The server does not have this item yet. Attach files once it is sent.")
    note = "A path, or a pattern such as ~/shots/*.png."
    if target.comment_id is not None:
        note += " It goes to the comment, where the server takes files for comments."
    title = "Attach for customers" if kind else "Attach"
    kept = StoredLines(target.store, f"attach:{target.current().id}")
    text = await target.ask(PathDialog(title, "", lambda text: fault_of(lambda: files_in(text)), note, kept))
    if text is None:
        return
    paths = files_in(text)
    if await _is_agreed(target, paths, kind):
        label = f"Attaching {paths[0].name}"
        target.transfers.begin(label, lambda transfer: _upload(target, paths, kind, transfer))


async def _is_agreed(target: AttachmentsScreen, paths: Sequence[Path], kind: str | None) -> bool:
    try:
        size = sum(path.stat().st_size for path in paths)
    except OSError as error:
        raise CannotAct(f"{error.filename} cannot be read: {error.strerror}.") from error
    if size <= ASK_FROM_BYTES and kind is None:
        return True
    named = paths[0].name if len(paths) == 1 else f"{len(paths):,} files"
    sentence = f"{named}, {size_text(size)}." + (" Customers see them." if kind else "")
    return await target.ask(ConfirmDialog("Attach", sentence, [AnswerKey("y", "attach")], "cancel")) == "y"


async def _upload(target: AttachmentsScreen, paths: Sequence[Path], kind: str | None, transfer: Transfer) -> None:
    for done, path in enumerate(paths):
        place = f" ({done + 1:,} of {len(paths):,})" if len(paths) > 1 else ""
        transfer.begin(f"Attaching {path.name}{place}")
        try:
            await target.store.transfers.upload(target.item_id, path, transfer.progress, target.comment_id, kind)
        except BacklitError as error:
            so_far = f" {done:,} of {len(paths):,} files were attached." if len(paths) > 1 else ""
            raise CannotAct(f"{sentence_of(error)}{so_far}") from error
    target.say(f"Attached {paths[0].name}." if len(paths) == 1 else f"Attached {len(paths):,} files.")
