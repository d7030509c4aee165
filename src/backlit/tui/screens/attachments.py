"""The files of one item, or of one of its comments: look, attach, open, save, describe, delete."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.content import Content

from backlit.model.attachments import friendly_size_of
from backlit.model.errors import BacklitError
from backlit.model.file_names import file_name
from backlit.store.attachments import AttachmentEntry
from backlit.store.changes import ConnectionState, Subject
from backlit.tui import opener
from backlit.tui.acting import CannotAct
from backlit.tui.attaching import Attaching, fault_of
from backlit.tui.carrying import Carried
from backlit.tui.chord_app import ChordApp
from backlit.tui.commands import COMMAND_BY_ID
from backlit.tui.gathered import Gathered
from backlit.tui.log_verbs import timer_words
from backlit.tui.looks import type_colour, type_sign
from backlit.tui.paths import downloads, folder_and_name, shown_path
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.text import literal
from backlit.tui.widgets.attachment_list import AttachmentList
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.work import work

ROOM_FOR_HINTS = 80
HINTS = (
    *("attachments.upload", "attachments.look", "attachments.open", "attachments.save", "attachments.describe"),
    *("attachments.delete", "app.help"),
)
FEW_HINTS = ("attachments.upload", "attachments.look", "attachments.save", "app.help")


class AttachmentsScreen(Attaching):
    """A list of files; a temporary id is followed when the service gives the real one."""

    LOSES_NOTHING = True
    AUTO_FOCUS = "AttachmentList"
    CSS_PATH = "../styles/attachments.tcss"

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
        self.run_worker(work(self.store.look_at, self._item_id), group="look at")

    def store_changed(self, gathered: Gathered) -> None:
        """Show what came; the cursor stays on its file."""
        self._item_id = gathered.renamed.get(self._item_id, self._item_id)
        if gathered.touches(Subject.ATTACHMENTS, self._item_id):
            self._show()
        else:
            self.draw_carried()

    def _show(self) -> None:
        found = self.store.attachments.of_item(self._item_id)
        self._entries = [each for each in found if self._comment_id in {None, each.comment_id}]
        is_there = self.store.connection.state is ConnectionState.ONLINE
        self._list.empty_text = "No files yet: a attaches one." if is_there else "No files are known here."
        self._list.show(self._entries)
        self._draw_words()

    # Words

    @on(LineList.Highlighted)
    def _draw_words(self) -> None:
        self.query_one("#title", SidesLine).say(self._left_title(), [(f"  {self._how_many()} ", "foreground")])
        self.draw_carried()

    def draw_carried(self) -> None:
        """How far a transfer is, else where the cursor is."""
        status = self.query_one("#status", SidesLine)
        if self.carried is not None:
            status.say(self.carried.parts(), [("  esc cancels ", "muted")] if self.carried.total else [])
            return
        at = left_status(self.store.connection, self.store.outbox, self._list.cursor + 1, len(self._entries))
        left = [*at, *timer_words(self.store)]
        status.say(left, hints(HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS))

    def _left_title(self) -> list[Part]:
        item = self.store.item(self._item_id)
        if item is None:
            return [(" backlit ", "accent"), (f" #{self._item_id} is not here any more", "conflict")]
        number = f" #{item.id} " if item.id > 0 else " new "
        sign = (f"{type_sign(item.type)} ", type_colour(item.type))
        name = str(item.fields.get("Name") or "")
        return [(" backlit ", "accent"), (number, "muted"), sign, (name, "foreground")]

    def _how_many(self) -> str:
        count = len(self._entries)
        total = friendly_size_of(sum(each.size or 0 for each in self._entries)) if count else ""
        whose = " of a comment" if self._comment_id is not None else ""
        return ("1 file" if count == 1 else f"{count:,} files") + whose + (f"  {total}" if total else "")

    def _current(self) -> AttachmentEntry:
        entry = self._list.current
        if entry is None:
            raise CannotAct("There is no file here yet; a attaches one.")
        return entry

    # Looking and opening

    @on(LineList.Chosen)
    def _file_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        cast("ChordApp", self.app).run_command(COMMAND_BY_ID["attachments.look"])

    def do_attachments_look(self, _count: int | None) -> None:
        """Fetch the beginning of the file and show it."""
        entry = self._current()
        self.carry(f"Looking at {entry.name}", lambda _carried: self._look(entry))

    async def _look(self, entry: AttachmentEntry) -> None:
        from backlit.tui.dialogs.look import LookDialog
        from backlit.tui.file_looks import LOOK_LIMIT, PICTURE_LIMIT, look_of, picture_kind
        from backlit.tui.pictures import way_of

        images = cast("ChordApp", self.app).images
        content = await self.store.transfers.look(entry.id, LOOK_LIMIT)
        if images != "off" and len(content) >= LOOK_LIMIT and picture_kind(content):
            content = await self.store.transfers.look(entry.id, PICTURE_LIMIT)
        look = await asyncio.to_thread(look_of, content, entry.name, entry.size, with_pictures=images != "off")
        self.app.clear_notifications()  # one that went away would leave a hole in a picture
        self.app.push_screen(LookDialog(entry.name, look, way_of(images, os.environ)))

    def do_attachments_open(self, _count: int | None) -> None:
        """Fetch the file and hand it to $OPENER; without one show where it is."""
        entry = self._current()
        if opener.opener():
            self.carry(f"Opening {entry.name}", lambda carried: self._open(entry, carried))
            return
        from backlit.tui.dialogs.reading import ReadingDialog

        words = "OPENER names no program to open files with, such as xdg-open. The file is here; yy copies the address."
        address = self.store.transfers.address(entry.id)
        self.app.push_screen(ReadingDialog(entry.name, [Content(words), Content(""), literal(address)]))

    async def _open(self, entry: AttachmentEntry, carried: Carried) -> None:
        folder = opener.folder_for_opening()
        path = await self.store.transfers.download(entry.id, folder, carried.progress)
        opener.open_file(self.app, path)

    def do_attachments_copy(self, _count: int | None) -> None:
        """Copy where the file is."""
        address = self.store.transfers.address(self._current().id)
        self.app.copy_to_clipboard(address)
        self.say(f"Copied {address}")

    # Saving

    def do_attachments_save(self, _count: int | None) -> None:
        """Ask where to, then save; over nothing that is there."""
        from backlit.tui.dialogs.path import PathDialog

        self.must_be_free()
        entry = self._current()
        name = file_name(entry.name)

        def check(text: str) -> str | None:
            return fault_of(lambda: folder_and_name(text, name))

        def typed(text: str | None) -> None:
            if text is not None:
                folder, wanted = folder_and_name(text, name)
                self.carry(f"Saving {name}", lambda carried: self._save(entry, folder, wanted, carried))

        self.app.push_screen(PathDialog("Save as", shown_path(downloads() / name), check), typed)

    async def _save(self, entry: AttachmentEntry, folder: Path, name: str, carried: Carried) -> None:
        path = await self.store.transfers.download(entry.id, folder, carried.progress, name)
        self.say(f"Saved {shown_path(path)}")

    # Describing and deleting

    def do_attachments_describe(self, _count: int | None) -> None:
        """Change what the file is about."""
        from backlit.tui.dialogs.line import LineDialog

        entry = self._current()

        def typed(text: str | None) -> None:
            if text is not None and text != entry.description:
                self._write(lambda: self.store.transfers.describe(entry.id, text))

        self.app.push_screen(LineDialog(f"Description of {entry.name}", entry.description), typed)

    def do_attachments_delete(self, _count: int | None) -> None:
        """Delete the file, after a question."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        entry = self._current()

        def answered(key: str | None) -> None:
            if key == "y":
                self._write(lambda: self.store.transfers.delete(entry.id))

        sentence = (
            f"“{entry.name}” is deleted for everybody and for good; no copy is kept, and u does not bring it back."
        )
        self.app.push_screen(ConfirmDialog("Delete the file", sentence, [Answer("y", "delete it")]), answered)

    def _write(self, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.run_worker(work(self._written, act), group="writes")

    async def _written(self, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await act()
        except BacklitError as error:
            self.say(str(error), is_bad=True)

    # Leaving

    def do_app_back(self, _count: int | None) -> None:
        """Go back to where this was opened, unless a file is on its way."""
        self.must_be_free()
        self.dismiss()

    def do_app_unwind(self, _count: int | None) -> None:
        """Cancel what is on its way, else go back."""
        if not self.stop_running():
            self.dismiss()
