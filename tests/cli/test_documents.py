"""The published documents: every command that writes JSON writes what the schema of its document says."""

from collections.abc import Iterator

import pytest
from tests.cli.admin_reference import commands as admin_commands
from tests.cli.documents import check
from tests.cli.home import DEMO, Home

from backlit.cli.arguments import parser
from backlit.cli.late_parser import LateParser
from backlit.cli.published import DOCUMENTS

COMMANDS = {
    "items new": ("items", "new", "One", "--type", "bug"),
    "items new --dry-run": ("items", "new", "One", "est=3", "--dry-run"),
    "items copy --dry-run": ("items", "copy", "19", "--dry-run"),
    "items set": ("items", "set", "19", "est=8"),
    "items done": ("items", "done", "2"),
    "items reopen": ("items", "reopen", "3"),
    "items assign": ("items", "assign", "2", "me"),
    "items move": ("items", "move", "2", "next"),
    "items rank": ("items", "rank", "2", "--top"),
    "items delete": ("items", "delete", "43"),
    "items copy": ("items", "copy", "19"),
    "items list": ("items", "list"),
    "items export": ("items", "export"),
    "items show ID": ("items", "show", "19"),
    "items show ID ID…": ("items", "show", "19", "new-1"),
    "items history": ("items", "history", "19"),
    "comments add": ("comments", "add", "19", "Text"),
    "comments list": ("comments", "list", "19"),
    "comments delete": ("comments", "delete", "19", "45", "--yes"),
    "items convert": ("items", "convert", "2", "Story", "--yes"),
    "items split": ("items", "split", "19", "Another part"),
    "items feature": ("items", "feature", "19", "none"),
    "items relate": ("items", "relate", "19", "blocks", "2"),
    "items unrelate": ("items", "unrelate", "19", "blocks", "2"),
    "relate": ("relate", "19", "blocks", "2"),
    "unrelate": ("unrelate", "19", "blocks", "2"),
    "criteria add": ("criteria", "add", "19", "It works"),
    "criteria check": ("criteria", "check", "19", "1"),
    "criteria list": ("criteria", "list", "19"),
    "criteria delete": ("criteria", "delete", "19", "1", "--yes"),
    "time list": ("time", "list"),
    "time list --by person": ("time", "list", "--by", "person"),
    "links add": ("links", "add", "19", "https://example.com"),
    "links list": ("links", "list", "19"),
    "files list": ("files", "list", "19"),
    "areas new": ("areas", "new", "Mail"),
    "areas set": ("areas", "set", "Mail", "name=Post"),
    "areas move": ("areas", "move", "Post", "--first"),
    "areas list": ("areas", "list"),
    "areas delete": ("areas", "delete", "Post", "--to", "Checkout", "--yes"),
    "iterations new": ("iterations", "new", "Sprint 99"),
    "iterations set": ("iterations", "set", "Sprint 99", "min=3"),
    "iterations move": ("iterations", "move", "Sprint 99", "--first"),
    "iterations list": ("iterations", "list"),
    "iterations delete": ("iterations", "delete", "Sprint 99", "--to", "Sprint 15", "--yes"),
    "plan show": ("plan", "show"),
    "plan export": ("plan", "export"),
    "projects list": ("projects", "list"),
    "users list": ("users", "list"),
    "projects show": ("projects", "show"),
    "users show": ("users", "show", "me"),
    "iterations capacity ITERATION": ("iterations", "capacity", "next"),
    "undo --list": ("undo", "--list"),
    "teams list": ("teams", "list"),
    "views list": ("views", "list"),
    "views show": ("views", "show", "mine"),
    "undo": ("undo", "--yes"),
    "redo": ("redo", "--yes"),
    "trash": ("trash",),
    "outbox list": ("outbox", "list"),
    "outbox show": ("outbox", "show", "2"),
    "run": ("run",),
    "outbox discard": ("outbox", "discard", "2", "--yes"),
}
"""Each command as it is run here, on the local copy, one after another."""
ELSEWHERE = {
    "keys",
    "config show",
    "profiles list",
    "profiles show",
    "whoami",
    "doctor",
    "schema",
    "sync",
    "report NAME",
    "outbox send",
}
"""Commands without --offline, or that need the server."""
NOWHERE = {"keys", "schema", "config"}
"""Commands that are about no workspace."""
NEEDING_MORE = {
    "links delete",
    "iterations capacity ITERATION USER=CAPACITY",
    "items edit",
    "plan apply",
    "trash ID",
    "trash --restore",
    "outbox resolve",
}
"""Commands that need an editor, a server, a deleted item, a conflict, or the number of what was made."""
VARIANTS = {"trash --restore", "undo --list", "items new --dry-run", "items copy --dry-run", "time list --by person"}
"""Options with which a command writes another document."""


def commands(grammar: LateParser | None = None, path: str = "") -> Iterator[str]:
    """Return the commands that take --json, without those of `admin`."""
    for name, command in (grammar or parser()).verbs.items():
        if name == "admin":
            continue
        if command.verbs:
            yield from commands(command, f"{path}{name} ")
        elif "--json" in command.format_help():
            yield f"{path}{name}"


def test_every_command_with_json_has_a_document() -> None:
    published = {each for document in DOCUMENTS.values() for each in (*document.one, *document.many)}
    administering = {each for each in published if each.startswith("admin ")}
    published -= administering

    assert administering == {command.prog.removeprefix("backlit ") for command in admin_commands()}
    commands_alone = {" ".join(word for word in each.split() if word.islower()) for each in published - VARIANTS}
    assert commands_alone == set(commands())
    assert published == {*COMMANDS, *ELSEWHERE, *NEEDING_MORE}


@pytest.mark.slow
def test_every_command_writes_its_document(demo_home: Home) -> None:
    (demo_home.path / "config").mkdir(exist_ok=True)
    (demo_home.path / "config" / "views.toml").write_text('[[view]]\nname = "mine"\nquery = "@me"\n')
    (demo_home.path / "config" / "config.toml").write_text('[[command]]\nid = "hello"\nrun = ["echo"]\n')

    for command, words in COMMANDS.items():
        if command == "time list":
            demo_home.run(*DEMO, "log", "20", "1", "--offline")
        done = demo_home.run(*DEMO, *words, "--json", "--offline")
        assert done.returncode == 0, (command, done.stderr)
        check(command, done.json)
        assert done.json or command in {"files list", "trash", "iterations capacity ITERATION"}, command


@pytest.mark.slow
def test_commands_that_need_the_server_write_their_documents(demo_home: Home) -> None:
    reports = [("report", name) for name in ("burndown", "velocity", "cumulative-flow", "cycle-time", "scope", "age")]
    runs = [
        ("profiles", "list"),
        ("profiles", "show"),
        ("whoami",),
        ("doctor",),
        ("schema",),
        ("keys",),
        ("config", "show"),
        ("sync",),
        ("outbox", "send"),
        *reports,
    ]

    for words in runs:
        done = demo_home.run(*DEMO, *words, "--json") if words[0] not in NOWHERE else demo_home.run(*words, "--json")
        assert done.returncode == 0, (words, done.stderr)
        check("report NAME" if words[0] == "report" else " ".join(words), done.json)


@pytest.mark.slow
def test_a_deleted_item_is_a_document(demo_home: Home) -> None:
    made = demo_home.run(*DEMO, "items", "new", "Short-lived").stdout.strip()
    demo_home.run(*DEMO, "items", "delete", made, "--for-good", "--yes")

    listed, copy = demo_home.run(*DEMO, "trash", "--json"), demo_home.run(*DEMO, "trash", made, "--json")
    restored = demo_home.run(*DEMO, "trash", made, "--restore", "--json")

    check("trash", listed.json)
    check("trash ID", copy.json)
    check("trash --restore", restored.json)


def test_a_schema_is_written_and_an_unknown_one_is_not(home: Home) -> None:
    schema, unknown = home.run("schema", "item"), home.run("schema", "itme")

    assert schema.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"id", "names", "project"} <= set(schema.json["required"])
    assert schema.json["additionalProperties"] is False
    assert (unknown.returncode, unknown.stdout) == (4, "")
    assert unknown.stderr == "backlit: There is no document “itme”. Did you mean “item”?\n"
