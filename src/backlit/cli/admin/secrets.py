"""Asking for passwords: on the terminal unseen and twice, else the first line of the input."""

import sys

from backlit.model.errors import BadRequest


def new_password() -> str:
    """Ask for a password that is to be set; raises BadRequest where none is given."""
    if not sys.stdin.isatty():
        password = sys.stdin.readline().rstrip("\r\n")
        if not password:
            raise BadRequest("No password was given: write it on the first line of the input.")
        return password
    import getpass

    password = getpass.getpass("New password: ")
    if password != getpass.getpass("Once more: "):
        raise BadRequest("The two passwords differ; nothing was changed.")
    return password
