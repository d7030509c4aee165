"""Atlassian Document Format, the JSON of texts in Jira Cloud, as Markdown."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import cast

from backlit.imports.markup.builder import Container, DocumentBuilder
from backlit.imports.markup.document import Mark
from backlit.imports.markup.markdown import markdown_of

_MARKS = {"strong": Mark.STRONG, "em": Mark.EMPHASIS, "strike": Mark.STRIKE, "code": Mark.CODE}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Node = Mapping[str, object]


def adf_to_markdown(document: object) -> str:
    """Return a document as Markdown; what is no document keeps its texts, and None is empty."""
    reader = _Reader()
    reader.read(document)
    return markdown_of(reader.builder.finished())


class _Reader:
    """Walks the nodes with a stack of its own: a document may nest deeper than Python calls."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        self._stack: list[Iterator[object]] = []
        self._closings: list[Callable[[], None]] = []

    def read(self, document: object) -> None:
        self._enter(iter([document]), _nothing)
        while self._stack:
            node = next(self._stack[-1], self)
            if node is self:
                self._stack.pop()
                self._closings.pop()()
            elif isinstance(node, str):
                self.builder.text(node)
            elif isinstance(node, list):
                self._enter(iter(node), _nothing)
            elif isinstance(node, dict):
                self._open(cast("_Node", node))

    def _enter(self, nodes: Iterator[object], closing: Callable[[], None]) -> None:
        self._stack.append(nodes)
        self._closings.append(closing)

    def _open(self, node: _Node) -> None:
        """Read a node, and its content after it; a node of an unknown type keeps its text."""
        kind = _text(node.get("type"))
        attributes = node.get("attrs")
        values = cast("_Node", attributes) if isinstance(attributes, dict) else {}
        builder = self.builder
        closing: Callable[[], None] = _nothing
        match kind:
            case "text":
                self._text(node)
            case "paragraph" | "caption":
                builder.end_paragraph()
                closing = builder.end_paragraph
            case "heading":
                builder.open_heading(_whole(values.get("level"), 1))
                closing = builder.close_heading
            case "codeBlock":
                builder.code(_all_text(node), _text(values.get("language")))
                return
            case "hardBreak":
                builder.line_break()
            case "rule":
                builder.rule()
            case _:
                closing = self._open_container(kind, values) or self._add_inline(kind, values)
        self._enter(_content(node), closing)

    def _open_container(self, kind: str, values: _Node) -> Callable[[], None] | None:
        builder = self.builder
        match kind:
            case "bulletList" | "taskList" | "decisionList":
                builder.open_list()
                return lambda: builder.close(Container.LIST)
            case "orderedList":
                builder.open_list(_whole(values.get("order"), 1))
                return lambda: builder.close(Container.LIST)
            case "listItem" | "taskItem" | "decisionItem" | "blockTaskItem":
                builder.open_item()
                if kind in {"taskItem", "blockTaskItem"}:
                    builder.text("[x] " if values.get("state") == "DONE" else "[ ] ")
                return lambda: builder.close(Container.ITEM)
            case "blockquote" | "panel":
                builder.open_quote()
                return lambda: builder.close(Container.QUOTE)
            case "table":
                builder.open_table()
                return lambda: builder.close(Container.TABLE)
            case "tableRow":
                builder.open_row()
                return _nothing
            case "tableCell" | "tableHeader":
                builder.open_cell()
                return lambda: builder.close(Container.CELL)
            case "expand" | "nestedExpand":
                builder.end_paragraph()
                builder.text(_text(values.get("title")), [Mark.STRONG])
                builder.end_paragraph()
                return builder.end_paragraph
        return None

    def _add_inline(self, kind: str, values: _Node) -> Callable[[], None]:
        builder = self.builder
        match kind:
            case "mention":
                name = _text(values.get("text")) or _text(values.get("id"))
                builder.text(name if name.startswith("@") or not name else f"@{name}")
            case "emoji":
                builder.text(_text(values.get("text")) or _text(values.get("shortName")))
            case "status":
                builder.text(_text(values.get("text")), [Mark.STRONG])
            case "date":
                builder.text(_day(values.get("timestamp")))
            case "inlineCard":
                builder.text(_card_address(values))
            case "blockCard" | "embedCard":
                builder.end_paragraph()
                builder.text(_card_address(values))
                builder.end_paragraph()
            case "media" | "mediaInline":
                self._add_media(values)
            case "mediaSingle" | "mediaGroup":
                builder.end_paragraph()
                return builder.end_paragraph
            case _:
                builder.text(_text(values.get("text")))
        return _nothing

    def _add_media(self, values: _Node) -> None:
        name, address = _text(values.get("alt")), _text(values.get("url"))
        if name or address:
            self.builder.image(name, address or name)
            self.builder.new_line()

    def _text(self, node: _Node) -> None:
        marks: set[Mark] = set()
        address = ""
        for mark in _nodes(node.get("marks")):
            kind = _text(mark.get("type"))
            attributes = mark.get("attrs")
            if kind in _MARKS:
                marks.add(_MARKS[kind])
            elif kind == "link" and isinstance(attributes, dict):
                address = _text(attributes.get("href"))
        self.builder.text(_text(node.get("text")), marks, address)


def _nothing() -> None:
    pass


def _content(node: _Node) -> Iterator[object]:
    content = node.get("content")
    return iter(content) if isinstance(content, list) else iter([content] if isinstance(content, str | dict) else [])


def _nodes(value: object) -> list[_Node]:
    return [cast("_Node", node) for node in value if isinstance(node, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and 0 <= value <= 999_999_999 else otherwise


def _all_text(node: _Node) -> str:
    """Return the texts in a node without their styles."""
    texts: list[str] = []
    stack = [_content(node)]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
        elif isinstance(inner, str):
            texts.append(inner)
        elif isinstance(inner, dict):
            texts.append("\n" if inner.get("type") == "hardBreak" else _text(inner.get("text")))
            stack.append(_content(cast("_Node", inner)))
    return "".join(texts)


def _card_address(values: _Node) -> str:
    data = values.get("data")
    linked = cast("_Node", data) if isinstance(data, dict) else {}
    return _text(values.get("url")) or _text(linked.get("url")) or _text(linked.get("name"))


def _day(timestamp: object) -> str:
    """Return a day from milliseconds since 1970; what is no such number stays as it is."""
    text = str(timestamp) if isinstance(timestamp, int) else _text(timestamp)
    try:
        return (_EPOCH + timedelta(milliseconds=int(text))).date().isoformat()
    except (ValueError, OverflowError):
        return text
