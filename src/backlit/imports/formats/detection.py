"""The format of a file, and its drafts."""

from collections.abc import Callable, Mapping

from backlit.imports.drafts.draft import Drafts
from backlit.imports.formats import github, gitlab, jira, trello
from backlit.imports.formats.columns import TableFormat, read_drafts, table_formats
from backlit.imports.reading.json_files import line_of_each
from backlit.imports.reading.source import Source, SourceKind
from backlit.model.errors import BadRequest
from backlit.model.import_mappings import ImportMapping

_JSON: Mapping[str, tuple[Callable[[object], bool], Callable[[object, list[int], str], Drafts]]] = {
    "github": (github.fits, github.read),
    "gitlab": (gitlab.fits, gitlab.read),
    "jira": (jira.fits, jira.read),
    "trello": (trello.fits, lambda value, _, name: trello.read(value, name)),
}


def drafts_of(source: Source, wanted: str, mapping: ImportMapping, custom: Mapping[str, str] | None = None) -> Drafts:
    """Return the items of a file in another tracker's format.

    `wanted` names a format, else it is found. `custom` has the labels of the project's own fields, by key. Raises
    BadRequest with a sentence for a file without items.
    """
    wanted = wanted or mapping.format
    drafts = _read(source, wanted, mapping, custom or {})
    if not drafts.items:
        raise BadRequest("The file has no items.")
    return drafts


def _read(source: Source, wanted: str, mapping: ImportMapping, custom: Mapping[str, str]) -> Drafts:
    name = file_stem(source.name)
    if source.kind is SourceKind.XML:
        assert source.xml is not None
        if not jira.is_export(source.xml):
            raise BadRequest(f"No list of issues in the file: its first element is <{source.xml.name[:60]}>.")
        return jira.read_export(source.xml, name)
    if source.kind is SourceKind.JSON:
        for form, (fits, read) in _JSON.items():
            if fits(source.json) and wanted in {"", form}:
                return read(source.json, line_of_each(source.text), name)
        raise BadRequest(f"No list of issues in the file. {_shape_of(source.json)}")
    assert source.table is not None
    return read_drafts(source.table, table_format(source, wanted), name, (mapping.roles(), custom))


def table_format(source: Source, wanted: str) -> TableFormat:
    """Return the wanted format of a table, or the one whose typical headings it has most of; csv where none fits."""
    assert source.table is not None
    formats = table_formats()
    if wanted in formats:
        return formats[wanted]
    if wanted:
        raise BadRequest(f"The format {wanted} has no tables. Leave out --from, or name one of: {', '.join(formats)}.")
    keys = source.table.keys
    scores = sorted(((form.score(keys), name) for name, form in formats.items() if form.fits(keys)), reverse=True)
    if not scores or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return formats["csv"]
    return formats[scores[0][1]]


def file_stem(name: str) -> str:
    """Return the name of a file without folder, ending and date."""
    import re

    # Linux takes any bytes as a name, and the journal, which keeps the name of a source, takes text.
    text = name.encode(errors="replace").decode()
    stem = text.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or text
    return re.sub(r"[ _.-]*\(?\d{4}-?\d\d-?\d\d[T _-]*[\d:_.-]*\)?", "", stem).strip(" -_.") or stem


def _shape_of(value: object) -> str:
    if isinstance(value, dict):
        return f"Top-level keys: {', '.join(map(str, value))[:300] or 'none'}."
    return "It is a list of something else." if isinstance(value, list) and value else "The file has no items."
