"""The comments of one item: the screen, and the commands to write, quote, correct, copy, delete and read them."""

from collections.abc import Mapping, Sequence

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, sentence_of
from backlit.store.edits.checks import quoted
from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry, CommentEntry
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.compose import ComposedComment
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.items.brief_files import BriefFiles
from backlit.tui.items.comment_thread import CommentThread
from backlit.tui.items.item_commands import COMMENT_DRAFT, comment_on_current, write_comment
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.items.latest_changes import (
    LEAST_CHANGES,
    MAX_LINES_OF_CHANGE,
    MOST_CHANGES,
    LatestChanges,
    read_newest,
)
from backlit.tui.items.preview import author_colours
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import TwoSidedLine

AGE_CHECK = 60.0
LINES_AROUND = 6
"""Lines of the title, the head, the rule, the footer, and a blank above the thread."""
LEAST_LINES = 2
"""Lines of a thread without comments."""
THREAD_MARGIN, SECTION_LINES = 1, 2
"""Blank lines above the thread, and the blank and the head of what is below it."""
LEAST_ASIDE = 6
"""Lines for the item below its thread, beside which a narrow terminal has no room for it."""
MAX_QUOTED_CHARACTERS = 120
"""Characters of a comment that a question about it repeats."""


class NewComment(Static):
    """The line to write a comment in, which a click begins; it shows the draft that is kept for later."""

    def __init__(self) -> None:
        super().__init__(id="add")
        self._draft = ""

    def show(self, draft: str) -> None:
        """Show a text that was begun, if any."""
        self._draft = " ".join(draft.split())
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        """Draw the key as a cap where caps have a ground."""
        cap = ThemeStyles.of(self.app).cap(key_of("comments.add")).text
        key = (cap, "bold on $key-background") if cap.strip() != cap else (cap, "bold")
        begun = (" draft  ", "$pending"), (safe(self._draft), "$foreground")
        self.update(Content.assemble(key, *(begun if self._draft else [(" Add a comment …", "$muted")])))

    def on_click(self) -> None:
        self.post_message(TwoSidedLine.Asked("comments.add"))


class CommentsScreen(ItemRowsScreen):
    """The thread of comments on an item."""

    COMMAND_GROUPS = ("comments.screen", "widgets.text_view", *TAB_COMMANDS)
    AUTO_FOCUS = "CommentThread"
    CSS_PATH = "../styles/comments.tcss"
    TAB = ItemDestination.COMMENTS
    HAS_ASIDE = True
    HINTS = ("app.back", "comments.quote", "item.next-tab", "comments.external", "comments.copy", "app.help")
    HINTS_WITHOUT_ROWS = ("comments.add", "app.back", "comments.external", "item.next-tab", "app.help")
    EMPTY = ("No comments.", "No comments in the local copy.")

    def __init__(self, store: Store, item_id: int) -> None:
        thread = CommentThread(store.now, store.local, id="thread")
        super().__init__(store, item_id, thread)
        self.thread = thread
        self._add, self._files, self._latest = NewComment(), BriefFiles(store), LatestChanges(store)
        self._column = Vertical(self._add, thread, self._files, self._latest)
        self._frame = PaneFrame(self._column, thread, id="body-frame")

    def on_mount(self) -> None:
        self.mark_seen(self.item_id)
        self.set_interval(AGE_CHECK, self.thread.refresh)

    def on_resize(self) -> None:
        super().on_resize()
        self._show_around()
        if self.has_class("-aside"):
            self.run_worker(work(self._read_changes), exclusive=True, group="look at")

    async def _read_changes(self) -> None:
        await read_newest(self.store, self.item_id)
        if self.is_attached:
            self._show_around()

    def _show_around(self) -> None:
        """Show the files and the latest changes below the thread, where it leaves room."""
        item = self.store.item(self.item_id)
        if item is not None and self.has_class("-aside"):
            self._latest.show(item)
            self._files.show(self._head.files)
            self.draw_status()

    def on_unmount(self) -> None:
        self.mark_seen(self.item_id)

    def show_rows(self) -> None:
        colours = author_colours(self.store.lookups.known_people())
        self.thread.show(self._head.comments, self.files(), colours)
        self._show_around()

    def note(self) -> str:
        return "newest first" if len(self._head.comments) > 1 else ""

    def store_changed(self, changes: ChangeBatch) -> None:
        super().store_changed(changes)
        if changes.touches(Subject.DRAFTS, self.item_id):
            self._show_draft()

    def on_screen_resume(self) -> None:
        self.call_after_refresh(self._show_draft)  # a longer draft is no change of the store

    def _show_draft(self) -> None:
        kept = self.store.drafts.find(COMMENT_DRAFT.format(self.item_id)) or {}
        self._add.show(str(kept.get("text") or ""))

    def update_labels(self) -> None:
        self._add.display = not self.store.lookups.is_read_only
        self._show_draft()
        super().update_labels()

    @on(CommentThread.Highlighted)
    def _comment_highlighted(self) -> None:
        self.draw_status()

    def draw_status(self) -> None:
        super().draw_status()
        add = bool(self._add.display)
        if not self.has_class("-aside"):
            room = self.size.height - LINES_AROUND - add
            lines = min(self.thread.virtual_size.height, max(room // 2, room - LEAST_ASIDE))
            _set_height(self.thread, max(LEAST_LINES, lines))
            self._files.display = self._latest.display = False
            return
        lines = max(LEAST_LINES, self.thread.virtual_size.height)
        rest = self._column.size.height - add - THREAD_MARGIN - lines
        for section, most, least in (
            (self._files, len(self._head.files), 1),
            (self._latest, min(self._latest.count, MOST_CHANGES) * MAX_LINES_OF_CHANGE, LEAST_CHANGES),
        ):
            shown = min(most, rest - SECTION_LINES)
            section.display = shown >= min(most, least) > 0
            if section.display:
                _set_height(section, shown + 1)
                rest -= shown + SECTION_LINES
        is_alone = not (self._files.display or self._latest.display)
        _set_height(self.thread, "1fr" if is_alone else lines)

    def files(self) -> Mapping[int, Sequence[AttachmentEntry]]:
        """Return the files of the comments, by the comment's id."""
        found: dict[int, list[AttachmentEntry]] = {}
        for each in self._head.files:
            if each.comment_id is not None:
                found.setdefault(each.comment_id, []).append(each)
        return found

    def current_comment(self) -> CommentEntry:
        """Return the comment under the cursor; raises CannotAct without one."""
        comment = self.thread.current
        if comment is None:
            raise CannotAct("Nothing selected.")
        return comment

    async def add_comment(self, _call: CommandContext) -> None:
        """Write a comment; a draft keeps the text until it is journalled."""
        await comment_on_current(self)

    async def add_from_editor(self, _call: CommandContext) -> None:
        """Write an internal comment in the user's own editor, beginning with the draft."""
        self.store.lookups.need_writer()
        self.current()
        key = COMMENT_DRAFT.format(self.item_id)
        kept = str((self.store.drafts.find(key) or {}).get("text") or "")
        text = self.edit_outside(kept, ".md")
        if not text.strip() or text == kept:
            self.say("Nothing was changed; the draft is still there." if kept else "Nothing was written.")
            return
        await self.store.drafts.save(key, {"text": text})  # on the disk first, then journalled
        try:
            await self.store.items.comment(self.item_id, text.strip())
        except BacklitError as error:
            raise CannotAct(f"{sentence_of(error)} Your text is kept.") from error
        await self.store.drafts.discard(key)

    async def quote_comment(self, _call: CommandContext) -> None:
        comment = self.current_comment()
        quotation = quoted(comment.text)
        key = COMMENT_DRAFT.format(self.item_id)
        kept = self.store.drafts.find(key) or {}
        text = kept.get("text")
        if isinstance(text, str) and text.strip():
            await self.store.drafts.save(key, {**kept, "text": f"{text.rstrip()}\n\n{quotation}"})
            quotation = ""
        await comment_on_current(self, quotation)

    async def correct_comment(self, _call: CommandContext) -> None:
        """Say that comments cannot be changed, and offer to post a corrected copy."""
        self.store.lookups.need_writer()
        comment = self.current_comment()
        answers = [AnswerKey("c", "write a corrected copy")]
        sentence = "The interface has no way to change a comment. A corrected copy is a new one, at the end."
        if self.store.deletions.is_own(comment.author):
            answers.append(AnswerKey("d", "the same, and delete this one when it is sent off"))
            sentence += f" Deleting this one loses its time and its place{self._files_lost(comment)} for good."
        key = await self.ask(ConfirmDialog("Correct the comment", sentence, answers, "cancel"))
        if key is None:
            return
        self.current()
        begun = ComposedComment(comment.text, for_customers=not comment.is_internal)
        is_sent = await write_comment(self, self.item_id, f"correct:{comment.id}", "Corrected copy", begun)
        if is_sent and key == "d":
            await self.store.deletions.delete_comment(comment.id)

    async def delete_comment(self, _call: CommandContext) -> None:
        """Delete the comment under the cursor after a question; raises CannotAct for somebody else's."""
        self.store.lookups.need_writer()
        comment = self.current_comment()
        if not self.store.deletions.is_own(comment.author):
            raise CannotAct(f"{comment.author} wrote it; only your own comments can be deleted here.")
        text = " ".join(comment.text.split())
        shown = text if len(text) <= MAX_QUOTED_CHARACTERS else text[: MAX_QUOTED_CHARACTERS - 1] + "…"
        files = self._files_lost(comment).removeprefix(" and")
        again = f"{key_of('app.undo')} writes it again{f', without{files}' if files else ''}"
        sentence = f"“{shown}” is deleted for everybody; {again}."
        if await self.ask(ConfirmDialog("Delete the comment", sentence, [AnswerKey("y", "delete it")])) == "y":
            await self.store.deletions.delete_comment(comment.id)

    def _files_lost(self, comment: CommentEntry) -> str:
        count = len(self.files().get(comment.id, ()))
        return f" and its {counted(count, 'file')}" if count else ""

    def copy_comment(self, _call: CommandContext) -> None:
        text = self.current_comment().text
        self.copy(text, f"Copied the comment: {' '.join(text.split())[:60]}")

    def open_files(self, _call: CommandContext) -> None:
        comment = self.current_comment()
        if comment.id < 0:
            raise CannotAct("The server does not have this comment yet. Attach files once it is sent.")
        self.open(self.item_id, ItemDestination.ATTACHMENTS, comment.id)

    def refresh_comments(self, _call: CommandContext) -> None:
        self.run_worker(work(self.store.look_at, self.item_id), group="look")
        self.run_command("app.refresh")


def _set_height(widget: Widget, height: int | str) -> None:
    if str(widget.styles.height) != str(height):
        widget.styles.height = height
