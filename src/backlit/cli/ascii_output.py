"""Signs in ASCII, for output in an encoding that lacks them."""

import codecs
import sys
from io import TextIOWrapper

from backlit.model.ascii_signs import in_ascii

_ERRORS = "backlit.signs"


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
    return _as_bytes_or_text(character), error.start + 1


def _as_bytes_or_text(character: str) -> str | bytes:
    """Return a likeness, a file name's byte, or an escape."""
    if "\udc80" <= character <= "\udcff":
        return character.encode("utf-8", "surrogateescape")
    return in_ascii(character) or character.encode("ascii", "backslashreplace").decode()
