"""Options that many commands have; they may stand before the command too."""

import argparse

from backlit.model.version import VERSION

JSON = "--json"
MOVED_OPTIONS = frozenset(
    {
        *("--query", "--view", "--filter", "--sort", "--limit", "--offline", "--fresh"),
        *("--wait", "--no-wait", "--yes", "--dry-run"),
    }
)
"""Options that only some commands have. Before a command they count as if they stood behind it."""
VALUED_OPTIONS = (*("--profile", "--project", "--query", "--view", "--filter", "--sort", "--limit", "--wait"),)
TEXT_OPTIONS = frozenset({"--query", "--sort", "--since", "--date"})
"""Options whose value may begin with a minus."""
FORMATS = {
    "ndjson": "write one JSON object a line",
    "csv": "write CSV with headings",
    "tsv": "write tab-separated values with headings",
    "md": "write a Markdown table",
    "table": "write an aligned table with headings, as on a terminal",
}
"""Formats beside JSON. Without one, a terminal gets the table, and anything else tab-separated values."""
DISPLAY = {
    "--quiet": "write no notes to standard error, only errors",
    "--ascii": "write ASCII only, in output for people",
    "--no-color": "use no colours",
    "--no-pager": "write what is longer than the terminal without a pager",
    "--debug": "write requests, and what led to an error, to standard error and the log (BACKLIT_DEBUG=1)",
}
MAX_WAIT = 86_400.0
"""Seconds."""


def add_display(command: argparse.ArgumentParser, *, is_top: bool = False) -> None:
    """Add what every command takes; below the top an option that is not given leaves the value of the top."""
    group = command.add_argument_group("common options")
    default = False if is_top else argparse.SUPPRESS
    for option, words in DISPLAY.items():
        group.add_argument(option, action="store_true", default=default, help=words)


def add_target(command: argparse.ArgumentParser, *, is_top: bool = False) -> None:
    """Add the profile and the project."""
    default = None if is_top else argparse.SUPPRESS
    command.add_argument("--profile", metavar="NAME", default=default, help="profile (default: BACKLIT_PROFILE)")
    command.add_argument(
        "--project", metavar="NAME", default=default, help="name or number of the project (default: BACKLIT_PROJECT)"
    )


def add_reading(command: argparse.ArgumentParser) -> None:
    """Add what a command takes that reads the local copy."""
    add_target(command)
    connection = command.add_mutually_exclusive_group()
    connection.add_argument("--offline", action="store_true", help="use the local copy, do not connect")
    connection.add_argument("--fresh", action="store_true", help="fail if the copy cannot be brought up to date")
    add_display(command)


def add_writing(command: argparse.ArgumentParser, *, is_waiting: bool = True, has_yes: bool = True) -> None:
    """Add what a command takes that changes something."""
    add_reading(command)
    if is_waiting:
        waiting = command.add_mutually_exclusive_group()
        waiting.add_argument(
            "--wait",
            type=_seconds,
            metavar="SECONDS",
            help="longest time to wait for the server's answer (default: the setting wait, 10)",
        )
        waiting.add_argument(
            "--no-wait", dest="wait", action="store_const", const=0.0, help="keep the changes for sending, and end"
        )
    command.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    if has_yes:
        command.add_argument("--yes", action="store_true", help="change existing items without a question")


def add_formats(command: argparse.ArgumentParser, *, has_columns: bool = True) -> None:
    """Add the output formats, of which a command line names one at most; LateParser reads `--json` by itself."""
    formats = command.add_mutually_exclusive_group()
    formats.add_argument(
        JSON,
        nargs="?",
        type=_json_fields,
        default=False,
        metavar="FIELDS",
        help="write JSON; --json=FIELDS writes flat objects of these fields",
    )
    for name, words in FORMATS.items():
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=words)
    if has_columns:
        command.add_argument("--columns", type=names, default=(), metavar="FIELDS", help="columns, such as id,name,est")
    command.takes_json_fields = True  # type: ignore[attr-defined]  # an attribute of LateParser


def add_query(command: argparse.ArgumentParser) -> None:
    """Add what chooses items beside their numbers."""
    command.add_argument(
        "--query", metavar="QUERY", help="filter as a query, for example: status:open @me (docs/query.md)"
    )
    command.add_argument("--view", metavar="NAME", help="the items of a saved view")
    command.add_argument("--filter", metavar="ODATA", help="filter as OData, for example: Status eq 'Done'")


class Version(argparse.Action):
    """Prints the version and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"backlit {VERSION}")
        parser.exit()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= MAX_WAIT:
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is not a number of seconds")
    return seconds


def names(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())


def _json_fields(text: str) -> bool | tuple[str, ...]:
    return names(text) or True
