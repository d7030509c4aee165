"""Jira's wiki markup as Markdown: blocks line by line, macros across lines."""

import re
from collections.abc import Iterator, Mapping

from backlit.imports.markup.builder import Container, DocumentBuilder
from backlit.imports.markup.characters import clean
from backlit.imports.markup.document import Mark
from backlit.imports.markup.markdown import markdown_of
from backlit.imports.markup.wiki_inline import WikiText

_MACRO = re.compile(
    r"(?<!\\)\{(?:(code|noformat)(?::([^{}\n]{0,500}))?"
    r"|(quote|panel|info|note|warning|tip|expand|section|column)(?::([^{}\n]{0,500}))?)\}"
)
_QUOTED = {"quote", "panel", "info", "note", "warning", "tip"}
_HEADING = re.compile(r"h([1-6])\.(?:\s+|(?=\S))(.*)", re.DOTALL)
_QUOTE = re.compile(r"bq\.\s+(.*)")
_RULE = re.compile(r"-{4,}")
_ITEM = re.compile(r"([*#-]{1,50})[*#-]*\s+(.*)")
"""An item deeper than 50 levels is one of the fiftieth."""
_CELL_PART = re.compile(
    r"""\\\| | \|{1,2} | \[[^\[\]\n]*\] | \{\{[^{}\n]*\}\} | ![^!\s|][^!\n|]*\|[^!\n|]*! | [^\\|\[{!]+ | .""",
    re.DOTALL | re.VERBOSE,
)
_MAX_ROW_LINES = 200
"""Lines that are taken for one row of a table, whose end is missing."""


def wiki_to_markdown(text: str, people: Mapping[str, str] = {}) -> str:
    """Return wiki markup as Markdown. `people` has names by account id or user name, for those who are mentioned."""
    reader = _Reader(people)
    reader.read(clean(text))
    return markdown_of(reader.builder.finished())


class _Reader:
    def __init__(self, people: Mapping[str, str]) -> None:
        self.builder = DocumentBuilder()
        self._people = people
        self._lists = ""
        """The signs of the open lists, the outermost first."""
        self._macros: list[str] = []
        self._row: list[str] = []
        self._has_table = False

    def read(self, text: str) -> None:
        at = 0
        while macro := _MACRO.search(text, at):
            self._read_lines(text[at : macro.start()])
            at = macro.end()
            if not macro[1]:
                self._toggle(macro[3], macro[4])
                continue
            closing = f"{{{macro[1]}}}"
            end = text.find(closing, at)
            # Without its end, as where an export cut the text, all that follows is code.
            self._read_code(text[at:end] if end >= 0 else text[at:], macro[1], macro[2] or "")
            at = end + len(closing) if end >= 0 else len(text)
        self._read_lines(text[at:])
        self._end_blocks()

    def _read_code(self, code: str, macro: str, parameters: str) -> None:
        self._end_row()
        named, language = _parameters(parameters)
        title = named.get("title", "")
        if title:
            self.builder.end_paragraph()
            self.builder.text(title, [Mark.STRONG])
        self.builder.code(code, (named.get("language") or language) if macro == "code" else "")

    def _toggle(self, macro: str, parameters: str | None) -> None:
        self._end_blocks()
        if parameters is None and macro in self._macros:
            while (inner := self._macros.pop()) != macro:
                self._close(inner)
            self._close(macro)
            return
        self._macros.append(macro)
        if macro in _QUOTED:
            self.builder.open_quote()
        named, words = _parameters(parameters or "")
        if title := named.get("title") or (words if macro == "expand" else ""):
            self.builder.text(title, [Mark.STRONG])
            self.builder.end_paragraph()

    def _close(self, macro: str) -> None:
        if macro in _QUOTED:
            self.builder.close(Container.QUOTE)

    def _read_lines(self, text: str) -> None:
        lines = text.split("\n")
        for number, line in enumerate(lines):
            is_cut = number in {0, len(lines) - 1}
            if line.strip():
                self._read_line(line.strip())
            elif not is_cut:
                self._end_blocks()

    def _read_line(self, line: str) -> None:
        if self._row and not line.startswith("|"):
            self._row.append(line)
            if line.endswith("|") or len(self._row) > _MAX_ROW_LINES:
                self._end_row()
            return
        self._end_row()
        if line.startswith("|"):
            self._begin_row(line)
            return
        if self._has_table:
            self._end_blocks()
        if item := _ITEM.fullmatch(line):
            self._add_item(item[1], item[2])
        elif heading := _HEADING.fullmatch(line):
            self._end_blocks()
            self.builder.open_heading(int(heading[1]))
            self._add_text(heading[2])
            self.builder.close_heading()
        elif quote := _QUOTE.fullmatch(line):
            self._end_blocks()
            self.builder.open_quote()
            self._add_text(quote[1])
            self.builder.close(Container.QUOTE)
        elif _RULE.fullmatch(line):
            self._end_blocks()
            self.builder.rule()
        else:
            self.builder.new_line()
            self._add_text(line)

    def _add_text(self, text: str) -> None:
        for span in WikiText(text, self._people).spans():
            self.builder.add(span)

    def _add_item(self, signs: str, text: str) -> None:
        """Add an item to the lists that its signs name; those beyond what it shares with the open ones are closed."""
        shared = 0
        while shared < min(len(signs), len(self._lists)) and signs[shared] == self._lists[shared]:
            shared += 1
        if not self._lists:
            self.builder.end_paragraph()
        for _ in self._lists[shared:]:
            self.builder.close(Container.LIST)
        for place, sign in enumerate(signs[shared:], shared):
            self.builder.open_list(1 if sign == "#" else None)
            if place < len(signs) - 1:
                self.builder.open_item()
        self._lists = signs
        self.builder.open_item()
        self._add_text(text)

    def _begin_row(self, line: str) -> None:
        if not self._has_table:
            self._end_blocks()
            self.builder.open_table()
            self._has_table = True
        self._row = [line]
        if line.endswith("|") and len(line) > 1:
            self._end_row()

    def _end_row(self) -> None:
        row, self._row = "\n".join(self._row), []
        if not row:
            return
        self.builder.open_row()
        for cell in _cells(row):
            self.builder.open_cell()
            for line in cell.split("\n"):
                self.builder.new_line()
                self._add_text(line.strip())

    def _end_blocks(self) -> None:
        self._end_row()
        self.builder.end_paragraph()
        for _ in self._lists:
            self.builder.close(Container.LIST)
        if self._has_table:
            self.builder.close(Container.TABLE)
        self._lists, self._has_table = "", False


def _parameters(text: str) -> tuple[dict[str, str], str]:
    """Return the named parameters of a macro, and the one without a name."""
    named: dict[str, str] = {}
    word = ""
    for parameter in text.split("|"):
        name, sign, value = parameter.partition("=")
        if sign:
            named[name.strip().lower()] = value.strip()
        else:
            word = word or name.strip()
    return named, word


def _cells(row: str) -> Iterator[str]:
    """Yield the cells of a row; a bar in a link, a picture or code parts none."""
    parts: list[str] = []
    inner = row.strip().lstrip("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner.rstrip("|")
    for match in _CELL_PART.finditer(inner):
        if match[0] in {"|", "||"}:
            yield "".join(parts).strip()
            parts = []
        else:
            parts.append(match[0])
    yield "".join(parts).strip()
