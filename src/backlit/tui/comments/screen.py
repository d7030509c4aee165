"""The comments of one item."""

from collections.abc import Mapping, Sequence

from textual import on
from textual.app import ComposeResult

from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry, CommentEntry
from backlit.tui.commands.command import CannotAct
from backlit.tui.comments.thread import CommentThread
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemRowsScreen
from backlit.tui.shell.target import ItemPlace
from backlit.tui.shell.workers import work

AGE_CHECK = 60.0


class CommentsScreen(ItemRowsScreen):
    """The thread of comments on an item."""

    COMMAND_GROUPS = ("comments.comment_commands", *ITEM_COMMANDS)
    AUTO_FOCUS = "CommentThread"
    CSS_PATH = "../styles/comments.tcss"
    SUBJECTS = (Subject.COMMENTS, Subject.ATTACHMENTS)
    HINTS = ("comments.add", "comments.quote", "comments.copy", "comments.back", "app.help")
    FEW_HINTS = ("comments.add", "app.help")
    ROOM_FOR_HINTS = 60
    EMPTY = ("No comments. a to add one.", "No comments in the local copy. a to add one.")

    def __init__(self, store: Store, item_id: int) -> None:
        thread = CommentThread(store.now, id="thread")
        super().__init__(store, item_id, thread)
        self.thread = thread

    def compose(self) -> ComposeResult:
        """Yield the thread in its frame."""
        yield from self.framed(self.thread)

    def on_mount(self) -> None:
        """Mark the news about the item as read, and keep the ages right."""
        self.mark_seen(self.item_id)
        self.set_interval(AGE_CHECK, self.thread.refresh)

    def on_unmount(self) -> None:
        """Mark as read what came while the thread was shown."""
        self.mark_seen(self.item_id)

    def show_rows(self) -> None:
        """Show the comments and their files."""
        self.thread.show(self.store.comments.of_item(self.item_id), self.files())

    def count_text(self) -> str:
        """Return the number of comments."""
        count = self.thread.row_count()
        return "1 comment" if count == 1 else f"{count:,} comments"

    @on(CommentThread.Highlighted)
    def _comment_highlighted(self) -> None:
        self.draw_words()

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
            raise CannotAct("This item has no comments. a to add one.")
        return comment

    @property
    def shown_place(self) -> tuple[int, ItemPlace, int | None]:
        """The comments of the item."""
        return self.item_id, ItemPlace.COMMENTS, None

    def read_again(self) -> None:
        """Begin to read the item again, and all that is new; keys are answered meanwhile."""
        self.run_worker(work(self.store.look_at, self.item_id), group="look")
        self.run_command("app.refresh")
