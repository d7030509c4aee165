"""`backlit admin export`."""

import argparse
import sys
from pathlib import Path

from backlit.cli.admin.output import say, some
from backlit.cli.admin.workspace import settings_of
from backlit.model.errors import BadRequest
from backlit.service.admin.transfer import export, private

PIPE = "-"


def run(arguments: argparse.Namespace) -> None:
    """Write the workspace to a new file that only its owner may read, or to the output."""
    settings, as_folder = settings_of(arguments), arguments.contents == "folder"
    options = {"with_contents": arguments.contents == "lines", "with_secrets": not arguments.without_secrets}
    if arguments.file == PIPE:
        if as_folder or arguments.json:
            raise BadRequest("Standard output cannot hold a folder or a report. Name a file.")
        export(settings, sys.stdout.buffer, folder=None, **options)
        return
    path = Path(arguments.file)
    folder = path.with_name(f"{path.name}.files") if as_folder else None
    with private(path) as output:
        try:
            counts = export(settings, output, folder=folder, **options)
        except BaseException:
            path.unlink()
            raise
    contents = counts.pop("contents", 0)
    sentence = f"Wrote {some(sum(counts.values()), 'row')} and {some(contents, 'attached file')} to {path}."
    say(arguments, sentence, {"file": str(path), "rows": counts, "contents": contents})
