"""The grammar of `backlit teams`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser


def add_verbs(teams: LateParser) -> None:
    listing = teams.add_verbs().add_parser("list", help="list the teams")
    listing.add_argument("--mine", action="store_true", help="only those of your open items")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.lists:list_teams")
