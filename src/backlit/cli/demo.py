"""The terminal application on a sample workspace."""

import argparse

from backlit.cli.app import open_profile
from backlit.config import demo_profile, find_locations


def run(arguments: argparse.Namespace) -> int:
    """Open the sample of the wanted size and seed, made when it is not there yet."""
    return open_profile(demo_profile(arguments.items, arguments.seed), find_locations())
