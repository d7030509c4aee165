"""The models of the files that hold saved views."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from backlit.config.schema.documents import Filled, Listed, Table, check_document, must, said
from backlit.config.view_files import CheckedViews
from backlit.model.query import check_keys, parse_query
from backlit.model.query.keys import all_keys, field_named
from backlit.model.settings.user_settings import toml_in
from backlit.model.settings.view_settings import (
    COMPUTED_COLUMNS,
    MAX_GROUP_LEVELS,
    ViewTable,
    column_wish,
    field_key,
    sort_key,
)

_FIELD = re.compile(r"\w+")


def _field_in(text: str) -> str:
    """Return the field that an order or a column begins with."""
    found = _FIELD.search(text)
    return found[0] if found else ""


def _field_words(text: str) -> Collection[str]:
    """Return the fields that may be meant; none where the text has one and is wrong in another way."""
    return () if field_named(_field_in(text)) is not None else all_keys()


def _column_words(text: str) -> Collection[str]:
    words = _field_words(text)
    return [*words, *COMPUTED_COLUMNS] if words else ()


def _read_column(text: str) -> None:
    column_wish(text, field_key)


def _check_query(text: str) -> None:
    check_keys(parse_query(text))


def _check_levels(fields: list[str]) -> list[str]:
    if len(fields) > MAX_GROUP_LEVELS:
        must(f"must have {MAX_GROUP_LEVELS} fields at most")
    return fields


_Order = Annotated[str, said(sort_key, _column_words, _field_in)]
_GroupField = Annotated[str, said(field_key, _field_words, _field_in)]
_Column = Annotated[str, said(_read_column, _column_words, _field_in)]


class SavedViewTable(Table):
    """A table `[[view]]`. With a fault it is left out: it would show something else than its name says."""

    is_left_out_whole = True

    name: Filled = Field(examples=['name = "Mine"'])
    query: Annotated[str, said(_check_query)] = Field(default="", examples=['query = "@me status:open"'])
    sort: Annotated[list[_Order], Listed] = Field(default=[], examples=['sort = ["est desc", "name"]'])
    group: Annotated[list[_GroupField], AfterValidator(_check_levels), Listed] = Field(
        default=[], examples=['group = ["iter"]']
    )
    done: bool = False
    columns: Annotated[list[_Column], Listed] = Field(default=[], examples=['columns = ["status", "tags 14+"]'])


class ViewsFile(Table):
    """The file `views.toml`."""

    instead_of_unknown = "Write each view as a [[view]]."

    view: list[SavedViewTable] = Field(default=[], examples=['[[view]] with name = "Mine"'])


def check_views(path: Path, content: bytes) -> CheckedViews:
    """Return the right views of a file's content, and a sentence for each fault."""
    return views_in(path, content, ViewsFile)[0]


def views_in(path: Path, content: bytes, model: type[ViewsFile]) -> tuple[CheckedViews, Any]:
    """Return the right views of a file, and the whole of what is right in it; None for a text that is no TOML."""
    try:
        values = toml_in(content, path)
    except ValueError as error:
        problem = f"Could not read {error}. Correct it; until then its views are left out."
        return CheckedViews(problems=(problem,)), None
    if isinstance(values.get("view"), Mapping):
        values["view"] = [values["view"]]  # a single [view] was always accepted
    file, problems, _ = check_document(model, values, content.decode("utf-8-sig"), path)
    tables = tuple(
        ViewTable(view.name.strip(), view.query, tuple(view.sort), tuple(view.group), view.done, tuple(view.columns))
        for view in file.view
    )
    return CheckedViews(tables, problems), file
