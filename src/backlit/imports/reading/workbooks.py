"""Workbooks of Excel: the first sheet as a table."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time

from backlit.imports.reading.tables import SourceTable, table_of
from backlit.model.errors import BadRequest

_WORKBOOK = "xl/workbook.xml"
_SHOWN_NAMES = 5
_DAMAGED = (
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, SyntaxError, RuntimeError, EOFError),
    *(OSError, zlib.error, zipfile.BadZipFile),
)
"""What openpyxl lets through of its parts: of the archive, of XML (a SyntaxError) and of cells."""


def read_archive(content: bytes, max_bytes: int) -> SourceTable:
    """Read a workbook; raises BadRequest for another archive, naming what is in it, and without the extra `xlsx`."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
            size = sum(each.file_size for each in archive.infolist())
    except zipfile.BadZipFile:
        raise BadRequest("The archive is damaged. Export the items again.") from None
    if _WORKBOOK not in names:
        more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
        found = ", ".join(names[:_SHOWN_NAMES]) or "nothing"
        raise BadRequest(f"The file is a ZIP archive of {found}{more}. Unpack it, and import one of these files.")
    if size > max_bytes:
        raise BadRequest(f"The workbook has {size // 2**20:,} MiB; the limit is {max_bytes // 2**20}. Split it.")
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        raise BadRequest(
            "The file is an Excel workbook. Export the items as CSV, or install backlit with its extra xlsx:"
            " pip install '.[xlsx]' in the folder of backlit."
        ) from None
    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        return table_of(_records(sheet.iter_rows(values_only=True)), ",")
    except BadRequest:
        raise
    except _DAMAGED as error:
        raise BadRequest(f"The workbook cannot be read ({type(error).__name__}). Export the items as CSV.") from error


def _records(rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[int, list[str]]]:
    for line, cells in enumerate(rows, 1):
        yield line, [_text(cell) for cell in cells]


def _text(cell: object) -> str:
    """Return a cell as a file of separated values would have it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat(" ", "seconds") if isinstance(cell, datetime) else cell.isoformat()
    return str(cell)
