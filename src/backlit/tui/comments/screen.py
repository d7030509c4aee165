"""The comments of one item."""

from collections.abc import Mapping, Sequence

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError, sentence_of
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import Item
from backlit.store.store import CommentEntry, Store
from backlit.store.views.items import AttachmentEntry
from backlit.tui.commands.command import CannotAct
from backlit.tui.comments.thread import CommentThread
from backlit.tui.drawing.theme_styles import type_colour, type_sign
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemScreen
from backlit.tui.shell.status_text import left_status, timer_words
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemPlace
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import Part, RuleLine, SidesLine, hints

AGE_CHECK = 60.0
ROOM_FOR_HINTS = 60
HINTS = ("comments.add", "comments.quote", "comments.copy", "comments.back", "app.help")
FEW_HINTS = ("comments.add", "app.help")


class CommentsScreen(ItemScreen):
    """One item's thread; a temporary id is followed when the service gives the real one."""

    COMMAND_GROUPS = ("comments.comment_commands", *ITEM_COMMANDS)
    AUTO_FOCUS = "CommentThread"
    CSS_PATH = "../styles/comments.tcss"

    def __init__(self, store: Store, item_id: int) -> None:
        super().__init__(store)
        self.item_id = item_id

    def compose(self) -> ComposeResult:
        """Yield the title, the thread between rules and the status."""
        yield SidesLine(id="title")
        yield RuleLine("─")
        yield CommentThread(self.store.now, id="thread")
        yield RuleLine("─")
        yield SidesLine(id="status")

    def on_mount(self) -> None:
        """Show what the mirror holds, and have it read anew."""
        self.thread = self.query_one("#thread", CommentThread)
        self._show()
        self.mark_seen(self.item_id)
        self.run_worker(work(self.store.look_at, self.item_id), group="look")
        self.set_interval(AGE_CHECK, self.thread.refresh)

    def on_unmount(self) -> None:
        """What came while the thread was on the screen was seen too."""
        self.mark_seen(self.item_id)

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show what came; the cursor stays on its comment."""
        self.item_id = changes.renamed.get(self.item_id, self.item_id)
        if any(changes.touches(each, self.item_id) for each in (Subject.COMMENTS, Subject.ATTACHMENTS)):
            self._show()
        else:
            self._draw_words()

    def _show(self) -> None:
        self._comments = self.store.comments(self.item_id)
        self.thread.show(self._comments, self.files())
        self._draw_words()

    # Words

    @on(CommentThread.Highlighted)
    def _draw_words(self) -> None:
        connection = self.store.connection
        self.query_one("#title", SidesLine).say(self._left_title(), [(f"  {self._how_many()} ", "foreground")])
        status = [
            *left_status(connection, self.store.outbox, self.thread.cursor + 1, len(self._comments)),
            *timer_words(self.store),
        ]
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        self.query_one("#status", SidesLine).say(status, hints(hint_ids))
        is_there = connection.state is ConnectionState.ONLINE
        empty = "No comments yet: a adds one." if is_there else "No comments are known here: a adds one."
        if empty != self.thread.empty_text:
            self.thread.empty_text = empty
            self.thread.refresh()

    def _left_title(self) -> list[Part]:
        item = self.store.item(self.item_id)
        if item is None:
            return [(" backlit ", "accent"), (f" #{self.item_id} is not here any more", "conflict")]
        number = f" #{item.id} " if item.id > 0 else " new "
        name = str(item.fields.get("Name") or "")
        sign = (f"{type_sign(item.type)} ", type_colour(item.type))
        return [(" backlit ", "accent"), (number, "muted"), sign, (name, "foreground")]

    def _how_many(self) -> str:
        count = len(self._comments)
        return "1 comment" if count == 1 else f"{count:,} comments"

    def files(self) -> Mapping[int, Sequence[AttachmentEntry]]:
        """Return the files of the comments, by the comment's id."""
        found: dict[int, list[AttachmentEntry]] = {}
        for each in self.store.attachments.of_item(self.item_id):
            if each.comment_id is not None:
                found.setdefault(each.comment_id, []).append(each)
        return found

    def current_comment(self) -> CommentEntry:
        """Return the comment under the cursor; raises CannotAct without one."""
        comment = self.thread.current
        if comment is None:
            raise CannotAct("There is no comment here yet; a adds one.")
        return comment

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None]:
        """The comments of the item."""
        return self.item_id, ItemPlace.COMMENTS, None

    def current(self) -> Item:
        """Return the item; raises CannotAct for one that is gone."""
        item = self.store.item(self.item_id)
        if item is None:
            raise CannotAct("The item is no longer there.")
        return item

    def read_again(self) -> None:
        """Begin to read the item again, and all that is new; keys are answered meanwhile."""
        self.run_worker(work(self._read), exclusive=True, group="refresh")

    async def _read(self) -> None:
        await self.store.look_at(self.item_id)
        try:
            await self.store.refresh()
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)
