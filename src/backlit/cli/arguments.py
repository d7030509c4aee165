"""The grammar of `backlit`."""

import argparse
from functools import partial
from importlib import import_module

from backlit.cli.common_options import (
    Version,
    add_display,
    add_formats,
    add_query,
    add_reading,
    add_target,
    add_writing,
)
from backlit.cli.late_parser import LateParser, LateVerbs, TopParser
from backlit.cli.option_values import count, item_number, number, week

EPILOG = (
    "Without a command, backlit opens the last used profile, never a sample. At first it asks where to begin."
    " A number alone opens that item: backlit 12"
)
LINEAR, GROOM = "commands.linear:run_lines", "commands.linear:groom"
SCREENS = "commands.app:open_app"
NOUNS = {
    "items": "list, show, make and change work items",
    "comments": "list, write and delete comments",
    "criteria": "list, add, judge and delete the acceptance criteria of items",
    "time": "list the hours that were logged on tasks",
    "links": "list, add and delete the web links of items",
    "files": "list, attach, save and delete files of work items",
    "areas": "list and change the areas of a project",
    "iterations": "list and change iterations; start and close sprints",
    "plan": "show, export and apply the plan",
    "outbox": "list, send and resolve the changes that the server does not have yet",
    "projects": "list the projects that you see, and choose one",
    "users": "list the people of the server",
    "teams": "list the teams of a project",
    "views": "list, save, rename and delete views",
    "profiles": "list and remove the profiles of this machine",
    "config": "show, check and change the settings",
}
"""Nouns with verbs of their own, each in a module of `backlit.cli.grammar`."""
PLACES = {
    "comments": ("comments", "open the item's comments"),
    "files": ("attachments", "open the item's files"),
    "edit": ("name", "open the item with its name in an input"),
}
"""Options of `open` that name a place of the item, as the screens call it."""


def parser() -> TopParser:
    """Return the whole grammar; each command names its handler, `module:function` of `backlit.cli`."""
    top = TopParser("backlit", description="Your backlog, lit up in the terminal.", epilog=EPILOG)
    top.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    add_target(top, is_top=True)
    _add_start(top)
    top.add_argument(
        "--linear",
        dest="handler",
        action="store_const",
        const=LINEAR,
        help="work line by line, without a screen: for screen readers and logs (BACKLIT_LINEAR=1)",
    )
    top.add_argument(
        "--offline",
        action="store_true",
        default=argparse.SUPPRESS,
        help="with --linear: use the local copy, do not connect",
    )
    add_display(top, is_top=True)
    top.set_defaults(handler=SCREENS, id=None, place=None)
    commands = top.add_verbs(is_required=False)
    for name, words in NOUNS.items():
        commands.add_late(name, words, fill=partial(_fill_noun, name))
    commands.add_late("open", "open the screens, on an item", "commands.app:open_app", _fill_open)
    commands.add_late(
        "demo", "open a sample workspace; your changes in it are kept", "commands.app:open_demo", _fill_demo
    )
    commands.add_late("groom", "answer the open questions of items, line by line", GROOM, _fill_groom)
    commands.add_late("serve", "run the server for a team", "commands.serve:serve", _fill_serve)
    _add_session(commands)
    commands.add_late("log", "log hours on a task", "commands.items:log_work", _fill_log)
    words = "relate an item to others, as a sentence: backlit relate 45 blocks 43"
    commands.add_late("relate", words, "commands.relations:relate_items", partial(_fill_relate, is_new=True))
    words = "take relations of an item away"
    commands.add_late("unrelate", words, "commands.relations:unrelate_items", partial(_fill_relate, is_new=False))
    _add_history(commands)
    commands.add_late("report", "write a project report", "commands.report:write_report", _fill_report)
    commands.add_late("admin", "administer a server's workspace", fill=_fill_admin)
    _add_words(commands)
    return top


def _fill_noun(name: str, noun: LateParser) -> None:
    import_module(f"backlit.cli.grammar.{name}").add_verbs(noun)


def _add_start(command: argparse.ArgumentParser) -> None:
    start = command.add_argument_group("start of the screens")
    start.add_argument("--query", metavar="QUERY", help="open the backlog on this query")
    start.add_argument("--view", metavar="NAME", help="open the backlog on this saved view")


def _fill_open(opening: LateParser) -> None:
    opening.add_argument("id", nargs="?", type=item_number, metavar="ID", help="number of the item")
    place = opening.add_mutually_exclusive_group()
    for name, (const, words) in PLACES.items():
        place.add_argument(f"--{name}", dest="place", action="store_const", const=const, help=words)
    _add_start(opening)
    add_target(opening)


def _fill_groom(groom: LateParser) -> None:
    words = "the items of this query (default: all open items, or what is left of the last time)"
    groom.add_argument("--query", metavar="QUERY", help=words)
    groom.add_argument("--limit", type=number, metavar="N", help="maximum number of items")
    add_reading(groom)


def _add_words(commands: LateVerbs) -> None:
    words = "run a command of your own on items, or list them ([[command]] of config.toml)"
    commands.add_late("run", words, "commands.own_command:run_command", _fill_run)
    words = "list the keys of the screens, or check your own"
    commands.add_late("keys", words, "commands.keys:show_keys", _fill_keys)
    commands.add_late("help", "explain a topic, such as exit-codes or columns", "commands.help:explain", _fill_help)
    words = "serve tools to a program over the Model Context Protocol (extra mcp)"
    commands.add_late("mcp", words, "commands.mcp:serve_tools", _fill_mcp)
    words = "list the JSON documents, or write the schema of one"
    commands.add_late("schema", words, "commands.schema:print_schema", _fill_schema)
    words = "write the script that completes words in a shell"
    commands.add_late("completion", words, "commands.completion:print_script", _fill_completion)
    # The scripts call it.
    words = "write the words that may stand last, for a shell's script"
    commands.add_late("complete", words, "commands.completion:print_candidates", _fill_complete, is_listed=False)


def _fill_run(run: LateParser) -> None:
    run.add_argument("own_command", nargs="?", metavar="NAME", help="id of the command (default: list them)")
    words = "what it is run on: numbers of items, - for standard input, or an iteration or area; and PROMPT=ANSWER"
    run.add_argument("words", nargs="*", metavar="WORD", help=words)
    run.rest = "words"
    add_query(run)
    run.add_argument("--yes", action="store_true", help="run it without its question")
    add_formats(run)
    add_reading(run)


def _fill_keys(keys: LateParser) -> None:
    keys.add_argument("--preset", choices=("vim", "arrows"), help="list the keys of this preset (default: the setting)")
    keys.add_argument("--context", metavar="NAME", default="", help="only the keys of one context, such as Lists")
    keys.add_argument("--check", action="store_true", help="list what is wrong with [keys] of config.toml")
    add_formats(keys)
    add_display(keys)


def _fill_help(helping: LateParser) -> None:
    helping.add_argument("topic", nargs="*", metavar="TOPIC", help="a topic or a command (default: list them)")
    helping.add_argument("--man", action="store_true", help="write the manual page, in roff")
    add_display(helping)


def _fill_mcp(mcp: LateParser) -> None:
    mcp.add_argument("--write", action="store_true", help="offer tools that change something too, after a dry run")
    add_target(mcp)


def _fill_schema(schema: LateParser) -> None:
    schema.add_argument("document", nargs="?", metavar="DOCUMENT", help="a document, such as item (default: list them)")
    add_formats(schema)
    add_display(schema)


def _fill_completion(completion: LateParser) -> None:
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


def _fill_complete(complete: LateParser) -> None:
    complete.add_argument("words", nargs="*", metavar="WORD", help="the words so far, without backlit")


def _fill_demo(demo: LateParser) -> None:
    import_module("backlit.cli.grammar.serve").add_sample(demo)
    add_target(demo)
    add_display(demo)


def _fill_serve(serve: LateParser) -> None:
    import_module("backlit.cli.grammar.serve").fill_serve(serve)


def _add_session(commands: LateVerbs) -> None:
    words = "sign in to a server; prompts for the password or reads it from standard input"
    commands.add_late("login", words, "commands.session:log_in", _fill_login)
    words = "sign out of the profile's server; the local copy is kept"
    commands.add_late("logout", words, "commands.session:log_out", _fill_logout)
    commands.add_late("whoami", "show the signed-in user and server", "commands.session:show_user", _fill_whoami)
    commands.add_late("doctor", "check connection, server and local files", "commands.doctor:examine", _fill_doctor)
    commands.add_late("trash", "list deleted items, or print one as JSON", "commands.items:show_trash", _fill_trash)


def _fill_login(login: LateParser) -> None:
    login.add_argument("url", metavar="URL", help="address of the server")
    way = login.add_mutually_exclusive_group()
    way.add_argument("--user", metavar="NAME", help="user name")
    way.add_argument("--code", action="store_true", help="sign in through the browser with a verification code")
    way.add_argument(
        "--cookie",
        action="store_true",
        help="sign in with a browser's cookie .ASPXAUTH; prompts for it or reads it from standard input",
    )
    login.add_argument("--name", metavar="PROFILE", default="", help="name of a new profile (default: USER@SERVER)")
    login.add_argument(
        "--store",
        choices=("auto", "keyring", "file"),
        help="keep the sign-in in the system's keyring or in a file (default: the setting)",
    )
    login.add_argument(
        "--approve",
        metavar="ORIGIN",
        default="",
        help="allow sending credentials to this other address, as https://host",
    )
    login.add_argument(
        "--ca",
        metavar="FILE",
        help="trust the authority in this file too (PEM); it is copied into the profile",
    )
    login.add_argument("--client-cert", metavar="FILE", help="show this certificate to the server (PEM)")
    login.add_argument("--client-key", metavar="FILE", help="its key (PEM), where the certificate's file has none")
    login.add_argument("--proxy", metavar="URL", help="reach the server by this proxy: http, https or socks5")
    login.add_argument("--fingerprint", metavar="SHA256", help="trust only the certificate with this public key")
    add_display(login)


def _fill_logout(logout: LateParser) -> None:
    logout.add_argument("--yes", action="store_true", help="sign out although changes have not been sent")
    add_target(logout)
    add_display(logout)


def _fill_whoami(whoami: LateParser) -> None:
    add_formats(whoami)
    add_target(whoami)
    add_display(whoami)


def _fill_doctor(doctor: LateParser) -> None:
    doctor.add_argument("--json", action="store_true", help="write JSON")
    doctor.add_argument("--offline", action="store_true", help="look at this machine only")
    doctor.add_argument("--section", metavar="NAME", help="only what is found about one subject, such as encryption")
    add_target(doctor)
    add_display(doctor)


def _fill_trash(trash: LateParser) -> None:
    trash.add_argument("id", nargs="?", type=item_number, metavar="ID", help="number of the deleted item")
    trash.add_argument("--restore", action="store_true", help="make the item again, with a new number")
    add_formats(trash)
    add_writing(trash, has_yes=False)


def _fill_log(log: LateParser) -> None:
    import_module("backlit.cli.grammar.items").fill_log(log)


def _fill_relate(relate: LateParser, *, is_new: bool) -> None:
    import_module("backlit.cli.grammar.items").fill_relate(relate, is_new=is_new)


def _add_history(commands: LateVerbs) -> None:
    words = "bring the local copy up to date, and send what waits"
    commands.add_late("sync", words, "commands.sync:sync", _fill_sync)
    for name, words in (("undo", "undo your last change"), ("redo", "make the change again that was undone")):
        commands.add_late(name, words, "commands.undo:revert", partial(_fill_revert, name == "redo"))


def _fill_sync(sync: LateParser) -> None:
    sync.add_argument("--full", action="store_true", help="read everything again")
    sync.add_argument("--watch", action="store_true", help="stay, and write a line for each change until ctrl+c")
    add_formats(sync)
    add_target(sync)
    add_display(sync)


def _fill_revert(is_redo: bool, command: LateParser) -> None:
    command.add_argument("steps", nargs="?", type=number, default=1, metavar="N", help="number of steps (1)")
    command.add_argument("--list", action="store_true", help="list the steps, change nothing")
    add_formats(command)
    add_writing(command)
    command.set_defaults(is_redo=is_redo)


def _fill_report(report: LateParser) -> None:
    from backlit.model.reports.names import ReportName
    from backlit.model.time_groups import TimeGroup

    names = [*(each.value for each in ReportName), "sprint"]
    report.add_argument("name", choices=names, metavar="NAME", help=", ".join(names))
    report.epilog = "\n\n".join(f"{each.value}: {each.definition}" for each in ReportName)
    about = report.add_mutually_exclusive_group()
    about.add_argument("--iteration", metavar="X", help="iteration or release, by name, path or number (current)")
    about.add_argument("--days", type=count, metavar="N", help="report on the whole backlog over the last N days")
    about.add_argument("--week", type=week, metavar="WEEK", help="the week of logged time: previous, or 2026-W47")
    by = [each.value for each in TimeGroup]
    report.add_argument("--by", choices=by, metavar="WHAT", help="the rows of logged time: person, type or feature")
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
    report.add_argument("--output", metavar="FILE", help="write the report into this file; never overwrites one")
    add_reading(report)


def _fill_admin(admin: LateParser) -> None:
    import_module("backlit.cli.grammar.admin").add_nouns(admin)
