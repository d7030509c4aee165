"""Whether a text is HTML: asked of every description, so the parser is not loaded for it."""

import re

_TAGS = "p|div|h[1-6]|ul|ol|table|blockquote|pre|span|font|b|strong|i|em|u|a|img|br|hr|html|body"
_BEGINS = re.compile(
    rf"\s*(?:<!doctype html|<(?:{_TAGS})\b[^<>]*>)|(?:.*\n)*?\s*<(?:p|div|ul|ol|table|h[1-6])\b[^<>]*>", re.IGNORECASE
)
_FENCE = "```"
_LONGEST_PLAIN = 2_000


def is_html(text: str) -> bool:
    return _FENCE not in text and _BEGINS.match(text[:_LONGEST_PLAIN]) is not None
