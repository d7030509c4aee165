"""Sanitised names of attached files, for uploads and downloads."""

import re

NAME_LIMIT = 200
"""Longest file name in bytes of UTF-8."""


def file_name(given: str) -> str:
    """Return the last part of a path without control, invisible or bidi characters; never empty, `.` or `..`."""
    last = re.split(r"[/\\]", given.strip())[-1]
    clean = "".join(c if c.isprintable() else "" for c in last).strip(" .")
    stem, dot, suffix = clean.rpartition(".")
    room = NAME_LIMIT - len((dot + suffix).encode())
    if len(clean.encode()) > NAME_LIMIT:
        clean = _cut(stem, room) + dot + suffix if stem and room > 0 else _cut(clean, NAME_LIMIT)
    return clean or "file"


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")
