"""Since you looked: what others changed, made, deleted and wrote; and the latest comments of the project."""

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.store.records.changes import Connection, ConnectionState, Subject
from backlit.tui.commands.dispatch import CannotAct
from backlit.tui.drawing.text import safe
from backlit.tui.inbox.change_text import comment_lines, lines_of
from backlit.tui.inbox.inbox_list import FeedList, InboxList, InboxRows
from backlit.tui.shell.status_text import left_status, timer_words
from backlit.tui.shell.store_screen import Gathered, StoreScreen
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import Part, RuleLine, SidesLine, hints

AGE_CHECK = 60.0
ROOM_FOR_HINTS = 80
HINTS = ("inbox.open", "inbox.read", "inbox.read-all", "inbox.feed", "app.back", "app.help")
FEW_HINTS = ("inbox.read", "app.help")
TOLD = (Subject.INBOX, Subject.ITEMS, Subject.COMMENTS, Subject.PEOPLE, Subject.TREES)


class InboxScreen(StoreScreen[None]):
    """The items with news, the latest first, and beneath them what is new of the one under the cursor."""

    COMMAND_GROUPS = ("inbox.inbox_commands",)
    AUTO_FOCUS = "InboxList"
    CSS_PATH = "../styles/inbox.tcss"

    def compose(self) -> ComposeResult:
        """Title, the two lists of which one is shown, the present row whole, status."""
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._news = InboxList(self.store, id="news")
        self._feed = FeedList(self.store, self._item_name, id="feed")
        self._feed.display = False
        self._text = Static(id="news-text")
        yield self._title
        yield RuleLine("─")
        yield self._news
        yield self._feed
        yield RuleLine("─")
        with VerticalScroll(id="one", can_focus=False):
            yield self._text
        yield RuleLine("─")
        yield self._status

    def on_mount(self) -> None:
        """Show what the journal holds."""
        self._show()
        self.set_interval(AGE_CHECK, self._show)

    def on_resize(self) -> None:
        """More or fewer hints."""
        self._draw_words()

    def store_changed(self, gathered: Gathered) -> None:
        """Show what came, and what was seen meanwhile."""
        if any(subject in gathered for subject in TOLD):
            self._show()
        else:
            self._draw_words()

    @property
    def _list(self) -> InboxRows:
        return self._feed if self.shows_feed else self._news

    def _show(self) -> None:
        inbox = self.store.inbox
        if self.shows_feed:
            self._feed.show(inbox.feed(), inbox.unread_comments())
        else:
            self._news.show(inbox.ids())
        self._draw_words()

    def _item_name(self, item_id: int) -> str:
        item = self.store.item(item_id)
        return str(item.fields.get("Name") or "") if item else "(no longer here)"

    # Words

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._draw_words()

    def _draw_words(self) -> None:
        connection, rows = self.store.connection, self._list
        unread = self.store.inbox.unread()
        place = " › Latest comments" if self.shows_feed else " › Since you looked"
        right: list[Part] = [(f"  {unread:,} new ", "accent")] if unread else [("  nothing new ", "muted")]
        self._title.say([(" backlit ", "accent"), (" Inbox", "foreground"), (place, "muted")], right)
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        left = left_status(connection, self.store.outbox, rows.cursor + 1, rows.row_count())
        self._status.say([*left, *timer_words(self.store)], hints(hint_ids))
        rows.say_when_empty(_empty_words(connection, is_feed=self.shows_feed))
        self._text.update(Content("\n").join(self._lines()))

    def _lines(self) -> list[Content]:
        now = self.store.now()
        if self.shows_feed:
            comment = self._feed.current
            if comment is None:
                return []
            place = Content.styled(f"#{comment.item_id} {safe(self._item_name(comment.item_id))}", "$muted")
            return [place, *comment_lines(comment, now)]
        news = self._news.current
        return list(lines_of(self.store, news, now)) if news else []

    # Commands

    @property
    def shows_feed(self) -> bool:
        """Whether the latest comments are shown, and not the items with news."""
        return bool(self._feed.display)

    def current_id(self) -> int:
        """Return the item of the current row; raises CannotAct without a row."""
        comment = self._feed.current if self.shows_feed else None
        item_id = comment.item_id if comment else None if self.shows_feed else self._news.current_id
        if item_id is None:
            raise CannotAct("There is nothing here.")
        return item_id

    def show_feed(self, *, is_shown: bool) -> None:
        """Show the latest comments, or the items with news."""
        self._feed.display, self._news.display = is_shown, not is_shown
        self._list.focus()
        self._show()

    def close(self) -> None:
        """Go back to the place where the inbox was opened."""
        self.dismiss()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("inbox.open")


def _empty_words(connection: Connection, *, is_feed: bool) -> str:
    if connection.state is ConnectionState.ONLINE:
        return "No comments in this project yet." if is_feed else "Nothing is new since you looked."
    what = "No comments are known here." if is_feed else "Nothing was new when the service was last asked."
    return f"{what} {connection.sentence or 'It is being asked now …'}"
