"""`backlit iterations start` and `close` on a sample workspace."""

import pytest
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
def test_a_close_asks_for_a_choice_and_moves_what_is_unfinished(demo_home: Home) -> None:
    refused = demo_home.run(*DEMO, "iterations", "close", "current")
    tried = demo_home.run(*DEMO, "iterations", "close", "current", "--move", "next", "--dry-run")
    done = demo_home.run(*DEMO, "iterations", "close", "current", "--move", "next")
    again = demo_home.run(*DEMO, "iterations", "close", "current", "--move", "next")

    assert refused.returncode == 2
    assert "unfinished item" in refused.stderr
    assert "--move next" in refused.stderr
    assert ":  → " in tried.stdout, tried.stderr
    assert done.stdout.startswith(tried.stdout), done.stderr
    assert done.stdout.rstrip().endswith(" is closed.")
    assert again.stdout.rstrip().endswith(" already.")
