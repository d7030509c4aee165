"""Mentions: `@name` in a text."""

import re
from collections.abc import Iterator

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
# A name after a letter, a dot or a slash is a part of an address: `maya@example.org`.
_NAME = re.compile(r"(?<![\w.@/])@([\w.+-]{1,200})")
_TYPED = re.compile(r"(?<![\w.@/])@([\w.+-]{0,200})\Z")


def names_in(text: str) -> Iterator[str]:
    """Yield what may be user names, in lower case, each with and without the dots that may end its sentence."""
    if "@" in text:
        for match in _NAME.finditer(_CODE.sub(" ", text)):
            name = match[1].lower()
            yield name
            if name.rstrip(".-") != name:
                yield name.rstrip(".-")


def is_mentioned(name: str, text: str) -> bool:
    return name.lower() in names_in(text)


def typed_name(text: str) -> str | None:
    """Return the beginning of a name at the end of a text, which may be empty behind the sign; None for no mention."""
    match = _TYPED.search(text)
    return None if match is None else match[1]
