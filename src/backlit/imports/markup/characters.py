"""Characters that a description may have."""

import unicodedata

_REPLACED = {
    **dict.fromkeys((*range(32), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), "�"),
    **dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
    **dict.fromkeys((0x200B, 0x2060, 0xFEFF), ""),
    **{code: " " for code in range(0xA0, 0x3001) if unicodedata.category(chr(code)) == "Zs"},
    ord("\n"): "\n",
    ord("\t"): "\t",
}


def clean(text: str) -> str:
    """Return text with plain blanks and line breaks, and � for control characters and lone surrogates."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_REPLACED)
