"""The rows of the inbox: the items that have news, and the comments of the project."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from rich.segment import Segment
from textual.strip import Strip

from backlit.store.inbox import InboxComment, ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.store.store import Store
from backlit.tui.commands.table import Context
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.drawing.theme_styles import Looks, type_colour, type_sign
from backlit.tui.inbox.change_text import age_of, summary_of
from backlit.tui.widgets.line_list import LineList

SIGNS = {NewsKind.NEW: ("+", "accent"), NewsKind.CHANGED: ("~", "pending"), NewsKind.GONE: ("−", "conflict")}
ID_WIDTH, AGE_WIDTH, WHO_WIDTH = 7, 4, 9
ROOM_FOR_WHO = 80
NAME_SHARE = 0.38
"""How much of what is left the name of the item takes."""


class InboxRows(LineList):
    """A list of the inbox: draws its rows alike, and says why there are none."""

    CONTEXTS = (Context.INBOX, *LineList.CONTEXTS)

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.store = store
        self.empty_text = ""

    def say_when_empty(self, text: str) -> None:
        """Say another thing where there are no rows."""
        if text != self.empty_text:
            self.empty_text = text
            self.refresh()

    def render_blank(self, y: int) -> Strip:
        """Say why there is nothing, where there is not."""
        return self.draw_words("" if self.row_count() else self.empty_text, y)

    def drawn(self, parts: Sequence[tuple[str, str]], *, is_cursor: bool) -> Strip:
        """A row of parts with their colours, after the cursor's mark."""
        looks, on = Looks.of(self.app), "cursor-background" if is_cursor else None
        segments = [Segment("▌" if is_cursor else " ", looks.style("accent", on=on))]
        segments += [
            Segment(text, looks.style(colour, on=on, bold=is_cursor and colour == "foreground"))
            for text, colour in parts
        ]
        return Strip(segments).adjust_cell_length(self.size.width, looks.style(on=on))


class InboxList(InboxRows):
    """One row for each item with news; it holds their ids, and reads what is in sight."""

    def __init__(self, store: Store, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(store, id=id)
        self._ids: list[int] = []
        self._read: dict[int, ItemNews | None] = {}

    def show(self, item_ids: list[int]) -> None:
        """Show other items, the cursor on the same one as before, else at its line."""
        current = self.current_id
        self._ids, self._read = item_ids, {}
        self.rows_replaced(item_ids.index(current) if current in item_ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current_id(self) -> int | None:
        """The item under the cursor."""
        return self._ids[self.cursor] if self.cursor < len(self._ids) else None

    @property
    def current(self) -> ItemNews | None:
        """The news under the cursor."""
        item_id = self.current_id
        return None if item_id is None else self._news(item_id)

    def _news(self, item_id: int) -> ItemNews | None:
        if item_id not in self._read:
            self._read[item_id] = self.store.inbox.news(item_id)
        return self._read[item_id]

    def row_count(self) -> int:
        """The items there are."""
        return len(self._ids)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one item: what kind of news, its name, what happened, who did it and when."""
        news = self._news(self._ids[index])
        if news is None:
            return self.drawn([], is_cursor=is_cursor)
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
            (fit(news.name, name_width) + "  ", "foreground"),
            (fit(summary_of(self.store, news), left - name_width), "muted"),
            (f" {fit(news.authors[0] if news.authors else '', who_width)}" if who_width else "", "muted"),
            (fit_right(age_of(news.at, self.store.now()), AGE_WIDTH) + " ", "muted"),
        ]
        return self.drawn(parts, is_cursor=is_cursor)


class FeedList(InboxRows):
    """One row for each of the project's latest comments, those not seen yet with a mark."""

    def __init__(self, store: Store, item_name: Callable[[int], str], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(store, id=id)
        self._item_name = item_name
        self._comments: Sequence[InboxComment] = ()
        self._unread: AbstractSet[int] = frozenset()

    def show(self, comments: Sequence[InboxComment], unread: AbstractSet[int]) -> None:
        """Show other comments, the cursor on the same one as before, else at its line."""
        current = self.current
        self._comments, self._unread = comments, unread
        ids = [each.id for each in comments]
        self.rows_replaced(ids.index(current.id) if current and current.id in ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current(self) -> InboxComment | None:
        """The comment under the cursor."""
        return self._comments[self.cursor] if self.cursor < len(self._comments) else None

    def row_count(self) -> int:
        """The comments there are."""
        return len(self._comments)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one comment: who wrote it, on what, its beginning, and when."""
        comment = self._comments[index]
        is_new = comment.id in self._unread
        left = self.size.width - WHO_WIDTH - ID_WIDTH - AGE_WIDTH - 9
        name_width = round(left * NAME_SHARE)
        parts = [
            ("” " if is_new else "  ", "accent"),
            (fit(comment.author, WHO_WIDTH) + " ", "foreground" if is_new else "muted"),
            (fit_right(f"#{comment.item_id}", ID_WIDTH) + " ", "muted"),
            (fit(self._item_name(comment.item_id), name_width) + "  ", "muted"),
            (fit(" ".join(comment.text.split()), left - name_width), "foreground"),
            (fit_right(age_of(comment.created_at, self.store.now()), AGE_WIDTH) + " ", "muted"),
        ]
        return self.drawn(parts, is_cursor=is_cursor)
