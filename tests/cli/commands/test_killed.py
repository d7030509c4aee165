"""The program in a real terminal, killed in the middle of the work: what was shown as made is there, once."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from tests.cli.home import Home, Server
from tests.terminal import Terminal, terminal

pytestmark = pytest.mark.slow

EDITS, COMMENTS = 20, 5


def test_twenty_edits_and_five_comments_outlive_a_kill_and_are_sent_once(home: Home) -> None:
    with terminal(["demo", "--items", "150"], home.environment) as first:
        first.wait_for(r"synced +maya")
        changed = groom(first)
        first.kill()

    with terminal(["demo", "--items", "150"], home.environment) as second:
        second.wait_for(r"synced +maya")
        second.wait_without(r"pending")
    estimates = estimates_here(home)
    assert [estimates[item_id] for item_id in changed] == [str(1000 + number) for number in range(EDITS)]
    assert comments_on_service(home) == {item_id: [f"Estimate is {1000 + n}"] for n, item_id in enumerate(changed[:5])}


def test_two_people_work_on_one_served_workspace(home: Home, server: Server) -> None:
    address = server.address
    jon = Home(home.path.parent / "jon")
    for user, name in ((home, "maya"), (jon, "jon")):
        assert user.run("login", address, "--user", name, given="lantern\n").returncode == 0
    with terminal([], home.environment) as one, terminal([], jon.environment) as other:
        for each in (one, other):
            each.wait_until_synced()
        one.press("c", "e", "ctrl+u", "777", "enter")
        one.wait_for(r"▌.* 777 ")
        one.wait_without("pending")
        other.press("R")
        other.wait_for(r"\b777\b")
        other.press("C", "Seen by jon", "ctrl+s")
        other.wait_without(r"ctrl\+s +send")
        other.wait_for("Seen by jon")
        other.wait_without("pending")
        one.press("R", "g", "c")
        one.wait_for("Seen by jon")
        one.kill()

    with terminal([], home.environment) as again:
        again.wait_for(r"\b777\b")
        again.press("g", "c")
        again.wait_for("Seen by jon")


def groom(shown: Terminal) -> list[int]:
    """Give the first items that have one another estimate, and the first of them a comment each; returns their ids."""
    ids: list[int] = []
    while len(ids) < EDITS:
        number = 1000 + len(ids)
        row = cursor_row(shown)
        if row[1] not in "◆×▲":
            step(shown)
            continue
        ids.append(int(row[0]))
        shown.press("c", "e")
        shown.wait_for("─ Estimate")
        shown.press("ctrl+u", str(number), "enter")
        shown.wait_for(rf"▌.* {number} ")
        if len(ids) <= COMMENTS:
            shown.press("C")
            shown.wait_for(r"ctrl\+s +send")
            shown.press(f"Estimate is {number}", "ctrl+s")
            shown.wait_without(r"ctrl\+s +send")
        if len(ids) < EDITS:
            step(shown)
    return ids


def step(shown: Terminal) -> None:
    """Go down a row, and wait until the screen shows it."""
    before = cursor_row(shown)[0]
    shown.press("j")
    shown.wait_without(rf"▌\W*{before}\b")


def cursor_row(shown: Terminal) -> list[str]:
    """The id, the type's sign and so on of the row under the cursor."""
    shown.wait_for(r"(?m)^│?▌")
    line = next(line for line in shown.lines if re.match("│?▌", line))
    return re.sub(r"^\D+", "", line).split()


def estimates_here(home: Home) -> dict[int, object]:
    """The estimates as the program lists them."""
    shown = home.run("--profile", "demo-150-1", "items", "list", "--json")
    return {each["id"]: each["fields"].get("Estimate") for each in json.loads(shown.stdout)}


def comments_on_service(home: Home) -> dict[int, list[str]]:
    """The comments of this test that the service holds, by item."""
    found: dict[int, list[str]] = {}
    (database,) = home.path.rglob("service.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        for item_id, text in connection.execute(
            "SELECT work_item_id, description FROM comments WHERE description LIKE 'Estimate is 1%' ORDER BY id"
        ):
            found.setdefault(item_id, []).append(text)
    return found
