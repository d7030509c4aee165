"""JSON output without terminal control characters."""

import re
import sys

import orjson

_BEYOND_ASCII = re.compile(r"[^\n -~]")


def write_json(document: object) -> None:
    r"""Write a document; control, bidi and invisible characters become `\uXXXX` escapes."""
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    sys.stdout.buffer.write(_BEYOND_ASCII.sub(_escaped, text).encode())


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character.isprintable():
        return character
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
