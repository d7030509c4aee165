"""The grammar of `backlit time`."""

from backlit.cli.common_options import add_formats, add_reading
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import CURRENT_WEEK, week
from backlit.model.time_groups import TimeGroup


def add_verbs(times: LateParser) -> None:
    words = "list the hours that were logged on the tasks of the project, or sum them up"
    times.add_verbs().add_late("list", words, "commands.time_entries:list_time", _fill_list)


def _fill_list(listing: LateParser) -> None:
    words = "a week: this one, previous, or as 2026-W47 (default: the last 14 days)"
    listing.add_argument("--week", nargs="?", type=week, const=CURRENT_WEEK, metavar="WEEK", help=words)
    listing.add_argument("--mine", action="store_true", help="only your own hours")
    words = "write the sums by person, type or feature"
    listing.add_argument("--by", choices=[each.value for each in TimeGroup], metavar="WHAT", help=words)
    add_formats(listing)
    add_reading(listing)
