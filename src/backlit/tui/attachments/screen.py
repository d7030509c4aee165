"""The files of one item, or of one of its comments."""

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from backlit.model.resources import friendly_size_of
from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.attachment_list import AttachmentList
from backlit.tui.attachments.transfers import Transfers
from backlit.tui.commands.command import CannotAct
from backlit.tui.items.item_screen import ItemRowsScreen
from backlit.tui.shell import external_programs
from backlit.tui.shell.target import ItemPlace
from backlit.tui.widgets.line_list import LineList


class AttachmentsScreen(ItemRowsScreen):
    """A list of files."""

    COMMAND_GROUPS = ("attachments.file_commands",)
    AUTO_FOCUS = "AttachmentList"
    CSS_PATH = "../styles/attachments.tcss"
    SUBJECTS = (Subject.ATTACHMENTS,)
    HINTS = (
        *("attachments.upload", "attachments.look", "attachments.open", "attachments.save", "attachments.describe"),
        *("attachments.delete", "app.help"),
    )
    FEW_HINTS = ("attachments.upload", "attachments.look", "attachments.save", "app.help")
    ROOM_FOR_HINTS = 80
    EMPTY = ("No files. a to attach one.", "No files in the local copy.")

    def __init__(self, store: Store, item_id: int, comment_id: int | None = None) -> None:
        files = AttachmentList(store.now, id="files")
        super().__init__(store, item_id, files)
        self.comment_id = comment_id
        self.transfers = Transfers(self, self.draw_status)
        self._files = files

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None]:
        """The files of the item, or of the comment."""
        return self.item_id, ItemPlace.ATTACHMENTS, self.comment_id

    def compose(self) -> ComposeResult:
        """Yield the files in their frame."""
        yield from self.framed(self._files)

    def show_rows(self) -> None:
        """Show the files of the item, or of the comment."""
        found = self.store.attachments.of_item(self.item_id)
        self._files.show([each for each in found if self.comment_id in {None, each.comment_id}])

    def count_text(self) -> str:
        """Return the number of files and their size."""
        entries = self._files.entries
        count = len(entries)
        total = friendly_size_of(sum(each.size or 0 for each in entries)) if count else ""
        whose = " of a comment" if self.comment_id is not None else ""
        return ("1 file" if count == 1 else f"{count:,} files") + whose + (f"  {total}" if total else "")

    @on(LineList.Highlighted)
    def _file_highlighted(self) -> None:
        self.draw_words()

    def draw_status(self) -> None:
        """Show the progress of a transfer, else the place of the cursor."""
        transfer = self.transfers.current
        if transfer is None:
            super().draw_status()
        else:
            self._status.say(transfer.parts(), [("  esc cancels ", "muted")] if transfer.total else [])

    def current_file(self) -> AttachmentEntry:
        """Return the file under the cursor; raises CannotAct without one."""
        entry = self._files.current
        if entry is None:
            raise CannotAct("There are no files. a to attach one.")
        return entry

    def show(self, dialog: Screen[None]) -> None:
        """Show a dialog without waiting for it."""
        self.app.push_screen(dialog)

    def open_outside(self, path: Path) -> None:
        """Show a file with the user's own program; raises CannotAct where that fails."""
        external_programs.open_file(self.app, path)

    async def may_leave(self) -> bool:
        """Return True; raises CannotAct while a file is on its way."""
        self.transfers.refuse_second()
        return True

    def stop_running(self) -> bool:
        """Cancel the transfer; returns False without one."""
        return self.transfers.cancel()

    @on(LineList.Chosen)
    def _file_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("attachments.look")
