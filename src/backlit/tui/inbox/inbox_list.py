"""The lists of the inbox: changed items, and recent comments; and the texts of changes."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from datetime import datetime

from textual.content import Content
from textual.strip import Strip

from backlit.store.inbox import ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.store.records.item import FieldNews
from backlit.store.records.merge import is_long
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.text import fit, fit_right, literal, literal_block, safe
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.dates import age_of, ago, moment
from backlit.tui.fields.values import label_of, words_of
from backlit.tui.items.change_words import change_words, line_changes, line_count
from backlit.tui.widgets.line_list import BOLD, EntryList, LineList

SIGNS = {NewsKind.NEW: ("+", "mark"), NewsKind.CHANGED: ("~", "pending"), NewsKind.GONE: ("−", "conflict")}
ID_WIDTH, AGE_WIDTH, WHO_WIDTH = 6, 4, 9
LABEL_WIDTH = 12
ROOM_FOR_WHO = 80
NAME_SHARE = 0.5
"""Share of the remaining width for the name of the item."""
SHOWN = 400
"""Characters of a value or comment that are shown; the item shows the rest."""
DIFF_LINES = 60
COLOURS = {"-": "$error", "+": "$success"}


class InboxList(LineList):
    """A list of changed items by id; only rows in sight are read."""

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._store = store
        self._ids: list[int] = []
        self._read: dict[int, ItemNews | None] = {}

    def show(self, item_ids: list[int]) -> None:
        """Show other items; the cursor stays on its item, else on its line."""
        current = self.current_id
        self._ids, self._read = item_ids, {}
        self.rows_replaced(item_ids.index(current) if current in item_ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current_id(self) -> int | None:
        """Return the item under the cursor."""
        return self._ids[self.cursor] if self.cursor < len(self._ids) else None

    @property
    def current(self) -> ItemNews | None:
        """Return the changes under the cursor."""
        item_id = self.current_id
        return None if item_id is None else self._news(item_id)

    def _news(self, item_id: int) -> ItemNews | None:
        if item_id not in self._read:
            self._read[item_id] = self._store.inbox.news(item_id)
        return self._read[item_id]

    def row_count(self) -> int:
        """Return the number of items."""
        return len(self._ids)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw an item: kind of change, name, summary, author and age."""
        news = self._news(self._ids[index])
        if news is None:
            return self.draw_parts([], is_cursor=is_cursor)
        sign, colour = SIGNS[news.kind]
        if news.comments and not news.fields and news.kind is NewsKind.CHANGED:
            sign = "”"
        who_width = WHO_WIDTH if self.size.width >= ROOM_FOR_WHO else 0
        left = self.size.width - ID_WIDTH - AGE_WIDTH - who_width - 10
        name_width = round(left * NAME_SHARE)
        parts = [
            (f"{sign} ", colour),
            (fit_right(f"#{news.item_id}", ID_WIDTH) + " ", "muted"),
            (f"{type_sign(news.type)} ", type_colour(news.type)),
            (fit(news.name, name_width) + "  ", BOLD),
            (fit(summary_of(self._store, news), left - name_width), "muted"),
            (f" {fit(news.authors[0] if news.authors else '', who_width)}" if who_width else "", "muted"),
            (fit_right(age_of(news.at, self._store.now()), AGE_WIDTH) + " ", "muted"),
        ]
        return self.draw_parts(parts, is_cursor=is_cursor)


class FeedList(EntryList[CommentEntry]):
    """A list of the project's recent comments, with a sign for unread ones."""

    def __init__(self, store: Store, item_name: Callable[[int], str], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._store = store
        self._item_name = item_name
        self.unread: AbstractSet[int] = frozenset()

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw a comment: author, item, text, and age."""
        comment = self.entries[index]
        is_new = comment.id in self.unread
        weight = BOLD if is_new else "muted"
        left = self.size.width - WHO_WIDTH - ID_WIDTH - AGE_WIDTH - 9
        name_width = round(left * NAME_SHARE)
        parts = [
            ("” " if is_new else "  ", "accent"),
            (fit(comment.author, WHO_WIDTH) + " ", weight),
            (fit_right(f"#{comment.item_id}", ID_WIDTH) + " ", "muted"),
            (fit(self._item_name(comment.item_id), name_width) + "  ", "muted"),
            (fit(" ".join(comment.text.split()), left - name_width), weight),
            (fit_right(age_of(comment.created_at, self._store.now()), AGE_WIDTH) + " ", "muted"),
        ]
        return self.draw_parts(parts, is_cursor=is_cursor)


def summary_of(store: Store, news: ItemNews) -> str:
    """Return the changes of an item in one line, the most serious first, as it may be cut."""
    parts: list[str] = []
    match news.kind:
        case NewsKind.NEW:
            parts.append(f"new {news.type.lower() or 'item'}")
        case NewsKind.GONE:
            parts.append("deleted, or no longer visible to you")
        case NewsKind.CHANGED:
            parts += [change_words(store, field) for field in news.fields]
    if news.comments:
        count = len(news.comments)
        words = " ".join(news.comments[-1].text.split())[:SHOWN]
        parts.append(f"“{words}”" if count == 1 else f"{count} comments: “{words}”")
    return ", ".join(parts)


def who_and_when(news: ItemNews, now: datetime) -> str:
    """Return the authors, as far as known, and the time; for a deleted item, when that was noticed."""
    who = ", ".join(news.authors) or ("" if news.kind is NewsKind.GONE else "somebody")
    noticed = "noticed " if news.kind is NewsKind.GONE else ""
    when = f"{noticed}{ago(news.at, now)}" if news.at else ""
    return "  ".join(part for part in (who, when, moment(news.at)) if part)


def lines_of(store: Store, news: ItemNews, now: datetime) -> Iterator[Content]:
    """Yield the changes of an item: their authors and time, each field with both values, and each comment."""
    number = f"#{news.item_id} " if news.item_id > 0 else ""
    yield Content.assemble((number, "$muted"), (safe(news.name), "bold"))
    yield Content.styled(safe(who_and_when(news, now)), "$muted")
    yield Content()
    if news.kind is NewsKind.NEW:
        yield literal(f"A new {news.type.lower() or 'item'}.")
    if news.kind is NewsKind.GONE:
        yield literal("Deleted, or no longer visible to you.")
    for field in news.fields:
        yield from _field_lines(store, field)
    for comment in news.comments:
        yield Content()
        yield from comment_lines(comment, now)


def comment_lines(comment: CommentEntry, now: datetime) -> Iterator[Content]:
    """Yield a comment and its author."""
    seen_by = "" if comment.is_internal else "  » visible to customers"
    yield Content.assemble(
        (safe(comment.author or "somebody"), "bold"),
        (f"  {ago(comment.created_at, now)}", "$muted"),
        (seen_by, "$type-feedback"),
    )
    yield literal_block(comment.text.strip())


def _field_lines(store: Store, field: FieldNews) -> Iterator[Content]:
    label = f"{safe(label_of(field.key))} "
    if not is_long(field.key, field.before, field.after):
        before, after = (words_of(store, field.key, each)[:SHOWN] for each in (field.before, field.after))
        yield Content.assemble(
            (label.ljust(LABEL_WIDTH), "$muted"), safe(before), (" → ", "$muted"), (safe(after), "bold")
        )
        return
    yield Content.assemble((label, "$muted"), f"changed ({line_count(field)})")
    for sign, line in line_changes(field)[:DIFF_LINES]:
        colour = COLOURS.get(sign, "$muted")
        yield Content.assemble((f"  {sign} ", colour), (safe(line), colour))
