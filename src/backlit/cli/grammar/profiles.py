"""The grammar of `backlit profiles`."""

from backlit.cli.common_options import add_display, add_formats, add_target
from backlit.cli.late_parser import LateParser


def add_verbs(profiles: LateParser) -> None:
    listing = profiles.add_verbs().add_parser("list", help="list the profiles")
    add_formats(listing)
    add_target(listing)
    add_display(listing)
    listing.set_defaults(handler="commands.lists:list_profiles")
