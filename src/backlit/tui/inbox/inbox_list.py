"""The lists of the inbox: changed items, and recent comments; and the texts of changes."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from rich.segment import Segment
from textual.strip import Strip

from backlit.store.inbox import ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.text import Line, fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles, type_colour, type_sign
from backlit.tui.fields.dates import age_of, ago, moment
from backlit.tui.items.change_words import change_words, fields_lines, short_first
from backlit.tui.items.preview import PreviewLayout
from backlit.tui.widgets.line_list import BOLD, EntryList, LineList

AGE_WIDTH, SENTENCE_LINES = 4, (2, 1)
"""Cells of an age, and most lines of a sentence where there is room for a blank below each entry, in turn."""
MAX_COMMENT_CHARACTERS = 400
"""Characters of a comment that a row shows."""
MAX_FIELD_LINES = 60
"""Lines of a changed field that are shown; `gD` and the item show all of it."""


def _id_width(item_ids: Iterable[int]) -> int:
    return len(f"#{max(item_ids, default=0)}")


class InboxList(LineList):
    """A list of changed items by id, two lines each or more; only rows in sight are read."""

    ROW_LINES = 2

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._store = store
        self._ids: list[int] = []
        self._read: dict[int, ItemNews | None] = {}
        self.id_width = _id_width(())

    def show(self, item_ids: list[int]) -> None:
        """Show other items; the cursor stays on its item, else on its line."""
        current = self.current_id
        self._ids, self._read, self.id_width = item_ids, {}, _id_width(item_ids)
        self.rows_replaced(item_ids.index(current) if current in item_ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current_id(self) -> int | None:
        return self._ids[self.cursor] if self.cursor < len(self._ids) else None

    @property
    def current(self) -> ItemNews | None:
        item_id = self.current_id
        return None if item_id is None else self._news(item_id)

    def _news(self, item_id: int) -> ItemNews | None:
        if item_id not in self._read:
            self._read[item_id] = self._store.inbox.news(item_id)
        return self._read[item_id]

    def row_count(self) -> int:
        return len(self._ids)

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        news = self._news(self._ids[index])
        if news is None:
            return self.draw_parts([], is_cursor=is_cursor)
        if line:
            return _sentence_line(self, index, line, is_cursor=is_cursor)
        age = age_of(news.at, self._store.now())
        return _item_line(self, news.item_id, news.type, news.name, age, is_new=True, is_cursor=is_cursor)

    def sentence(self, index: int) -> str:
        news = self._news(self._ids[index])
        return summary_of(self._store, news) if news else ""


def _lead(shown: "InboxList | FeedList") -> int:
    """Return the cells before the name: the dot, the number and the sign of the type."""
    return 2 + shown.id_width + 1 + 2


def _item_line(
    shown: "InboxList | FeedList", item_id: int, item_type: str, name: str, age: str, *, is_new: bool, is_cursor: bool
) -> Strip:
    """Draw the first line of an entry: a dot while it is unread, number, type and name, and the age at the end."""
    parts = [
        ("• " if is_new else "  ", "mark"),
        (fit_right(f"#{item_id}" if item_id > 0 else "", shown.id_width) + " ", "muted"),
        (f"{type_sign(item_type) or ' '} ", type_colour(item_type)),
        (fit(name, shown.size.width - _lead(shown) - AGE_WIDTH - 3) + " ", BOLD if is_new else "foreground"),
        (fit_right(age, AGE_WIDTH), "muted"),
    ]
    return shown.draw_parts(parts, is_cursor=is_cursor)


def _sentence_line(
    shown: "InboxList | FeedList", index: int, line: int, *, is_cursor: bool, colour: str = "muted"
) -> Strip:
    """Draw a line of the sentence of an entry, below the name, or the blank below both."""
    lead, last = _lead(shown), max(1, [row for row, _ in shown.row_lines].count(index) - 2)
    room, lines = shown.size.width - lead - 2, _sentence_lines(shown, index)
    lines = [*lines[: last - 1], " ".join(lines[last - 1 :])]
    text = lines[line - 1] if line <= len(lines) else ""
    return shown.draw_parts([(" " * lead, colour), (fit(text, room), colour)], is_cursor=is_cursor and bool(text))


def _sentence_lines(shown: "InboxList | FeedList", index: int) -> list[str]:
    return wrapped(shown.sentence(index), max(1, shown.size.width - _lead(shown) - 2))


def fit_lines(rows: "InboxList | FeedList", height: int) -> None:
    """Give each entry the lines of its sentence and a blank where all entries have room for them in a height."""
    count, lines = rows.row_count(), list[tuple[int, int]]()
    sentences = [len(_sentence_lines(rows, at)) for at in range(count)] if count * 3 <= height else []
    for most in SENTENCE_LINES:
        lines = [(at, line) for at, each in enumerate(sentences) for line in range(2 + min(most, each))]
        if len(lines) <= height:
            break
    if lines != rows.row_lines:
        rows.row_lines = lines
        rows.rows_replaced(rows.cursor)


class FeedList(EntryList[CommentEntry]):
    """A list of the project's recent comments, two lines each or more, with a sign for unread ones."""

    ROW_LINES = 2

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._store = store
        self.unread: AbstractSet[int] = frozenset()
        self.id_width = _id_width(())

    def show(self, entries: Sequence[CommentEntry]) -> None:
        self.id_width = _id_width(entry.item_id for entry in entries)
        super().show(entries)

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        comment = self.entries[index]
        is_new = comment.id in self.unread
        if line:
            return _sentence_line(self, index, line, is_cursor=is_cursor, colour="foreground" if is_new else "muted")
        item, age = self._store.item(comment.item_id), age_of(comment.created_at, self._store.now())
        item_type, name = item.type if item else "", name_of(item)
        return _item_line(self, comment.item_id, item_type, name, age, is_new=is_new, is_cursor=is_cursor)

    def sentence(self, index: int) -> str:
        comment = self.entries[index]
        return f"{comment.author or 'somebody'}: {_on_one_line(comment.text)}"


def name_of(item: Item | None) -> str:
    return item.name if item else "(deleted)"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_COMMENT_CHARACTERS]


def summary_of(store: Store, news: ItemNews) -> str:
    """Return the changes of an item in one line, the most serious first, as it may be cut.

    It names a person only where there is one author: the authors are also those of the comments.
    """
    is_by_one = len(news.authors) < 2
    who = "".join(news.authors) or "somebody"
    parts: list[str] = []
    match news.kind:
        case NewsKind.NEW:
            kind = news.type.lower() or "item"
            parts.append(f"{who} created this {kind}" if is_by_one else f"new {kind}")
        case NewsKind.GONE:
            parts.append("deleted, or no longer visible to you")
        case NewsKind.CHANGED if news.fields:
            changes = ", ".join(change_words(store, field) for field in short_first(news.fields))
            parts.append(f"{who} changed {changes}" if is_by_one else f"changed: {changes}")
    if news.comments:
        last, count = news.comments[-1], len(news.comments)
        said = f"{last.author or 'somebody'} commented" if count == 1 else f"{count} comments"
        parts.append(f"{said}: “{_on_one_line(last.text)}”")
    return " · ".join(parts)


def who_and_when(store: Store, news: ItemNews) -> str:
    """Return the authors, as far as known, and the time; for a deleted item, only when that was noticed."""
    who = "" if news.kind is NewsKind.GONE else ", ".join(news.authors) or "somebody"
    noticed = "noticed " if news.kind is NewsKind.GONE else ""
    when = f"{noticed}{ago(news.at, store.now())}" if news.at else ""
    return " · ".join(part for part in (who, when, moment(news.at, store.local)) if part)


def lines_of(store: Store, news: ItemNews, width: int, theme: ThemeStyles, *, with_name: bool) -> Iterator[Line]:
    """Yield the changes of an item for a width: authors and time, each field with both values, and each comment.

    They begin with the name of the item where it is wanted.
    """
    now, style = store.now(), theme.style
    name = f"#{news.item_id} {news.name}" if news.item_id > 0 else news.name
    yield from ([Segment(line, style(bold=True))] for line in (wrapped(name, width) if with_name else ()))
    yield [Segment(safe(who_and_when(store, news)), style("muted"))]
    if with_name:
        yield []
    if news.kind is NewsKind.NEW:
        yield [Segment(safe(f"A new {news.type.lower() or 'item'}."), style())]
    if news.kind is NewsKind.GONE:
        yield [Segment("Deleted, or no longer visible to you.", style())]
    yield from fields_lines(store, news.fields, width, theme, MAX_FIELD_LINES, is_brief=not with_name)
    for comment in news.comments:
        yield []
        yield from PreviewLayout(theme, width).comment(comment, now)
