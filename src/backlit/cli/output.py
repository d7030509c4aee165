"""Output of the commands: plain tables and sentences for people, JSON for programs."""

import argparse
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from backlit.cli.terminal_size import terminal_columns
from backlit.model.plain import plain

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any


def announce(lines: Iterable[str]) -> None:
    """Print what a command does before it does it; a reader that has enough does not stop the command."""
    with suppress(BrokenPipeError):
        for line in lines:
            print(line)
        sys.stdout.flush()


def note(arguments: argparse.Namespace, sentence: str) -> None:
    """Say something beside the results, unless `--quiet` wants none of it."""
    if not getattr(arguments, "quiet", False):
        print(f"backlit: {sentence}", file=sys.stderr)


_GAP = "  "
_WIDE = frozenset("WF")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Return the lines of a table; a terminal's width cuts the last column, a pipe does not.

    `right` names the right-aligned columns. Control characters become �.
    """
    cells = [header, *([plain(cell) for cell in row] for row in rows)]
    widths = [max(cells_of(row[at]) for row in cells) for at in range(len(header) - 1)]
    room = terminal_columns() - sum(width + len(_GAP) for width in widths)
    limit = max(room, 10) if sys.stdout.isatty() else None
    return [_line(row, widths, right, limit) for row in cells]


def cells_of(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_cells_of_one(character) for character in text)


def _cells_of_one(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _line(row: Sequence[str], widths: Sequence[int], right: frozenset[int], limit: int | None) -> str:
    parts = []
    for at, (cell, width) in enumerate(zip(row, widths, strict=False)):
        blanks = " " * (width - cells_of(cell))
        parts.append(blanks + cell if at in right else cell + blanks)
    last = row[-1] if limit is None else _cut(row[-1], limit)
    return _GAP.join([*parts, last]).rstrip()


def _cut(text: str, limit: int) -> str:
    if cells_of(text) <= limit:
        return text
    kept, used = "", 1
    for character in text:
        used += _cells_of_one(character)
        if used > limit:
            break
        kept += character
    return kept + "…"


_BEYOND_ASCII = r"[^\n -~]"


def write_json(document: object) -> None:
    r"""Write a document; control, bidi and invisible characters become `\uXXXX` escapes."""
    import orjson  # 20 ms, for JSON alone

    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    sys.stdout.flush()
    sys.stdout.buffer.write(re.sub(_BEYOND_ASCII, _escaped, text).encode())


def write_json_lines(documents: Iterable[object]) -> None:
    """Write each document on a line of its own; see `write_json`."""
    import orjson

    for document in documents:
        text = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE).decode()
        sys.stdout.buffer.write(re.sub(_BEYOND_ASCII, _escaped, text).encode())


def write_document(text: str) -> None:
    """Write a text that programs read, in UTF-8 whatever the locale; a terminal gets what it can show."""
    if sys.stdout.isatty():
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character.isprintable():
        return character
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def say(arguments: argparse.Namespace, sentence: str, document: "Mapping[str, Any]") -> None:
    is_dry = getattr(arguments, "dry_run", False)
    if arguments.json:
        write_json(dict(document) | ({"dryRun": True} if is_dry else {}))
        return
    print(f"Dry run, nothing was changed: {plain(sentence)}" if is_dry else plain(sentence))
