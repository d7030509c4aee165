"""The comments of one item: read, add, quote, copy."""

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError
from backlit.store.changes import ConnectionState, Subject
from backlit.store.rows import Item
from backlit.store.store import CommentEntry, Store
from backlit.tui.acting import CannotAct
from backlit.tui.gathered import Gathered
from backlit.tui.item_verbs import ItemVerbs
from backlit.tui.looks import type_colour, type_sign
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.widgets.comment_thread import CommentThread
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.work import work

AGE_CHECK = 60.0
ROOM_FOR_HINTS = 60
HINTS = ("comments.add", "comments.quote", "comments.copy", "app.back", "app.help")
QUOTED = 120
"""Characters of a comment that a question about it repeats."""
FEW_HINTS = ("comments.add", "app.help")


class CommentsScreen(ItemVerbs):
    """One item's thread; a temporary id is followed when the service gives the real one."""

    LOSES_NOTHING = True
    AUTO_FOCUS = "CommentThread"
    CSS_PATH = "../styles/comments.tcss"

    def __init__(self, store: Store, item_id: int) -> None:
        super().__init__(store)
        self._item_id = item_id

    def compose(self) -> ComposeResult:
        """Title, thread between rules, status."""
        yield SidesLine(id="title")
        yield RuleLine("─")
        yield CommentThread(self.store.now, id="thread")
        yield RuleLine("─")
        yield SidesLine(id="status")

    def on_mount(self) -> None:
        """Show what the mirror holds, and have it read anew."""
        self._thread = self.query_one("#thread", CommentThread)
        self._show()
        self.mark_seen(self._item_id)
        self.run_worker(work(self.store.look_at, self._item_id), group="look")
        self.set_interval(AGE_CHECK, self._thread.refresh)

    def on_unmount(self) -> None:
        """What came while the thread was on the screen was seen too."""
        self.mark_seen(self._item_id)

    def store_changed(self, gathered: Gathered) -> None:
        """Show what came; the cursor stays on its comment."""
        self._item_id = gathered.renamed.get(self._item_id, self._item_id)
        if gathered.touches(Subject.COMMENTS, self._item_id):
            self._show()
        else:
            self._draw_words()

    def _show(self) -> None:
        self._comments = self.store.comments(self._item_id)
        self._thread.show(self._comments)
        self._draw_words()

    # Words

    @on(CommentThread.Highlighted)
    def _draw_words(self) -> None:
        connection = self.store.connection
        self.query_one("#title", SidesLine).say(self._left_title(), [(f"  {self._how_many()} ", "foreground")])
        status = left_status(connection, self.store.outbox, self._thread.cursor + 1, len(self._comments))
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        self.query_one("#status", SidesLine).say(status, hints(hint_ids))
        is_there = connection.state is ConnectionState.ONLINE
        empty = "No comments yet: a adds one." if is_there else "No comments are known here: a adds one."
        if empty != self._thread.empty_text:
            self._thread.empty_text = empty
            self._thread.refresh()

    def _left_title(self) -> list[Part]:
        item = self.store.item(self._item_id)
        if item is None:
            return [(" backlit ", "accent"), (f" #{self._item_id} is not here any more", "conflict")]
        number = f" #{item.id} " if item.id > 0 else " new "
        name = str(item.fields.get("Name") or "")
        sign = (f"{type_sign(item.type)} ", type_colour(item.type))
        return [(" backlit ", "accent"), (number, "muted"), sign, (name, "foreground")]

    def _how_many(self) -> str:
        count = len(self._comments)
        return "1 comment" if count == 1 else f"{count:,} comments"

    # Commands

    def current_item(self) -> Item:
        """The item whose comments these are."""
        item = self.store.item(self._item_id)
        if item is None:
            raise CannotAct("The item is no longer there.")
        return item

    def do_item_open(self, _count: int | None) -> None:
        """Open the editor, or go back to where it is open already."""
        if any(getattr(screen, "item_id", None) == self._item_id for screen in self.app.screen_stack):
            self.dismiss()
        else:
            super().do_item_open(None)

    def do_item_comments(self, _count: int | None) -> None:
        """They are here."""
        raise CannotAct("These are the comments; q goes back.")

    def do_comments_add(self, _count: int | None) -> None:
        """Write a comment; what is typed is kept as a draft until it is journalled."""
        self._open_letter("")

    def do_comments_quote(self, _count: int | None) -> None:
        """Write a comment that begins with the one under the cursor, or goes on with it after what was kept."""
        comment = self._current()
        quoted = "\n".join(f"> {line}".rstrip() for line in comment.text.strip().splitlines()) + "\n\n"
        kept = (self.store.draft(f"comment:{self._item_id}") or {}).get("text")
        if isinstance(kept, str) and kept.strip():
            self.run_worker(work(self._quote_after, f"{kept.rstrip()}\n\n{quoted}"), group="writes")
        else:
            self._open_letter(quoted)

    async def _quote_after(self, text: str) -> None:
        await self.store.save_draft(f"comment:{self._item_id}", {"text": text})
        self._open_letter("")

    def do_comments_copy(self, _count: int | None) -> None:
        """Copy the text of the comment under the cursor."""
        text = self._current().text
        self.app.copy_to_clipboard(text)
        self.say(f"Copied the comment: {' '.join(text.split())[:60]}")

    def do_comments_delete(self, _count: int | None) -> None:
        """Delete the comment under the cursor, if it is one's own, after a question."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        comment = self._current()
        if not self.store.deletions.is_own(comment.author):
            raise CannotAct(f"{comment.author} wrote it; only your own comments can be deleted here.")

        def answered(key: str | None) -> None:
            if key == "y":
                self.run_worker(work(self._delete_comment, comment.id), group="writes")

        text = " ".join(comment.text.split())
        quoted = text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
        sentence = f"“{quoted}” is deleted for everybody; u writes it again."
        self.app.push_screen(ConfirmDialog("Delete the comment", sentence, [Answer("y", "delete it")]), answered)

    async def _delete_comment(self, comment_id: int) -> None:
        try:
            await self.store.deletions.delete_comment(comment_id)
        except BacklitError as error:
            self.say(str(error), is_bad=True)

    def do_app_refresh(self, _count: int | None) -> None:
        """Have this item read anew, and all that is new."""
        self.run_worker(work(self._refresh), exclusive=True, group="refresh")

    async def _refresh(self) -> None:
        await self.store.look_at(self._item_id)
        try:
            await self.store.refresh()
        except BacklitError as error:
            self.say(str(error), is_bad=True)

    def do_app_back(self, _count: int | None) -> None:
        """Go back to where this was opened."""
        self.dismiss()

    def do_app_unwind(self, _count: int | None) -> None:
        """Go back to where this was opened."""
        self.dismiss()

    def _current(self) -> CommentEntry:
        comment = self._thread.current
        if comment is None:
            raise CannotAct("There is no comment here yet; a adds one.")
        return comment

    def _open_letter(self, text: str) -> None:
        from backlit.tui.dialogs.compose import ComposeDialog

        item = self.store.item(self._item_id)
        if item is None:
            raise CannotAct("The item is not here any more, so it cannot be commented on.")

        draft = f"comment:{self._item_id}"

        def written(answer: str | None) -> None:
            if answer and answer.strip():
                self.run_worker(work(self._add_comment, answer.strip(), draft), group="writes")

        title = f"Comment on {item.fields.get('Name') or item.id}"
        self.app.push_screen(ComposeDialog(self.store, draft, title, text), written)

    async def _add_comment(self, text: str, draft: str) -> None:
        try:
            await self.store.comment(self._item_id, text)
        except BacklitError as error:
            self.say(f"{error} What you wrote is kept.", is_bad=True)
            return
        await self.store.discard_draft(draft)
