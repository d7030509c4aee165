"""Content types of attached files, made harmless."""

import mimetypes
import re

UNKNOWN = "application/octet-stream"

_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}", re.IGNORECASE)
_CHARSET = re.compile(r"charset=\"?([a-z0-9_.:-]{1,40})\"?", re.IGNORECASE)
_INLINE = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "text/plain", "application/pdf"}
)


def content_type(given: str, name: str) -> str:
    """Return the uploaded type of a file, or one by its name if the uploaded one is absent or generic."""
    found, _, parameters = given.partition(";")
    found = found.strip().lower()
    if not _TYPE.fullmatch(found) or found == UNKNOWN:
        return mimetypes.guess_type(name)[0] or UNKNOWN
    charset = _CHARSET.search(parameters)
    return f"{found}; charset={charset[1]}" if charset and found.startswith("text/") else found


def is_inline(kind: str) -> bool:
    """Return True for a type that a browser may show inline; types with scripts are excluded."""
    plain = kind.partition(";")[0]
    return plain in _INLINE or plain.startswith(("audio/", "video/"))
