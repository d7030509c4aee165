"""`backlit admin backup`."""

import argparse
from pathlib import Path

from backlit.cli.admin.output import say, some
from backlit.cli.admin.workspace import settings_of
from backlit.service.admin.transfer import backup


def run(arguments: argparse.Namespace) -> None:
    """Copy the workspace into a new directory."""
    made = backup(settings_of(arguments), Path(arguments.directory))
    lost = f" {some(made['missing'], 'attached file')} could not be found." if made["missing"] else ""
    say(arguments, f"The backup is in {made['directory']}, with {some(made['contents'], 'attached file')}.{lost}", made)
