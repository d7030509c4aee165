"""`backlit iterations start` and `close` on a sample workspace."""

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home


@pytest.mark.slow
def test_a_start_is_tried_out_recorded_and_withdrawn(demo_home: Home) -> None:
    tried = demo_home.run(*DEMO, "iterations", "start", "next", "--dry-run")
    done = demo_home.run(*DEMO, "iterations", "start", "next")
    again = demo_home.run(*DEMO, "iterations", "start", "next")
    withdrawn = demo_home.run(*DEMO, "iterations", "start", "next", "--withdraw")

    assert tried.stdout.strip().endswith("become the commitment."), tried.stderr
    assert done.stdout.splitlines()[0] == tried.stdout.strip(), done.stderr
    assert done.stdout.strip().endswith(" is started.")
    assert again.stdout.strip().endswith(" already.")
    assert withdrawn.stdout.strip().endswith("is withdrawn."), withdrawn.stderr


@pytest.mark.slow
def test_capacities_of_people_are_changed_and_listed(demo_home: Home) -> None:
    def run(*words: str, given: str = "") -> Done:
        return demo_home.run(*DEMO, "--quiet", "iterations", "capacity", *words, given=given)

    tried = run("next", "maya=10", "--dry-run")
    asked = run("next", "maya=10", "jon=8p/60h")
    done = run("next", "maya=10", "jon=8p/60h", "--yes")
    again = run("next", "maya=10")
    listed = {each["user"]: (each["points"], each["hours"]) for each in run("next", "--json").json}
    usual = run("usual", "ada=12h")

    assert (tried.returncode, tried.stdout[-7:]) == (0, "lanned\n"), tried.stderr
    assert (asked.returncode, done.returncode, usual.returncode) == (2, 0, 0), done.stderr
    assert [line.split("\t")[0::3] for line in done.stdout.splitlines()] == [
        ["maya", "10"],
        ["jon", "8"],
        ["jon", "60"],
    ]
    assert again.stdout.endswith("\tunchanged\n")
    assert (listed["maya"][0], listed["jon"]) == (10, (8, 60))


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("next", "maya"), 2, "“maya” is no USER=CAPACITY."),
        (("next", "maya=ten"), 6, "“ten” is no capacity."),
        (("next", "nobody=1"), 4, "Unknown user “nobody”."),
        (("nevr", "maya=1"), 4, "Unknown iteration “nevr”."),
        (("next", "maya=1"), 5, "Capacities are kept by the server"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_capacity_changes_nothing(demo_home: Home, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = demo_home.run(*DEMO, "--offline", "--quiet", "iterations", "capacity", *words)

    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in done.stderr


@pytest.mark.slow
def test_a_close_asks_for_a_choice_and_moves_what_is_unfinished(demo_home: Home) -> None:
    refused = demo_home.run(*DEMO, "iterations", "close", "current")
    tried = demo_home.run(*DEMO, "iterations", "close", "current", "--move", "next", "--dry-run")
    done = demo_home.run(*DEMO, "iterations", "close", "current", "--move", "next")
    again = demo_home.run(*DEMO, "iterations", "close", "previous", "--move", "next")
    none = demo_home.run(*DEMO, "iterations", "close", "current", "--move", "next")

    assert refused.returncode == 2
    assert "unfinished item" in refused.stderr
    assert "--move next" in refused.stderr
    assert ":  → " in tried.stdout, tried.stderr
    assert done.stdout.startswith(tried.stdout), done.stderr
    assert done.stdout.rstrip().endswith(" is closed.")
    assert again.stdout.rstrip().endswith(" already."), again.stderr
    assert (none.returncode, "There is no current iteration." in none.stderr) == (4, True)
