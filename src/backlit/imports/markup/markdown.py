"""Writes blocks as the Markdown that the screens draw."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from backlit.imports.markup.characters import SOMETIMES_SEEN
from backlit.imports.markup.document import (
    Block,
    CodeBlock,
    HeadingBlock,
    ImageSpan,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    RuleBlock,
    TableBlock,
    TextSpan,
)
from backlit.imports.markup.inline import InlineText, Region, trimmed

_RULE = re.compile(r"([-_*])(?: *\1){2,}")
_NUMBER = re.compile(r"(\d{1,9})([.)])(?!\S)")
_BULLET = re.compile(r"[-*+](?!\S)")
_LISTED = re.compile(r" +(?:[^\W\d_]|[\"'(\[“„«‘¿¡\x01])")
"""What follows the sign of a typed list; after anything else, as in `- 5 EUR`, the sign belongs to the text."""
_LISTED_NUMBER = re.compile(r" +(?:[^\W_]|[\"'(\[“„«‘¿¡\x01])(?!\d{0,8}[.)](?!\S))")
_OTHER_BLOCK = re.compile(r"#{1,6}(?!\S)|>+|~{3,}|`{3,}(?=[^`]*$)|<(?=[A-Za-z!/])")
_LEFT_OUT = re.compile(f"[{SOMETIMES_SEEN}](?!\u20e3)")
_TABLE_RULE = re.compile(r"[-:| ]{2,}")
_CODE_FENCE = re.compile("`+")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_LAST_NUMBER = 999_999_999
"""The largest number of a list item in Markdown."""

_Line = list[TextSpan | ImageSpan]


class _OpenList(Struct, frozen=True):
    """The list that a line with its sign would join."""

    sign: str
    next_number: int = 0


def markdown_of(blocks: Sequence[Block]) -> str:
    return "\n".join(_lines(blocks, is_in_item=False)).strip("\n")


def _lines(blocks: Sequence[Block], *, is_in_item: bool) -> list[str]:
    lines: list[str] = []
    open_list: _OpenList | None = None
    before: Block | None = None
    for block in blocks:
        written, open_list = _block(block, open_list, is_in_item=is_in_item, is_first=not lines)
        if not written:
            continue
        is_tight = is_in_item and isinstance(before, ParagraphBlock) and isinstance(block, ListBlock)
        # A list that begins with another number than 1 does not end a paragraph.
        if lines and not (is_tight and isinstance(block, ListBlock) and block.start in {None, 1}):
            lines.append("")
        lines += written
        before = block
    return lines


def _block(
    block: Block, open_list: _OpenList | None, *, is_in_item: bool, is_first: bool
) -> tuple[list[str], _OpenList | None]:
    match block:
        case ParagraphBlock():
            return _paragraphs(block.spans, open_list, is_in_item=is_in_item, is_first=is_first)
        case ListBlock():
            return _list(block, open_list)
        case HeadingBlock():
            text = _heading(block.spans)
            return [f"{'#' * block.level} {text}"] if text else [], None
        case CodeBlock():
            return _code(block), None
        case RuleBlock():
            return [_rule(is_in_item=is_in_item)], None
        case QuoteBlock():
            return [f"> {line}" if line else ">" for line in _lines(block.blocks, is_in_item=False)], None
        case TableBlock():
            return _table(block), None


def _rule(*, is_in_item: bool) -> str:
    """Return a rule that is none together with the sign of an item."""
    return "___" if is_in_item else "---"


def _paragraphs(
    spans: _Line, open_list: _OpenList | None, *, is_in_item: bool, is_first: bool
) -> tuple[list[str], _OpenList | None]:
    """Write lines of text; empty ones part paragraphs, and one of dashes alone is a rule."""
    written: list[str] = []
    paragraph: list[_Line] = []
    for line in [*_split(spans), []]:
        is_rule = _is_rule(line)
        if line and not is_rule:
            paragraph.append(line)
            continue
        if paragraph:
            is_item_text = is_in_item and is_first and not written
            text, open_list = _paragraph(paragraph, open_list, is_item_text=is_item_text)
            written += ["", *text] if written else text
            paragraph = []
        if is_rule:
            written += ["", _rule(is_in_item=is_in_item)] if written else [_rule(is_in_item=is_in_item)]
            open_list = None
    return written, open_list


def _split(spans: _Line) -> Iterator[_Line]:
    """Yield the lines of a paragraph without blanks at their ends; an empty one has no spans."""
    line: _Line = []
    for span in spans:
        if isinstance(span, ImageSpan):
            line.append(span)
            continue
        first, *others = span.text.split("\n")
        line.append(TextSpan(first, span.marks, span.address))
        for text in others:
            yield trimmed(line)
            line = [TextSpan(text, span.marks, span.address)]
    yield trimmed(line)


def _is_rule(line: _Line) -> bool:
    texts = [span.text for span in line if isinstance(span, TextSpan)]
    return len(texts) == len(line) and _RULE.fullmatch("".join(texts)) is not None


def _paragraph(
    lines: Sequence[_Line], open_list: _OpenList | None, *, is_item_text: bool
) -> tuple[list[str], _OpenList | None]:
    text = InlineText(lines)
    at = 0
    for number, line in enumerate(text.plain.split("\n")):
        seen = _LEFT_OUT.sub(" ", line)
        blanks = len(seen) - len(seen.lstrip())
        length, open_list = _block_sign(
            seen[blanks:], open_list, is_first=number == 0, is_item_text=is_item_text and number == 0
        )
        if length:
            text.regions.append(Region(at, at + blanks + length))
        at += len(line) + 1
    return text.markdown().split("\n"), open_list


def _block_sign(
    line: str, open_list: _OpenList | None, *, is_first: bool, is_item_text: bool
) -> tuple[int, _OpenList | None]:
    """Return how many characters at the start of a line would make a block of it, and the list that is open after it.

    A typed list is left one where it is drawn with the same numbers.
    """
    kept = None if is_first else open_list
    if sign := _OTHER_BLOCK.match(line):
        return sign.end(), kept
    if not is_first and "-" in line and _TABLE_RULE.fullmatch(line):
        return len(line), kept
    if bullet := _BULLET.match(line):
        if not is_item_text and bullet[0] != "+" and _LISTED.match(line, 1):
            return 0, _OpenList(bullet[0])
        return 1, kept
    if number := _NUMBER.match(line):
        value, sign_of_list = int(number[1]), number[2]
        if not (is_first or open_list or value == 1):
            return 0, kept  # it ends no paragraph
        is_next = open_list is None or open_list.sign != sign_of_list or open_list.next_number == value
        is_same = is_next and str(value) == number[1] and value < _LAST_NUMBER
        if is_same and not is_item_text and _LISTED_NUMBER.match(line, number.end()):
            return 0, _OpenList(sign_of_list, value + 1)
        return number.end(), kept
    return 0, kept


def _list(block: ListBlock, open_list: _OpenList | None) -> tuple[list[str], _OpenList | None]:
    """Write a list; another sign than that of the list before it keeps the two apart."""
    items = [lines for item in block.items if (lines := _lines(item, is_in_item=True))]
    if not items:
        return [], open_list
    before = open_list.sign if open_list else ""
    if block.start is None:
        sign, number = "*" if before == "-" else "-", 0
        marks = [sign] * len(items)
    else:
        sign = ")" if before == "." else "."
        number = block.start if 0 <= block.start <= _LAST_NUMBER - len(items) else 1
        marks = [f"{number + place}{sign}" for place in range(len(items))]
    written: list[str] = []
    for mark, (first, *others) in zip(marks, items, strict=True):
        written.append(f"{mark} {first}")
        written += [" " * (len(mark) + 1) + line if line else "" for line in others]
    return written, _OpenList(sign, number + len(items))


def _heading(spans: _Line) -> str:
    text = InlineText([_one_line(spans)])
    # Signs at the end of a heading would be taken for its own.
    if tail := re.search(r"(?:(?<=\s)|^)#+$", text.plain):
        text.regions.append(Region(*tail.span()))
    return text.markdown()


def _one_line(spans: _Line) -> _Line:
    lines = [line for line in _split(spans) if line]
    return [span for number, line in enumerate(lines) for span in ([TextSpan(" ")] if number else []) + line]


def _code(block: CodeBlock) -> list[str]:
    text = block.text.strip("\n").rstrip()
    if not text:
        return []
    longest = max((len(run) for run in _CODE_FENCE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = block.language if _LANGUAGE.fullmatch(block.language) else ""
    return [fence + language, *text.split("\n"), fence]


def _table(block: TableBlock) -> list[str]:
    """Write a table, whose first row is its heading, since Markdown has none without."""
    rows = [[InlineText([_one_line(cell)]).markdown().replace("|", "\\|") for cell in row] for row in block.rows]
    rows = [row for row in rows if any(row)]
    if not rows:
        return []
    width = max(map(len, rows))
    rows[0] += [""] * (width - len(rows[0]))
    rows.insert(1, ["---"] * width)
    return [f"| {' | '.join(row)} |" for row in rows]
