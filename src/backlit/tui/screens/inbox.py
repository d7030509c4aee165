"""Since you looked: what others changed, made, deleted and wrote; and the latest comments of the project."""

from collections.abc import Awaitable, Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.model.errors import BacklitError
from backlit.store.changes import Connection, ConnectionState, Subject
from backlit.store.inbox import FieldNews, ItemNews
from backlit.store.news import NewsKind
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.difference import Difference, DifferenceDialog
from backlit.tui.gathered import Gathered
from backlit.tui.log_verbs import timer_words
from backlit.tui.news_words import comment_lines, is_long, lines_of
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.screens.base import StoreScreen
from backlit.tui.text import safe
from backlit.tui.widgets.inbox_list import FeedList, InboxList, InboxRows
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.wording import label_of, words_of
from backlit.tui.work import work

AGE_CHECK = 60.0
ROOM_FOR_HINTS = 80
HINTS = ("inbox.open", "inbox.read", "inbox.read-all", "inbox.feed", "app.back", "app.help")
FEW_HINTS = ("inbox.read", "app.help")
TOLD = (Subject.INBOX, Subject.ITEMS, Subject.COMMENTS, Subject.PEOPLE, Subject.TREES)


class InboxScreen(StoreScreen[None]):
    """The items with news, the latest first, and beneath them what is new of the one under the cursor."""

    LOSES_NOTHING = True
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
        return self._feed if self._feed.display else self._news

    def _show(self) -> None:
        inbox = self.store.inbox
        if self._feed.display:
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
        place = " › Latest comments" if self._feed.display else " › Since you looked"
        right: list[Part] = [(f"  {unread:,} new ", "accent")] if unread else [("  nothing new ", "muted")]
        self._title.say([(" backlit ", "accent"), (" Inbox", "foreground"), (place, "muted")], right)
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        left = left_status(connection, self.store.outbox, rows.cursor + 1, rows.row_count())
        self._status.say([*left, *timer_words(self.store)], hints(hint_ids))
        rows.say_when_empty(_empty_words(connection, is_feed=self._feed.display))
        self._text.update(Content("\n").join(self._lines()))

    def _lines(self) -> list[Content]:
        now = self.store.now()
        if self._feed.display:
            comment = self._feed.current
            if comment is None:
                return []
            place = Content.styled(f"#{comment.item_id} {safe(self._item_name(comment.item_id))}", "$muted")
            return [place, *comment_lines(comment, now)]
        news = self._news.current
        return list(lines_of(self.store, news, now)) if news else []

    # Commands

    def _current_id(self) -> int:
        comment = self._feed.current if self._feed.display else None
        item_id = comment.item_id if comment else None if self._feed.display else self._news.current_id
        if item_id is None:
            raise CannotAct("There is nothing here.")
        return item_id

    def _current_news(self) -> ItemNews:
        news = self.store.inbox.news(self._current_id())
        if news is None:
            raise CannotAct("There is nothing new of it.")
        return news

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.do_inbox_open(None)

    def do_inbox_open(self, _count: int | None) -> None:
        """Open the item; its comments where only they are new. Either counts as seen."""
        item_id = self._current_id()
        news = None if self._feed.display else self._news.current
        if self.store.item(item_id) is None:
            raise CannotAct("The item is no longer here; space takes it off the list.")
        if news is None or (news.kind is NewsKind.CHANGED and not news.fields):
            from backlit.tui.screens.comments import CommentsScreen

            self.app.push_screen(CommentsScreen(self.store, item_id))
            return
        from backlit.tui.screens.editor import EditorScreen

        self.app.push_screen(EditorScreen(self.store, item_id))

    def do_inbox_comments(self, _count: int | None) -> None:
        """Go to the comments of the item."""
        from backlit.tui.screens.comments import CommentsScreen

        self.app.push_screen(CommentsScreen(self.store, self._current_id()))

    def do_inbox_difference(self, _count: int | None) -> None:
        """Show every field that changed, line by line."""
        news = self._current_news()
        if not news.fields:
            raise CannotAct("No field of it was changed.")
        found = [Difference(label_of(each.key), *self._both(each)) for each in news.fields]
        self.app.push_screen(DifferenceDialog(news.name, found))

    def _both(self, field: FieldNews) -> tuple[str, str]:
        if is_long(field):
            return str(field.before or ""), str(field.after or "")
        return words_of(self.store, field.key, field.before), words_of(self.store, field.key, field.after)

    def do_inbox_read(self, _count: int | None) -> None:
        """Take the item off the list; the next one moves up."""
        news = self._current_news()
        self._write(lambda: self.store.inbox.seen([news.item_id]))

    def do_inbox_read_all(self, _count: int | None) -> None:
        """Take everything off the list, after a question where that is more than one item."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        unread = self.store.inbox.unread()
        if unread < 2:
            self._write(self.store.inbox.all_seen)
            return

        def answered(key: str | None) -> None:
            if key is not None:
                self._write(lambda: self.store.inbox.all_seen(everywhere=key == "e"))

        answers = [Answer("y", "mark them as read"), Answer("e", "and those of every other project")]
        sentence = f"{unread:,} items have news. They are then as if you had looked at all of them."
        self.app.push_screen(ConfirmDialog("Mark as read", sentence, answers, "leave them"), answered)

    def do_inbox_feed(self, _count: int | None) -> None:
        """Show the latest comments of the project, or what is new again."""
        self._feed.display = not self._feed.display
        self._news.display = not self._feed.display
        self._list.focus()
        self._show()

    def do_app_unwind(self, _count: int | None) -> None:
        """Undo one layer: back to what is new, then back to where this was opened."""
        if self._feed.display:
            self.do_inbox_feed(None)
        else:
            self.dismiss()

    def _write(self, act: Callable[[], Awaitable[None]]) -> None:
        self.run_worker(work(self._written, act), group="writes")

    async def _written(self, act: Callable[[], Awaitable[None]]) -> None:
        try:
            await act()
        except BacklitError as error:
            self.say(str(error), is_bad=True)


def _empty_words(connection: Connection, *, is_feed: bool) -> str:
    if connection.state is ConnectionState.ONLINE:
        return "No comments in this project yet." if is_feed else "Nothing is new since you looked."
    what = "No comments are known here." if is_feed else "Nothing was new when the service was last asked."
    return f"{what} {connection.sentence or 'It is being asked now …'}"
