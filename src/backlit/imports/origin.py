"""The origin block: the part of a description that an import writes and finds again."""

import re
from collections.abc import Sequence

from msgspec import Struct

RULE = "---"
FROM = "Imported from "
DOT = " · "
_BLOCK = re.compile(r"(?:^|\n{1,2})---\n(Imported from [^\n]*(?:\n[^\n]+){0,2})")


class Origin(Struct, frozen=True):
    """Where an item came from, and what the import has to say of it, in lines of parts."""

    source: str
    key: str
    url: str = ""
    lines: Sequence[Sequence[str]] = ()

    @property
    def first_line(self) -> str:
        return f"{FROM}{DOT.join(filter(None, (self.source, self.key, self.url)))}"

    def text(self) -> str:
        return "\n".join([RULE, self.first_line, *(DOT.join(parts) for parts in self.lines if parts)])


def _block_in(text: str) -> re.Match[str] | None:
    """Return the last origin block of a text."""
    return next(iter([*_BLOCK.finditer(text)][::-1]), None)


def with_origin(body: str, origin: Origin) -> str:
    return f"{body}\n\n{origin.text()}" if body else origin.text()


def without_origin(description: str) -> str:
    """Return a description without its origin block."""
    text = description.replace("\r\n", "\n")
    found = _block_in(text)
    # What somebody wrote below the block is theirs too.
    return (f"{text[: found.start()]}\n\n{text[found.end() :].strip()}" if found else text).strip()


def key_in(description: str, source: str) -> str | None:
    """Return the key of the origin block of a source, empty for one without; None for another source or no block."""
    found = _block_in(description.replace("\r\n", "\n"))
    if found is None:
        return None
    first = found[1].partition("\n")[0].removeprefix(FROM)
    if first != source and not first.startswith(f"{source}{DOT}"):
        return None
    rest = first.removeprefix(source).removeprefix(DOT)
    key = rest.partition(DOT)[0]
    return "" if "://" in key else key
