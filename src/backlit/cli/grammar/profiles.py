"""The grammar of `backlit profiles`."""

from backlit.cli.common_options import add_display, add_formats, add_target
from backlit.cli.late_parser import LateParser


def add_verbs(profiles: LateParser) -> None:
    verbs = profiles.add_verbs()
    listing = verbs.add_parser("list", help="list the profiles")
    add_formats(listing)
    add_target(listing)
    add_display(listing)
    listing.set_defaults(handler="commands.lists:list_profiles")
    remove = verbs.add_parser("remove", help="remove a profile of a server: its sign-in, copy and unsent changes")
    remove.add_argument("name", metavar="NAME", help="name of the profile")
    remove.add_argument("--yes", action="store_true", help="remove it although changes have not been sent")
    add_display(remove)
    remove.set_defaults(handler="commands.profiles:remove_profile")
