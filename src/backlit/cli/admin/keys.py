"""`backlit admin keys`."""

import argparse

from backlit.cli.admin.output import say
from backlit.cli.admin.workspace import opened
from backlit.service.admin import keys


def rotate(arguments: argparse.Namespace) -> None:
    """Create a new signing key for access tokens."""
    with opened(arguments) as connection:
        keys.rotate(connection, forget=arguments.forget)
    kept = "all earlier tokens are revoked" if arguments.forget else "the previous key stays valid"
    say(arguments, f"Created a new key; {kept}.", {"forgotten": arguments.forget})
