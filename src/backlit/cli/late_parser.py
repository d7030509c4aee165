"""Argument parser that builds its grammar on first use."""

import argparse
from collections.abc import Callable
from typing import Any


# argparse takes 1.7 ms to import, click 35.
class LateParser(argparse.ArgumentParser):
    """Parser that builds its grammar on first use, to spare the start of other commands."""

    fill: Callable[[], None] | None = None

    def parse_known_args(self, *arguments: Any, **options: Any) -> Any:
        """Build the rest of the grammar, then parse."""
        if self.fill is not None:
            fill, self.fill = self.fill, None
            fill()
        return super().parse_known_args(*arguments, **options)
