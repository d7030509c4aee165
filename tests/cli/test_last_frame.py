"""Start of the screens with the last frame, in a real terminal."""

import os
import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.cli.admin_world import Workspace
from tests.cli.home import DEMO, Home, Server
from tests.terminal import BACKLIT, terminal

from backlit.cli.last_frame import state_folder
from backlit.config.settings import find_locations

DRIVER = b"?1000h"
"""What the application's driver writes first; a frame that comes before it is the last one."""


def left(home: Home, keys: Sequence[str] = (), size: tuple[int, int] = (120, 40)) -> list[str]:
    """Open the sample and leave it after some keys; returns what it showed."""
    with terminal(DEMO, home.environment, size) as shown:
        shown.wait_for(r"synced +maya")
        shown.press(*keys)
        shown.read(0.5)
        lines = shown.lines
        shown.press("q")
        assert shown.ended() == 0
    return lines


def rows_of(lines: list[str]) -> list[str]:
    """The rows of the list, without the preview beside them."""
    return [re.split("[│┃]", line.removeprefix("│"))[0].rstrip() for line in lines[2:-3]]


def name_in(lines: list[str]) -> bytes:
    """The first words of the last row, which the preview does not show."""
    found = re.findall(r"[A-Z]\w+ \w+ \w+", "\n".join(rows_of(lines)))
    return str(found[-1]).encode()


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "lines"), [((), 40), (("11j", "3k"), 14)], ids=["top", "middle"])
def test_a_start_shows_the_last_rows_at_once_and_touches_none(demo_home: Home, keys: Sequence[str], lines: int) -> None:
    before = left(demo_home, keys, (120, lines))
    name = name_in(before)
    with terminal(DEMO, demo_home.environment, (120, lines), program=BACKLIT) as shown:
        shown.wait_until(lambda: DRIVER in shown.written or name in shown.written)
        shown.read(0.05)
        early = shown.lines
        shown.wait_for(r"synced +maya")
        shown.read(0.5)

        assert shown.written.index(name) < shown.written.index(DRIVER)
        assert shown.written.count(b"\x1b[?1049h") == 1
        assert rows_of(early) == rows_of(before)
        assert "synced" not in early[0]
        assert shown.lines == before
        assert shown.written.count(name) == 1


@pytest.mark.slow
def test_a_start_after_a_signal_shows_the_last_rows_at_once(demo_home: Home) -> None:
    with terminal(DEMO, demo_home.environment) as shown:
        shown.wait_for(r"synced +maya")
        shown.read(0.5)
        name = name_in(shown.lines)
        shown.signal(signal.SIGTERM)
        assert shown.ended() == 143

    with terminal(DEMO, demo_home.environment, program=BACKLIT) as shown:
        shown.wait_until(lambda: DRIVER in shown.written)

        assert name in shown.written.partition(DRIVER)[0]


@pytest.mark.slow
def test_a_key_typed_over_the_last_frame_acts(demo_home: Home) -> None:
    name = name_in(left(demo_home))
    with terminal(DEMO, demo_home.environment, program=BACKLIT) as shown:
        shown.wait_until(lambda: name in shown.written)
        shown.press("j", "j")
        shown.wait_for(r"synced +maya")

        shown.wait_until(lambda: shown.lines[6].lstrip("│").startswith("▌"))


def _smaller(_home: Home) -> tuple[int, int]:
    return 100, 30


def _configured(home: Home) -> tuple[int, int]:
    (home.path / "config").mkdir(exist_ok=True)
    (home.path / "config" / "config.toml").write_text('theme = "paper"\n')
    return 120, 40


def _broken(home: Home) -> tuple[int, int]:
    (home.path / "state" / "last-frame").write_bytes(b"no frame")
    return 120, 40


@pytest.mark.parametrize("change", [_smaller, _configured, _broken])
def test_a_frame_that_may_differ_is_not_shown(demo_home: Home, change: Callable[[Home], tuple[int, int]]) -> None:
    name = name_in(left(demo_home))
    with terminal(DEMO, demo_home.environment, change(demo_home)) as shown:
        shown.wait_until(lambda: DRIVER in shown.written)

        assert name not in shown.written.partition(DRIVER)[0]
        shown.wait_for(r"synced +maya")


@pytest.mark.slow
def test_a_frame_of_a_copy_that_was_locked_since_is_not_shown(home: Home, server: Server, workspace: Workspace) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    with terminal([], home.environment) as shown:
        shown.wait_for(r"\blive\b")
        shown.read(0.5)
        name = name_in(shown.lines)
        shown.press("q")
        assert shown.ended() == 0
    workspace.admin("users", "license", "maya", "off")
    assert home.run("whoami").returncode == 3

    with terminal([], home.environment, program=BACKLIT) as shown:
        shown.wait_for("Your session has ended")
        shown.press("escape")
        shown.wait_for("sign in again")

        assert name not in shown.written
        shown.press("q")
        assert shown.ended() == 0


def test_a_signal_over_the_last_frame_restores_the_terminal(demo_home: Home) -> None:
    name = name_in(left(demo_home))
    with terminal(DEMO, demo_home.environment, program=BACKLIT) as shown:
        modes = shown.modes
        shown.wait_until(lambda: name in shown.written)
        shown.signal(signal.SIGTERM)

        assert shown.ended() == 143
        assert shown.written.rfind(b"?1049l") > shown.written.rfind(b"?1049h")
        assert shown.modes == modes


@pytest.mark.parametrize("names", [{"BACKLIT_HOME": "~/own"}, {"XDG_STATE_HOME": "/var/state"}, {}])
def test_the_frame_lies_in_the_folder_of_the_state(monkeypatch: pytest.MonkeyPatch, names: dict[str, str]) -> None:
    for name in ("BACKLIT_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in names.items():
        monkeypatch.setenv(name, value)

    assert Path(state_folder()) == find_locations(os.environ).state
