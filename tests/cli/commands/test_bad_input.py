"""Bad input to every command of the parser: how it ends, and a sentence without a traceback."""

import re
from collections.abc import Iterator

import pytest
from tests.cli.home import DEMO, Home

from backlit.cli.arguments import parser
from backlit.cli.late_parser import LateParser

NO_ITEM = "987654"
BAD_INPUT: dict[str, tuple[tuple[str, ...], int]] = {
    "items list": (("--query", "est:("), 2),
    "items show": ((NO_ITEM,), 4),
    "items history": ((NO_ITEM,), 4),
    "items export": (("--fields", "nmae"), 2),
    "items new": (("Name", "est=x", "iter=Nowhere"), 4),
    "items set": (("2", "status=Nowhere"), 6),
    "items edit": ((NO_ITEM,), 4),
    "items done": ((NO_ITEM,), 4),
    "items reopen": (("two",), 2),
    "items assign": (("2", "nobody-of-this-name"), 4),
    "items move": (("2", "Sprint 999"), 4),
    "items rank": (("2",), 2),
    "items delete": ((NO_ITEM,), 4),
    "items convert": ((NO_ITEM, "Story"), 4),
    "items split": ((NO_ITEM, "Part"), 4),
    "items feature": ((NO_ITEM, "none"), 4),
    "items copy": ((NO_ITEM,), 4),
    "items import": (("no-such-file.csv",), 1),
    "comments list": ((NO_ITEM,), 4),
    "comments add": ((NO_ITEM, "text"), 4),
    "comments delete": (("2", NO_ITEM, "--yes"), 4),
    "criteria list": ((NO_ITEM,), 4),
    "criteria add": ((NO_ITEM, "text"), 4),
    "criteria check": (("2", NO_ITEM), 4),
    "criteria delete": (("2", NO_ITEM, "--yes"), 4),
    "time list": (("--week", "someday"), 2),
    "links list": ((NO_ITEM,), 4),
    "links add": (("2", "no-address"), 6),
    "links delete": (("2", NO_ITEM, "--yes"), 4),
    "files list": ((NO_ITEM,), 4),
    "files add": (("2", "no-such-file"), 1),
    "files get": (("2", NO_ITEM), 4),
    "files describe": (("2", NO_ITEM, "text"), 4),
    "files delete": (("2", NO_ITEM), 4),
    "areas list": (("--columns", "nmae"), 2),
    "areas new": (("Mail", "--parent", "Nowhere"), 4),
    "areas set": (("Nowhere", "name=x"), 4),
    "areas move": (("Nowhere", "--first"), 4),
    "areas delete": (("Nowhere", "--to", "Checkout", "--yes"), 4),
    "iterations list": (("--columns", "nmae"), 2),
    "iterations new": (("Sprint 99", "--start", "someday"), 6),
    "iterations set": (("Sprint 14", "start=someday"), 6),
    "iterations move": (("Sprint 999", "--first"), 4),
    "iterations delete": (("Sprint 14", "--yes"), 2),
    "iterations capacity": (("next", "maya"), 2),
    "iterations start": (("Sprint 999",), 4),
    "iterations close": (("Sprint 999",), 4),
    "plan show": (("Sprint 999",), 4),
    "plan export": (("Sprint 999",), 4),
    "plan apply": (("no-such-file",), 1),
    "plan discard": (("now",), 2),
    "outbox list": (("--query", "est:("), 2),
    "outbox show": ((NO_ITEM,), 4),
    "outbox send": (("now",), 2),
    "outbox discard": ((NO_ITEM, "--yes"), 4),
    "outbox resolve": ((NO_ITEM, "--mine"), 4),
    "projects list": (("--columns", "nmae"), 2),
    "projects show": (("Nowhere",), 4),
    "projects use": (("Nowhere",), 4),
    "users show": (("nobody-of-this-name",), 4),
    "users list": (("--columns", "nmae"), 2),
    "teams list": (("--columns", "nmae"), 2),
    "views list": (("--columns", "nmae"), 2),
    "views show": (("nowhere",), 4),
    "views save": (("mine", "--query", "est:("), 6),
    "views rename": (("nowhere", "mine"), 4),
    "views delete": (("nowhere",), 4),
    "profiles list": (("--columns", "nmae"), 2),
    "profiles show": (("nobody",), 4),
    "profiles use": (("nobody",), 4),
    "profiles rename": (("nobody", "somebody"), 4),
    "profiles remove": (("nobody",), 4),
    "config path": (("theme",), 2),
    "config show": (("--columns", "nmae", "--origin"), 2),
    "config check": (("theme",), 2),
    "config schema": (("theme",), 2),
    "config sample": (("theme",), 2),
    "config edit": (("theme",), 2),
    "config get": (("thme",), 4),
    "config set": (("mouse", "maybe"), 6),
    "config unset": (("thme",), 4),
    "open": (("--comments",), 2),
    "groom": (("--query", "est:("), 2),
    "demo": (("--items", "many"), 2),
    "serve": (("--port", "99999"), 2),
    "login": (("ftp://team.example", "--user", "maya"), 6),
    "logout": (("now",), 2),
    "whoami": (("--profile", "nobody"), 4),
    "doctor": (("--profile", "nobody"), 4),
    "trash": ((NO_ITEM,), 4),
    "log": (("2", "soon"), 6),
    "items log": (("30", "1h", "--date", "tomorrow"), 6),
    "items relate": (("2", "parent", "3"), 6),
    "items unrelate": (("2", "blocks", NO_ITEM), 4),
    "relate": (("2", "parent", "3"), 6),
    "unrelate": (("2", "blocks", NO_ITEM), 4),
    "sync": (("--profile", "nobody"), 4),
    "undo": (("none",), 2),
    "redo": (("none",), 2),
    "report": (("velocty",), 2),
    "run": (("nothing-of-this-name",), 4),
    "keys": (("--context", "Nowhere"), 4),
    "help": (("nothing-of-this-name",), 4),
    "mcp": (("--profile", "nobody"), 4),
    "schema": (("itme",), 4),
    "completion": (("tcsh",), 2),
}
WITH_PROFILE = "--profile NAME"


def leaves(grammar: LateParser, path: str = "") -> Iterator[tuple[str, LateParser]]:
    """Yield the commands that run, with their names; those of `admin` have tests of their own."""
    for name, command in grammar.verbs.items():
        if command.verbs:
            yield from leaves(command, f"{path}{name} ") if name != "admin" else ()
        else:
            yield f"{path}{name}", command


COMMANDS = dict(leaves(parser()))


def test_every_command_of_the_parser_has_bad_input_here() -> None:
    silent = {"complete"}  # a shell's script calls it

    assert COMMANDS.keys() - silent == BAD_INPUT.keys()


@pytest.mark.slow
@pytest.mark.parametrize("noun", sorted({name.split()[0] for name in BAD_INPUT}))
def test_bad_input_ends_with_its_code_and_a_sentence(demo_home: Home, noun: str) -> None:
    for name, (words, code) in BAD_INPUT.items():
        if name.split()[0] != noun:
            continue
        usage = COMMANDS[name].format_usage()
        target = DEMO if WITH_PROFILE in usage and "--profile" not in words else ()
        offline = ("--offline",) if "--offline" in usage else ()
        done = demo_home.run(*target, *name.split(), *words, *offline)

        assert done.returncode == code, (name, done)
        assert "Traceback" not in done.stderr, name
        assert re.search(r"^backlit.*: ", done.stderr, re.MULTILINE), (name, done.stderr)
