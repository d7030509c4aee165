"""Several processes on one profile: two terminals and the command line over a served workspace."""

import json
import os
import signal
import sqlite3
import time
from contextlib import closing

import pytest
from tests.cli.home import Home, Server
from tests.terminal import terminal


@pytest.fixture
def signed_in(home: Home, server: Server) -> Home:
    assert home.run("login", server.address, "--user", "maya", given="lantern\n").returncode == 0
    return home


def test_an_edit_in_one_terminal_appears_in_the_other(signed_in: Home) -> None:
    with terminal([], signed_in.environment) as one, terminal([], signed_in.environment) as other:
        for each in (one, other):
            each.wait_until_synced()
        one.press("c", "e", "ctrl+u", "777", "enter")

        other.wait_for(r"\b777\b")
        other.wait_without("pending")


@pytest.mark.slow
def test_after_a_kill_in_the_middle_of_sending_the_other_goes_on_and_nothing_is_made_twice(signed_in: Home) -> None:
    with terminal([], signed_in.environment) as one, terminal([], signed_in.environment) as other:
        for each in (one, other):
            each.wait_until_synced()
        for number in range(4):
            one.press("C")
            one.wait_for(r"ctrl\+s +send")
            one.press(f"Comment {number}", "ctrl+s")
            one.wait_for(rf"{number + 6} comments")
        one.kill()

        other.press("g", "c")
        other.wait_for("Comment 3")
        other.wait_until(lambda: len(comments_on_service(signed_in)) >= 4)
        other.wait_without("pending")
    assert comments_on_service(signed_in) == [f"Comment {number}" for number in range(4)]


@pytest.mark.slow
def test_the_command_line_works_beside_a_terminal_even_a_suspended_one(signed_in: Home) -> None:
    with terminal([], signed_in.environment) as shown:
        shown.wait_until_synced()
        beside = signed_in.run("items", "list", "--json", "--limit", "3")
        os.kill(shown.process, signal.SIGSTOP)
        time.sleep(0.2)
        beside_suspended = signed_in.run("items", "list", "--json", "--limit", "3")
        os.kill(shown.process, signal.SIGCONT)

    assert beside.stderr == beside_suspended.stderr == ""
    assert len(json.loads(beside.stdout)) == 3
    assert beside_suspended.stdout == beside.stdout


def test_signing_out_on_the_command_line_is_seen_in_the_terminal(signed_in: Home) -> None:
    with terminal([], signed_in.environment) as shown:
        shown.wait_until_synced()
        assert signed_in.run("logout").returncode == 0

        shown.wait_for(r"(?i)signed out|sign in")


def comments_on_service(home: Home) -> list[str]:
    (database,) = home.path.parent.rglob("service.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        found = connection.execute("SELECT description FROM comments WHERE description LIKE 'Comment _' ORDER BY 1")
        return [text for (text,) in found]
