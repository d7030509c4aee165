"""Names of attached files, made harmless; shared by those who take files in and those who write them."""

import re

NAME_LIMIT = 200
"""Bytes of a file's name in UTF-8."""


def file_name(given: str) -> str:
    """The last part of a path, without control, invisible or bidi characters; never empty, `.` or `..`."""
    last = re.split(r"[/\\]", given.strip())[-1]
    clean = "".join(c if c.isprintable() else "" for c in last).strip(" .")
    stem, dot, suffix = clean.rpartition(".")
    room = NAME_LIMIT - len((dot + suffix).encode())
    if len(clean.encode()) > NAME_LIMIT:
        clean = _cut(stem, room) + dot + suffix if stem and room > 0 else _cut(clean, NAME_LIMIT)
    return clean or "file"


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")
