"""The terminal application on a sample workspace."""

import argparse

from backlit.cli.commands.app import open_profile
from backlit.config.settings import demo_profile, find_locations


def run(arguments: argparse.Namespace) -> int:
    """Open the sample of the given size and seed; create it if it is missing."""
    return open_profile(demo_profile(arguments.items, arguments.seed), find_locations())
