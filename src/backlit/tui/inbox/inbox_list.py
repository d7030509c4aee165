"""The lists of the inbox: changed items, and recent comments; and the texts of changes."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.dates import written_day
from backlit.store.inbox import ItemNews, NewsReason
from backlit.store.journal.inbox import NewsKind
from backlit.store.records.item import Item
from backlit.store.records.people import Person
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.text import Line, fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles, owner_colour, type_colour, type_sign
from backlit.tui.fields.dates import age_of, ago, moment, near_day
from backlit.tui.items.change_words import change_words, fields_lines, short_first
from backlit.tui.items.preview import PreviewLayout, item_words
from backlit.tui.widgets.line_list import BOLD, EntryList, LineList
from backlit.tui.widgets.name_widths import MAX_NAME_WIDTH
from backlit.tui.widgets.side_lines import Part

AGE_WIDTH, SENTENCE_LINES = 4, (2, 1)
"""Cells of an age, and most lines of a sentence where there is room for a blank below each entry, in turn."""
MIN_AUTHOR_WIDTH, MAX_AUTHOR_WIDTH = 4, 10
EARLIER = "Seen before"
"""The head above changes that are not new."""
EDGE = "▌"
"""The edge of an entry, in the colour of its author."""
DAY_HEAD, NAME_LINE = -1, 0
"""The lines of an entry that are not its sentence: the day above the first one of a day, and the one with its name."""
MAX_COMMENT_CHARACTERS = 400
"""Characters of a comment that a row shows."""
MAX_FIELD_LINES = 60
"""Lines of a changed field that are shown; `gD` and the item show all of it."""


def _id_width(item_ids: Iterable[int]) -> int:
    return len(f"#{max(item_ids, default=0)}")


class Authors:
    """The authors of entries: the colour of each, and the cells that the names take."""

    def __init__(self, store: Store) -> None:
        people = store.lookups.known_people()
        known = sorted(people)
        self._colours = {name: owner_colour(each.id, known) for each in people.values() for name in _names_of(each)}
        longest = max((cell_len(safe(each.username)) for each in people.values()), default=0)
        self.width = max(MIN_AUTHOR_WIDTH, min(MAX_AUTHOR_WIDTH, longest))

    def colour(self, name: str) -> str:
        return self._colours.get(name, "muted")


def _names_of(person: Person) -> tuple[str, str]:
    return person.username, person.display_name


class EntryHead(Struct, frozen=True):
    """What the first line of an entry says: who, of which item, when. `item_id` is 0 for an item without a number."""

    author: str
    item_id: int
    type: str
    name: str
    at: datetime | None
    is_new: bool = True


class InboxList(LineList):
    """A list of changed items by id, two lines each or more; only rows in sight are read."""

    ROW_LINES = 2

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.store = store
        self._ids: list[int] = []
        self._read: dict[int, ItemNews | None] = {}
        self.id_width = _id_width(())
        self.authors = Authors(store)
        self.latest: Sequence[EntryHead] = ()
        """The latest changes by others that the user has seen, which stand where there is room for them."""

    def show(self, item_ids: list[int]) -> None:
        """Show other items; the cursor stays on its item, else on its line."""
        current = self.current_id
        self._ids, self._read, self.id_width = item_ids, {}, _id_width(item_ids)
        self.authors = Authors(self.store)
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
            self._read[item_id] = self.store.inbox.news(item_id)
        return self._read[item_id]

    def row_count(self) -> int:
        return len(self._ids)

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        return _entry_line(self, index, line, is_cursor=is_cursor)

    def head(self, index: int) -> EntryHead | None:
        news = self._news(self._ids[index])
        if news is None:
            return None
        return EntryHead(who_of(news), news.item_id, news.type, news.name, news.at)

    def sentence(self, index: int) -> str:
        news = self._news(self._ids[index])
        return summary_of(self.store, news) if news else ""

    def render_blank(self, y: int) -> Strip:
        """Draw a line below the last row: what others changed before; an empty list says since when."""
        if not self.latest:
            return super().render_blank(y)
        id_width = _id_width(each.item_id for each in self.latest)
        lines: list[EntryHead | Sequence[Part]] = [[], [(f" {self.empty_text}", BOLD)], [], *self.latest]
        if self.row_count():
            lines, id_width = [_head_of_day(EARLIER, self.size.width), *self.latest], max(id_width, self.id_width)
            y -= len(self.row_lines) or self.ROW_LINES * self.row_count()
        line = lines[y] if 0 <= y < len(lines) else []
        if isinstance(line, EntryHead):
            return _name_line(self, line, id_width, is_cursor=False)
        return self.draw_parts(line, is_cursor=False)


def _lead(shown: "InboxList | FeedList") -> int:
    """Return the cells before the number: the cursor, the edge, and the author."""
    return 3 + shown.authors.width + 2


def _entry_line(shown: "InboxList | FeedList", index: int, line: int, *, is_cursor: bool) -> Strip:
    head = shown.head(index)
    if head is None:
        return shown.draw_parts([], is_cursor=is_cursor)
    if line == DAY_HEAD:
        return shown.draw_parts(_head_of_day(_day_of(shown.store, head.at), shown.size.width), is_cursor=False)
    if line == NAME_LINE:
        return _name_line(shown, head, shown.id_width, is_cursor=is_cursor)
    return _sentence_line(shown, index, line, head, is_cursor=is_cursor)


def _name_line(shown: "InboxList | FeedList", head: EntryHead, id_width: int, *, is_cursor: bool) -> Strip:
    """Draw the first line of an entry: its author, number, type and name, and the age at the end."""
    colour, author = shown.authors.colour(head.author), fit(head.author, shown.authors.width)
    lead = _lead(shown) + id_width + 3
    age, name_colour = age_of(head.at, shown.store.now()), BOLD if head.is_new else "muted"
    age = age if head.is_new or age != "now" else ""  # it says nothing of what was seen before
    parts = [
        (f"{EDGE} ", colour),
        (f"{author}  ", f"{BOLD} {colour}" if head.is_new else colour),
        (fit_right(f"#{head.item_id}" if head.item_id > 0 else "", id_width) + " ", "muted"),
        (f"{type_sign(head.type) or ' '} ", type_colour(head.type)),
        (fit(head.name, max(0, min(MAX_NAME_WIDTH, shown.size.width - lead - AGE_WIDTH - 2))) + " ", name_colour),
        (fit_right(age, AGE_WIDTH), "muted"),
    ]
    return shown.draw_parts(parts, is_cursor=is_cursor)


def _sentence_line(shown: "InboxList | FeedList", index: int, line: int, head: EntryHead, *, is_cursor: bool) -> Strip:
    """Draw a line of the sentence of an entry, below the name, or the blank below both."""
    lead, last = _lead(shown), max(1, sum(row == index and at > NAME_LINE for row, at in shown.row_lines) - 1)
    room, lines = shown.size.width - lead - 1, _sentence_lines(shown, index)
    lines = [*lines[: last - 1], " ".join(lines[last - 1 :])]
    if line > len(lines):
        return shown.draw_parts([], is_cursor=False)
    edge = (EDGE + " " * (lead - 2), shown.authors.colour(head.author))
    text = fit(lines[line - 1], room), "foreground" if head.is_new else "muted"
    return shown.draw_parts([edge, text], is_cursor=is_cursor)


def _sentence_lines(shown: "InboxList | FeedList", index: int) -> list[str]:
    return wrapped(shown.sentence(index), max(1, shown.size.width - _lead(shown) - 1))


def _head_of_day(day: str, width: int) -> Sequence[Part]:
    """Return the head above the entries of a day, with a rule to the end of the line."""
    return [(f" {day} ", BOLD), ("─" * max(0, width - cell_len(day) - 4), "rule")]


def _day_of(store: Store, at: datetime | None) -> str:
    """Return a day as the head of what happened on it: Today, Yesterday, or 9 Mar."""
    if at is None:
        return ""
    day, today = store.local(at).date(), store.local_today()
    return near_day(day, today) or written_day(day, today)


def fit_lines(rows: "InboxList | FeedList", height: int) -> None:
    """Give each entry the lines of its sentence and a blank where all entries have room for them in a height.

    Above the first entry of each day stands the day.
    """
    count, lines = rows.row_count(), list[tuple[int, int]]()
    has_room = count * 3 <= height
    sentences = [len(_sentence_lines(rows, at)) for at in range(count)] if has_room else []
    heads = [rows.head(at) for at in range(count)] if has_room else []
    days = [_day_of(rows.store, head.at) if head else "" for head in heads]
    for most in SENTENCE_LINES:
        lines = []
        for at, each in enumerate(sentences):
            is_first = bool(days[at]) and days[at] != (days[at - 1] if at else "")
            lines += [(at, line) for line in range(DAY_HEAD if is_first else NAME_LINE, 2 + min(most, each))]
        if len(lines) <= height:
            break
    if len(lines) > height:
        lines = []
    if lines != rows.row_lines:
        rows.row_lines = lines
        rows.rows_replaced(rows.cursor)


class FeedList(EntryList[CommentEntry]):
    """A list of the project's recent comments, two lines each or more; unread ones are bold."""

    ROW_LINES = 2

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.store = store
        self.unread: AbstractSet[int] = frozenset()
        self._heads: dict[int, EntryHead] = {}
        self.id_width = _id_width(())
        self.authors = Authors(store)

    def show(self, entries: Sequence[CommentEntry]) -> None:
        self.id_width, self.authors = _id_width(entry.item_id for entry in entries), Authors(self.store)
        self._heads = {}
        super().show(entries)

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        return _entry_line(self, index, line, is_cursor=is_cursor)

    def head(self, index: int) -> EntryHead:
        if index not in self._heads:
            self._heads[index] = self._read_head(self.entries[index])
        return self._heads[index]

    def _read_head(self, comment: CommentEntry) -> EntryHead:
        item, is_new = self.store.item(comment.item_id), comment.id in self.unread
        author = comment.author or SOMEBODY
        return EntryHead(
            author, comment.item_id, item.type if item else "", name_of(item), comment.created_at, is_new=is_new
        )

    def sentence(self, index: int) -> str:
        return f"“{_on_one_line(self.entries[index].text)}”"


SOMEBODY = "somebody"
REASON_WORDS = {NewsReason.MENTION: "Mentions you", NewsReason.ASSIGNMENT: "Assigned to you"}


def name_of(item: Item | None) -> str:
    return item.name if item else "(deleted)"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_COMMENT_CHARACTERS]


def who_of(news: ItemNews) -> str:
    """Return the latest author of the changes of an item, as far as known."""
    return news.authors[0] if news.authors else SOMEBODY


def summary_of(store: Store, news: ItemNews) -> str:
    """Return the changes of an item in one line, the most serious first, as it may be cut.

    It names the authors of changes and of a comment only where there are several.
    """
    parts: list[str] = [REASON_WORDS[news.reason]] if news.reason is not None else []
    match news.kind:
        case NewsKind.NEW:
            parts.append(f"New {news.type.lower() or 'item'}")
        case NewsKind.GONE:
            parts.append("Deleted" if news.authors else "Deleted, or no longer visible to you")
        case NewsKind.CHANGED if news.changes:
            for each in news.changes:
                by = f"{each.author}: " if len(news.authors) > 1 else ""
                parts.append(by + ", ".join(change_words(store, field) for field in short_first(each.fields)))
        case NewsKind.CHANGED if news.fields:
            parts.append(", ".join(change_words(store, field) for field in short_first(news.fields)))
    if news.comments:
        last, count = news.comments[-1], len(news.comments)
        said = f"“{_on_one_line(last.text)}”"
        by = f"{last.author or SOMEBODY}: " if len(news.authors) > 1 else ""
        parts.append(f"{by}{said}" if count == 1 else f"{count} comments: {said}")
    parts += map(_on_one_line, news.sentences)
    return " · ".join(parts)


def who_and_when(store: Store, news: ItemNews) -> str:
    """Return the authors, as far as known, and the time; for a deleted item, only when that was noticed."""
    who = ", ".join(news.authors) or ("" if news.kind is NewsKind.GONE else SOMEBODY)
    when = news_age(store, news)
    return " · ".join(part for part in (who, when, moment(news.at, store.local)) if part)


def news_age(store: Store, news: ItemNews) -> str:
    noticed = "noticed " if news.kind is NewsKind.GONE else ""
    return f"{noticed}{ago(news.at, store.now())}" if news.at else ""


def news_head(store: Store, news: ItemNews) -> tuple[Sequence[Part], Sequence[Part]]:
    """Return both sides of the head of a frame around the changes of an item: what it is, and when by whom."""
    by = f" by {', '.join(news.authors)}" if news.authors else ""
    return item_words(news.item_id, news.type), [(f"{news_age(store, news)}{by}", "muted")]


def lines_of(
    store: Store, news: ItemNews, width: int, theme: ThemeStyles, *, with_name: bool, with_author: bool = True
) -> Iterator[Line]:
    """Yield the changes of an item for a width: authors and time, each field with both values, and each comment.

    They begin with the name of the item where it is wanted; a frame around them may say the authors.
    """
    now, style = store.now(), theme.style
    name = f"#{news.item_id} {news.name}" if news.item_id > 0 and with_author else news.name
    yield from ([Segment(line, style(bold=True))] for line in (wrapped(name, width) if with_name else ()))
    if with_author:
        yield [Segment(safe(who_and_when(store, news)), style("muted"))]
    if with_name:
        yield []
    if news.kind is NewsKind.NEW:
        yield [Segment(safe(f"A new {news.type.lower() or 'item'}."), style())]
    if news.kind is NewsKind.GONE:
        words = "Deleted." if news.authors else "Deleted, or no longer visible to you."
        yield [Segment(words, style())]
    if len(news.changes) < 2:
        yield from fields_lines(store, news.fields, width, theme, MAX_FIELD_LINES, is_brief=not with_name)
    for each in news.changes if len(news.changes) > 1 else ():
        yield [Segment(safe(each.author), style(bold=True))]
        yield from fields_lines(store, each.fields, width, theme, MAX_FIELD_LINES, is_brief=not with_name)
    for comment in news.comments:
        yield []
        yield from PreviewLayout(theme, width).comment(comment, now)
    for sentence in news.sentences:
        yield from ([Segment(line, style())] for line in ["", *wrapped(sentence, width)])
