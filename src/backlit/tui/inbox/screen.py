"""The inbox: changes and comments by others since the last visit, and recent comments; its commands."""

from collections.abc import Sequence
from datetime import datetime

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult

from backlit.model.dates import written_day
from backlit.store.inbox import ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import FieldNews
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.reading import DifferenceDialog, FieldDifference
from backlit.tui.drawing.text import Line, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import near_day
from backlit.tui.fields.values import label_of
from backlit.tui.inbox.inbox_list import (
    EntryHead,
    FeedList,
    InboxList,
    fit_lines,
    lines_of,
    name_of,
    news_head,
)
from backlit.tui.items.change_words import both_words, is_text_change
from backlit.tui.items.preview import PreviewLayout, item_context, item_words
from backlit.tui.shell.status_text import explain_unreached, position_words, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import Part, RuleLine
from backlit.tui.widgets.text_view import DetailView, fit_rows

ITEM_NOW_HEADING = "The item now "
"""The heading of the item below its changes."""
AGE_CHECK = 60.0
FRAME = 4
"""Lines of the title, the rules and the footer."""
WIDE = 100
"""Cells from which the text is beside the list."""
TALL = 10
"""Lines from which the text begins with the name of the item, which the list has too."""
TEXT_SHARE = 42
"""Per cent of the width for the text; the style sheet has the same figure."""
HINTS_WITHOUT_ROWS = ("inbox.feed", "app.back", "app.help")
HINTS = ("inbox.open", "inbox.read", "inbox.read-all", *HINTS_WITHOUT_ROWS)
LATEST_SHOWN = 3
"""Changes by others that an empty inbox shows."""
SHOWN_SUBJECTS = (Subject.INBOX, Subject.ITEMS, Subject.COMMENTS, Subject.PEOPLE, Subject.TREES)


class InboxScreen(StoreScreen[None]):
    """Changed items, the latest first, with the changes of the current one beside or below."""

    COMMAND_GROUPS = ("inbox.screen", "widgets.text_view")
    AUTO_FOCUS = "InboxList"
    PLACE = "app.inbox"
    CSS_PATH = "../styles/inbox.tcss"

    def compose(self) -> ComposeResult:
        self._heading, self._footer = RuleLine("┬", is_of_first=True), FooterLine(id="status")
        self._news = InboxList(self.store, id="news")
        self._feed = FeedList(self.store, id="feed")
        self._text = DetailView()
        self._frames = PaneFrame(self._news, id="news-pane"), PaneFrame(self._feed, id="feed-pane")
        self._text_frame = PaneFrame(self._text, id="beside")
        self._frames[1].display = False
        yield from self.compose_panes(self._heading, (*self._frames, self._text_frame), self._footer)

    def on_mount(self) -> None:
        self._show()
        self.set_interval(AGE_CHECK, self._show)

    def on_resize(self) -> None:
        self._draw_words()

    def store_changed(self, changes: ChangeBatch) -> None:
        if any(subject in changes for subject in SHOWN_SUBJECTS):
            self._show()
        self._draw_words()

    def _place_text(self) -> None:
        """Place the text beside the list, or below it; an empty list takes all the room."""
        is_empty, width = not self._list.row_count(), self.size.width
        self.set_class(width < WIDE, "-below")
        self.set_class(is_empty, "-empty")
        for rule in self.query(RuleLine):
            rule.join_at(None if is_empty or width < WIDE else width - width * TEXT_SHARE // 100)
        fit_lines(self._list, self.size.height - FRAME if width >= WIDE else 0)
        fit_rows(self._list, None if is_empty or width >= WIDE else self.size.height, self._frame)

    @property
    def _list(self) -> InboxList | FeedList:
        return self._feed if self.shows_feed else self._news

    @property
    def _frame(self) -> PaneFrame:
        return self._frames[self.shows_feed]

    def _show(self) -> None:
        inbox = self.store.inbox
        if self.shows_feed:
            self._feed.unread = inbox.unread_comments()
            self._feed.show(inbox.feed())
        else:
            ids = inbox.ids()
            self._news.latest = self._latest(ids)
            self._news.show(ids)
        self._text.show(self._draw_text)
        self._draw_words()

    # Words

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._text.show_soon(lambda: self._text.show(self._draw_text))
        self._draw_words()

    def _draw_words(self) -> None:
        rows = self._list
        self._place_text()
        count, is_framed = rows.row_count(), self._frame.is_wanted
        title = "Recent comments" if self.shows_feed else "Inbox"
        new = f" {count:,} new" if count and not self.shows_feed else ""
        heading: list[Part] = [(title, "heading"), (new, "muted")]
        position = position_words(rows.cursor + 1, count)
        self._heading.say(heading)
        self._frame.say(heading, (), (), position)
        news = None if self.shows_feed else self._news.current
        comment = self._feed.current if self.shows_feed else None
        self._text_frame.say(*self._text_head(news, comment))
        hints = HINTS if count else HINTS_WITHOUT_ROWS
        self._footer.show(hints, status_words(self.store, *(() if is_framed else (rows.cursor + 1, count))))
        since = self._news.latest[0].at if self._news.latest else None
        rows.empty_text = _empty_words(self.store, since, is_feed=self.shows_feed)
        explain_unreached(rows, self.store)

    def _text_head(self, news: ItemNews | None, comment: CommentEntry | None) -> tuple[Sequence[Part], Sequence[Part]]:
        if news is not None:
            return news_head(self.store, news)
        if comment is None:
            return (), ()
        item = self.store.item(comment.item_id)
        return item_words(comment.item_id, item.type if item else ""), ()

    def _latest(self, new: Sequence[int]) -> Sequence[EntryHead]:
        """Return the latest changes by others without the new ones; few where nothing is new."""
        user, batch = self.store.connection.user, self.store.batch
        own = user.username if user else ""
        latest = self.store.inbox.latest()
        items = {each.id: each for each in batch.items(latest)}
        found = [items[item_id] for item_id in latest if item_id in items]
        return [
            EntryHead(each.last_modified_by, each.id, each.type, each.name, each.last_modified_at, is_new=False)
            for each in found
            if each.last_modified_by not in {None, "", own} and each.id not in new
        ][: None if new else LATEST_SHOWN]

    def _draw_text(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        rule = [
            Segment(ITEM_NOW_HEADING, theme.heading()),
            Segment("─" * (width - len(ITEM_NOW_HEADING)), theme.style("rule")),
        ]
        page, lines = PreviewLayout(theme, width), list[Line]()
        if not self.shows_feed and (news := self._news.current):
            is_framed = self._text_frame.is_wanted
            lines += lines_of(self.store, news, width, theme, with_name=height >= TALL, with_author=not is_framed)
        elif self.shows_feed and (comment := self._feed.current):
            number = "" if self._text_frame.is_wanted else f"#{comment.item_id} "
            name = wrapped(f"{number}{name_of(self.store.item(comment.item_id))}", width)
            lines += ([Segment(line, theme.style(bold=True))] for line in name)
            lines += page.comment(comment, self.store.now())
        item = self.store.item(self._current_id() or 0)
        if not lines or item is None:
            return lines
        return [*lines, [], rule, *page.about(item, item_context(self.store, item))]

    # Commands

    @property
    def shows_feed(self) -> bool:
        return bool(self._frames[1].display)

    def _current_id(self) -> int | None:
        if not self.shows_feed:
            return self._news.current_id
        return self._feed.current.item_id if self._feed.current else None

    def current_id(self) -> int:
        """Return the item of the current row; raises CannotAct without one."""
        item_id = self._current_id()
        if item_id is None:
            raise CannotAct("Nothing selected.")
        return item_id

    def show_feed(self, *, is_shown: bool) -> None:
        self._frames[1].display, self._frames[0].display = is_shown, not is_shown
        self._list.focus()
        self._show()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("inbox.open")

    def open_item(self, call: CommandContext) -> None:
        """Open the item at the place of the command's argument; its comments instead, if nothing else is new."""
        item_id = self.current_id()
        if self.store.item(item_id) is None:
            raise CannotAct("The item no longer exists. space removes it from the list.")
        news = None if self.shows_feed else self.store.inbox.news(item_id)
        has_comments_only = news is None or (news.kind is NewsKind.CHANGED and not news.fields)
        place = ItemDestination(call.command.argument)
        self.open(item_id, ItemDestination.COMMENTS if has_comments_only and place is ItemDestination.EDITOR else place)

    async def show_changes(self, _call: CommandContext) -> None:
        news = self._current_news()
        if not news.fields:
            raise CannotAct("No field of this item has changed.")
        found = [FieldDifference(label_of(each.key), *_texts(self.store, each)) for each in news.fields]
        await self.ask(DifferenceDialog(news.name, found))

    async def mark_read(self, _call: CommandContext) -> None:
        await self.store.inbox.seen([self._current_news().item_id])

    async def mark_all_read(self, _call: CommandContext) -> None:
        unread = self.store.inbox.unread()
        key: str | None = "y"
        if unread > 1:
            answers = [AnswerKey("y", "mark all as read"), AnswerKey("e", "mark all as read in every project")]
            sentence = f"Mark all {unread:,} items as read?"
            key = await self.ask(ConfirmDialog("Mark as read", sentence, answers, "cancel"))
        if key is not None:
            await self.store.inbox.all_seen(everywhere=key == "e")

    def turn_feed(self, _call: CommandContext) -> None:
        self.show_feed(is_shown=not self.shows_feed)

    def go_back(self, _call: CommandContext) -> None:
        """Go back from comments to changed items, else to the former place."""
        if self.shows_feed:
            self.show_feed(is_shown=False)
        else:
            self.dismiss()

    def _current_news(self) -> ItemNews:
        news = self.store.inbox.news(self.current_id())
        if news is None:
            raise CannotAct("Nothing new about this item.")
        return news


def _empty_words(store: Store, since: datetime | None, *, is_feed: bool) -> str:
    connection = store.connection
    if connection.state is ConnectionState.ONLINE:
        if is_feed:
            return "No comments in this project yet."
        return f"Nothing new since {_moment_words(store, since)}" if since else "Nothing new"
    what = "No comments loaded." if is_feed else "Nothing new at the last sync."
    return f"{what} {connection.sentence or 'Syncing …'}"


def _moment_words(store: Store, at: datetime) -> str:
    """Return a time as one says it: 16:40, yesterday 16:40, 9 Mar 16:40."""
    local, today = store.local(at), store.local_today()
    day = near_day(local.date(), today).lower() or written_day(local.date(), today)
    return f"{local:%H:%M}" if local.date() == today else f"{day} {local:%H:%M}"


def _texts(store: Store, field: FieldNews) -> tuple[str, str]:
    if is_text_change(field):
        return str(field.before or ""), str(field.after or "")
    return both_words(store, field)
