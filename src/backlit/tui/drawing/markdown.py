"""Markdown as lines for widgets that draw their own: emphasis, code, lists, quotes, headings, tables and links.

The text stays complete and inert: unknown markup is shown as typed, images are their address, links are never
clickable, and every character has passed `safe_block` first. A text in HTML is drawn alike, and never carried out.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from backlit.tui.drawing.html_shape import is_html
from backlit.tui.drawing.text import Line, safe, safe_block
from backlit.tui.drawing.themes import ThemeStyles

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TEXT_LIMIT = 20_000
"""Characters up to which markup is parsed; longer texts are shown as they are."""
LEAST_WIDTH = 8
MAX_DEPTH = 8
"""Levels of lists and quotes that are indented; deeper ones are drawn at this depth."""
CODE_GROUND = "panel"
_MARKUP = re.compile(r"[*_`#>\[~|]|^\s*(?:[-+]|\d+[.)])\s|^---", re.MULTILINE)
_CHANGES_TEXT = ("entity", "escape", "reference", "lheading", "autolink", "code")
"""Rules that would hide typed characters or find unintended markup."""


class TextBlock(Struct, frozen=True):
    """A stretch of text, with the prefixes of its first line and of the others."""

    first: str
    rest: str
    text: Text
    is_code: bool = False
    rows: tuple[tuple[Text, ...], ...] = ()
    """The cells of a table, the header first; `text` is empty then."""

    def lines(self, width: int, theme: ThemeStyles) -> Iterator[Line]:
        if self.rows:
            yield from self._table(width, theme)
            return
        mark = theme.style("muted")
        room = max(LEAST_WIDTH, width - cell_len(self.rest))
        wrapped = self.text.wrap(_console(), room, overflow="fold", no_wrap=False)
        base = theme.style(on=CODE_GROUND if self.is_code else None)
        plain = _console().get_style(self.text.style)  # rich leaves it off where a line has no spans
        for index, line in enumerate(wrapped):
            before = self.first if index == 0 else self.rest
            segments = [Segment(before, mark)] if before else []
            segments += [Segment(part.text, part.style or plain) for part in line.render(_console()) if part.text]
            if self.is_code:
                missing = room - cell_len(line.plain)
                segments.append(Segment(" " * max(0, missing), base))
            yield segments

    def _table(self, width: int, theme: ThemeStyles) -> Iterator[Line]:
        count = max(map(len, self.rows))
        if 4 * count > width:
            for row in self.rows:
                yield from TextBlock(self.first, self.rest, Text(" │ ").join(row)).lines(width, theme)
            return
        rule = Segment(" │ ", theme.style("rule"))
        room = max(count, width - cell_len(self.rest) - 3 * (count - 1))
        widths = [max(1, *(row[at].cell_len for row in self.rows if at < len(row))) for at in range(count)]
        while sum(widths) > room and max(widths) > 1:
            widths[widths.index(max(widths))] -= 1
        for number, row in enumerate(self.rows):
            cells = [cell.wrap(_console(), widths[at], overflow="fold") for at, cell in enumerate(row)]
            for at in range(max(map(len, cells))):
                line = [Segment(self.rest, theme.style("muted"))] if self.rest else []
                for place, lines in enumerate(cells):
                    parts = (
                        [Segment(part.text, part.style) for part in lines[at].render(_console()) if part.text]
                        if at < len(lines)
                        else []
                    )
                    missing = widths[place] - sum(part.cell_length for part in parts)
                    line += [*([rule] if place else []), *parts, Segment(" " * max(0, missing))]
                yield line
            if number == 0 and len(self.rows) > 1:
                yield [
                    Segment(
                        self.rest + "─" * min(room + 3 * (count - 1), sum(widths) + 3 * (count - 1)),
                        theme.style("rule"),
                    )
                ]


class _Level(Struct):
    """An open list item or quote; its marker is drawn once."""

    marker: str
    rest: str

    def take(self) -> str:
        marker, self.marker = self.marker, self.rest
        return marker


# Textual's Markdown makes a widget for each block: 40 comments took 1,523 ms of CPU to show, as one text 137.
def markdown_lines(text: str, width: int, theme: ThemeStyles) -> list[Line]:
    if len(text) <= TEXT_LIMIT and is_html(text):
        from backlit.tui.drawing.html import html_tokens  # 2 ms of the start, for texts in HTML alone

        blocks = list(_Blocks(theme).read(html_tokens(safe_block(text))))
        return [line for block in blocks for line in block.lines(width, theme)]
    text = safe_block(text).strip("\n").rstrip()
    if len(text) > TEXT_LIMIT or not _MARKUP.search(text):
        blocks = [TextBlock("", "", Text(text, theme.style()))]
    else:
        blocks = list(_Blocks(theme).read(_parser().parse(text)))
    return [line for block in blocks for line in block.lines(width, theme)]


@cache
def _console() -> Console:
    return Console(width=80, color_system="truecolor", legacy_windows=False)


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).disable(list(_CHANGES_TEXT)).enable(["strikethrough", "table"])


class _Blocks:
    """Turns the parser's tokens into blocks."""

    def __init__(self, theme: ThemeStyles) -> None:
        self._theme = theme
        self._levels: list[_Level] = []
        self._counters: list[int | None] = []
        self._is_heading = False
        self._gap: int | None = None
        self._rows: list[list[Text]] | None = None

    def read(self, tokens: "list[Token]") -> Iterator[TextBlock]:
        for index, token in enumerate(tokens):
            if self._rows is not None:
                yield from self._in_table(token)
                continue
            if token.type in {"fence", "inline", "hr"}:
                if self._gap is not None:
                    yield TextBlock(rest := self._rest(self._gap), rest, Text(""))
                self._gap = None
            match token.type:
                case "table_open":
                    if self._gap is not None:
                        yield TextBlock(rest := self._rest(self._gap), rest, Text(""))
                    self._rows = []
                case "fence":
                    yield self._code(token)
                case "inline":
                    yield self._paragraph(token)
                case "hr":
                    yield TextBlock(self._first(), self._rest(), Text("─" * 3, self._theme.style("rule")))
            self._step(token, is_last=index == len(tokens) - 1)

    def _step(self, token: "Token", *, is_last: bool) -> None:
        match token.type:
            case "bullet_list_open":
                self._counters.append(None)
            case "ordered_list_open":
                self._counters.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._counters.pop()
                self._gap = None if self._counters else len(self._levels)
            case "list_item_open":
                self._open_item()
            case "blockquote_open":
                self._levels.append(_Level("▏ ", "▏ "))
            case "list_item_close" | "blockquote_close":
                self._levels.pop()
                self._gap = None if self._gap is None else min(self._gap, len(self._levels))
            case "heading_open" | "heading_close":
                self._is_heading = token.type == "heading_open"
        if token.type in {"paragraph_close", "blockquote_close", "fence", "hr"}:
            self._gap = None if token.hidden or is_last else len(self._levels)

    def _in_table(self, token: "Token") -> Iterator[TextBlock]:
        rows = self._rows or []
        match token.type:
            case "tr_open":
                rows.append([])
                self._rows = rows
            case "td_open" | "th_open" if rows:
                rows[-1].append(Text())
            case "inline" if rows and rows[-1]:
                base = self._theme.style("foreground", bold=len(rows) == 1)
                rows[-1][-1].append_text(_inline(token.children or (), base, self._theme))
            case "table_close":
                self._rows = None
                self._gap = len(self._levels)
                yield TextBlock(self._first(), self._rest(), Text(""), rows=tuple(tuple(row) for row in rows if row))

    def _open_item(self) -> None:
        number = self._counters[-1]
        marker = "• " if number is None else f"{number}. "
        if number is not None:
            self._counters[-1] = number + 1
        self._levels.append(_Level(marker, " " * len(marker)))

    def _first(self) -> str:
        return "".join(level.take() for level in self._levels[:MAX_DEPTH])

    def _rest(self, depth: int = MAX_DEPTH) -> str:
        return "".join(level.rest for level in self._levels[: min(depth, MAX_DEPTH)])

    def _code(self, token: "Token") -> TextBlock:
        style = self._theme.style(on=CODE_GROUND)
        return TextBlock(self._first(), self._rest(), Text(token.content.rstrip("\n"), style), is_code=True)

    def _paragraph(self, token: "Token") -> TextBlock:
        is_quote = any(level.rest == "▏ " for level in self._levels)
        base = self._theme.heading() if self._is_heading else self._theme.style("muted" if is_quote else "foreground")
        return TextBlock(self._first(), self._rest(), _inline(token.children or (), base, self._theme))


_EMPHASIS = {"em_open": Style(italic=True), "strong_open": Style(bold=True), "s_open": Style(strike=True)}


def _inline(children: "Iterable[Token]", base: Style, theme: ThemeStyles) -> Text:
    text = Text(style=base)
    styles, addresses = [base], [""]
    for child in children:
        if child.type in _EMPHASIS:
            styles.append(styles[-1] + _EMPHASIS[child.type])
        elif child.type == "link_open":
            styles.append(styles[-1] + Style(underline=True))
            addresses.append(safe(str(child.attrs.get("href", ""))))
        elif child.type.endswith("_close"):
            styles.pop()
            address = addresses.pop() if child.type == "link_close" else ""
            if not text.plain.endswith(address):
                text.append(f" ({address})", theme.style("muted"))
        else:
            text.append(_words(child), theme.style(on=CODE_GROUND) if child.type == "code_inline" else styles[-1])
    return text


def _words(token: "Token") -> str:
    match token.type:
        case "softbreak" | "hardbreak":
            return "\n"
        case "image":
            name, address = token.content, safe(str(token.attrs.get("src", "")))
            return f"{name} ({address})" if name else address
    return token.content
