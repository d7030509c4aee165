"""Collects blocks from the openings and closings that a reader of markup meets, in whatever order they come."""

from collections import Counter
from collections.abc import Iterable
from enum import Enum, auto

from msgspec import Struct

from backlit.imports.markup.characters import clean
from backlit.imports.markup.document import (
    Block,
    CodeBlock,
    HeadingBlock,
    ImageSpan,
    ListBlock,
    Mark,
    ParagraphBlock,
    QuoteBlock,
    RuleBlock,
    TableBlock,
    TextSpan,
)

MAX_DEPTH = 8
"""Levels of lists and quotes, as many as the screens indent; what is nested deeper stands in the innermost one.

markdown-it reads 20 levels, of which a list takes two, and drops the text below them.
"""
MAX_QUOTES = 3


class Container(Enum):
    """What holds other blocks, and is opened and closed."""

    QUOTE = auto()
    LIST = auto()
    ITEM = auto()
    TABLE = auto()
    CELL = auto()


class _Frame(Struct):
    """An open container; one without a block of its own leaves its text to the one around it."""

    kind: Container
    blocks: list[Block]
    block: ListBlock | TableBlock | None = None
    levels: int = 0


class DocumentBuilder:
    """Never recurses, and takes constant time for each call: a file may nest as deep as it likes."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._frames: list[_Frame] = []
        self._open: Counter[Container] = Counter()
        self._spans: list[TextSpan | ImageSpan] = []
        self._cell: list[TextSpan | ImageSpan] | None = None
        self._heading = 0
        self._depth = 0
        self._quotes = 0

    @property
    def is_at_line_start(self) -> bool:
        last = self._spans[-1] if self._spans else None
        return last is None or (isinstance(last, TextSpan) and last.text.endswith("\n"))

    @property
    def last_character(self) -> str:
        last = self._spans[-1] if self._spans else None
        return last.text[-1] if isinstance(last, TextSpan) else ""

    def text(self, text: str, marks: Iterable[Mark] = (), address: str = "") -> None:
        if cleaned := clean(text):
            self._spans.append(TextSpan(cleaned, frozenset(marks), address))

    def add(self, span: TextSpan | ImageSpan) -> None:
        """Add what has no other characters than `clean` leaves."""
        self._spans.append(span)

    def image(self, name: str, source: str, address: str = "") -> None:
        self._spans.append(ImageSpan(" ".join(clean(name).split()), source, address))

    def line_break(self) -> None:
        self._spans.append(TextSpan("\n"))

    def new_line(self) -> None:
        """Begin a line, unless one has just begun."""
        if not self.is_at_line_start:
            self.line_break()

    def end_paragraph(self) -> None:
        spans, self._spans = self._spans, []
        if not any(isinstance(span, ImageSpan) or span.text.strip() for span in spans):
            return
        blocks = self._target()
        if self._cell is not None:
            self._cell += [TextSpan("\n"), *spans] if self._cell else spans
        else:
            blocks.append(HeadingBlock(self._heading, spans) if self._heading else ParagraphBlock(spans))

    def open_heading(self, level: int) -> None:
        self.end_paragraph()
        self._heading = max(1, min(6, level))

    def close_heading(self) -> None:
        self.end_paragraph()
        self._heading = 0

    def code(self, text: str, language: str = "") -> None:
        self.close_heading()
        blocks = self._target()
        if self._cell is None:
            blocks.append(CodeBlock(clean(text), language))
            return
        for line in clean(text).split("\n"):
            self.text(line, [Mark.CODE])
            self.end_paragraph()

    def rule(self) -> None:
        self.close_heading()
        blocks = self._target()
        if self._cell is None:
            blocks.append(RuleBlock())

    def open_quote(self) -> None:
        self.close_heading()
        blocks = self._target()
        if self._cell is not None or self._quotes == MAX_QUOTES or self._depth == MAX_DEPTH:
            self._push(_Frame(Container.QUOTE, blocks))
            return
        quote = QuoteBlock([])
        blocks.append(quote)
        self._quotes += 1
        self._push(_Frame(Container.QUOTE, quote.blocks, levels=1))

    def open_list(self, start: int | None = None) -> None:
        """Open a list of bullets, or of numbers from `start`; one in a list without an item goes into its last item."""
        self.close_heading()
        blocks = self._target()
        if self._cell is not None or self._depth == MAX_DEPTH:
            self._push(_Frame(Container.LIST, blocks))
            return
        block = ListBlock(start, [])
        blocks.append(block)
        self._push(_Frame(Container.LIST, blocks, block, levels=1))

    def open_item(self) -> None:
        """Open an item, and close the one before it; a list is made where none is open."""
        self.close_heading()
        if len(self._frames) > 1 and self._frames[-1].kind is Container.ITEM:
            self._pop()
        if not self._frames or self._frames[-1].kind is not Container.LIST:
            self.open_list()
        frame = self._frames[-1]
        if not isinstance(frame.block, ListBlock):
            self._push(_Frame(Container.ITEM, frame.blocks))
            if self._cell is not None:
                self.text("• ")
            return
        frame.block.items.append([])
        self._push(_Frame(Container.ITEM, frame.block.items[-1]))

    def open_table(self) -> None:
        self.close_heading()
        blocks = self._target()
        if self._cell is not None:
            self._push(_Frame(Container.TABLE, blocks))
            return
        block = TableBlock([])
        blocks.append(block)
        self._push(_Frame(Container.TABLE, blocks, block))

    def open_row(self) -> None:
        """Open a row, and close the cell before it; a table is made where none is open."""
        self.close_heading()
        if not self._open[Container.TABLE]:
            self.open_table()
        while self._frames[-1].kind is not Container.TABLE:
            self._pop()
        if isinstance(block := self._frames[-1].block, TableBlock):
            block.rows.append([])

    def open_cell(self) -> None:
        """Open a cell, and close the one before it; a table and a row are made where none is open."""
        self.close_heading()
        if not self._open[Container.TABLE]:
            self.open_table()
        while self._frames[-1].kind is not Container.TABLE:
            self._pop()
        frame = self._frames[-1]
        if not isinstance(frame.block, TableBlock):
            self._push(_Frame(Container.CELL, frame.blocks))
            return
        if not frame.block.rows:
            frame.block.rows.append([])
        frame.block.rows[-1].append([])
        self._cell = frame.block.rows[-1][-1]
        self._push(_Frame(Container.CELL, frame.blocks, levels=1))

    def close(self, kind: Container) -> None:
        """Close the innermost container of a kind and what is open in it, if there is one."""
        if not self._open[kind]:
            return
        self.close_heading()
        while self._pop() is not kind:
            pass

    def finished(self) -> list[Block]:
        self.end_paragraph()
        return self._blocks

    def _target(self) -> list[Block]:
        """Return the blocks that the next one joins; an item or a cell is made where a list or a table has none."""
        if not self._frames:
            return self._blocks
        frame = self._frames[-1]
        if isinstance(frame.block, ListBlock):
            if not frame.block.items:
                frame.block.items.append([])
            self._push(_Frame(Container.ITEM, frame.block.items[-1]))
        elif isinstance(frame.block, TableBlock):
            self.open_cell()
        return self._frames[-1].blocks

    def _push(self, frame: _Frame) -> None:
        self._frames.append(frame)
        self._open[frame.kind] += 1
        if frame.kind in {Container.QUOTE, Container.LIST}:
            self._depth += frame.levels

    def _pop(self) -> Container:
        self.end_paragraph()
        frame = self._frames.pop()
        self._open[frame.kind] -= 1
        if frame.kind is Container.CELL and frame.levels:
            self._cell = None
        elif frame.kind in {Container.QUOTE, Container.LIST}:
            self._depth -= frame.levels
            self._quotes -= frame.levels if frame.kind is Container.QUOTE else 0
        return frame.kind
