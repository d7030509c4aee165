"""The grammar of `backlit users`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser


def add_verbs(users: LateParser) -> None:
    listing = users.add_verbs().add_parser("list", help="list the users")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.lists:list_users")
