"""The schemas of the JSON documents."""

import argparse

from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.output import write_json
from backlit.cli.published import DOCUMENTS
from backlit.model.errors import NameNotFound
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain

_COLUMNS = (Column("name", "Document"), Column("words", "What"), Column("commands", "Written by"))


def print_schema(arguments: argparse.Namespace) -> None:
    """Print the schema of a document, or list the documents; raise NameNotFound."""
    columns = chosen_columns(arguments, _COLUMNS)
    if not arguments.document:
        rows: list[Row] = [
            {"name": name, "words": each.words, "commands": [*each.one, *each.many]} for name, each in DOCUMENTS.items()
        ]
        write_rows(arguments, columns, rows)
        return
    found = DOCUMENTS.get(arguments.document)
    if found is None:
        near = did_you_mean(arguments.document, DOCUMENTS) or " “backlit schema” lists the documents."
        raise NameNotFound(f"There is no document “{plain(arguments.document, 60)}”.{near}")
    write_json(found.schema())
