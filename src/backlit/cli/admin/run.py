"""Runner of the admin commands."""

import argparse
import importlib


def run(arguments: argparse.Namespace) -> int:
    """Run the function named by the arguments; return its exit status."""
    function = getattr(importlib.import_module(arguments.admin_module), arguments.function)
    return function(arguments) or 0
