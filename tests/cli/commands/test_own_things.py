"""Files, saved views, the chosen project, profiles and the trash."""

import json
import shutil
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home, Server

STORY = "19"


def offline(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "--offline", "--quiet", *words)


def test_a_view_is_shared_at_the_server(demo_home: Home) -> None:
    kept = offline(demo_home, "views", "save", "Ours", "--query", "@me", "--shared")
    shared = demo_home.run(*DEMO, "views", "save", "Ours", "--query", "@me", "--shared")

    assert (kept.returncode, kept.stdout) == (2, "")  # it takes no --offline
    assert (shared.returncode, shared.stdout) == (0, "Shared the view Ours with the members of the project.\n")
    assert {"name": "Ours", "sharedBy": "you"} in offline(demo_home, "views", "list", "--json=name,sharedBy").json
    assert not (demo_home.path / "config" / "views.toml").exists()


def test_the_outbox_is_listed_for_a_query(demo_home: Home) -> None:
    for item, change in ((STORY, "est=8"), ("2", "est=3")):
        offline(demo_home, "items", "set", item, change)
    offline(demo_home, "areas", "new", "Mail")

    rows = offline(demo_home, "outbox", "list", "--query", "est:8", "--json=item").json

    assert rows == [{"item": int(STORY)}]


def test_a_view_is_saved_shown_renamed_and_deleted(demo_home: Home) -> None:
    def names() -> list[object]:
        return [each["name"] for each in offline(demo_home, "views", "list", "--json").json]

    others = names()
    saved = demo_home.run("views", "save", "Mine", "--query", "@me type:story", "--sort", "est desc,name")
    shown = offline(demo_home, "views", "show", "mine", "--json=query,sort").json
    renamed = demo_home.run("views", "rename", "mine", "Stories")
    after = names()
    deleted = demo_home.run("views", "delete", "stories")

    assert (saved.returncode, renamed.returncode, deleted.returncode) == (0, 0, 0)
    assert shown == [{"query": "@me type:story", "sort": ["Points desc", "Name"]}]
    assert sorted(map(str, after)) == sorted(["Stories", *map(str, others)])
    assert names() == others


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("views", "save", "Mine", "--query", "est:abc("), 6, "The view is not saved."),
        (("views", "save", " "), 6, "A view needs a name."),
        (("views", "save", "Mine", "--sort", "esst"), 6, "esst"),
        (("views", "delete", "Min\x1b[2J"), 4, "has no view “Min�[2J”."),
        (("views", "rename", "Nobody", "Mine"), 4, "has no view “Nobody”."),
        (("profiles", "remove", "local"), 6, "has its workspace on this machine"),
        (("profiles", "remove", "locall"), 4, "Did you mean “local”?"),
        (("profiles", "use", "locall"), 4, "Did you mean “local”?"),
        (("profiles", "rename", "local", "mine"), 6, "keeps its name."),
        (("profiles", "show", "locall"), 4, "Did you mean “local”?"),
        ((*DEMO, "--offline", "users", "show", "maay"), 4, "Unknown user “maay”."),
        ((*DEMO, "--offline", "projects", "show", "Auroar"), 4, "There is no single project 'Auroar'"),
        (("sync", "--watch", "--full", "now"), 2, "unexpected 'now'"),
        ((*DEMO, "--offline", "report", "burnup", "--output", "/"), 6, "/ is there already."),
        ((*DEMO, "--offline", "projects", "use", "Auroar"), 4, "There is no single project 'Auroar'"),
        ((*DEMO, "--offline", "files", "get", STORY, "987654"), 4, "has no file 987654."),
        ((*DEMO, "--offline", "files", "add", STORY, "/no/such/file"), 1, "/no/such/file is not a file."),
        ((*DEMO, "--offline", "files", "add", STORY, "-"), 2, "Name the file of standard input"),
        ((*DEMO, "--offline", "files", "add", STORY, "/etc/hosts", "--name", "x"), 2, "Name the file of standard"),
        ((*DEMO, "--offline", "files", "get", STORY, "--output", "x", "--folder", "y"), 2, "not allowed with argument"),
        ((*DEMO, "--offline", "files", "get", "31", "--output", "x"), 2, "--output is for one file; here are 0."),
        ((*DEMO, "--offline", "trash", "--restore"), 2, "Name the item: backlit trash --restore ID"),
        ((*DEMO, "--offline", "trash", "--restore", STORY), 4, "Item 19 is not deleted."),
        ((*DEMO, "--offline", "trash", "--restore", "987654"), 4, "No copy of item 987654."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_ends_with_its_code(demo_home: Home, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = demo_home.run(*words)

    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert sentence in done.stderr


def test_the_chosen_project_is_that_of_commands(demo_home: Home) -> None:
    def current() -> list[object]:
        projects = offline(demo_home, "projects", "list", "--json").json
        return [each["name"] for each in projects if each["current"]]

    (before,) = current()
    projects = [each["name"] for each in offline(demo_home, "projects", "list", "--json").json]
    other = next(each for each in projects if each != before)
    done = offline(demo_home, "projects", "use", other.lower())

    assert done.returncode == 0, done.stderr
    assert current() == [other]


def test_a_person_and_a_project_are_shown(demo_home: Home) -> None:
    me = offline(demo_home, "users", "show", "me", "--json=user,name,items").json
    project = offline(demo_home, "projects", "show", "--json=name,role,current").json

    assert [(each["user"], each["name"]) for each in me] == [("maya", "Maya Kent")]
    mine = offline(demo_home, "items", "list", "--query", "@me", "--json=type").json
    assert me[0]["items"] == sum(each["type"] != "Task" for each in mine)
    assert project == [{"name": "Aurora", "role": "manager", "current": True}]


def test_the_profile_of_commands_is_chosen_and_shown(demo_home: Home) -> None:
    chosen = demo_home.run("profiles", "use", DEMO[1])
    shown = demo_home.run("profiles", "show", "--json=name,kind,chosen,unsent").json
    listed = demo_home.run("items", "list", "--offline", "--count")

    assert chosen.stdout == f"Commands use the profile {DEMO[1]}.\n"
    assert shown == [{"name": DEMO[1], "kind": "demo", "chosen": True, "unsent": 0}]
    assert listed.stdout == offline(demo_home, "items", "list", "--count").stdout


@pytest.mark.slow
def test_a_report_is_written_into_a_new_file(demo_home: Home) -> None:
    place = demo_home.path / "burn.csv"

    done = demo_home.run(*DEMO, "--quiet", "report", "burnup", "--format", "csv", "--output", str(place))
    again = demo_home.run(*DEMO, "--quiet", "report", "burnup", "--format", "csv", "--output", str(place))

    assert (done.returncode, done.stdout, again.returncode) == (0, "", 6), done.stderr
    assert len(place.read_text().splitlines()) > 1


@pytest.mark.slow
def test_a_sync_sends_what_waits_and_watches(home: Home, server: Server, tmp_path: Path) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    query = ("items", "list", "--query", "type:story est:any", "--limit", "1", "--json=id")
    item = home.run(*query).json[0]["id"]
    other = Home(tmp_path / "other")
    shutil.copytree(home.path, other.path)
    home.run("items", "set", str(item), "name=First", "--offline")

    watching = home.start("sync", "--watch", "--ndjson")
    end = threading.Timer(60, watching.kill)
    end.start()
    assert watching.stdout is not None
    assert watching.stderr is not None
    with watching.stdout as lines, watching.stderr:
        synced = json.loads(next(lines))
        other.run("items", "set", str(item), "name=Second")
        seen = next(event for line in lines if item in (event := json.loads(line))["items"])
        watching.send_signal(signal.SIGINT)
        status = watching.wait(60)
    end.cancel()

    assert (synced["project"], synced["unsent"]) == ("Aurora", 0)
    assert (seen["about"], status) == ("items", 130)


def test_an_item_whose_deletion_waits_is_not_made_again(demo_home: Home) -> None:
    offline(demo_home, "items", "delete", STORY, "--for-good", "--yes")

    done = offline(demo_home, "trash", "--restore", STORY)

    assert (done.returncode, done.stdout) == (6, "")
    assert "The deletion of item 19 has not been sent yet. Take it back: backlit undo" in done.stderr


@pytest.mark.slow
def test_an_item_deleted_for_good_is_made_again(demo_home: Home) -> None:
    name = offline(demo_home, "items", "show", STORY, "--json=name").json[0]["name"]
    demo_home.run(*DEMO, "items", "delete", STORY, "--for-good", "--yes")
    kept = offline(demo_home, "trash", "--json=id,name").json

    restored = demo_home.run(*DEMO, "trash", "--restore", STORY)
    number = restored.stdout.split("\t")[0]

    assert kept == [{"id": 19, "name": name}]
    assert restored.returncode == 0, restored.stderr
    assert number.isdigit()
    assert offline(demo_home, "items", "show", number, "--json=name").json == [{"name": name}]


@pytest.mark.slow
def test_a_file_is_attached_described_saved_and_deleted(demo_home: Home) -> None:
    source = demo_home.path / "note.txt"
    source.write_text("A note")

    def run(*words: str) -> Done:
        return demo_home.run(*DEMO, "--quiet", "files", *words)

    added = run("add", STORY, str(source), "--description", "First")
    number = added.stdout.split("\t")[0]
    described = run("describe", STORY, number, "Second")
    listed = run("list", STORY, "--json=id,name,size,description").json
    (demo_home.path / "saved").mkdir()
    got = run("get", STORY, number, "--folder", str(demo_home.path / "saved"))
    again = run("get", STORY, number, "--all", str(demo_home.path / "saved"))
    left_out = run("get", STORY, number, "--folder", str(demo_home.path / "saved"), "--no-clobber")
    every = run("get", STORY, "--all", str(demo_home.path / "new" / "saved"))
    written = run("get", STORY, number, "--output", "-")
    named = [run("get", STORY, number, "--output", str(demo_home.path / "other.txt")) for _ in range(2)]
    piped = demo_home.run(*DEMO, "--quiet", "files", "add", STORY, "-", "--name", "piped.txt", given="Piped")
    asked = run("delete", STORY, number)
    deleted = run("delete", STORY, number, "--yes")

    assert (added.returncode, described.returncode, got.returncode) == (0, 0, 0), added.stderr
    assert {"id": int(number), "name": "note.txt", "size": 6, "description": "Second"} in listed
    assert (demo_home.path / "saved" / "note.txt").read_text() == "A note"
    assert (again.returncode, left_out.stdout, [*(demo_home.path / "saved").iterdir()][1:]) == (2, "", [])
    assert (every.returncode, (demo_home.path / "new" / "saved" / "note.txt").read_text()) == (0, "A note")
    assert ([each.returncode for each in named], (demo_home.path / "other.txt").read_text()) == ([0, 1], "A note")
    assert written.stdout == "A note"
    assert piped.stdout.split("\t")[1] == "piped.txt\n", piped.stderr
    assert (asked.returncode, deleted.returncode) == (2, 0)
    assert int(number) not in [each["id"] for each in run("list", STORY, "--json").json]


@pytest.mark.slow
def test_a_profile_of_a_server_is_renamed_with_its_unsent_changes(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    home.run("items", "list", "--limit", "1")
    (before,) = (each["name"] for each in home.run("profiles", "show", "--json").json)
    home.run("--offline", "items", "set", STORY, "name=Kept")

    with closing(sqlite3.connect(home.path / "state" / before / "journal.db")) as opened:
        opened.execute("SELECT count(*) FROM entries").fetchone()
        busy = home.run("profiles", "rename", before, "team")
    wrong = home.run("profiles", "rename", before, "../team")
    taken = home.run("profiles", "rename", before, "demo-60-1")
    done = home.run("profiles", "rename", before, "team")
    again = home.run("login", server.address, "--user", "maya", given="lantern\n")

    assert (busy.returncode, wrong.returncode, taken.returncode) == (6, 6, 6), busy.stderr
    assert "Another backlit has the profile" in busy.stderr
    assert (done.stdout, again.returncode) == (f"Renamed the profile {before} to team.\n", 0)
    shown = home.run("profiles", "show", "--json=name,unsent,chosen").json
    assert shown == [{"name": "team", "unsent": 1, "chosen": True}]
    assert home.run("--offline", "items", "show", STORY, "--json=name").json == [{"name": "Kept"}]
    assert [each.name for each in (home.path / "state").iterdir() if each.is_dir()] == ["team"]


@pytest.mark.slow
def test_a_profile_of_a_server_is_removed_with_its_unsent_changes_only_by_yes(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    who = home.run("whoami", "--json").json
    home.run("items", "list", "--limit", "1")
    home.run("--offline", "items", "set", STORY, "est=8")

    kept = home.run("profiles", "remove", who[0]["profile"])
    without_journal = home.run("profiles", "remove", who[0]["profile"], "--keep-journal")
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    found = home.run("profiles", "show", "--json=unsent").json
    removed = home.run("profiles", "remove", who[0]["profile"], "--yes")

    assert (who[0]["user"], who[0]["url"]) == ("maya", server.address)
    assert (kept.returncode, "1 change" in kept.stderr) == (2, True)
    assert (without_journal.returncode, found) == (0, [{"unsent": 1}]), without_journal.stderr
    assert removed.returncode == 0
    assert who[0]["profile"] not in home.run("profiles", "list").stdout
    assert not (home.path / "state" / who[0]["profile"]).exists()
