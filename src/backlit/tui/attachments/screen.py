"""The files of one item, or of one of its comments."""

from pathlib import Path
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from backlit.model.resources import friendly_size_of
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.attachment_list import AttachmentList
from backlit.tui.attachments.transfers import Transfers
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.drawing.theme_styles import type_colour, type_sign
from backlit.tui.shell import external_programs
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.status_text import left_status, timer_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemPlace
from backlit.tui.shell.workers import work
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import Part, RuleLine, SidesLine, hints

ROOM_FOR_HINTS = 80
HINTS = (
    *("attachments.upload", "attachments.look", "attachments.open", "attachments.save", "attachments.describe"),
    *("attachments.delete", "app.help"),
)
FEW_HINTS = ("attachments.upload", "attachments.look", "attachments.save", "app.help")


class AttachmentsScreen(StoreScreen[None]):
    """A list of files; a temporary id is followed when the service gives the real one."""

    COMMAND_GROUPS = ("attachments.file_commands", "attachments.upload")
    AUTO_FOCUS = "AttachmentList"
    CSS_PATH = "../styles/attachments.tcss"

    def __init__(self, store: Store, item_id: int, comment_id: int | None = None) -> None:
        super().__init__(store)
        self.item_id = item_id
        self.comment_id = comment_id
        self.transfers = Transfers(self, self._draw_status)

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None]:
        """The files of the item, or of the comment."""
        return self.item_id, ItemPlace.ATTACHMENTS, self.comment_id

    def compose(self) -> ComposeResult:
        """Title, files between rules, status."""
        yield SidesLine(id="title")
        yield RuleLine("─")
        yield AttachmentList(self.store.now, id="files")
        yield RuleLine("─")
        yield SidesLine(id="status")

    def on_mount(self) -> None:
        """Show what the mirror holds, and have it read anew."""
        self._list = self.query_one("#files", AttachmentList)
        self._show()
        self.run_worker(work(self.store.look_at, self.item_id), group="look at")

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show what came; the cursor stays on its file."""
        self.item_id = changes.renamed.get(self.item_id, self.item_id)
        if changes.touches(Subject.ATTACHMENTS, self.item_id):
            self._show()
        else:
            self._draw_status()

    def _show(self) -> None:
        found = self.store.attachments.of_item(self.item_id)
        self._entries = [each for each in found if self.comment_id in {None, each.comment_id}]
        is_there = self.store.connection.state is ConnectionState.ONLINE
        self._list.empty_text = "No files yet: a attaches one." if is_there else "No files are known here."
        self._list.show(self._entries)
        self._draw_words()

    # Words

    @on(LineList.Highlighted)
    def _draw_words(self) -> None:
        self.query_one("#title", SidesLine).say(self._left_title(), [(f"  {self._how_many()} ", "foreground")])
        self._draw_status()

    def _draw_status(self) -> None:
        """Show the progress of a transfer, else the place of the cursor."""
        status = self.query_one("#status", SidesLine)
        transfer = self.transfers.current
        if transfer is not None:
            status.say(transfer.parts(), [("  esc cancels ", "muted")] if transfer.total else [])
            return
        at = left_status(self.store.connection, self.store.outbox, self._list.cursor + 1, len(self._entries))
        left = [*at, *timer_words(self.store)]
        status.say(left, hints(HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS))

    def _left_title(self) -> list[Part]:
        item = self.store.item(self.item_id)
        if item is None:
            return [(" backlit ", "accent"), (f" #{self.item_id} is not here any more", "conflict")]
        number = f" #{item.id} " if item.id > 0 else " new "
        sign = (f"{type_sign(item.type)} ", type_colour(item.type))
        name = str(item.fields.get("Name") or "")
        return [(" backlit ", "accent"), (number, "muted"), sign, (name, "foreground")]

    def _how_many(self) -> str:
        count = len(self._entries)
        total = friendly_size_of(sum(each.size or 0 for each in self._entries)) if count else ""
        whose = " of a comment" if self.comment_id is not None else ""
        return ("1 file" if count == 1 else f"{count:,} files") + whose + (f"  {total}" if total else "")

    def current_file(self) -> AttachmentEntry:
        """Return the file under the cursor; raises CannotAct without one."""
        entry = self._list.current
        if entry is None:
            raise CannotAct("There is no file here yet; a attaches one.")
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
        cast("ChordApp", self.app).run_command(COMMAND_BY_ID["attachments.look"])
