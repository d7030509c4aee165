"""`backlit admin restore`."""

import argparse
from pathlib import Path

from backlit.cli.admin.output import say
from backlit.cli.admin.workspace import settings_of
from backlit.service.admin.transfer import restore


def run(arguments: argparse.Namespace) -> None:
    """Create a workspace from a backup."""
    made = restore(settings_of(arguments), Path(arguments.directory))
    say(arguments, f"Restored to {made['database']}. To verify it: backlit admin check", made)
