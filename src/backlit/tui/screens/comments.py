"""The comments of one item, to be read; what is done with them is in `comment_verbs`."""

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError
from backlit.store.changes import ConnectionState, Subject
from backlit.store.rows import Item
from backlit.store.store import CommentEntry
from backlit.tui.acting import CannotAct
from backlit.tui.comment_verbs import CommentVerbs
from backlit.tui.gathered import Gathered
from backlit.tui.log_verbs import timer_words
from backlit.tui.looks import type_colour, type_sign
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.widgets.comment_thread import CommentThread
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.work import work

AGE_CHECK = 60.0
ROOM_FOR_HINTS = 60
HINTS = ("comments.add", "comments.quote", "comments.copy", "app.back", "app.help")
FEW_HINTS = ("comments.add", "app.help")


class CommentsScreen(CommentVerbs):
    """One item's thread; a temporary id is followed when the service gives the real one."""

    LOSES_NOTHING = True
    AUTO_FOCUS = "CommentThread"
    CSS_PATH = "../styles/comments.tcss"

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
        if any(gathered.touches(each, self._item_id) for each in (Subject.COMMENTS, Subject.ATTACHMENTS)):
            self._show()
        else:
            self._draw_words()

    def _show(self) -> None:
        self._comments = self.store.comments(self._item_id)
        self._thread.show(self._comments, self.files())
        self._draw_words()

    # Words

    @on(CommentThread.Highlighted)
    def _draw_words(self) -> None:
        connection = self.store.connection
        self.query_one("#title", SidesLine).say(self._left_title(), [(f"  {self._how_many()} ", "foreground")])
        status = [
            *left_status(connection, self.store.outbox, self._thread.cursor + 1, len(self._comments)),
            *timer_words(self.store),
        ]
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

    def current_comment(self) -> CommentEntry:
        """The comment under the cursor."""
        comment = self._thread.current
        if comment is None:
            raise CannotAct("There is no comment here yet; a adds one.")
        return comment

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
