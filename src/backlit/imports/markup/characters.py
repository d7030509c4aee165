"""Characters that a description may have."""

import unicodedata

_REPLACED = {
    **dict.fromkeys((*range(32), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), "�"),
    **dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
    **dict.fromkeys((0xAD, 0x34F, 0x115F, 0x1160, 0x180E, 0x200B, *range(0x2060, 0x2065), 0x3164, 0xFEFF, 0xFFA0), ""),
    **{code: " " for code in range(0xA0, 0x3001) if unicodedata.category(chr(code)) == "Zs"},
    ord("\n"): "\n",
    ord("\t"): "\t",
}

SOMETIMES_SEEN = "\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef"
"""Characters, as a range of a pattern, that the screens leave out where they are no part of an emoji."""


def clean(text: str) -> str:
    """Return text with plain blanks and line breaks, � for control characters, and without what is never seen."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_REPLACED)
