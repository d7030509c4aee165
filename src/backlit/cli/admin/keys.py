"""`backlit admin keys`."""

import argparse

from backlit.cli.admin.output import say
from backlit.cli.admin.place import opened
from backlit.service.admin import keys


def rotate(arguments: argparse.Namespace) -> None:
    """Sign access tokens with a new key from now on."""
    with opened(arguments) as connection:
        keys.rotate(connection, forget=arguments.forget)
    kept = "no token signed before is good any more" if arguments.forget else "the key before it is still accepted"
    say(arguments, f"There is a new key; {kept}.", {"forgotten": arguments.forget})
