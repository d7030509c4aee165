"""The model of the file that says what the columns and values of another tracker become."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from backlit.config.schema.documents import Table, check_document, must
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.import_formats import FORMATS
from backlit.model.import_mappings import COLUMN_VALUES, ImportMapping
from backlit.model.settings.user_settings import toml_in


def _check_type(text: str) -> str:
    if text not in set(ItemType):
        must(f"must be one of: {', '.join(ItemType)}")
    return text


def _check_format(text: str) -> str:
    if text not in FORMATS:
        must(f"must be one of: {', '.join(FORMATS)}")
    return text


def _check_column(text: str) -> str:
    is_known = text in COLUMN_VALUES or text.endswith("_cf") or (text.startswith("link:") and len(text) > 5)
    if not is_known:
        must(f"must be one of: {', '.join(COLUMN_VALUES)}, link:KIND, a custom field, or - to leave the column out")
    return text


def _check_statuses(statuses: dict[str, Any]) -> dict[str, Any]:
    for name, value in statuses.items():
        if isinstance(value, dict):
            if name not in set(ItemType) or not all(isinstance(each, str) for each in value.values()):
                must("must map names to statuses, and tables of types ([statuses.Bug]) too")
        elif not isinstance(value, str):
            must("must map names to statuses")
    return statuses


class ImportMappingFile(Table):
    """A file of `--map`."""

    is_used_whole = True
    format: Annotated[str, AfterValidator(_check_format)] = Field(default="", examples=['format = "jira"'])
    source: str = Field(default="", examples=['source = "Jira SHOP"'])
    key: str = Field(default="", examples=['key = "Issue key"'])
    encoding: str = Field(default="", examples=['encoding = "utf-8"'])
    columns: dict[str, Annotated[str, AfterValidator(_check_column)]] = Field(default={})
    types: dict[str, Annotated[str, AfterValidator(_check_type)]] = Field(default={})
    statuses: Annotated[dict[str, Any], AfterValidator(_check_statuses)] = Field(default={})
    priorities: dict[str, int] = Field(default={})
    people: dict[str, str] = Field(default={})
    iterations: dict[str, str] = Field(default={})


def check_mapping(path: Path, content: bytes) -> ImportMapping:
    """Return the mapping of a file's content. Raises BadRequest with a sentence for each fault."""
    try:
        values = toml_in(content, path)
    except ValueError as error:
        raise BadRequest(f"Could not read {error}.") from None
    file, problems, _ = check_document(ImportMappingFile, values, content.decode("utf-8-sig"), path)
    if problems:
        raise BadRequest("\n".join(problems))
    statuses = {("", name): value for name, value in file.statuses.items() if isinstance(value, str)}
    statuses |= {
        (item_type, name): status
        for item_type, table in file.statuses.items()
        if isinstance(table, dict)
        for name, status in table.items()
    }
    return ImportMapping(
        file.format,
        file.source,
        file.key,
        file.encoding,
        file.columns,
        file.types,
        statuses,
        file.priorities,
        file.people,
        file.iterations,
    )
