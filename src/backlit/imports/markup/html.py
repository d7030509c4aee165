"""HTML of Azure DevOps and of Jira's XML export as Markdown."""

import re
from collections import Counter
from collections.abc import Iterable
from html.parser import HTMLParser

from backlit.imports.markup.builder import Container, DocumentBuilder
from backlit.imports.markup.characters import clean
from backlit.imports.markup.document import Block, Mark
from backlit.imports.markup.markdown import markdown_of

_MARKS = {
    **dict.fromkeys(("b", "strong"), Mark.STRONG),
    **dict.fromkeys(("i", "em", "cite", "var", "dfn"), Mark.EMPHASIS),
    **dict.fromkeys(("s", "strike", "del"), Mark.STRIKE),
    **dict.fromkeys(("code", "tt", "kbd", "samp"), Mark.CODE),
}
_LINES = re.compile(
    r"div|section|article|header|footer|nav|aside|main|center|address|form|fieldset|legend|details|summary|"
    r"figure|figcaption|dl|dt|dd|tbody|thead|tfoot|caption|body|html|head"
)
"""Tags that begin and end a line."""
_CONTAINERS = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), Container.LIST),
    "li": Container.ITEM,
    "blockquote": Container.QUOTE,
    "table": Container.TABLE,
    **dict.fromkeys(("td", "th"), Container.CELL),
}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_READ = {"p", "br", "hr", "pre", "tr", "a", "img", "span", "input", *_CONTAINERS, *_HEADINGS, *_MARKS}
_WITHOUT_MEANING = re.compile(
    r"title|font|u|ins|sup|sub|small|big|mark|q|abbr|acronym|time|label|button|wbr|col|colgroup|link|meta|"
    r"base|iframe|object|embed|param|video|audio|source|picture|svg|path|noscript|template|script|style|"
    r"nobr|bdi|bdo|data|output|textarea|select|option|map|area|ruby|rt|rp"
    r"|(?:o|v|w|m|x|st\d|ac|ri|mso):\w+"
)
"""Tags that leave their text as it is; the last ones are those of word processors and wikis."""
_DROPPED = ("script", "style")

# The standard parser looks for the end of an unfinished tag from each of them, and takes a text for the value of an
# attribute whose quotes do not match: 1 MB of `<a ` took it minutes, and words were lost.
_BEGINS_TAG = re.compile(
    r"""<(?:/?+([A-Za-z][\w:-]*+)
        (?:[\s/]++|[^\s<>/"'=]++(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s<>"'`]++))?+)*+>)?+""",
    re.VERBOSE,
)
_DECLARATION = re.compile(r"<(?:!doctype\b|!\[(?!CDATA)|\?xml)[^<>]*+>", re.IGNORECASE)
_LANGUAGE = re.compile(r"\b(?:language|lang|code|brush)[-:]\s*([\w+#.]+)")
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*:\s*italic", re.IGNORECASE)
_STRUCK = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")


def html_to_markdown(text: str) -> str:
    """Return HTML as Markdown; what is no tag stays text, and scripts and styles are left out."""
    reader = _Reader()
    reader.feed(_with_whole_tags(text))
    reader.close()
    return markdown_of(reader.finished())


def _with_whole_tags(text: str) -> str:
    """Return HTML whose every `<` begins a known and finished tag, without comments, scripts and styles."""
    text = _without(text, "<!--", "-->")
    for name in _DROPPED:
        text = _without(text, f"<{name}", f"</{name}>")
    if "<![CDATA[" in text:
        text = text.replace("<![CDATA[", "").replace("]]>", "")
    return _BEGINS_TAG.sub(_checked_tag, _DECLARATION.sub("", text))


def _without(text: str, opening: str, closing: str) -> str:
    """Cut out what stands between two signs, in any case; an opening without an end is left alone."""
    lower = text.lower() if text.isascii() else re.sub(r"[A-Z]", lambda match: match[0].lower(), text)
    parts: list[str] = []
    at = 0
    while (start := lower.find(opening, at)) >= 0 and (end := lower.find(closing, start + len(opening))) >= 0:
        parts.append(text[at:start])
        at = end + len(closing)
    return "".join([*parts, text[at:]])


def _checked_tag(match: re.Match[str]) -> str:
    name = (match[1] or "").lower()
    if name in _READ or _LINES.fullmatch(name):
        return match[0]
    return "" if _WITHOUT_MEANING.fullmatch(name) else "&lt;" + match[0][1:]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = DocumentBuilder()
        self._marks: Counter[Mark] = Counter()
        self._span_marks: list[list[Mark]] = []
        self._address = ""
        self._code: list[str] | None = None
        self._language = ""

    def finished(self) -> list[Block]:
        self._end_code()
        return self._builder.finished()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        if self._code is not None and tag not in {"td", "th", "tr", "table"}:
            self._tag_in_code(tag, values)
        elif tag in _CONTAINERS or tag == "tr":
            self._end_code()
            self._open_container(tag, values)
        elif tag in _MARKS:
            self._marks[_MARKS[tag]] += 1
        elif tag in _HEADINGS:
            self._builder.open_heading(int(tag[1]))
        elif _LINES.fullmatch(tag):
            self._builder.new_line()
        else:
            self._open_other(tag, values)

    def _open_container(self, tag: str, values: dict[str, str]) -> None:
        builder = self._builder
        match tag:
            case "ul" | "menu" | "dir":
                builder.open_list()
            case "ol":
                start = values.get("start", "")
                builder.open_list(int(start) if start.isdecimal() and len(start) < 10 else 1)
            case "li":
                builder.open_item()
            case "blockquote":
                builder.open_quote()
            case "table":
                builder.open_table()
            case "tr":
                builder.open_row()
            case "td" | "th":
                self._marks.clear()
                builder.open_cell()

    def _open_other(self, tag: str, values: dict[str, str]) -> None:
        builder = self._builder
        match tag:
            case "p":
                builder.end_paragraph()
            case "br":
                builder.line_break()
            case "hr":
                builder.rule()
            case "pre":
                builder.end_paragraph()
                self._code = []
                self._language = _language(values)
            case "span":
                self._span_marks.append(_style_marks(values.get("style", "")))
                self._marks.update(self._span_marks[-1])
            case "a":
                is_person = "user-hover" in values.get("class", "")
                self._address = "" if is_person else values.get("href", "").strip()
            case "img":
                self._add_image(values)
            case "input" if values.get("type", "").lower() == "checkbox":
                builder.text("[x] " if "checked" in values else "[ ] ")

    def _add_image(self, values: dict[str, str]) -> None:
        name, source = values.get("alt", "") or values.get("title", ""), values.get("src", "")
        if "emoticon" in values.get("class", "") and name:
            self._builder.text(name)
        elif name or source:
            self._builder.image(name, source, self._address)

    def _tag_in_code(self, tag: str, values: dict[str, str]) -> None:
        if tag == "br" or (self._code and (tag == "p" or _LINES.fullmatch(tag))):
            self.handle_data("\n")
        elif tag == "img":
            self.handle_data(values.get("alt", ""))
        self._language = self._language or (_language(values) if tag == "code" else "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" or (self._code is not None and tag in {"td", "th", "table"}):
            self._end_code()
        if self._code is not None:
            return
        if tag in _CONTAINERS:
            self._builder.close(_CONTAINERS[tag])
            if tag in {"td", "th"}:
                self._marks.clear()
        elif tag in _MARKS:
            self._end_marks([_MARKS[tag]])
        elif tag in _HEADINGS:
            self._builder.close_heading()
        elif _LINES.fullmatch(tag):
            self._builder.new_line()
        else:
            self._end_other(tag)

    def _end_other(self, tag: str) -> None:
        match tag:
            case "p":
                self._builder.end_paragraph()
            case "a":
                self._address = ""
            case "span" if self._span_marks:
                self._end_marks(self._span_marks.pop())

    def _end_marks(self, marks: Iterable[Mark]) -> None:
        for mark in marks:
            self._marks[mark] -= self._marks[mark] > 0

    def handle_data(self, data: str) -> None:
        data = clean(data)
        if self._code is not None:
            self._code.append(data)
            return
        text = _BLANKS.sub(lambda match: "\n" if "\n" in match[0] else " ", data)
        if self._builder.is_at_line_start or self._builder.last_character in {" ", "\n"}:
            text = text.lstrip()
        self._builder.text(text, [mark for mark, number in self._marks.items() if number], self._address)

    def _end_code(self) -> None:
        if self._code is not None:
            code, self._code = "".join(self._code), None
            self._builder.code(code, self._language)


def _language(values: dict[str, str]) -> str:
    known = _LANGUAGE.search(f"{values.get('class', '')} {values.get('data-language', '')}")
    return known[1] if known else ""


def _style_marks(style: str) -> list[Mark]:
    found = ((_BOLD, Mark.STRONG), (_ITALIC, Mark.EMPHASIS), (_STRUCK, Mark.STRIKE))
    return [mark for pattern, mark in found if pattern.search(style)]
