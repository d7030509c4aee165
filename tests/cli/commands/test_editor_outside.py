"""The editor in a real terminal: texts in the user's own editor, and what outlives a kill."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.cli.home import DEMO, Home
from tests.terminal import Terminal, terminal

HEADING = r"\A[^\n]*#(\d+) "


@contextmanager
def editing(home: Home, script: str = "", editor: str = "") -> Iterator[Terminal]:
    """The editor of an item of the demo; `script` is what $EDITOR does with its file, as a line of shell."""
    environment = dict(home.environment)
    environment.pop("VISUAL", None)
    if editor:
        environment["EDITOR"] = editor
    if script:
        program = home.path / "edit.sh"
        program.write_text(f'#!/bin/sh\necho editing "$1"\n{script}\n', encoding="utf-8")
        environment["EDITOR"] = f"sh '{program}'"
    with terminal(DEMO, environment) as shown:
        shown.wait_for(r"synced +maya")
        shown.press("enter")
        shown.wait_for(rf"(?s){HEADING}.*His")
        yield shown


def fields(home: Home, item_id: str) -> dict[str, object]:
    shown = home.run(*DEMO, "items", "show", item_id, "--json")
    found = json.loads(shown.stdout)["fields"]
    assert isinstance(found, dict)
    return found


def number(shown: Terminal) -> str:
    found = re.search(HEADING, shown.text)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_a_long_text_goes_to_the_users_editor_and_back(demo_home: Home) -> None:
    with editing(demo_home, 'printf "  from outside\\n" >> "$1"') as shown:
        item_id, before = number(shown), str(fields(demo_home, number(shown))["Description"])
        shown.press("ctrl+e")
        shown.wait_for("1 change ")
        shown.press(":", "w", "enter")
        shown.wait_for("Saved and sent")

    assert fields(demo_home, item_id)["Description"] == before + "  from outside" + (
        "\n" if before.endswith("\n") else ""
    )


@pytest.mark.slow
def test_an_editor_that_fails_changes_nothing_and_keeps_the_text(demo_home: Home) -> None:
    with editing(demo_home, 'echo kept > "$1"; exit 3') as shown:
        shown.press("ctrl+e")
        shown.wait_for(r"\.md\b")  # where the message is broken into lines depends on the paths in it
        assert not re.search(r"\d changes? ", shown.text)
        assert re.search(r"\b3\.", shown.text)


@pytest.mark.parametrize("editor", ["/nowhere/vim", "'vim"])
def test_an_editor_that_cannot_start_leaves_the_screen_and_the_keys_alive(demo_home: Home, editor: str) -> None:
    with editing(demo_home, editor=editor) as shown:
        modes = shown.modes
        shown.press("ctrl+e")
        shown.wait_for("Could not start the editor")

        assert shown.modes == modes
        shown.press("?")
        shown.wait_for("Keys")


@pytest.mark.slow
def test_the_whole_item_goes_to_the_users_editor_and_back(demo_home: Home) -> None:
    script = """sed -i 's/^Name: .*/Name: Written outside/; s/^Status: .*/Status: in progress/' "$1" """
    with editing(demo_home, script) as shown:
        item_id = number(shown)
        shown.press("E")
        shown.wait_for(r"[23] changes ")
        shown.press(":", "w", "enter")
        shown.wait_for("Saved")
        shown.press("q")
        shown.wait_for(r"synced +maya")
        shown.wait_without("pending")

    assert fields(demo_home, item_id)["Name"] == "Written outside"
    assert fields(demo_home, item_id)["Status"] == "In Progress"


def test_typed_text_survives_a_kill_and_is_offered_again(demo_home: Home) -> None:
    with editing(demo_home) as shown:
        shown.press("e", "ctrl+u", "Half a sent")
        shown.wait_for(r"▌~Name +Half a sent")
        shown.wait_until(lambda: any(b"Half a sent" in each.read_bytes() for each in demo_home.path.rglob("journal.*")))
        shown.kill()

    with editing(demo_home) as shown:
        shown.wait_for("Kept changes from .* restored")
        shown.wait_for(r"▌~Name +Half a sent")
