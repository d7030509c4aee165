"""`backlit admin import`."""

import argparse
import sys
from pathlib import Path

from backlit.cli.admin.export import PIPE
from backlit.cli.admin.output import say, some
from backlit.cli.admin.workspace import settings_of
from backlit.model.errors import StorageError
from backlit.service.admin.transfer import import_


def run(arguments: argparse.Namespace) -> None:
    """Fill an empty workspace; file contents come from the lines or from the folder beside the file."""
    settings, accepts = settings_of(arguments), arguments.accept_problems
    if arguments.file == PIPE:
        counts = import_(settings, sys.stdin.buffer, accepts_problems=accepts)
    else:
        path = Path(arguments.file)
        folder = path.with_name(f"{path.name}.files")
        try:
            lines = path.open("rb")
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
        with lines:
            beside = folder if folder.is_dir() else None
            counts = import_(settings, lines, folder=beside, accepts_problems=accepts)
    contents = counts.pop("contents", 0)
    sentence = f"Imported {some(sum(counts.values()), 'row')} and {some(contents, 'attached file')}."
    say(arguments, sentence, {"rows": counts, "contents": contents})
