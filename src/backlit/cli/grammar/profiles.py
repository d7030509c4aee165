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
    words = "show a profile: its files, and what has not been sent"
    verbs.add_late("show", words, "commands.lists:show_profile", _fill_show)
    words = "choose the profile of commands; --profile, BACKLIT_PROFILE and a repository's file still win"
    verbs.add_late("use", words, "commands.profiles:use_profile", _fill_use)
    verbs.add_late("rename", "rename a profile of a server", "commands.profiles:rename_profile", _fill_rename)
    remove = verbs.add_parser("remove", help="remove a profile of a server: its sign-in, copy and unsent changes")
    remove.add_argument("name", metavar="NAME", help="name of the profile")
    remove.add_argument(
        "--keep-journal", action="store_true", help="keep the unsent changes on this machine, for a later sign-in"
    )
    remove.add_argument("--yes", action="store_true", help="remove it although changes have not been sent")
    add_display(remove)
    remove.set_defaults(handler="commands.profiles:remove_profile")


def _fill_show(show: LateParser) -> None:
    show.add_argument("name", nargs="?", metavar="NAME", help="name of the profile (default: the one of commands)")
    add_formats(show)
    add_target(show)
    add_display(show)


def _fill_use(use: LateParser) -> None:
    use.add_argument("name", metavar="NAME", help="name of the profile")
    add_display(use)


def _fill_rename(rename: LateParser) -> None:
    rename.add_argument("name", metavar="NAME", help="name of the profile")
    rename.add_argument("new_name", metavar="NEW-NAME", help="its new name: letters, digits and _ . @ : -")
    add_display(rename)
