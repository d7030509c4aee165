"""The encoding of a file of bytes, found by rules."""

import re
import unicodedata
from typing import NamedTuple

from backlit.model.errors import BadRequest

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_SAMPLE = 4096
_JAPANESE = ("HIRAGANA", "KATAKANA", "CJK UNIFIED", "FULLWIDTH", "IDEOGRAPHIC", "HALFWIDTH KATAKANA", "LEFT CORNER")
_SURROGATES = re.compile("[\ud800-\udfff]")
_LABELS = {"utf-8-sig": "UTF-8", "utf-8": "UTF-8", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


class DecodedText(NamedTuple):
    """A text, the name of its encoding, and how many characters were replaced because no text has them."""

    text: str
    encoding: str
    replaced: int


def decoded(content: bytes, wanted: str = "") -> DecodedText:
    """Decode a file. Raises BadRequest for a wanted encoding that is unknown or does not fit."""
    encoding = wanted or _found(content)
    try:
        text = content.decode(encoding)
    except LookupError:
        raise BadRequest(f"There is no encoding {wanted!r}. Examples: utf-8, utf-16, cp1252, shift_jis.") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadRequest(f"Line {line} is not {wanted}. Leave out --encoding to have it found.") from None
    text, surrogates = _SURROGATES.subn("\ufffd", text.removeprefix("\ufeff"))
    return DecodedText(text.replace("\0", "\ufffd"), _LABELS.get(encoding, encoding), surrogates + text.count("\0"))


def _found(content: bytes) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    sample = content[:_SAMPLE]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros = sample[start::2]
        if len(zeros) > 1 and zeros.count(0) > len(zeros) * 0.7:
            return encoding
    # No statistics: charset-normalizer took windows-1252 for cp1250 in two of two files of Redmine.
    for encoding in ("utf-8", "shift_jis"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _is_japanese(text):
            return encoding
    holes = set(content) & {0x81, 0x8D, 0x8F, 0x90, 0x9D}
    return "latin-1" if holes else "cp1252"


def _is_japanese(text: str) -> bool:
    foreign = [each for each in text[: _SAMPLE * 4] if each > "\x7f"]
    known = sum(unicodedata.name(each, "").startswith(_JAPANESE) for each in foreign)
    return bool(foreign) and known > len(foreign) / 2
