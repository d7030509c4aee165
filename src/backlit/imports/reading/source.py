"""What a file is, by its first bytes, and its content as a table, JSON or XML."""

from enum import StrEnum

from msgspec import Struct

from backlit.imports.reading.encodings import decoded
from backlit.imports.reading.json_files import read_json
from backlit.imports.reading.tables import SourceTable, read_table
from backlit.imports.reading.xml_files import XmlElement, read_xml
from backlit.model.errors import BadRequest

MAX_BYTES = 200 * 2**20
_ARCHIVE = b"PK\x03\x04"
_OTHERS = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"SQLite format 3", "a database"),
)


class SourceKind(StrEnum):
    """The shape of a file."""

    TABLE = "table"
    JSON = "json"
    XML = "xml"


class Source(Struct, frozen=True):
    """A file that was read: one of table, JSON and XML, with the encoding that it had."""

    name: str
    kind: SourceKind
    encoding: str
    text: str = ""
    table: SourceTable | None = None
    json: object = None
    xml: XmlElement | None = None
    replaced: int = 0


def read_source(content: bytes, name: str, encoding: str = "", delimiter: str = "") -> Source:
    """Read a file; raises BadRequest with a sentence for one that cannot have items."""
    if len(content) > MAX_BYTES:
        raise BadRequest(f"The file has {len(content) // 2**20:,} MiB; the limit is {MAX_BYTES // 2**20}. Split it.")
    for mark, what in _OTHERS:
        if content.startswith(mark):
            raise BadRequest(f"The file is {what}. Export the items as CSV, and import that file.")
    if content.startswith(_ARCHIVE):
        from backlit.imports.reading.workbooks import read_archive

        return Source(name, SourceKind.TABLE, "", table=read_archive(content, MAX_BYTES))
    decoded_text = decoded(content, encoding)
    text, label = decoded_text.text, decoded_text.encoding
    start = text.lstrip()[:200]
    if not start:
        raise BadRequest("The file has no items.")
    if start.startswith(("{", "[")):
        return Source(name, SourceKind.JSON, label, text, json=read_json(text), replaced=decoded_text.replaced)
    if start.lower().startswith(("<html", "<!doctype html", "<table", "<head")):
        raise BadRequest("The file is a web page, though it may be named .xls. Export the items as CSV.")
    if start.startswith("<"):
        return Source(name, SourceKind.XML, label, xml=read_xml(content))
    table = read_table(text, delimiter)
    return Source(name, SourceKind.TABLE, label, text, table=table, replaced=decoded_text.replaced)
