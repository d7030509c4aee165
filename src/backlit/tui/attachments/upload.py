"""Commands that attach files to an item or to a comment: the paths are asked for, the files sent one by one."""

from collections.abc import Sequence
from pathlib import Path

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.resources import friendly_size_of
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.tui.attachments.target import AttachmentTarget
from backlit.tui.attachments.transfers import Transfer
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.line import PathDialog
from backlit.tui.shell.paths import fault_of, files_in

LARGE = 10 * 1024 * 1024
"""Bytes from which a question comes before attaching; the limit of the service is not known (FEATURES rule 46)."""


async def attach(target: AttachmentTarget, _call: Call) -> None:
    """Ask for files, then attach them."""
    await _attach(target, None)


async def attach_for_customers(target: AttachmentTarget, _call: Call) -> None:
    """Ask for files, then attach them for customers to see, after a question."""
    await _attach(target, FOR_CUSTOMERS)


async def _attach(target: AttachmentTarget, kind: str | None) -> None:
    target.transfers.refuse_second()
    if target.current().id < 0:
        raise CannotAct("The server does not have this item yet. Attach files once it is sent.")
    note = "A path, or a pattern such as ~/shots/*.png."
    if target.comment_id is not None:
        note += " It goes to the comment, where the service takes files for comments."
    title = "Attach for customers" if kind else "Attach"
    text = await target.ask(PathDialog(title, "", lambda text: fault_of(lambda: files_in(text)), note))
    if text is None:
        return
    paths = files_in(text)
    if await _is_agreed(target, paths, kind):
        label = f"Attaching {paths[0].name}"
        target.transfers.begin(label, lambda transfer: _upload(target, paths, kind, transfer))


async def _is_agreed(target: AttachmentTarget, paths: Sequence[Path], kind: str | None) -> bool:
    """Ask before much is attached, or files that customers see."""
    try:
        size = sum(path.stat().st_size for path in paths)
    except OSError as error:
        raise CannotAct(f"{error.filename} cannot be read: {error.strerror}.") from error
    if size <= LARGE and kind is None:
        return True
    named = paths[0].name if len(paths) == 1 else f"{len(paths):,} files"
    sentence = f"{named}, {friendly_size_of(size)}." + (" Customers see them." if kind else "")
    return await target.ask(ConfirmDialog("Attach", sentence, [Answer("y", "attach")], "leave it")) == "y"


async def _upload(target: AttachmentTarget, paths: Sequence[Path], kind: str | None, transfer: Transfer) -> None:
    for done, path in enumerate(paths):
        place = f" ({done + 1:,} of {len(paths):,})" if len(paths) > 1 else ""
        transfer.begin(f"Attaching {path.name}{place}")
        try:
            await target.store.transfers.upload(target.item_id, path, transfer.progress, target.comment_id, kind)
        except BacklitError as error:
            so_far = f" {done:,} of {len(paths):,} files were attached." if len(paths) > 1 else ""
            raise CannotAct(f"{sentence_of(error)}{so_far}") from error
    target.say(f"Attached {paths[0].name}." if len(paths) == 1 else f"Attached {len(paths):,} files.")
