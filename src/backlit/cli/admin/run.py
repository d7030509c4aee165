"""Runs the function that an administrator's command names."""

import argparse
import importlib


def run(arguments: argparse.Namespace) -> int:
    """Run it; returns its exit status."""
    function = getattr(importlib.import_module(arguments.admin_module), arguments.function)
    return function(arguments) or 0
