"""Comments, the outbox, undo, sync and the lists of what a project has."""

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home, Server

from backlit.config.settings import NO_WORKSPACE

STORY = "19"


def offline(home: Home, *words: str, given: str = "") -> Done:
    return home.run(*DEMO, "--offline", "--quiet", *words, given=given)


@pytest.mark.parametrize(
    "words",
    [
        ("comments", "list", STORY),
        ("comments", "add", STORY, "Text"),
        ("outbox", "list"),
        ("outbox", "discard", "--all"),
        ("undo",),
        ("redo",),
        ("sync",),
        ("projects", "list"),
        ("users", "list"),
        ("teams", "list"),
        ("views", "list"),
    ],
    ids=" ".join,
)
def test_a_command_without_a_workspace_says_how_to_begin(home: Home, words: tuple[str, ...]) -> None:
    done = home.run(*words)

    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"backlit: {NO_WORKSPACE}\n")


def test_a_comment_is_written_listed_and_undone_offline(demo_home: Home) -> None:
    hostile = "First\x1b[2J line\nsecond"
    before = offline(demo_home, "comments", "list", STORY, "--json").json

    written = offline(demo_home, "comments", "add", STORY, given=hostile)
    listed = offline(demo_home, "comments", "list", STORY, "--json").json
    shown = offline(demo_home, "comments", "list", STORY)
    undone = offline(demo_home, "undo")

    assert written.stdout == f"{STORY}\tcomment\t\tFirst�[2J line\tqueued\n"
    assert [each["text"] for each in listed] == [*(each["text"] for each in before), hostile]
    assert "\x1b" not in shown.stdout
    assert undone.returncode == 0
    assert offline(demo_home, "comments", "list", STORY, "--json").json == before


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("comments", "add", STORY, " "), 6, "A comment cannot be empty."),
        (("comments", "add", "987654", "Text"), 4, "Work item 987654 does not exist here"),
        (("comments", "delete", STORY, "987654", "--yes"), 4, "has no comment 987654"),
        (("outbox", "show", "99"), 4, "The outbox has no change 99."),
        (("outbox", "discard"), 2, "Name the changes by their numbers, or all by --all."),
        (("outbox", "resolve", "99", "--mine"), 4, "The outbox has no change 99."),
        (("outbox", "send"), 5, "nothing was sent"),
        (("users", "list", "--columns", "usr"), 2, "There is no field “usr”. Did you mean “user”?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_ends_with_its_code(demo_home: Home, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = offline(demo_home, *words)

    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert sentence in done.stderr


def test_comments_of_a_project_are_listed_since_a_day(demo_home: Home) -> None:
    offline = (*DEMO, "--offline", "--quiet")
    demo_home.run(*offline, "comments", "add", "19", "Ask finance")
    every = demo_home.run(*offline, "comments", "list", "--json=item,id,text").json
    quoted = next(each for each in every if each["item"] == 19 and isinstance(each["id"], int))

    demo_home.run(*offline, "comments", "add", "19", "Yes", "--quote", str(quoted["id"]))
    recent = demo_home.run(*offline, "comments", "list", "--since", "tomorrow", "--json=text").json

    assert {each["item"] for each in every} > {19}
    begin = quoted["text"].splitlines()[0]
    assert [each["text"].splitlines()[0] for each in recent] == ["Ask finance", f"> {begin}"]
    assert recent[1]["text"].endswith("\n\nYes")


def test_an_unsent_change_is_listed_shown_and_discarded(demo_home: Home) -> None:
    offline(demo_home, "items", "set", STORY, "est=8")
    listed = offline(demo_home, "outbox", "list", "--json").json
    number = str(listed[0]["n"])

    shown = offline(demo_home, "outbox", "show", number)
    kept = offline(demo_home, "outbox", "discard", number)
    offline(demo_home, "outbox", "discard", number, "--yes")

    assert [(each["item"], each["change"], each["fields"], each["state"]) for each in listed] == [
        (19, "edit", ["Estimate"], "waiting")
    ]
    assert shown.stdout == "Estimate\t5\t8\t\n"
    assert kept.returncode == 2
    assert offline(demo_home, "outbox", "list", "--json").json == []
    assert offline(demo_home, "items", "show", STORY, "--json=est").json == [{"est": 5}]


def test_a_change_is_undone_and_made_again(demo_home: Home) -> None:
    def estimate() -> object:
        return offline(demo_home, "items", "show", STORY, "--json=est").json[0]["est"]

    offline(demo_home, "items", "set", STORY, "est=8")
    tried = offline(demo_home, "undo", "--dry-run")
    kept = estimate()
    offline(demo_home, "undo")
    undone = estimate()
    offline(demo_home, "redo")

    assert tried.stdout == f"{STORY}\tEstimate\t8\t5\tplanned\n"
    assert (kept, undone, estimate()) == (8, 5, 8)


def test_several_steps_are_listed_undone_and_made_again(demo_home: Home) -> None:
    def estimate() -> object:
        return offline(demo_home, "items", "show", STORY, "--json=est").json[0]["est"]

    for value in ("8", "13"):
        offline(demo_home, "items", "set", STORY, f"est={value}")
    listed = offline(demo_home, "undo", "--list", "--json=n,change,items,fields").json
    tried = offline(demo_home, "undo", "2", "--dry-run", "--json=n").json
    asked = offline(demo_home, "undo", "2")
    undone = offline(demo_home, "undo", "9", "--yes")
    after = estimate()
    again = offline(demo_home, "redo", "2", "--yes")

    assert listed == [{"n": n, "change": "edit", "items": [STORY], "fields": ["Estimate"]} for n in (1, 2)]
    assert tried == [{"n": 1}, {"n": 2}]
    assert (asked.returncode, asked.stderr) == (2, "backlit: Undo 2 steps: add --yes. No changes were made.\n")
    assert [line.split("\t")[2:4] for line in undone.stdout.splitlines()] == [["13", "8"], ["8", "5"]]
    assert (after, again.returncode, estimate()) == (5, 0, 13)
    assert offline(demo_home, "redo", "--list").stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("is_sent", [False, True])
def test_undo_names_the_iteration_that_it_deletes(demo_home: Home, is_sent: bool) -> None:
    sending = () if is_sent else ("--offline",)
    made = demo_home.run(*DEMO, "--quiet", "iterations", "new", "Sprint of lies", *sending)

    tried = demo_home.run(*DEMO, "--quiet", "undo", "--dry-run", *sending)
    undone = demo_home.run(*DEMO, "--quiet", "undo", "--yes", *sending)
    left = demo_home.run(*DEMO, "--quiet", "iterations", "list", "--offline", "--json=name").json

    assert made.returncode == 0, made.stderr
    assert tried.stdout == "\titeration\tSprint of lies\tdeleted\tplanned\n"
    assert undone.returncode == 0, undone.stderr
    assert undone.stdout.startswith("\titeration\tSprint of lies\tdeleted\t")
    assert {"name": "Sprint of lies"} not in left


def test_nothing_to_undo_is_no_failure(demo_home: Home) -> None:
    done = demo_home.run(*DEMO, "--offline", "undo")

    assert (done.returncode, done.stdout) == (0, "")
    assert "There is nothing to undo." in done.stderr


@pytest.mark.parametrize(
    ("words", "row"),
    [
        (("projects", "list"), "Aurora"),
        (("users", "list"), "maya"),
        (("teams", "list"), "Foundations"),
        (("profiles", "list"), "local"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_a_project_has_is_listed(demo_home: Home, words: tuple[str, ...], row: str) -> None:
    offline_words = words if words[0] == "profiles" else ("--offline", *words)

    done = demo_home.run(*DEMO, *offline_words)

    assert done.returncode == 0, done.stderr
    assert row in {cell for line in done.stdout.splitlines() for cell in line.split("\t")}


def test_saved_views_are_listed_and_select_items(demo_home: Home) -> None:
    views = demo_home.path / "config" / "views.toml"
    views.parent.mkdir(parents=True, exist_ok=True)
    views.write_text('[[view]]\nname = "Mine"\nquery = "@me type:story"\n')

    listed = offline(demo_home, "views", "list", "--json=name,query").json
    items = offline(demo_home, "items", "list", "--view", "mine", "--json=owner,type").json

    assert {"name": "Mine", "query": "@me type:story"} in listed
    assert items
    assert {(each["owner"], each["type"]) for each in items} == {("maya", "Story")}


@pytest.mark.slow
def test_a_sync_sends_what_waits(demo_home: Home) -> None:
    offline(demo_home, "items", "set", STORY, "est=8")

    sent = demo_home.run(*DEMO, "outbox", "send")
    synced = demo_home.run(*DEMO, "sync", "--json").json

    assert (sent.returncode, sent.stdout) == (0, ""), sent.stderr
    assert synced[0]["unsent"] == 0


@pytest.mark.slow
def test_a_sync_without_the_server_ends_with_5(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    home.run("items", "list", "--limit", "1")
    server.stop()

    assert home.run("sync").returncode == 5
