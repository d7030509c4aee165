"""The table `[due]` of the settings."""

from typing import Annotated

from pydantic import AfterValidator, Field

from backlit.config.schema.documents import Table, must


def _check_due_key(key: str) -> str:
    if not key.endswith("_cf"):
        must('must be a field of a project, whose key ends in _cf, such as field = "DueDate_cf"')
    return key


class DueTable(Table):
    """The table `[due]`."""

    field: Annotated[str, AfterValidator(_check_due_key)] = Field(examples=['field = "DueDate_cf"'])
    """The project's field with the due dates of items, for a server that names none."""
