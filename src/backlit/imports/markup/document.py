"""A description as blocks: what the readers of other markup make, and what is written as Markdown."""

from enum import StrEnum

from msgspec import Struct


class Mark(StrEnum):
    """Styles of text that Markdown has."""

    STRONG = "strong"
    EMPHASIS = "emphasis"
    STRIKE = "strike"
    CODE = "code"


class TextSpan(Struct, frozen=True):
    """A stretch of text in one style; a line break in it is one of the description."""

    text: str
    marks: frozenset[Mark] = frozenset()
    address: str = ""
    """Where the text leads, if it is a link."""


class ImageSpan(Struct, frozen=True):
    """A picture in a text, which is named and not loaded."""

    name: str
    source: str
    address: str = ""
    """Where the picture leads, if it is a link."""


class ParagraphBlock(Struct):
    """Lines of text; empty ones between them part paragraphs."""

    spans: "list[TextSpan | ImageSpan]"


class HeadingBlock(Struct):
    """A heading of level 1 to 6."""

    level: int
    spans: "list[TextSpan | ImageSpan]"


class CodeBlock(Struct):
    """Text that is kept line by line."""

    text: str
    language: str


class RuleBlock(Struct):
    """A line across."""


class QuoteBlock(Struct):
    """Blocks that are set apart: a quote or a panel."""

    blocks: "list[Block]"


class ListBlock(Struct):
    """A list of bullets or numbers; an item holds blocks."""

    start: int | None
    """Number of the first item; None for bullets."""
    items: "list[list[Block]]"


class TableBlock(Struct):
    """A table, whose first row is drawn as its heading."""

    rows: "list[list[list[TextSpan | ImageSpan]]]"
    """Cells, each as the spans of its text."""


Block = ParagraphBlock | HeadingBlock | CodeBlock | RuleBlock | QuoteBlock | ListBlock | TableBlock
