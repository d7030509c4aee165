"""The grammar of `backlit projects`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser


def add_verbs(projects: LateParser) -> None:
    verbs = projects.add_verbs()
    listing = verbs.add_parser("list", help="list the projects")
    listing.add_argument("--mine", action="store_true", help="only those in which you have a role")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.lists:list_projects")
    verbs.add_late("show", "show a project", "commands.lists:show_project", _fill_show)
    use = verbs.add_parser("use", help="choose the project of this profile's commands")
    use.add_argument("name", metavar="PROJECT", help="name or number of the project")
    add_reading(use)
    use.set_defaults(handler="commands.lists:use_project")


def _fill_show(show: LateParser) -> None:
    show.add_argument("name", nargs="?", metavar="PROJECT", help="name or number (default: the one of commands)")
    add_formats(show)
    add_reading(show)
