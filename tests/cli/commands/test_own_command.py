"""`backlit run`: a user's own commands on what is named, and what is said where they cannot run."""

import json
from pathlib import Path

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home

STORY, BUG = "19", "2"
COMMANDS = """\
[[command]]
id = "show"
run = ["printf", "%s|%s|%s|%s|%s", "{id}", "{type}", "{owner}", "{iter}", "{project}"]

[[command]]
id = "read"
on = "items"
shell = "cat"

[[command]]
id = "ask"
name = "Ask first"
on = "anywhere"
run = ["printf", "%s", "{prompt.base}"]
confirm = "Run it for {profile}?"
[[command.prompt]]
name = "base"
choices = ["main", "dev"]

[[command]]
id = "sprint"
on = "iteration"
run = ["printf", "%s %s", "{name}", "{iter}"]

[[command]]
id = "fail"
on = "anywhere"
shell = "echo out; printf 'bad \\\\033[31mred\\n' >&2; exit 3"

[[command]]
id = "slow"
on = "anywhere"
run = ["sleep", "30"]
timeout = 1

[[command]]
id = "missing"
on = "anywhere"
run = ["no-such-program"]
"""
FAULTS = {
    "an-unknown-command": (("shw",), 4, "There is no command “shw” of yours. Did you mean “show”?"),
    "several-items": (("show", STORY, BUG), 6, "“show” takes one item, not 2 items."),
    "no-item": (("show",), 2, "Name items: by their numbers"),
    "an-unknown-item": (("show", "987654"), 4, "Work item 987654 does not exist here"),
    "a-word-too-many": (("fail", STORY), 2, "“fail” is run on nothing; leave out “19”."),
    "a-query-for-a-node": (("sprint", "--query", "@me"), 2, "“sprint” takes no items, but one iteration."),
    "an-unknown-node": (("sprint", "Sprnt 14"), 4, "Unknown iteration “Sprnt 14”. Did you mean “Sprint 14”?"),
    "no-answer": (("ask", "--yes"), 2, "The command asks for “base”: add base=… Nothing was run."),
    "a-wrong-answer": (("ask", "base=prod", "--yes"), 2, "“prod” is no answer to base: main, dev."),
    "an-unknown-prompt": (("ask", "bse=main", "--yes"), 2, "“Ask first” has no prompt “bse”. Its prompts: base."),
    "no-agreement": (("ask", "base=main"), 2, "Run it for demo-60-1? Add --yes. Nothing was run."),
    "a-failure": (("fail",), 1, "“fail” ended with 3."),
    "a-program-that-is-not-there": (("missing",), 1, "“missing” could not start no-such-program: No such file"),
}


@pytest.fixture
def own_home(demo_home: Home) -> Home:
    return with_commands(demo_home, COMMANDS)


def with_commands(home: Home, text: str) -> Home:
    (home.path / "config").mkdir(parents=True, exist_ok=True)
    (home.path / "config" / "config.toml").write_text(text, encoding="utf-8")
    return home


def run(home: Home, *words: str, given: str | None = "") -> Done:
    return home.run("run", *words, *DEMO, "--offline", "--quiet", given=given)


def test_a_command_gets_the_values_of_an_item(own_home: Home) -> None:
    done = run(own_home, "show", STORY)

    number, item_type, _, iteration, project = done.stdout.split("|")
    assert (number, item_type, project, done.stderr) == (STORY, "Story", "Aurora", "")
    assert iteration.startswith("Aurora\\")


def test_items_are_documents_on_the_standard_input(own_home: Home) -> None:
    documents = json.loads(run(own_home, "read", "-", given=f"{STORY}\n{BUG}\n").stdout)

    shown = own_home.run(*DEMO, "--offline", "--quiet", "items", "show", STORY, BUG, "--json").json
    assert documents == shown


def test_a_command_on_an_iteration_gets_its_name_and_path(own_home: Home) -> None:
    done = run(own_home, "sprint", "current")

    name, _, path = done.stdout.partition(" Aurora")
    assert path.endswith(name)


def test_a_prompt_is_answered_by_a_word_and_the_question_by_an_option(own_home: Home) -> None:
    assert run(own_home, "ask", "base=dev", "--yes").stdout == "dev"


@pytest.mark.parametrize(("words", "code", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_command_that_cannot_run_says_why(own_home: Home, words: tuple[str, ...], code: int, sentence: str) -> None:
    done = run(own_home, *words)

    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert "\033" not in done.stderr


@pytest.mark.slow
def test_a_command_may_ask_for_a_sync_afterwards(demo_home: Home) -> None:
    with_commands(demo_home, '[[command]]\nid = "go"\non = "anywhere"\nrun = ["echo", "gone"]\nrefresh = true\n')

    done = demo_home.run("run", "go", *DEMO, "--quiet")

    assert (done.returncode, done.stdout, done.stderr) == (0, "gone\n", "")


@pytest.mark.slow
def test_a_command_that_takes_too_long_is_ended(own_home: Home) -> None:
    done = run(own_home, "slow")

    assert (done.returncode, done.stderr) == (1, "backlit: “slow” was ended after 1 s.\n")


def test_the_commands_are_listed(home: Home) -> None:
    with_commands(home, '[[command]]\nid = "show"\nname = "Show it"\nrun = ["echo"]\nkey = "yb"\n')

    assert home.run("run").stdout == "show\titem\tyb\tShow it\n"
    keys = home.run("keys", "--context", "Items").stdout
    assert "yb\town.show\tShow it (yours).\tyours\n" in keys


def test_a_key_of_two_commands_is_told_at_its_line(home: Home) -> None:
    with_commands(home, '[[command]]\nid = "show"\nrun = ["echo"]\nkey = "s"\n')

    done = home.run("keys", "--check")

    path: Path = home.path / "config" / "config.toml"
    assert done.returncode == 1
    assert f"own.show: s is a key of item.status too (Items) ({path}, line 4, column 1)." in done.stdout
    assert "item.status is not reached by it." in done.stdout
