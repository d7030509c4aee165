"""The grammar of `backlit views`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser


def add_verbs(views: LateParser) -> None:
    listing = views.add_verbs().add_parser("list", help="list the views")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.lists:list_views")
