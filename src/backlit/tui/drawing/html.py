"""HTML descriptions as tokens of the Markdown parser, so that both are drawn alike; nothing in them is carried out."""

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from backlit.tui.drawing.text import safe, safe_block

if TYPE_CHECKING:
    from markdown_it.token import Token

_BLOCKS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    "ul": "bullet_list",
    "ol": "ordered_list",
    "li": "list_item",
    "blockquote": "blockquote",
    "table": "table",
    "tr": "tr",
    "td": "td",
    "th": "th",
}
_MARKS = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "s": "s", "strike": "s", "del": "s", "a": "link"}
_ENDS = frozenset({"p", "div", "br", "hr", "pre", *_BLOCKS})
"""Tags that end a paragraph."""
_UNSEEN = frozenset({"script", "style", "head", "title"})


def html_tokens(text: str) -> "list[Token]":
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.finished()


class _Reader(HTMLParser):
    """Collects tokens; open blocks and marks are closed at the end, and stray closing tags are dropped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._tokens: list[Token] = []
        self._inline: list[Token] = []
        self._open: list[str] = []
        self._marks: list[str] = []
        self._unseen = 0
        self._code: list[str] | None = None

    def finished(self) -> "list[Token]":
        self._end_paragraph()
        while self._open:
            self._close_block(self._open[-1])
        return self._tokens

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        if tag in _UNSEEN:
            self._unseen += 1
        if tag == "br" and self._code is None:
            self._add("softbreak")
            return
        if tag in _ENDS:
            self._end_paragraph()
        if tag == "pre":
            self._code = []
        elif tag == "hr":
            self._put("hr")
        elif tag in _BLOCKS:
            self._open_block(tag, values.get("start", ""))
        elif tag == "img":
            self._add("image", safe(values.get("alt", "")), {"src": values.get("src", "")})
        elif tag in _MARKS and self._code is None:
            self._marks.append(tag)
            self._add(f"{_MARKS[tag]}_open", attrs={"href": values.get("href", "")})

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "pre" and self._code is not None:
            code, self._code = "".join(self._code), None
            self._put("fence", code)
        elif tag in _BLOCKS and tag in self._open:
            self._end_paragraph()
            while self._open and self._close_block(self._open[-1]) != tag:
                pass
        elif tag in _ENDS and tag != "br":
            self._end_paragraph()
        elif tag in self._marks:
            while (mark := self._marks.pop()) != tag:
                self._add(f"{_MARKS[mark]}_close")
            self._add(f"{_MARKS[tag]}_close")

    def handle_data(self, data: str) -> None:
        data = safe_block(data)  # an entity may stand for a control character
        if self._code is not None:
            self._code.append(data)
        elif not self._unseen and (text := re.sub(r"\s+", " ", data)) and (self._inline or text != " "):
            self._add("text", text if self._inline else text.lstrip())

    def _add(self, kind: str, content: str = "", attrs: dict[str, str | int | float] | None = None) -> None:
        self._inline.append(_token(kind, content, attrs))

    def _put(self, kind: str, content: str = "", attrs: dict[str, str | int | float] | None = None) -> None:
        self._tokens.append(_token(kind, content, attrs))

    def _end_paragraph(self) -> None:
        for mark in reversed(self._marks):
            self._add(f"{_MARKS[mark]}_close")
        self._marks.clear()
        children, self._inline = self._inline, []
        while children and (
            children[-1].type == "softbreak" or (not children[-1].content.strip() and children[-1].type == "text")
        ):
            children.pop()
        if not any(child.content or child.type == "image" for child in children):
            return
        inline = _token("inline")
        inline.children = children
        is_plain = not self._open or self._open[-1] in {"li", "blockquote"}
        opening, closing = _token("paragraph_open"), _token("paragraph_close")
        opening.hidden = closing.hidden = bool(self._open) and self._open[-1] == "li"
        self._tokens += [opening, inline, closing] if is_plain else [inline]

    def _open_block(self, tag: str, start: str = "") -> None:
        if tag == "table" and tag in self._open:
            return
        if tag == "li":
            lists = [each for each in self._open if each in {"ul", "ol", "li"}]
            if not lists:
                self._open_block("ul")
            elif lists[-1] == "li":
                while self._close_block(self._open[-1]) != "li":
                    pass
        self._open.append(tag)
        self._put(f"{_BLOCKS[tag]}_open", attrs={"start": int(start)} if start.isdecimal() and len(start) < 9 else {})

    def _close_block(self, tag: str) -> str:
        self._open.pop()
        self._put(f"{_BLOCKS[tag]}_close")
        return tag


def _token(kind: str, content: str = "", attrs: "dict[str, str | int | float] | None" = None) -> "Token":
    from markdown_it.token import Token

    nesting = 1 if kind.endswith("_open") else -1 if kind.endswith("_close") else 0
    return Token(kind, "", nesting, content=content, attrs=attrs or {})  # type: ignore[arg-type] # 1, -1 or 0
