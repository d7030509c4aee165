"""`backlit admin restore`."""

import argparse
from pathlib import Path

from backlit.cli.admin.output import say
from backlit.cli.admin.place import settings_of
from backlit.service.admin.transfer import restore


def run(arguments: argparse.Namespace) -> None:
    """Make a workspace from a backup."""
    made = restore(settings_of(arguments), Path(arguments.directory))
    say(arguments, f"Restored to {made['database']}. To be sure of it: backlit admin check", made)
