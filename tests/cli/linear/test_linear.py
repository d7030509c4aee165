"""The linear mode over pipes: what it says, what it keeps, and how it ends."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import COMMAND, DEMO, Home, Server
from tests.cli.linear_transcript import make_pinned_sample, played, written

from backlit.config.settings import NO_WORKSPACE

MENU = "Menu: 1 groom, 2 plan, 3 list, 4 inbox, 5 outbox, ? help, q quit."
HOSTILE = "a\x1b]0;owned\x07b\u202ec"


def offline(home: Home, *answers: str) -> Done:
    return home.run(*DEMO, "--linear", "--offline", given="".join(f"{each}\n" for each in answers))


def online(home: Home, *answers: str) -> Done:
    return home.run("--linear", given="".join(f"{each}\n" for each in answers))


def kinds(done: Done) -> set[str]:
    """The first words of the lines, without the greeting and the answers."""
    return {line.split()[0] for line in done.stdout.splitlines()[1:] if not line.startswith(">")}


@pytest.mark.slow
def test_the_transcript_of_the_page_is_what_happens(tmp_path: Path) -> None:
    sample = make_pinned_sample(tmp_path)
    (tmp_path / "played").mkdir()

    assert played(written(), sample, tmp_path / "played") == written(), "run python -m tests.cli.linear_transcript"


def test_enter_repeats_the_question_and_the_end_of_the_input_ends(demo_home: Home) -> None:
    done = offline(demo_home, "", "7")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [
        MENU, "> ", MENU, "> 7", "Error: “7” is none of the answers: 1, 2, 3, 4, 5, ?, q.", MENU, "> ",
    ]  # fmt: skip


def test_every_line_begins_with_its_kind(demo_home: Home) -> None:
    done = offline(demo_home, "?", "1", "5", "q", "2", "1", "b", "3", "b", "4", "all", "19", "b", "5", "u", "q")

    assert done.returncode == 0
    assert {kind for kind in kinds(done) if not re.fullmatch("[A-Z][a-z]+:", kind)} == set()


def test_a_change_offline_is_kept_and_undone(demo_home: Home) -> None:
    kept = offline(demo_home, "1", "5")
    outbox = demo_home.run(*DEMO, "--offline", "outbox", "list").stdout
    undone = offline(demo_home, "u")

    assert "Estimate" in outbox
    assert "Saved: number 2, Estimate 5. Waiting: offline." in kept.stdout
    assert "Sync: offline. 1 change waits on this machine." in kept.stdout
    assert "Undone: number 2 " in undone.stdout
    assert demo_home.run(*DEMO, "--offline", "outbox", "list").stdout == ""


def test_an_item_is_read_with_its_relations(demo_home: Home) -> None:
    done = offline(demo_home, "3", "19")

    assert re.search(r"^Field: Blocked by number 33, Story, [^,]+, Store a card", done.stdout, re.MULTILINE), (
        done.stdout
    )


def test_grooming_asks_for_a_feature_and_criteria_where_the_rules_do(demo_home: Home) -> None:
    (demo_home.path / "config").mkdir(exist_ok=True)
    others = "".join(f"{name} = []\n" for name in ("Feature", "Bug", "Issue", "Risk", "Feedback"))
    rules = f'[lint]\nStory = ["feature", "criteria"]\n{others}'
    (demo_home.path / "config" / "config.toml").write_text(rules)

    done = offline(demo_home, "1", "Returns in three", "1", "By keyboard", "Translated", ".", "q")

    assert "Not ready: Part of no Feature." in done.stdout
    assert re.search(r"^Saved: number \d+, Feature number 15, Returns in three taps\.", done.stdout, re.MULTILINE)
    assert re.search(r"^Saved: number \d+, 2 criteria\.", done.stdout, re.MULTILINE)


def test_a_plan_is_staged_reviewed_and_saved(demo_home: Home) -> None:
    done = offline(demo_home, "2", "1", "1", "5", "6", "no", "6", "yes", "q")

    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("Draft", "Saved"))] == ["Draft:", "Saved:"]
    assert "Error: Nothing was saved." in lines
    assert "Review: 1 change." in lines


def test_bad_answers_are_refused_with_a_sentence(demo_home: Home) -> None:
    done = offline(demo_home, "1", "5", "Sprint 99", "s", "Gone", 'items "')

    errors = [line for line in done.stdout.splitlines() if line.startswith("Error")]
    assert len(errors) == 3, done.stdout
    assert errors[0].startswith("Error: Unknown iteration “Sprint 99”.")
    assert errors[1].startswith("Error: Status must be one of: Not Done, ")
    assert errors[2] == "Error: A quotation mark has no end."


def test_a_command_may_be_typed_at_a_prompt(demo_home: Home) -> None:
    done = offline(demo_home, "items list --query id:19 --offline", "1", "items set 2 est=3 --offline", "open 12")

    assert "Suggest categories beside articles while typing" in done.stdout
    assert "Question: 1 of 2: Iteration?" in done.stdout
    assert "“open" in done.stdout


def test_hostile_names_are_read_as_plain_text(demo_home: Home) -> None:
    demo_home.run(*DEMO, "--offline", "items", "new", HOSTILE, f"desc={HOSTILE}\n\n{HOSTILE}", "--type", "bug")

    done = offline(demo_home, "3", "all", "", "", "", "", "new-1", "q", "1", HOSTILE, "t", "c", HOSTILE, ".", "q", "2")

    assert "a�]0;owned�b�c" in done.stdout
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.stdout)


def test_without_a_workspace_it_says_how_to_begin(home: Home) -> None:
    done = home.run("--linear", given="1\n")

    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"backlit: {NO_WORKSPACE}\n")


@pytest.fixture
def signed_in(home: Home, server: Server) -> Home:
    assert home.run("login", server.address, "--user", "maya", given="lantern\n").returncode == 0
    assert home.run("items", "list", "--limit", "1").returncode == 0
    return home


@pytest.mark.slow
def test_with_a_dead_server_changes_are_kept(signed_in: Home, server: Server) -> None:
    server.stop()

    done = online(signed_in, "1", "5", "q", "q")

    assert done.returncode == 0
    assert re.search(r"^Saved: number \d+, .* Waiting: offline\.$", done.stdout, re.MULTILINE)
    assert "Sync: offline. 1 change waits on this machine.\n" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("side", "name"), [("1", "Mine"), ("2", "Theirs")])
def test_a_conflict_is_asked_about(signed_in: Home, tmp_path: Path, side: str, name: str) -> None:
    item = signed_in.run("items", "list", "--query", "type:story est:any", "--limit", "1", "--json=id").json[0]["id"]
    other = Home(tmp_path / "other")
    shutil.copytree(signed_in.path, other.path)
    signed_in.run("items", "set", str(item), "name=Mine", "--offline")
    assert other.run("items", "set", str(item), "name=Theirs").returncode == 0

    done = online(signed_in, "5", "", "9", side)

    asked = f"Conflict: number {item}, Name, yours Mine, theirs Theirs. 1 yours, 2 theirs, s later."
    assert done.stdout.count(asked) == 3
    assert "Outbox: 1 change needs a decision: 5." in done.stdout
    assert f"Saved: number {item}, decided." in done.stdout
    assert signed_in.run("items", "show", str(item), "--json", "--fresh").json["fields"]["Name"] == name


@pytest.mark.parametrize(
    ("setting", "variable", "is_linear"),
    [("true", "", True), ("true", "0", False), ("false", "1", True), ("1", "", False)],
)
def test_the_setting_or_the_variable_begins_the_linear_mode(
    demo_home: Home, monkeypatch: pytest.MonkeyPatch, setting: str, variable: str, *, is_linear: bool
) -> None:
    (demo_home.path / "config").mkdir(exist_ok=True)
    (demo_home.path / "config" / "config.toml").write_text(f"linear = {setting}\n")
    monkeypatch.setenv("BACKLIT_LINEAR", variable)

    done = demo_home.run(*DEMO, given="q\n")

    assert done.stdout.startswith("backlit, linear mode.") is is_linear
    assert ("needs a terminal" in done.stderr) is not is_linear


@pytest.mark.slow
def test_what_others_change_is_said_before_the_next_prompt(signed_in: Home, server: Server, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    assert other.run("login", server.address, "--user", "jon", given="lantern\n").returncode == 0
    item = str(other.run("items", "list", "--query", "type:bug owner:none", "--limit", "1", "--json=id").json[0]["id"])
    command = [*COMMAND, "--linear"]
    environment = signed_in.environment
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as linear:
        assert linear.stdin is not None
        assert linear.stdout is not None
        while not linear.stdout.readline().startswith("Menu"):
            pass
        assert other.run("items", "assign", item, "maya").returncode == 0
        said = ""
        while not said.startswith("Inbox"):
            linear.stdin.write("9\n1\nb\n")
            linear.stdin.flush()
            said = next(line for line in linear.stdout if line.startswith(("Inbox", "Groom")))
        linear.stdin.write("q\n")
        linear.stdin.close()
        linear.stdout.read()

    assert said.startswith(f"Inbox: number {item}, Bug, ")
    assert said.endswith(", assigned to you.\n")


def test_groom_asks_about_the_items_of_a_query_and_goes_on_later(demo_home: Home) -> None:
    def groom(*words: str, given: str = "q\n") -> Done:
        return demo_home.run(*DEMO, "groom", "--offline", *words, given=given)

    begun = groom("--query", "type:story", "--limit", "2", given="n\n")
    on = groom()
    wrong = groom("--query", "est:(")
    nothing = groom("--query", "id:987654")

    assert begun.returncode == 0, begun.stderr
    lines = [line for line in begun.stdout.splitlines() if line.startswith(("Groom", "Item"))]
    assert lines[0] == "Groom: 2 items are not ready."
    assert all(", Story, " in line for line in lines[1:])
    assert "1 left. Paused; backlit groom continues." in on.stdout
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert nothing.stdout == "Groom: every item of the query is ready.\n"
