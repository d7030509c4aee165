"""What can be written after `backlit`."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from backlit.config import DEMO_ITEMS, DEMO_SEED

if TYPE_CHECKING:
    _Commands: TypeAlias = argparse._SubParsersAction["LateParser"]  # noqa: SLF001  argparse's only name for it

EPILOG = "Without a command, backlit opens the profile that was used last, or your own workspace on this machine."


def parser() -> argparse.ArgumentParser:
    """The whole grammar; each command names the module that runs it."""
    top = argparse.ArgumentParser("backlit", description="Your backlog, lit up in the terminal.", epilog=EPILOG)
    top.add_argument("--version", action=_Version, nargs=0, help="show the version and leave")
    top.add_argument("--profile", metavar="NAME", help="work at this profile")
    top.set_defaults(module="backlit.cli.app")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", parser_class=LateParser)
    _add_demo(commands)
    _add_serve(commands)
    _add_session(commands)
    _add_items(commands)
    _add_log(commands)
    _add_plan(commands)
    _add_report(commands)
    _add_admin(commands)
    return top


class LateParser(argparse.ArgumentParser):
    """A parser whose grammar may be made only when it is used, as it costs every other command."""

    fill: Callable[[], None] | None = None

    def parse_known_args(self, *arguments: Any, **options: Any) -> Any:
        """Make the rest of the grammar, then parse."""
        if self.fill is not None:
            fill, self.fill = self.fill, None
            fill()
        return super().parse_known_args(*arguments, **options)


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"backlit {version('backlit')}")
        parser.exit()


def _add_demo(commands: "_Commands") -> None:
    demo = commands.add_parser("demo", help="open a sample workspace; what you do in it is kept")
    _add_sample(demo)
    demo.set_defaults(module="backlit.cli.demo")


def _add_serve(commands: "_Commands") -> None:
    serve = commands.add_parser("serve", help="serve a team over HTTP")
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
    serve.add_argument("--sample", action="store_true", help="serve a sample workspace whose passwords are known")
    serve.add_argument("--yes-really", action="store_true", help="serve the sample to other machines too")
    _add_sample(serve)
    _add_operation(serve)
    serve.set_defaults(module="backlit.cli.serve")


def _add_operation(serve: argparse.ArgumentParser) -> None:
    group = serve.add_argument_group("operation")
    group.add_argument("--tls-cert", metavar="FILE", help="serve https with this certificate (PEM, with its chain)")
    group.add_argument("--tls-key", metavar="FILE", help="the certificate's key (PEM)")
    group.add_argument(
        "--trusted-proxy",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="believe X-Forwarded-For, -Proto and -Host of this address or network; may be repeated",
    )
    group.add_argument(
        "--workers", type=_count, default=1, metavar="N", help="processes that serve; on PostgreSQL only (%(default)s)"
    )
    group.add_argument(
        "--max-requests", type=_count, default=256, metavar="N", help="requests in the works at once (%(default)s)"
    )
    group.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        help="how much is logged, as JSON lines on the error output (info; warning with --sample)",
    )
    group.add_argument(
        "--legacy-clients", action="store_true", help="relax three things for programs of the original service"
    )


def _add_session(commands: "_Commands") -> None:
    login = commands.add_parser("login", help="sign in to a service; the password is asked for or read from the input")
    login.add_argument("url", metavar="URL", help="address of the service")
    way = login.add_mutually_exclusive_group()
    way.add_argument("--user", metavar="NAME", help="user name")
    way.add_argument("--code", action="store_true", help="sign in with a code from the browser")
    way.add_argument(
        "--cookie",
        action="store_true",
        help="use the session of a browser: its cookie .ASPXAUTH is asked for or read from the input",
    )
    login.add_argument(
        "--approve", metavar="ORIGIN", default="", help="let the sign-in be sent to this other address, as https://host"
    )
    login.set_defaults(module="backlit.cli.login")
    logout = commands.add_parser("logout", help="forget the sign-in of the profile")
    logout.set_defaults(module="backlit.cli.logout")
    whoami = commands.add_parser("whoami", help="say who is signed in, and where")
    whoami.set_defaults(module="backlit.cli.whoami")
    doctor = commands.add_parser("doctor", help="look at the connection, the service and the files; say what is wrong")
    doctor.add_argument("--json", action="store_true", help="write JSON")
    doctor.set_defaults(module="backlit.cli.doctor")
    trash = commands.add_parser("trash", help="list the copies of deleted items, or write one of them as JSON")
    trash.add_argument("id", nargs="?", type=int, metavar="ID", help="the number that the item had")
    trash.set_defaults(module="backlit.cli.trash")


def _add_items(commands: "_Commands") -> None:
    items = commands.add_parser("items", help="read, make and change work items").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    listing = items.add_parser("list", help="list work items in backlog order")
    listing.add_argument("--limit", type=_count, metavar="N", help="at most so many")
    listing.add_argument("--query", metavar="QUERY", help="only these, for example: status:open @me (docs/query.md)")
    listing.add_argument("--sort", metavar="FIELDS", help="for example: est desc,name")
    listing.add_argument("--filter", metavar="ODATA", help="only these, for example: Status eq 'Done'")
    listing.add_argument("--json", action="store_true", help="write JSON")
    listing.set_defaults(module="backlit.cli.items_list")
    show = items.add_parser("show", help="show one work item")
    show.add_argument("id", type=int, metavar="ID")
    show.add_argument("--json", action="store_true", help="write JSON")
    show.set_defaults(module="backlit.cli.items_show")
    bring = items.add_parser("import", help="make and change work items as a CSV or JSON file says (docs/backlog.md)")
    bring.add_argument("file", metavar="FILE", help="the file; - reads the input")
    bring.add_argument("--dry-run", action="store_true", help="only say what it comes to")
    bring.add_argument("--format", choices=("csv", "json"), help="what is in it (found out)")
    bring.add_argument("--customers-see", action="store_true", help="write what customers see too")
    bring.set_defaults(module="backlit.cli.items_import")


def _add_log(commands: "_Commands") -> None:
    log = commands.add_parser("log", help="log work on a task: its two work fields, and a comment")
    log.add_argument("id", type=int, metavar="ID", help="the task")
    log.add_argument("hours", metavar="HOURS", help="2, 1.5h, 1:30 or 90m")
    log.add_argument("--type", default="", metavar="TYPE", help="one of the project's types of time entries")
    log.add_argument("--note", default="", metavar="TEXT", help="what was done, for the comment")
    log.add_argument("--remaining", metavar="HOURS", help="what is left, when it is not what was left less the hours")
    log.add_argument("--dry-run", action="store_true", help="only say what it comes to")
    log.set_defaults(module="backlit.cli.log")


def _add_plan(commands: "_Commands") -> None:
    plan = commands.add_parser("plan", help="the plan of iterations as text").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    export = plan.add_parser("export", help="write what is in the iterations to come, as the plan's draft has it")
    export.add_argument("iteration", nargs="*", metavar="ITERATION", help="only these, by name")
    export.add_argument("--backlog", type=_count, default=0, metavar="N", help="the first N unplanned items too")
    export.set_defaults(module="backlit.cli.plan_export")
    apply = plan.add_parser("apply", help="do what a changed plan says, as one step")
    apply.add_argument("file", metavar="FILE", help="the plan; - reads the input")
    apply.add_argument("--dry-run", action="store_true", help="only say what it comes to")
    apply.add_argument("--mine", action="store_true", help="write over what others changed since it was exported")
    apply.set_defaults(module="backlit.cli.plan_apply")


def _add_report(commands: "_Commands") -> None:
    report = commands.add_parser("report", help="write a report on the project, from your own daily records")
    names = ("burndown", "burnup", "scope", "velocity", "age", "people", "areas", "estimates")
    report.add_argument("name", choices=names, metavar="NAME", help=", ".join(names))
    about = report.add_mutually_exclusive_group()
    about.add_argument("--iteration", metavar="X", help="an iteration or release by name, path or number (current)")
    about.add_argument("--days", type=_count, metavar="N", help="the whole backlog over the last N days")
    report.add_argument("--items", action="store_true", help="count items instead of points")
    report.add_argument("--format", choices=("md", "csv", "svg"), default="md", help="what to write (%(default)s)")
    report.set_defaults(module="backlit.cli.report")


def _add_admin(commands: "_Commands") -> None:
    admin = commands.add_parser("admin", help="administer a served workspace")

    def fill() -> None:
        from backlit.cli.admin.grammar import add_nouns

        add_nouns(admin)

    admin.fill = fill


def _add_sample(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--items", type=_count, default=DEMO_ITEMS, metavar="N", help="size of the sample (%(default)s)"
    )
    command.add_argument("--seed", type=_count, default=DEMO_SEED, metavar="S", help="another sample (%(default)s)")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


def _size(text: str) -> int:
    """Bytes, or with K, M or G behind the number so many units of 1024."""
    unit = _UNITS.get(text[-1:].upper())
    return _count(text) if unit is None else _count(text[:-1]) * unit


def _port(text: str) -> int:
    port = _count(text)
    if port > 65535:
        raise argparse.ArgumentTypeError("a port is at most 65535")
    return port
