"""The comments of one item: the screen, and the commands to write, quote, correct, copy, delete and read them."""

from collections.abc import Mapping, Sequence

from textual import on

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
from backlit.tui.items.comment_thread import CommentThread
from backlit.tui.items.item_commands import COMMENT_DRAFT, comment_on_current, write_comment
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.items.preview import author_colours
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import Hint

AGE_CHECK = 60.0
LINES_AROUND = 5
"""Lines of the title, the name, the tabs, the rule and the footer."""
LEAST_LINES = 2
"""Lines of a thread without comments."""
LEAST_ASIDE = 6
"""Lines for the item below its thread, beside which a narrow terminal has no room for it."""
MAX_QUOTED_CHARACTERS = 120
"""Characters of a comment that a question about it repeats."""


class CommentsScreen(ItemRowsScreen):
    """The thread of comments on an item."""

    COMMAND_GROUPS = ("comments.screen", "widgets.text_view", *TAB_COMMANDS)
    AUTO_FOCUS = "CommentThread"
    CSS_PATH = "../styles/comments.tcss"
    TAB = ItemDestination.COMMENTS
    HAS_ASIDE = True
    HINTS = ("comments.add", "comments.quote", "comments.copy", "item.next-tab", "app.back", "app.help")
    HINTS_WITHOUT_ROWS = ("comments.add", "comments.external", "item.next-tab", "app.back", "app.help")
    EMPTY = ("No comments.", "No comments in the local copy.")

    def __init__(self, store: Store, item_id: int) -> None:
        self.thread = CommentThread(store.now, store.local, id="thread")
        super().__init__(store, item_id, self.thread)
        self._has_draft = False

    def on_mount(self) -> None:
        self.mark_seen(self.item_id)
        self.set_interval(AGE_CHECK, self.thread.refresh)

    def on_unmount(self) -> None:
        self.mark_seen(self.item_id)

    def show_rows(self) -> None:
        self.thread.show(self._head.comments, self.files(), author_colours(self.store.lookups.known_people()))

    def note(self) -> str:
        return "newest first" if len(self._head.comments) > 1 else ""

    def store_changed(self, changes: ChangeBatch) -> None:
        super().store_changed(changes)
        if changes.touches(Subject.DRAFTS, self.item_id):
            self.update_labels()

    def on_screen_resume(self) -> None:
        self.call_after_refresh(self.update_labels)  # a longer draft is no change of the store

    def update_labels(self) -> None:
        self._has_draft = self.store.drafts.find(COMMENT_DRAFT.format(self.item_id)) is not None
        super().update_labels()

    @property
    def hints(self) -> Sequence[Hint | str]:
        add, *others = super().hints
        return [(key_of("comments.add"), "go on with your draft", "comments.add") if self._has_draft else add, *others]

    @on(CommentThread.Highlighted)
    def _comment_highlighted(self) -> None:
        self.draw_status()

    def draw_status(self) -> None:
        super().draw_status()
        if (frame := self.thread.frame) is None:
            return
        if self.has_class("-aside"):
            frame.styles.height = None
            return
        room = self.size.height - LINES_AROUND
        lines = min(self.thread.virtual_size.height, max(room // 2, room - LEAST_ASIDE))
        frame.styles.height = max(LEAST_LINES, lines)

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
