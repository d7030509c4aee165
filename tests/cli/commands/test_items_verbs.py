"""The verbs that change items: what they write, what they journal, and how they end."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.admin_world import Done
from tests.cli.documents import check
from tests.cli.home import DEMO, Home, Server

from backlit.config.settings import NO_WORKSPACE

STORY, BUG, DONE, TASK = "19", "2", "3", "30"
VERBS = (
    ("items", "set", STORY, "est=8"),
    ("items", "new", "A new one"),
    ("items", "done", STORY),
    ("items", "reopen", DONE),
    ("items", "assign", BUG, "me"),
    ("items", "move", STORY, "next"),
    ("items", "rank", STORY, "--top"),
    ("items", "delete", STORY),
    ("items", "copy", STORY),
)


def offline(home: Home, *words: str, given: str | None = "") -> Done:
    return home.run(*DEMO, "--offline", "--quiet", *words, given=given)


def fields(home: Home, item: str) -> dict[str, Any]:
    found: dict[str, Any] = offline(home, "items", "show", item, "--json").json["fields"]
    return found


def columns(done: Done) -> list[list[str]]:
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_verb_works_offline_and_keeps_the_change_for_sending(demo_home: Home, words: tuple[str, ...]) -> None:
    done = offline(demo_home, *words)

    assert (done.returncode, done.stderr) == (0, "")
    rows = columns(done)
    assert [row[-1] for row in rows if len(row) > 1] in (["queued"], [])
    assert rows


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_dry_run_shows_the_change_and_makes_none(demo_home: Home, words: tuple[str, ...]) -> None:
    before = offline(demo_home, "items", "list", "--ndjson").stdout

    done = offline(demo_home, *words, "--dry-run")

    assert done.returncode == 0
    assert done.stdout
    assert offline(demo_home, "items", "list", "--ndjson").stdout == before


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_verb_without_a_workspace_says_how_to_begin(home: Home, words: tuple[str, ...]) -> None:
    done = home.run(*words)

    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"backlit: {NO_WORKSPACE}\n")


@pytest.mark.parametrize(
    ("words", "row"),
    [
        (("set", STORY, "est=8"), [STORY, "Estimate", "5", "8", "queued"]),
        (("set", STORY, "est+=3"), [STORY, "Estimate", "5", "8", "queued"]),
        (("set", STORY, "est="), [STORY, "Estimate", "5", "–", "queued"]),
        (("set", f"#{STORY}", "tags+=ux"), [STORY, "Tags", "–", "ux", "queued"]),
        (("set", BUG, "tags-=security"), [BUG, "Tags", "security, quick-win", "quick-win", "queued"]),
        (("set", STORY, "owner=none"), [STORY, "AssignedToID", "Maya Kent", "–", "queued"]),
        (("set", STORY, "BusinessValue_cf=30"), [STORY, "BusinessValue_cf", "20", "30", "queued"]),
        (("set", STORY, "businessvalue+=5"), [STORY, "BusinessValue_cf", "20", "25", "queued"]),
        (("set", STORY, "desc=@-"), None),
        (("set", STORY, "status=in progress", "--if", "status=not done"), None),
        (("assign", STORY, "jon"), [STORY, "AssignedToID", "Maya Kent", "Jon Vale", "queued"]),
        (("done", STORY), [STORY, "Status", "Not Done", "Done", "queued"]),
        (("move", STORY, "backlog"), [STORY, "IterationID", "Aurora › Release 3.2 › Sprint 14", "Aurora", "queued"]),
        (("delete", STORY), [STORY, "Status", "Not Done", "Deleted", "queued"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_change_is_a_row_with_the_value_before_and_after(
    demo_home: Home, words: tuple[str, ...], row: list[str] | None
) -> None:
    done = offline(demo_home, "items", *words, given="First line\nsecond\n")

    assert done.returncode == 0, done.stderr
    found = columns(done)
    assert len(found) == 1
    assert found[0][0] == (row or [STORY])[0]
    if row is not None and "jon" not in words:
        assert found == [row]


def test_a_text_is_read_from_a_file(demo_home: Home, tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text("First line\nsecond\n")

    offline(demo_home, "items", "set", STORY, f"desc=@{file}")

    assert fields(demo_home, STORY)["Description"] == "First line\nsecond\n"


def test_a_condition_leaves_other_items_alone(demo_home: Home) -> None:
    done = offline(demo_home, "items", "set", STORY, "est=8", "--if", "status=Done")

    assert (done.returncode, done.stdout) == (0, "")
    assert fields(demo_home, STORY)["Estimate"] == "5"


def test_what_is_so_already_is_not_changed(demo_home: Home) -> None:
    assert columns(offline(demo_home, "items", "set", STORY, "est=5")) == [[STORY, "", "", "", "unchanged"]]


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("set", STORY), 2, "Say what to change"),
        (("set", "est=5"), 2, "Name items: by their numbers, by - (standard input), --query or --view."),
        (("set", STORY, "est=5", "--query", "@me"), 2, "not by both"),
        (("set", "nineteen", "est=5"), 2, "“nineteen” is no item's number."),
        (("set", STORY, "name+=x"), 2, "Name takes name=VALUE"),
        (("set", STORY, "est=5", "--if", "Done"), 2, "--if takes FIELD=VALUE"),
        (("set", "987654", "est=5"), 4, "Work item 987654 does not exist here"),
        (("set", "new-99", "est=5"), 4, "Work item new-99 does not exist here"),
        (("set", STORY, "owner=nobody"), 4, "Unknown user “nobody”."),
        (("set", STORY, "name="), 6, "Name cannot be empty."),
        (("set", STORY, "status=Gone"), 6, "Status must be one of"),
        (("set", STORY, "blocking=yes"), 6, "does not apply to Story."),
        (("set", STORY, "id=7"), 6, "Unknown field."),
        (("set", BUG, "priority=high"), 6, "Priority is a whole number"),
        (("set", STORY, "desc=@/nowhere"), 1, "There is no file /nowhere."),
        (("set", STORY, BUG, "est=13"), 2, "Change 2 items: add --yes. No changes were made."),
        (("done", "--query", "type:story"), 2, "add --yes"),
        (("set", "--query", "colour:red", "est=5"), 2, 'unknown key "colour"'),
        (("delete", STORY, "--for-good"), 2, "Delete for good 1 item: add --yes."),
        (("assign",), 2, "Say to whom"),
        (("move", STORY, "Sprint 99"), 4, "Unknown iteration “Sprint 99”."),
        (("rank", STORY, "--after", STORY), 6, f"Item {STORY} is among the items to move."),
        (("rank", STORY, "--before", "nowhere"), 2, "is no item's number"),
        (("new",), 2, "Name the item"),
        (("new", "x", "est=many", "owner=nobody"), 4, "Unknown user “nobody”."),
        (("new", "x" * 501), 6, "Name"),
        (("new", "A task", "--type", "task"), 6, "Parent"),
        (("new", "--stdin"), 2, "Standard input has no names."),
        (("done", "-"), 2, "Standard input has no item numbers."),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_bad_input_ends_with_its_code_and_changes_nothing(
    demo_home: Home, words: tuple[str, ...], status: int, sentence: str
) -> None:
    done = offline(demo_home, "items", *words)

    assert done.returncode == status, (done.stdout, done.stderr)
    assert sentence in done.stderr
    assert offline(demo_home, "items", "list", "--ndjson").stdout.count('"unsent"') == 0


def test_of_several_items_those_that_cannot_change_are_named(demo_home: Home) -> None:
    done = offline(demo_home, "items", "set", STORY, TASK, "est=8", "--yes")

    assert done.returncode == 8
    assert columns(done)[0] == [STORY, "Estimate", "5", "8", "queued"]
    assert columns(done)[1][-1] == "refused: Estimate does not apply to Task."
    assert done.stderr == f"backlit: {TASK} refused: Estimate does not apply to Task.\n"


def test_a_list_feeds_a_verb(demo_home: Home) -> None:
    listed = offline(demo_home, "items", "list", "--query", "id:19 or id:2")

    done = offline(demo_home, "items", "assign", "-", "me", "--yes", given=listed.stdout)

    assert {row[0] for row in columns(done)} == {STORY, BUG}
    assert fields(demo_home, BUG)["AssignedToID"] == fields(demo_home, STORY)["AssignedToID"]


def test_a_query_selects_the_items(demo_home: Home) -> None:
    asked = offline(demo_home, "items", "list", "--query", "type:story iter:current", "--json=id").json

    done = offline(demo_home, "items", "set", "--query", "type:story iter:current", "tags+=sprint", "--yes")

    assert asked
    assert [row[0] for row in columns(done)] == [str(each["id"]) for each in asked]


def test_a_new_item_has_a_number_for_all_verbs_before_the_server_gives_one(demo_home: Home) -> None:
    made = offline(demo_home, "items", "new", "Try", "it", "--type", "bug", "est=3", "iter=next", "owner=me")
    number = made.stdout.strip()
    offline(demo_home, "items", "set", number, "est=5")

    document = offline(demo_home, "items", "show", number, "--json").json
    assert number.startswith("new-")
    assert (document["id"], document["local"], document["type"]) == (None, number, "Bug")
    assert document["fields"]["Name"] == "Try it"
    assert document["fields"]["Estimate"] == "5"
    assert document["names"]["AssignedToID"]["user"] == "maya"


def test_each_line_of_standard_input_is_an_item(demo_home: Home) -> None:
    done = offline(demo_home, "items", "new", "--stdin", "est=1", "--yes", given="One\n\nTwo\n")

    numbers = done.stdout.split()
    assert [fields(demo_home, number)["Name"] for number in numbers] == ["One", "Two"]


def test_hostile_names_are_kept_and_never_reach_a_terminal(demo_home: Home) -> None:
    hostile = "a\x1b]0;owned\x07b\u202ec"

    number = offline(demo_home, "items", "new", hostile).stdout.strip()
    done = offline(demo_home, "items", "set", number, f"name={hostile}d")

    assert fields(demo_home, number)["Name"] == f"{hostile}d"
    assert "".join(done.stdout.split()).isprintable()
    assert columns(done)[0][2] == "a�]0;owned�b�c"


@pytest.mark.parametrize(
    ("options", "order"),
    [
        (("--top",), lambda ids: [19, *(each for each in ids if each != 19)]),
        (("--bottom",), lambda ids: [*(each for each in ids if each != 19), 19]),
    ],
    ids=["top", "bottom"],
)
def test_an_item_is_ranked(demo_home: Home, options: tuple[str, ...], order: Any) -> None:
    def ids() -> list[int]:
        found = offline(demo_home, "items", "list", "--query", "-type:task", "--json=id").json
        return [each["id"] for each in found]

    before = ids()
    offline(demo_home, "items", "rank", STORY, *options)

    assert ids()[0 if options == ("--top",) else -1] == order(before)[0 if options == ("--top",) else -1]


@pytest.mark.parametrize("option", ["--before", "--after"])
def test_an_item_is_ranked_beside_another(demo_home: Home, option: str) -> None:
    offline(demo_home, "items", "rank", STORY, option, BUG)

    found = [
        each["id"] for each in offline(demo_home, "items", "list", "--json=id,type").json if each["type"] != "Task"
    ]
    wanted = [19, 2] if option == "--before" else [2, 19]
    at = found.index(wanted[0])
    assert found[at : at + 2] == wanted


def test_a_copy_begins_anew(demo_home: Home) -> None:
    number = offline(demo_home, "items", "copy", STORY).stdout.strip()

    copied, source = fields(demo_home, number), fields(demo_home, STORY)
    assert copied["Name"] == f"{source['Name']} (copy)"
    assert copied["Estimate"] == source["Estimate"]


def test_a_change_list_is_a_document(demo_home: Home) -> None:
    document = offline(demo_home, "items", "set", STORY, "est=8", "--json").json

    assert document["project"] == "Aurora"
    assert document["items"] == [
        {"id": 19, "state": "queued", "changes": [{"field": "Estimate", "before": "5", "after": "8"}]}
    ]
    assert document["undo"] > 0


def test_the_history_of_an_item_has_its_changes(demo_home: Home) -> None:
    offline(demo_home, "items", "set", STORY, "est=8")

    rows = offline(demo_home, "items", "history", STORY, "--json").json

    assert {"field": "Estimate", "before": "5", "after": "8"}.items() <= rows[0].items()


@pytest.mark.slow
def test_a_change_is_saved_on_the_server(demo_home: Home) -> None:
    done = demo_home.run(*DEMO, "items", "set", STORY, "est=8")
    made = demo_home.run(*DEMO, "items", "new", "On the server", "--top")
    deleted = demo_home.run(*DEMO, "items", "delete", made.stdout.strip(), "--for-good", "--yes")

    assert (done.returncode, done.stderr) == (0, "backlit: writing to demo-60-1 · Aurora\n")
    assert columns(done) == [[STORY, "Estimate", "5", "8", "saved"]]
    assert int(made.stdout) > 0
    assert columns(deleted)[0][-1] == "saved"


@pytest.fixture
def signed_in(home: Home, server: Server) -> Home:
    assert home.run("login", server.address, "--user", "maya", given="lantern\n").returncode == 0
    assert home.run("items", "list", "--limit", "1").returncode == 0
    return home


@pytest.mark.slow
def test_a_change_of_what_somebody_else_changed_is_a_conflict(signed_in: Home, tmp_path: Path) -> None:
    item = signed_in.run("items", "list", "--query", "type:story est:any", "--limit", "1", "--json=id").json[0]["id"]
    other = Home(tmp_path / "other")
    shutil.copytree(signed_in.path, other.path)
    signed_in.run("items", "set", str(item), "name=Mine", "--offline")
    assert other.run("items", "set", str(item), "name=Theirs").returncode == 0

    done = signed_in.run("items", "set", str(item), "name=Mine again", "--json")

    assert done.returncode == 7, done.stderr
    assert json.loads(done.stdout)["items"][0]["state"] == "conflict"


@pytest.mark.slow
def test_a_change_without_the_server_is_kept_and_ends_with_5(signed_in: Home, server: Server) -> None:
    server.stop()

    kept = signed_in.run("items", "new", "Made offline")
    wanted = signed_in.run("items", "new", "Made offline", "--no-wait")
    fresh = signed_in.run("items", "list", "--fresh")

    assert (kept.returncode, wanted.returncode) == (5, 0)
    assert "1 change is kept on this machine; backlit sends it with the next sync." in kept.stderr
    assert "Showing the local copy" not in wanted.stderr  # it did not try to connect
    assert (fresh.returncode, fresh.stdout) == (5, "")


@pytest.mark.slow
def test_a_change_that_is_only_kept_needs_neither_an_event_loop_nor_the_network(demo_home: Home) -> None:
    script = "import sys, backlit.__main__ as main\nmain.run(sys.argv[1:])\nprint(*sys.modules)"
    words = (*DEMO, "items", "new", "Kept", "est=3", "--no-wait")

    done = subprocess.run(
        [sys.executable, "-c", script, *words], check=True, env=demo_home.environment, capture_output=True, text=True
    )

    number, modules = done.stdout.split("\n", 1)
    assert number.startswith("new-")
    assert not {"asyncio", "ssl", "httpx", "backlit.client.client", "backlit.store.engine.session"} & set(
        modules.split()
    )


@pytest.mark.slow
def test_a_verb_without_a_sign_in_changes_nothing(signed_in: Home, server: Server) -> None:
    signed_in.run("logout")

    done = signed_in.run("items", "new", "Signed out")

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f"Use: backlit login {server.address} --user maya\n")


def test_an_item_is_shown_with_what_belongs_to_it(demo_home: Home) -> None:
    demo_home.run(*DEMO, "--offline", "--quiet", "items", "set", "19", "est=13")
    shown = demo_home.run(*DEMO, "--offline", "items", "show", "19", "--files", "--history")
    document = demo_home.run(
        *DEMO, "--offline", "items", "show", "19", "--json", "--comments", "--files", "--history"
    ).json

    assert "\nFiles\n" in shown.stdout
    assert "\nHistory\nWhen " in shown.stdout
    assert document["files"] == []
    assert {"field": "Estimate", "after": "13"}.items() <= document["history"][0].items()
    check("items show ID", document)


def test_work_of_another_day_is_logged_with_it(demo_home: Home) -> None:
    words = ("items", "log", TASK, "1h", "--date", "2026-03-02", "--note", "both browsers", "--dry-run")

    assert "entry      2026-03-02 1h Development both browsers" in demo_home.run(*DEMO, "--offline", *words).stdout


def test_an_item_of_this_machine_has_no_address(demo_home: Home) -> None:
    done = demo_home.run(*DEMO, "--offline", "items", "show", "19", "--web")

    assert (done.returncode, done.stdout) == (6, "")
    assert "Item 19 has no address. The workspace is on this machine." in done.stderr
