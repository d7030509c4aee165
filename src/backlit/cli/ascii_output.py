"""Signs in ASCII, for output in an encoding that lacks them."""

import codecs
import sys
import unicodedata
from io import TextIOWrapper

_ERRORS = "backlit.signs"
_SIGNS = {
    **dict.fromkeys("“”„»«", '"'),
    **dict.fromkeys("‘’‚‹›", "'"),
    **dict.fromkeys("–—‐‑−─━⠒⠤⠉⣀", "-"),
    **dict.fromkeys("│┃╵╸▏▕▎▍", "|"),
    **dict.fromkeys("└┤┬┯┴┼├┌┐┘", "+"),
    **dict.fromkeys("·•◆◇○●◐◑◷⚑", "*"),
    **dict.fromkeys("▀▁▂▃▄▅▆▇█▉▊▋▌░▒▓■□", "#"),
    **dict.fromkeys("→▸", "->"),
    **dict.fromkeys("←", "<-"),
    **dict.fromkeys("↑▲", "^"),
    **dict.fromkeys("↓▾", "v"),
    "⇄": "<->",
    "×": "x",
    "±": "+-",
    "≠": "!=",
    "¬": "not ",
    "⊘": "/",
    "⋯": "...",
    "␡": "DEL",
    "✓": "+",
    "✗": "x",
    "�": "?",
    "ß": "ss",
    "€": "EUR",
}
"""The signs that this program writes, and those that people often write."""


def replace_signs(*, is_ascii: bool = False) -> None:
    """Let standard output and error replace what their encoding, or ASCII, lacks.

    A locale other than UTF-8 ends no command.
    """
    codecs.register_error(_ERRORS, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="ascii" if is_ascii else stream.encoding, errors=_ERRORS)


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    return _in_ascii(character), error.start + 1


def _in_ascii(character: str) -> str | bytes:
    """Return a sign's likeness, a letter without its accents, a file name's byte, or an escape."""
    if "\udc80" <= character <= "\udcff":
        return character.encode("utf-8", "surrogateescape")
    if character in _SIGNS:
        return _SIGNS[character]
    parts = unicodedata.normalize("NFKD", character)
    letter = "".join(part for part in parts if not unicodedata.combining(part))
    return letter if letter.isascii() else character.encode("ascii", "backslashreplace").decode()
