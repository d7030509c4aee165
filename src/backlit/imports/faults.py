"""Faults and warnings of an import: one line for equal ones, and all of them for a file."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from backlit.imports.drafts.draft import WHOLE_FILE
from backlit.model.plain import plain

MAX_KINDS = 20
"""The most kinds of faults on the screen."""
_MAX_LINES = 3


class Remark(Struct, frozen=True):
    """A fault or a warning about a cell: its line, what is said of all equal ones, and the value.

    The line is WHOLE_FILE where no cell is meant.
    """

    line: int
    sentence: str
    key: str = ""
    column: str = ""
    value: str = ""


def grouped(remarks: Iterable[Remark], limit: int = MAX_KINDS) -> Iterator[str]:
    """Yield a line for each kind of remark, with its number and the first lines of the file."""
    places: dict[str, list[int]] = {}
    for remark in remarks:
        places.setdefault(remark.sentence, []).append(remark.line)
    for number, (sentence, lines) in enumerate(places.items()):
        if number == limit:
            yield f"and {len(places) - limit:,} other kinds"
            return
        found = sorted(dict.fromkeys(lines))
        if found == [WHOLE_FILE]:
            yield plain(sentence)
            continue
        named = ", ".join(f"{line:,}" for line in found[:_MAX_LINES])
        first = "first in lines" if len(found) > _MAX_LINES else "in line" if len(found) == 1 else "in lines"
        rows = "" if len(found) <= _MAX_LINES else f"{len(lines):,} rows, "
        yield plain(f"{sentence.rstrip('.')}: {rows}{first} {named}")


def faults_file(folder: Path, name: str) -> Path:
    """Return the file in a folder that takes all faults of a file to import."""
    return folder / f"import-{Path(name).stem or 'input'}.faults.tsv"


def listed(remarks: Iterable[Remark]) -> Iterator[str]:
    """Yield a line of tab-separated values for each remark, below a heading."""
    yield "line\tkey\tcolumn\tvalue\treason"
    for each in sorted(remarks, key=lambda remark: remark.line):
        cells = (str(each.line or ""), each.key, each.column, each.value, each.sentence)
        yield "\t".join(plain(" ".join(cell.split()), 1000) for cell in cells)
