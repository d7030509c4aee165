"""Pure: an edited text in which every line that was not touched keeps its own line ending."""

from collections.abc import Sequence

NEWLINES = ("\n", "\r\n", "\r")


def merged(raw: str, lines: Sequence[str]) -> str:
    """Put the lines of an editor back into the text they came from.

    An editor knows one kind of line ending and breaks lines at several signs; what it shows unchanged at the
    beginning and at the end stays byte for byte, lines in between get the text's first kind of ending.
    """
    before, endings = _lines_and_endings(raw)
    same = min(len(before), len(lines))
    head = next((index for index in range(same) if before[index] != lines[index]), same)
    same -= head
    tail = next((index for index in range(same) if before[-1 - index] != lines[-1 - index]), same)
    newline = next((ending for ending in endings if ending in NEWLINES), "\n")
    middle = [newline] * (len(lines) - head - tail)
    kept = [*endings[:head], *middle, *endings[len(endings) - tail :]]
    last = kept[-1] if tail or head == len(lines) == len(before) else ""
    joined = "".join(line + (ending or newline) for line, ending in zip(lines[:-1], kept[:-1], strict=True))
    return joined + "".join(lines[-1:]) + last


def taken_back(raw: str, written: str) -> str:
    """What an editor of files made of a text: the newline that it puts at the end is its own, the rest is `merged`."""
    if not raw.endswith(NEWLINES):
        ending = next((each for each in ("\r\n", "\n", "\r") if written.endswith(each)), "")
        written = written.removesuffix(ending)
    if written == raw:
        return raw
    return merged(raw, lines_of(written))


def lines_of(raw: str) -> list[str]:
    """The lines of a text as an editor shows them."""
    return _lines_and_endings(raw)[0]


def _lines_and_endings(raw: str) -> tuple[list[str], list[str]]:
    lines = raw.splitlines()
    endings = [whole[len(line) :] for whole, line in zip(raw.splitlines(keepends=True), lines, strict=True)]
    if not raw or raw.endswith(NEWLINES):
        return [*lines, ""], [*endings, ""]
    return lines, endings
