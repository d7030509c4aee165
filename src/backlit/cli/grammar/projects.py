"""The grammar of `backlit projects`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser


def add_verbs(projects: LateParser) -> None:
    listing = projects.add_verbs().add_parser("list", help="list the projects")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.lists:list_projects")
