"""The grammar of `backlit`."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

from backlit.cli.late_parser import LateParser
from backlit.config.settings import DEMO_ITEMS, DEMO_SEED
from backlit.model.version import VERSION

if TYPE_CHECKING:
    _Commands: TypeAlias = argparse._SubParsersAction["LateParser"]  # noqa: SLF001  argparse's only name for it

EPILOG = "Without a command, backlit opens the last used profile, never a sample. At first it asks where to begin."


def parser() -> argparse.ArgumentParser:
    """Return the whole grammar; each command names its handler, `module:function` of `backlit.cli`."""
    top = argparse.ArgumentParser("backlit", description="Your backlog, lit up in the terminal.", epilog=EPILOG)
    top.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    top.add_argument("--profile", metavar="NAME", help="use this profile (default: BACKLIT_PROFILE)")
    _add_project(top, default=None)
    top.set_defaults(handler="commands.app:open_app")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", parser_class=LateParser)
    _add_demo(commands)
    _add_serve(commands)
    _add_session(commands)
    _add_items(commands)
    _add_log(commands)
    _add_plan(commands)
    _add_iterations(commands)
    _add_report(commands)
    _add_admin(commands)
    return top


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"backlit {VERSION}")
        parser.exit()


def _add_demo(commands: "_Commands") -> None:
    demo = commands.add_parser("demo", help="open a sample workspace; your changes in it are kept")
    _add_sample(demo)
    _add_project(demo)
    demo.set_defaults(handler="commands.app:open_demo")


def _add_serve(commands: "_Commands") -> None:
    serve = commands.add_parser("serve", help="run the server for a team")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    serve.add_argument("--port", type=_port, default=8484, help="port to listen on (%(default)s)")
    serve.add_argument("--database", metavar="URL", help="database, as sqlite:///path or postgresql://user@host/name")
    serve.add_argument("--files", metavar="PLACE", help="attachments: a directory, or s3://bucket/prefix")
    serve.add_argument(
        "--max-upload",
        type=_size,
        default="100M",
        metavar="SIZE",
        help="largest file that can be attached (%(default)s)",
    )
    serve.add_argument("--service-name", metavar="NAME", default="backlit", help="name of the service (%(default)s)")
    serve.add_argument("--sample", action="store_true", help="serve a sample workspace with publicly known passwords")
    serve.add_argument("--yes-really", action="store_true", help="allow other machines to reach the sample")
    _add_sample(serve)
    _add_operation(serve)
    serve.set_defaults(handler="commands.serve:serve")


def _add_operation(serve: argparse.ArgumentParser) -> None:
    group = serve.add_argument_group("operation")
    group.add_argument("--tls-cert", metavar="FILE", help="serve https with this certificate (PEM, with its chain)")
    group.add_argument("--tls-key", metavar="FILE", help="the certificate's key (PEM)")
    group.add_argument(
        "--trusted-proxy",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="trust X-Forwarded-For, -Proto and -Host from this address or network; repeatable",
    )
    group.add_argument(
        "--workers",
        type=_number,
        default=1,
        metavar="N",
        help="number of worker processes; needs PostgreSQL (%(default)s)",
    )
    group.add_argument(
        "--max-requests", type=_number, default=256, metavar="N", help="maximum concurrent requests (%(default)s)"
    )
    group.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        help="log level; JSON lines on standard error (info; warning with --sample)",
    )
    group.add_argument(
        "--presence", choices=("on", "off"), default="on", help="tell people who edits which item (%(default)s)"
    )
    group.add_argument("--legacy-clients", action="store_true", help="compatibility mode for older API clients")


def _add_session(commands: "_Commands") -> None:
    login = commands.add_parser(
        "login", help="sign in to a server; prompts for the password or reads it from standard input"
    )
    login.add_argument("url", metavar="URL", help="address of the server")
    way = login.add_mutually_exclusive_group()
    way.add_argument("--user", metavar="NAME", help="user name")
    way.add_argument("--code", action="store_true", help="sign in through the browser with a verification code")
    way.add_argument(
        "--cookie",
        action="store_true",
        help="sign in with a browser's cookie .ASPXAUTH; prompts for it or reads it from standard input",
    )
    login.add_argument(
        "--approve",
        metavar="ORIGIN",
        default="",
        help="allow sending credentials to this other address, as https://host",
    )
    login.set_defaults(handler="commands.session:log_in")
    logout = commands.add_parser("logout", help="sign out of the profile's server; the local copy is kept")
    logout.add_argument("--yes", action="store_true", help="sign out although changes have not been sent")
    logout.set_defaults(handler="commands.session:log_out")
    whoami = commands.add_parser("whoami", help="show the signed-in user and server")
    whoami.set_defaults(handler="commands.session:show_user")
    doctor = commands.add_parser("doctor", help="check connection, server and local files")
    doctor.add_argument("--json", action="store_true", help="write JSON")
    doctor.set_defaults(handler="commands.doctor:examine")
    trash = commands.add_parser("trash", help="list deleted items, or print one as JSON")
    trash.add_argument("id", nargs="?", type=_id, metavar="ID", help="number of the deleted item")
    trash.set_defaults(handler="commands.items:show_trash")


def _add_items(commands: "_Commands") -> None:
    items = commands.add_parser("items", help="list, show and import work items").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    listing = items.add_parser("list", help="list work items in backlog order")
    listing.add_argument("--limit", type=_count, metavar="N", help="maximum number of items; 0 for all (default)")
    listing.add_argument(
        "--query", metavar="QUERY", help="filter as a query, for example: status:open @me (docs/query.md)"
    )
    listing.add_argument("--sort", metavar="FIELDS", help="sort order, for example: est desc,name")
    listing.add_argument("--filter", metavar="ODATA", help="filter as OData, for example: Status eq 'Done'")
    listing.add_argument("--json", action="store_true", help="write JSON")
    _add_project(listing)
    listing.set_defaults(handler="commands.items:list_items")
    show = items.add_parser("show", help="show one work item")
    show.add_argument("id", type=_id, metavar="ID")
    show.add_argument("--json", action="store_true", help="write JSON")
    _add_project(show)
    show.set_defaults(handler="commands.items:show_item")
    bring = items.add_parser("import", help="create and change work items from a CSV or JSON file (docs/backlog.md)")
    bring.add_argument("file", metavar="FILE", help="file to read; - for standard input")
    bring.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    bring.add_argument("--format", choices=("csv", "json"), help="file format (default: detect)")
    bring.add_argument("--yes", action="store_true", help="change existing items without a question")
    bring.add_argument("--report", metavar="FILE", help="file for all faults, or all changes, a line each")
    bring.add_argument("--customers-see", action="store_true", help="allow changes that customers can see")
    _add_keep_estimates(bring)
    _add_project(bring)
    bring.set_defaults(handler="commands.items_import:import_items")


def _add_project(command: argparse.ArgumentParser, default: str | None = argparse.SUPPRESS) -> None:
    words = "name or number of the project (default: BACKLIT_PROJECT)"
    command.add_argument("--project", metavar="NAME", default=default, help=words)


def _add_keep_estimates(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-estimates", action="store_true", help="keep estimates that are no number without a question"
    )


def _add_log(commands: "_Commands") -> None:
    log = commands.add_parser("log", help="log hours on a task: updates its work fields and adds a comment")
    log.add_argument("id", type=_id, metavar="ID", help="the task")
    log.add_argument("hours", metavar="HOURS", help="2, 1.5h, 1:30, 1h30m or 90m")
    log.add_argument("--type", default="", metavar="TYPE", help="time entry type of the project")
    log.add_argument("--note", default="", metavar="TEXT", help="note for the comment")
    log.add_argument("--remaining", metavar="HOURS", help="remaining work (default: current value minus the hours)")
    log.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    _add_project(log)
    log.set_defaults(handler="commands.items:log_work")


def _add_plan(commands: "_Commands") -> None:
    plan = commands.add_parser("plan", help="export and apply the plan as text").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    export = plan.add_parser("export", help="export the upcoming iterations, including the planning draft")
    export.add_argument(
        "iteration", nargs="*", metavar="ITERATION", help="iterations to export, by name, path or number (current)"
    )
    export.add_argument("--backlog", type=_count, default=0, metavar="N", help="add the first N unplanned items")
    _add_project(export)
    export.set_defaults(handler="commands.plan:export_plan")
    apply = plan.add_parser("apply", help="apply an edited plan as one step")
    apply.add_argument("file", metavar="FILE", help="plan to read; - for standard input")
    apply.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    apply.add_argument("--mine", action="store_true", help="overwrite changes that others made since the export")
    _add_keep_estimates(apply)
    _add_project(apply)
    apply.set_defaults(handler="commands.plan:apply_plan")


def _add_iterations(commands: "_Commands") -> None:
    iterations = commands.add_parser("iterations", help="start and close sprints").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    helps = {
        "start": "start a sprint: what is in it becomes its commitment",
        "close": "close a sprint: what is done in it later is late",
    }
    for name, words in helps.items():
        command = iterations.add_parser(name, help=words)
        command.add_argument("iteration", metavar="ITERATION", help="by name, path or number (current, previous)")
        command.add_argument("--withdraw", action="store_true", help=f"withdraw the {name}")
        command.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
        _add_project(command)
        command.set_defaults(handler="commands.iterations:record_event", event=name)
    close = iterations.choices["close"]
    close.add_argument(
        "--move", metavar="PLACE", help="where unfinished items go: next, backlog, an iteration; stay leaves them"
    )
    close.add_argument(
        "--split",
        metavar="ID=POINTS",
        nargs="+",
        action="extend",
        type=_split,
        default=[],
        help="keep the done points of these items here; the rest goes on, to the next iteration or that of --move",
    )
    close.add_argument(
        "--mark-done",
        metavar="ID",
        nargs="+",
        action="extend",
        type=_id,
        default=[],
        help="mark these items as done, with their open tasks",
    )
    close.add_argument("--keep-tasks", action="store_true", help="leave the open tasks of --mark-done open")


def _add_report(commands: "_Commands") -> None:
    report = commands.add_parser("report", help="write a project report")

    def fill() -> None:
        from backlit.model.reports.names import ReportName

        names = [*(each.value for each in ReportName), "sprint"]
        report.add_argument("name", choices=names, metavar="NAME", help=", ".join(names))
        report.epilog = "\n\n".join(f"{each.value}: {each.definition}" for each in ReportName)

    report.fill = fill
    about = report.add_mutually_exclusive_group()
    about.add_argument("--iteration", metavar="X", help="iteration or release, by name, path or number (current)")
    about.add_argument("--days", type=_count, metavar="N", help="report on the whole backlog over the last N days")
    report.add_argument("--team", metavar="TEAM", help="only the items of a team, by its name or number")
    unit = report.add_mutually_exclusive_group()
    for name, counted in (("points", "points"), ("items", "items"), ("hours", "the remaining hours of tasks")):
        unit.add_argument(f"--{name}", dest="unit", action="store_const", const=name, help=f"count {counted}")
    formats = report.add_mutually_exclusive_group()
    formats.add_argument(
        "--format",
        choices=("markdown", "md", "csv", "json", "svg"),
        default="markdown",
        help="output format (%(default)s)",
    )
    formats.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    _add_project(report)
    report.set_defaults(handler="commands.report:write_report")


def _add_admin(commands: "_Commands") -> None:
    admin = commands.add_parser("admin", help="administer a server's workspace")

    def fill() -> None:
        from backlit.cli.admin_arguments import add_nouns

        add_nouns(admin)

    admin.fill = fill


def _add_sample(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--items", type=_count, default=DEMO_ITEMS, metavar="N", help="number of sample items (%(default)s)"
    )
    command.add_argument(
        "--seed", type=_count, default=DEMO_SEED, metavar="S", help="random seed of the sample (%(default)s)"
    )


def _id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:19]) < 2**63 and len(text) < 20):
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is not an item number")
    return int(text)


def _split(text: str) -> tuple[int, str]:
    item, sign, points = text.partition("=")
    if not sign or not points:
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is not ID=POINTS, such as 12=3")
    return _id(item), points


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _number(text: str) -> int:
    if not _count(text):
        raise argparse.ArgumentTypeError("the least is 1")
    return int(text)


_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


def _size(text: str) -> int:
    """Parse a size in bytes; the suffixes K, M and G are powers of 1024."""
    unit = _UNITS.get(text[-1:].upper())
    return _count(text) if unit is None else _count(text[:-1]) * unit


def _port(text: str) -> int:
    port = _count(text)
    if port > 65535:
        raise argparse.ArgumentTypeError("the highest port is 65535")
    return port
