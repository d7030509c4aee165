"""Signs in ASCII: for output in an encoding that lacks them, and for terminals without them."""

import unicodedata
from collections.abc import Mapping

ASCII_SIGNS: Mapping[str, str] = {
    **dict.fromkeys("“”„»«", '"'),
    **dict.fromkeys("‘’‚‹›", "'"),
    **dict.fromkeys("–—‐‑−─▔╸┈╴╶⠒⠤⠉⣀", "-"),
    **dict.fromkeys("│┃┊╵╷▏▕▎▍", "|"),
    **dict.fromkeys("└┤┬┯┴┼├┌┐┘╭╮╯╰┏┓┗┛", "+"),
    **dict.fromkeys("·•◆◇○●◐◑◷⚑", "*"),
    **dict.fromkeys("▖▗▘▝▙▛▜▟▞▐▀▁▂▃▄▅▆▇█▉▊▋▌░▒▓■□", "#"),
    **dict.fromkeys("→▸", "->"),
    **dict.fromkeys("←", "<-"),
    **dict.fromkeys("↑▲", "^"),
    **dict.fromkeys("↓▾", "v"),
    "━": "=",
    "╍": "~",
    "◂": "<",
    "◖": "(",
    "⇄": "<->",
    "×": "x",
    "±": "+-",
    "≠": "!=",
    "¬": "not ",
    "⊘": "/",
    "⊣": "|-",
    "⋯": "...",
    "␡": "DEL",
    "✓": "+",
    "✗": "x",
    "�": "?",
    "ß": "ss",
    "€": "EUR",
}
"""The signs that this program writes, and those that people often write."""


def in_ascii(character: str) -> str:
    """Return a sign's likeness, or a letter without its accents; empty where there is none."""
    if character in ASCII_SIGNS:
        return ASCII_SIGNS[character]
    parts = unicodedata.normalize("NFKD", character)
    letter = "".join(part for part in parts if not unicodedata.combining(part))
    return letter if letter.isascii() else ""
