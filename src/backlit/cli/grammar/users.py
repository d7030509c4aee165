"""The grammar of `backlit users`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser


def add_verbs(users: LateParser) -> None:
    verbs = users.add_verbs()
    verbs.add_late("show", "show a person, with the open items in the project", "commands.lists:show_user", _fill_show)
    listing = verbs.add_parser("list", help="list the users")
    listing.add_argument("--mine", action="store_true", help="only those who have open items in the project")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.lists:list_users")


def _fill_show(show: LateParser) -> None:
    show.add_argument("name", metavar="USER", help="user name, full name, number, or me")
    add_formats(show)
    add_reading(show)
