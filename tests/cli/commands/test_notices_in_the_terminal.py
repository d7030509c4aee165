"""A notice in a real terminal: its bytes, and no others that a terminal could take for one."""

import re

import pytest
from tests.cli.home import Home, Server
from tests.terminal import terminal

POINTER = re.compile(rb"\x1b\]22;[^\x07]*\x07")
"""The form of the pointer, which Textual sets."""


@pytest.mark.slow
def test_a_mention_rings_and_is_told_once_and_nothing_else(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    jon = Home(home.path.parent / "jon")
    for user, name in ((home, "maya"), (jon, "jon")):
        assert user.run("login", server.address, "--user", name, given="lantern\n").returncode == 0
    assert home.run("config", "set", "notify.bell", "true").returncode == 0
    assert home.run("config", "set", "notify.desktop", "true").returncode == 0
    assert home.run("config", "set", "notify.when", '["mention"]').returncode == 0
    with terminal([], home.environment) as shown:
        shown.wait_until_synced()
        assert b"\x07" not in POINTER.sub(b"", shown.written)
        said = jon.run("comments", "add", "7", "@maya, please")
        assert said.returncode == 0, said.stderr
        shown.press("R")
        shown.wait_until(lambda: b"\x1b]9;" in shown.written)
        shown.press("q")
        assert shown.ended() == 0

    written = POINTER.sub(b"", shown.written)
    assert b"\x07\x1b]9;1 mention in Aurora\x07" in written
    assert written.count(b"\x07") == 2
    assert written.count(b"\x1b]9") == 1
