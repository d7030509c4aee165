"""The clipboard: the programs that a text is given to, and the words about it."""

import os
import stat
from pathlib import Path

import pytest
from tests.store.world import until
from tests.terminal import terminal
from tests.tui.bare_app import text_of
from tests.tui.list_steps import items, press
from tests.tui.opened import Open

from backlit.config.clipboard import passed_through, routes
from backlit.store import Store

AROUND = ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY", "DISPLAY")


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in AROUND:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.slow
async def test_inside_tmux_a_text_goes_through_its_buffer(
    store: Store, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "tmux", f'echo "$@" > {tmp_path}/called; cat > {tmp_path}/taken')
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    async with opened(store) as pilot:
        await press(pilot, "y", "y")
        await until(lambda: ", by tmux." in text_of(pilot.app), lambda: text_of(pilot.app))

        assert (tmp_path / "called").read_text() == "load-buffer -w -\n"
        assert (tmp_path / "taken").read_text() == str(items(pilot).current_id)


async def test_a_copy_that_nothing_confirms_says_so(
    store: Store, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "tmux", "exit 1")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    async with opened(store) as pilot:
        await press(pilot, "y", "y")

        await until(lambda: "does not confirm" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.parametrize(
    ("environment", "names"),
    [
        ({"TMUX": "x", "DISPLAY": ":0"}, ["tmux", "xclip"]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["wl-copy"]),
        ({"TMUX": "x", "DISPLAY": ":10", "SSH_TTY": "/dev/pts/1"}, ["tmux"]),
        ({}, []),
    ],
)
def test_programs_are_tried_that_reach_a_clipboard_from_here(
    tmp_path: Path, environment: dict[str, str], names: list[str]
) -> None:
    for name in ("tmux", "xclip", "wl-copy"):
        program(tmp_path, name, "")

    assert [route.name for route in routes({**environment, "PATH": str(tmp_path)})] == names


def test_a_multiplexer_passes_the_sequence_on_to_the_terminal() -> None:
    assert passed_through("a", {"TMUX": "x"}) == "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"
    assert passed_through("a", {"STY": "x"}) == "\x1bP\x1b]52;c;YQ==\x07\x1b\\"
    assert passed_through("a", {}) == ""


def test_a_login_copies_its_address_and_names_the_route(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "tmux", f"cat > {tmp_path}/taken")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with terminal(["login", "http://127.0.0.1:9", "--code"], os.environ | {"BACKLIT_HOME": str(tmp_path)}) as shown:
        shown.wait_for("Copied the address, by tmux.")

        assert (tmp_path / "taken").read_text().startswith("http://127.0.0.1:9/")
        assert passed_through((tmp_path / "taken").read_text()).encode() in shown.written
